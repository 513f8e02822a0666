"""Directed graphs with named nodes: from files, WordNet, ontologies, pairs, SciPy and networkx; and what can be made of them."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, indices, pointer, vector, view, writable
from ._errors import UnknownNodeError
from ._library import PathLike, Session, as_dict, enum_value, enum_word, new_options, path_bytes, text_of
from ._native import ffi, lib
from ._progress import Progress

Node = Union[str, int]


def block_names(block: Any, starts: Any, n: int) -> List[str]:
    """The names of a graph or model, which lie in one block."""
    if n == 0:
        return []
    return bytes(ffi.buffer(block, starts[n])).decode("utf-8").split("\0")[:n]


class Finding(NamedTuple):
    """One thing that Graph.check has looked at."""

    topic: str
    level: str
    finding: str
    advice: str


class Split(NamedTuple):
    """The edges of a graph in three graphs over the same nodes."""

    train: "Graph"
    validation: "Graph"
    test: "Graph"


class Graph:
    """An immutable graph. An edge goes from child to parent: in `("dog", "mammal")` the dog is the child.

    `Graph(source)` takes a path (any edge list; see `Graph.read`), an iterable of pairs or of (child, parent, weight), a networkx
    graph, or a SciPy sparse matrix. Self-loops and repeated edges are left out; `dropped` counts them.

    >>> from geodisk import Graph
    >>> graph = Graph([("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")])
    >>> graph
    <geodisk.Graph: 4 nodes, 3 edges>
    >>> graph.parents("dog"), graph.children("mammal")
    (['mammal'], ['dog', 'cat'])
    >>> sorted(graph.closure())[:2]
    [('cat', 'animal'), ('cat', 'mammal')]
    """

    __slots__ = ("_graph", "_names", "dropped", "read_info", "__weakref__")

    def __init__(self, source: Any, names: Optional[Sequence[str]] = None) -> None:
        made = self._from_any(source, names)
        self._graph: Any = made._graph
        self._names: Optional[List[str]] = None
        self.dropped: Dict[str, int] = made.dropped
        self.read_info: Any = made.read_info

    @classmethod
    def _from_any(cls, source: Any, names: Optional[Sequence[str]]) -> "Graph":
        if isinstance(source, Graph):
            return source
        if isinstance(source, (str, os.PathLike)):
            return cls.read(source)
        if hasattr(source, "tocoo"):
            return cls.from_scipy(source, names)
        if hasattr(source, "is_directed") and hasattr(source, "edges"):
            return cls.from_networkx(source)
        return cls.from_pairs(source)

    @classmethod
    def _wrap(cls, graph: Any, dropped: Optional[Mapping[str, int]] = None, read_info: Any = None) -> "Graph":
        self = cls.__new__(cls)
        self._graph = graph
        self._names = None
        self.dropped = dict(dropped or {})
        self.read_info = read_info
        return self

    # ---- where graphs come from ----

    @classmethod
    def read(cls, path: PathLike, progress: Progress = False, **options: Any) -> "Graph":
        """Reads an edge list: tabs, commas, semicolons, bars or blanks, header, quotes, weights, comments, .gz; "-" is standard input.

        Options (`geodisk_graph_read_options`): separator, header, weights (True, False or None: find out), reverse, strict, no_quotes,
        no_comments.
        """
        chosen, alive = new_options("geodisk_graph_read_options", options, "Graph.read")
        info, out = ffi.new("geodisk_graph_read_info *"), ffi.new("geodisk_graph **")
        with Session(1, progress) as s:
            status = lib.geodisk_graph_read(s.context, path_bytes(path), chosen, info, out)
            graph = s.own(status, out, lib.geodisk_graph_destroy, os.fspath(path))
        return cls._wrap(graph, {"self_loops": info.self_loops, "duplicates": info.duplicates}, info)

    @classmethod
    def read_bytes(cls, data: Union[bytes, str], label: str = "edges", **options: Any) -> "Graph":
        """The same from memory.

        >>> Graph.read_bytes("dog,mammal\\ncat,mammal\\n").names
        ['dog', 'mammal', 'cat']
        """
        raw = data.encode() if isinstance(data, str) else data
        chosen, alive = new_options("geodisk_graph_read_options", options, "Graph.read_bytes")
        info, out = ffi.new("geodisk_graph_read_info *"), ffi.new("geodisk_graph **")
        with Session(1) as s:
            status = lib.geodisk_graph_read_memory(s.context, label.encode(), raw, len(raw), chosen, info, out)
            graph = s.own(status, out, lib.geodisk_graph_destroy)
        return cls._wrap(graph, {"self_loops": info.self_loops, "duplicates": info.duplicates}, info)

    @classmethod
    def wordnet(cls, root: Optional[str] = None, dict: PathLike = "/usr/share/wordnet", **options: Any) -> "Graph":  # noqa: A002
        """WordNet's hypernyms, by default their closure: an edge from each synset to all above it.

        Options (`geodisk_wordnet_options`): pos ("n" or "v"), direct (the links only), reverse.
        """
        chosen, alive = new_options("geodisk_wordnet_options", {**options, "root": root}, "Graph.wordnet")
        out = ffi.new("geodisk_graph **")
        with Session(1) as s:
            status = lib.geodisk_graph_read_wordnet(s.context, path_bytes(dict), chosen, ffi.NULL, out)
            return cls._wrap(s.own(status, out, lib.geodisk_graph_destroy, os.fspath(dict)))

    @classmethod
    def obo(cls, path: PathLike, **options: Any) -> "Graph":
        """An ontology in OBO format, such as the Gene Ontology. Options (`geodisk_obo_options`): part_of, names, reverse."""
        chosen, alive = new_options("geodisk_obo_options", options, "Graph.obo")
        out = ffi.new("geodisk_graph **")
        with Session(1) as s:
            status = lib.geodisk_graph_read_obo(s.context, path_bytes(path), chosen, ffi.NULL, out)
            return cls._wrap(s.own(status, out, lib.geodisk_graph_destroy, os.fspath(path)))

    @classmethod
    def generate(cls, kind: str, **options: Any) -> "Graph":
        """A graph by rule or by chance: tree, recursive, grid, barabasi, blocks. Options as in `geodisk_generate_options`.

        >>> Graph.generate("tree", branching=2, depth=5)
        <geodisk.Graph: 63 nodes, 62 edges>
        """
        chosen, alive = new_options("geodisk_generate_options", {**options, "kind": kind}, "Graph.generate")
        out = ffi.new("geodisk_graph **")
        with Session(1) as s:
            return cls._wrap(s.own(lib.geodisk_graph_generate(s.context, chosen, out), out, lib.geodisk_graph_destroy))

    @classmethod
    def from_arrays(cls, children: npt.ArrayLike, parents: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None,
                    names: Optional[Sequence[str]] = None, nodes: Optional[int] = None) -> "Graph":
        """A graph from node numbers; without names they are called "0", "1", ...

        >>> Graph.from_arrays([1, 2], [0, 0], names=["animal", "dog", "cat"]).children("animal")
        ['dog', 'cat']
        """
        u = indices(children, "children", (None,), np.uint32)
        v = indices(parents, "parents", (len(u),), np.uint32)
        w = None if weights is None else vector(weights, len(u), "weights")
        if nodes is None:
            nodes = len(names) if names is not None else int(max(u.max(), v.max())) + 1 if len(u) else 0
        if names is not None and len(names) != nodes:
            raise ValueError(f"names: expected {nodes} names, got {len(names)}")
        alive = pointer(u), pointer(v), pointer(w)
        arrays = ffi.new("geodisk_graph_arrays *", {"nodes": nodes, "edges": len(u), "children": alive[0], "parents": alive[1],
                                                    "weights": alive[2]})
        if names is not None:
            texts = [ffi.new("char[]", name_bytes(name)) for name in names]
            listed = ffi.new("char *[]", texts)
            arrays.names = listed
        dropped, out = ffi.new("geodisk_graph_dropped *"), ffi.new("geodisk_graph **")
        with Session(1) as s:
            graph = s.own(lib.geodisk_graph_create(s.context, arrays, dropped, out), out, lib.geodisk_graph_destroy)
        return cls._wrap(graph, as_dict(dropped))

    @classmethod
    def from_pairs(cls, pairs: Iterable[Sequence[Any]]) -> "Graph":
        """A graph from (child, parent) or (child, parent, weight); what is no string is called by its str()."""
        ids: Dict[str, int] = {}
        children: List[int] = []
        parents: List[int] = []
        weights: List[float] = []
        for pair in pairs:
            if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) not in (2, 3):
                raise ValueError(f"expected (child, parent) or (child, parent, weight), got {pair!r}")
            children.append(ids.setdefault(str(pair[0]), len(ids)))
            parents.append(ids.setdefault(str(pair[1]), len(ids)))
            if len(pair) == 3:
                weights.append(float(pair[2]))
            if weights and len(weights) != len(children):
                raise ValueError(f"expected a weight with every pair or with none, got {pair!r} after others")
        return cls.from_arrays(np.array(children, np.uint32), np.array(parents, np.uint32), weights or None, list(ids))

    @classmethod
    def from_scipy(cls, matrix: Any, names: Optional[Sequence[str]] = None) -> "Graph":
        """A graph from a sparse matrix: entry (i, j) is the edge from node i to node j; entries other than 1 are weights.

        >>> import scipy.sparse
        >>> Graph.from_scipy(scipy.sparse.coo_matrix(([1, 1], ([1, 2], [0, 0])), shape=(3, 3)))
        <geodisk.Graph: 3 nodes, 2 edges>
        """
        coo = matrix.tocoo()
        if coo.shape[0] != coo.shape[1]:
            raise ValueError(f"matrix: expected a square matrix, got shape {coo.shape}")
        data = np.asarray(coo.data, np.float64)
        weights = None if (data == 1.0).all() else data
        return cls.from_arrays(coo.row.astype(np.int64), coo.col.astype(np.int64), weights, names, int(coo.shape[0]))

    @classmethod
    def from_networkx(cls, graph: Any, weight: str = "weight") -> "Graph":
        """A graph from networkx, edges from child to parent; an undirected one has each edge in both directions.

        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(3)).parents("1")
        ['0', '2']
        """
        nodes = list(graph.nodes)
        ids = {node: i for i, node in enumerate(nodes)}
        edges = list(graph.edges(data=weight, default=None))
        weighted = any(w is not None for _, _, w in edges)
        children, parents = [ids[u] for u, _, _ in edges], [ids[v] for _, v, _ in edges]
        weights = [1.0 if w is None else float(w) for _, _, w in edges] if weighted else None
        made = cls.from_arrays(children, parents, weights, [str(node) for node in nodes])
        return made if graph.is_directed() else made.undirected()

    # ---- what is in it ----

    def __len__(self) -> int:
        return int(lib.geodisk_graph_nodes(self._graph))

    @property
    def edge_count(self) -> int:
        return int(lib.geodisk_graph_edges(self._graph))

    @property
    def weighted(self) -> bool:
        return bool(lib.geodisk_graph_weighted(self._graph))

    def __repr__(self) -> str:
        return f"<geodisk.Graph: {len(self)} nodes, {self.edge_count} edges{', weighted' if self.weighted else ''}>"

    @property
    def names(self) -> List[str]:
        """The names of the nodes, in the order of their numbers."""
        if self._names is None:
            starts = ffi.new("uint64_t **")
            block = lib.geodisk_graph_names(self._graph, starts)
            self._names = block_names(block, starts[0], len(self))
        return self._names

    @property
    def edges(self) -> Array:
        """The edges as node numbers: an array of edge_count rows (child, parent), sorted."""
        n = self.edge_count
        out = np.empty((n, 2), np.uint32)
        children = np.empty(n, np.uint32)
        lib.geodisk_graph_children(self._graph, writable(children))
        out[:, 0] = children
        out[:, 1] = view(self, lib.geodisk_graph_out(self._graph).nodes, (n,), np.uint32)
        return out

    @property
    def weights(self) -> Optional[Array]:
        """The weights in the order of `edges`, without a copy; None if there are none."""
        rows = lib.geodisk_graph_out(self._graph)
        return None if rows.weights == ffi.NULL else view(self, rows.weights, (self.edge_count,), np.float64)

    def __iter__(self) -> Iterator[Tuple[str, str]]:
        names = self.names
        return ((names[u], names[v]) for u, v in self.edges.tolist())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def _find(self, name: str) -> Optional[int]:
        raw, out = name_bytes(name), ffi.new("uint32_t *")
        return int(out[0]) if lib.geodisk_graph_find(self._graph, raw, len(raw), out) else None

    def index(self, node: Node) -> int:
        """The number of a node."""
        if isinstance(node, str):
            found = self._find(node)
            if found is None:
                raise UnknownNodeError(f'the graph has no node "{node}"')
            return found
        if not 0 <= node < len(self):
            raise UnknownNodeError(f"the graph has no node {node}: it has {len(self)}")
        return int(node)

    def _row(self, rows: Any, node: Node) -> List[str]:
        u = self.index(node)
        return [self.names[rows.nodes[i]] for i in range(rows.offsets[u], rows.offsets[u + 1])]

    def parents(self, node: Node) -> List[str]:
        return self._row(lib.geodisk_graph_out(self._graph), node)

    def children(self, node: Node) -> List[str]:
        return self._row(lib.geodisk_graph_in(self._graph), node)

    def has_edge(self, child: Node, parent: Node) -> bool:
        return bool(lib.geodisk_graph_has_edge(self._graph, self.index(child), self.index(parent)))

    @property
    def fingerprint(self) -> int:
        """A 64-bit hash of names, edges and weights: the same for the same graph, everywhere."""
        return int(lib.geodisk_graph_fingerprint(self._graph))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return self.fingerprint

    def __reduce__(self) -> Tuple[Any, ...]:
        edges = self.edges
        weights = None if self.weights is None else np.array(self.weights)
        return _rebuild, (edges[:, 0].copy(), edges[:, 1].copy(), weights, self.names)

    # ---- looking it over ----

    def describe(self) -> Dict[str, Any]:
        """Counts: nodes, edges, roots, leaves, depth (-1: there are cycles), components, and so on.

        >>> Graph([("dog", "mammal"), ("mammal", "animal")]).describe()["depth"]
        2
        """
        out = ffi.new("geodisk_graph_facts *")
        with Session(1) as s:
            s.check(lib.geodisk_graph_describe(s.context, self._graph, out))
        return as_dict(out)

    def check(self, hyperbolicity: bool = True, threads: Optional[int] = None) -> List[Finding]:
        """What is wrong with it as a hierarchy, and what to do.

        >>> for f in Graph([("a", "b"), ("b", "c"), ("c", "a")]).check(hyperbolicity=False):
        ...     if f.level == "problem":
        ...         print(f.topic)
        cycles
        """
        options, alive = new_options("geodisk_check_options", {"no_hyperbolicity": not hyperbolicity}, "Graph.check")
        out, count = ffi.new("geodisk_check **"), ffi.new("size_t *")
        with Session(threads) as s:
            read = self.read_info if self.read_info is not None else ffi.NULL
            status = lib.geodisk_graph_check(s.context, self._graph, read, options, out)
            check = s.own(status, out, lib.geodisk_check_destroy)
        found = lib.geodisk_check_findings(check, count)
        level = ffi.typeof("geodisk_finding_level")
        return [Finding(text_of(f.topic), enum_word(level, int(f.level)), text_of(f.finding), text_of(f.advice))
                for f in (found[i] for i in range(count[0]))]

    def hyperbolicity(self, threads: Optional[int] = None, progress: Progress = False, **options: Any) -> Dict[str, Any]:
        """Gromov's delta: how tree-like the graph is (0: a tree)."""
        chosen, alive = new_options("geodisk_hyperbolicity_options", options, "Graph.hyperbolicity")
        out = ffi.new("geodisk_hyperbolicity *")
        with Session(threads, progress) as s:
            s.check(lib.geodisk_graph_hyperbolicity(s.context, self._graph, chosen, out))
        return as_dict(out)

    def hops(self, sources: Optional[Sequence[Node]] = None, way: str = "both-ways", threads: Optional[int] = None) -> Array:
        """Edges on a shortest path from each source (by default all nodes) to every node; -1 where there is none.

        >>> Graph([("dog", "mammal"), ("cat", "mammal")]).hops(["dog"]).tolist()
        [[0, 1, 2]]
        """
        ids = np.array([self.index(node) for node in (range(len(self)) if sources is None else sources)], np.uint32)
        out = np.empty((len(ids), len(self)), np.uint32)
        with Session(threads) as s:
            s.check(lib.geodisk_graph_hops(s.context, self._graph, enum_value(ffi.typeof("geodisk_way"), way, "Graph.hops: way"), len(ids),
                                           pointer(ids), writable(out), ffi.NULL))
        return out.view(np.int32)

    # ---- graphs from graphs ----

    def _made(self, function: Callable[..., int], *arguments: Any) -> "Graph":
        out = ffi.new("geodisk_graph **")
        with Session(None) as s:
            return self._wrap(s.own(function(s.context, self._graph, *arguments, out), out, lib.geodisk_graph_destroy))

    def closure(self, **options: Any) -> "Graph":
        """An edge from each node to all its ancestors. Options: allow_cycles, max_edges."""
        chosen, alive = new_options("geodisk_closure_options", options, "Graph.closure")
        return self._made(lib.geodisk_graph_closure, chosen)

    def reduce(self) -> "Graph":
        """The smallest graph with the same closure."""
        return self._made(lib.geodisk_graph_reduce)

    def undirected(self) -> "Graph":
        """Each edge in both directions."""
        return self._made(lib.geodisk_graph_undirected)

    def reverse(self) -> "Graph":
        """Each edge the other way round."""
        return self._made(lib.geodisk_graph_reverse)

    def below(self, node: Node) -> "Graph":
        """A node and all its descendants."""
        return self._made(lib.geodisk_graph_subgraph_below, self.index(node))

    def split(self, validation: float = 5.0, test: float = 5.0, seed: int = 0) -> Split:
        """Holds edges out for link prediction: percentages of those that a closed graph's reduction does not need."""
        chosen, alive = new_options("geodisk_split_options", {"validation": validation, "test": test, "seed": seed}, "Graph.split")
        out = ffi.new("geodisk_split *")
        with Session(None) as s:
            s.check(lib.geodisk_graph_split(s.context, self._graph, chosen, out))
        return Split(*(self._wrap(ffi.gc(g, lib.geodisk_graph_destroy)) for g in (out.train, out.validation, out.test)))

    # ---- to other places ----

    def write(self, path: PathLike, **options: Any) -> None:
        """Writes an edge list (.gz: compressed). Options: separator, reverse, no_weights, no_lone_nodes."""
        chosen, alive = new_options("geodisk_graph_write_options", options, "Graph.write")
        with Session(1) as s:
            s.check(lib.geodisk_graph_write(s.context, self._graph, path_bytes(path), chosen))

    def to_scipy(self) -> Any:
        """A SciPy sparse matrix (CSR): entry (i, j) is the edge from node i to node j."""
        from scipy.sparse import csr_matrix

        rows, n, m = lib.geodisk_graph_out(self._graph), len(self), self.edge_count
        offsets = view(self, rows.offsets, (n + 1,), np.uint64).astype(np.int64)
        columns = view(self, rows.nodes, (m,), np.uint32).astype(np.int64)
        weights = self.weights
        return csr_matrix((np.ones(m) if weights is None else np.array(weights), columns, offsets), shape=(n, n))

    def to_networkx(self) -> Any:
        """A networkx.DiGraph over the names."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        if self.weights is None:
            graph.add_edges_from(self)
        else:
            graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(self, self.weights.tolist()))
        return graph


def _rebuild(children: Array, parents: Array, weights: Optional[Array], names: List[str]) -> Graph:
    return Graph.from_arrays(children, parents, weights, names)


def name_bytes(name: str) -> bytes:
    raw = name.encode("utf-8")
    if b"\0" in raw:
        raise ValueError(f"a name holds a NUL: {name!r}")
    return raw
