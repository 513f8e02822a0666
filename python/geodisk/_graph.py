"""Directed graphs with named nodes: from files, WordNet, ontologies, pairs, pandas, SciPy and networkx; and what can be made of them."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _sources
from ._arrays import Array, pointer, view, writable
from ._errors import UnknownNodeError
from ._keywords import Generator, Given, GraphFormat, Kind, Protocol, Shape, Way, given, keywords
from ._library import PathLike, Session, as_dict, enum_value, enum_word, new_options, path_bytes, text_of
from ._memory import Target, write_to
from ._names import Kinds, Name, block_texts, inherited, located, name_bytes, python_names, shown
from ._native import ffi, lib
from ._progress import Progress
from ._show import graph_html


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


class TakenOut(NamedTuple):
    """The same where nodes were taken out; `given` has the edges that are told of them."""

    train: "Graph"
    validation: "Graph"
    test: "Graph"
    given: "Graph"


class Graph:
    """An immutable graph. An edge goes from child to parent: in `("dog", "mammal")` the dog is the child.

    `Graph(source)` takes a path (any edge list; see `Graph.read`), an iterable of pairs or of (child, parent, weight), a pandas frame
    (`child`, `parent` and `weight` name its columns), a networkx graph, or a SciPy sparse matrix (`names` are its rows). Nodes are called
    what they were called: integers stay integers. Self-loops and repeated edges are left out; `dropped` counts them.

    >>> from geodisk import Graph
    >>> graph = Graph([("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")])
    >>> graph
    <geodisk.Graph: 4 nodes, 3 edges>
    >>> graph.parents("dog"), graph.children("mammal")
    (['mammal'], ['dog', 'cat'])
    >>> sorted(graph.closure())[:2]
    [('cat', 'animal'), ('cat', 'mammal')]
    >>> Graph([(2, 1), (3, 1)]).children(1)
    [2, 3]
    """

    __slots__ = ("_graph", "_names", "_kinds", "dropped", "read_info", "__weakref__")

    def __init__(self, source: Any, names: Optional[Sequence[Name]] = None, *, child: Any = None, parent: Any = None,
                 weight: Any = None) -> None:
        made = self._from_any(source, names, child, parent, weight)
        self._graph: Any = made._graph
        self._names: Optional[List[Name]] = None
        self._kinds: Kinds = made._kinds
        self.dropped: Dict[str, int] = made.dropped
        self.read_info: Any = made.read_info

    @classmethod
    def _from_any(cls, source: Any, names: Optional[Sequence[Name]], child: Any, parent: Any, weight: Any) -> "Graph":
        is_frame = hasattr(source, "columns") and hasattr(source, "iloc")
        if not is_frame and not (child is None and parent is None):
            raise TypeError(f"child= and parent= name the columns of a pandas.DataFrame, not of a {type(source).__name__}")
        if names is not None and not hasattr(source, "tocoo"):
            raise TypeError(f"names= are those of a sparse matrix's rows; a {type(source).__name__} has its own")
        if isinstance(source, Graph):
            return source
        if isinstance(source, (str, os.PathLike)):
            return cls.read(source)
        if is_frame:
            return cls.from_pandas(source, child, parent, weight)
        if hasattr(source, "tocoo"):
            return cls.from_scipy(source, names)
        if hasattr(source, "is_directed") and hasattr(source, "edges"):
            return cls.from_networkx(source, "weight" if weight is None else weight)
        return cls.from_pairs(source)

    @classmethod
    def _wrap(cls, graph: Any, dropped: Optional[Mapping[str, int]] = None, read_info: Any = None, kinds: Kinds = None) -> "Graph":
        self = cls.__new__(cls)
        self._graph = graph
        self._names = None
        self._kinds = kinds
        self.dropped = dict(dropped or {})
        self.read_info = read_info
        return self

    # ---- where graphs come from ----

    @classmethod
    @keywords("geodisk_graph_read_options")
    def read(cls, path: PathLike, progress: Progress = False, *, separator: Optional[str] = None, header: Optional[bool] = None,
             weights: Optional[bool] = None, reverse: bool = False, strict: bool = False, no_quotes: bool = False,
             no_comments: bool = False, max_edges: int = 0, columns: Optional[str] = None,
             format: GraphFormat = "auto") -> "Graph":  # noqa: A002
        """Reads an edge list: tabs, commas, semicolons, bars or blanks, header, quotes, weights, comments, .gz; "-" is standard input. Or
        GraphML, JSON or Newick. None and "auto" mean: find out. `columns` are child, parent and perhaps weight, by the header's words or
        numbers from 1: "name,boss", "4,2,5"; more than `max_edges` (0: no limit) are an error.
        Names are strings; `rename(int)` makes them integers.
        """
        chosen, alive = new_options("geodisk_graph_read_options", given(locals(), "geodisk_graph_read_options"), "Graph.read")
        info = ffi.new("geodisk_graph_read_info *")
        with Session(1, progress) as s:
            graph = s.make("graph", lib.geodisk_graph_read, path_bytes(path), chosen, info, path=os.fspath(path))
        return cls._wrap(graph, {"self_loops": info.self_loops, "duplicates": info.duplicates}, info)

    @classmethod
    @keywords("geodisk_graph_read_options")
    def read_bytes(cls, data: Union[bytes, str], label: str = "edges", *, separator: Optional[str] = None, header: Optional[bool] = None,
                   weights: Optional[bool] = None, reverse: bool = False, strict: bool = False, no_quotes: bool = False,
                   no_comments: bool = False, max_edges: int = 0, columns: Optional[str] = None,
                   format: GraphFormat = "auto") -> "Graph":  # noqa: A002
        """The same from memory.

        >>> Graph.read_bytes("dog,mammal\\ncat,mammal\\n").names
        ['dog', 'mammal', 'cat']
        """
        options = given(locals(), "geodisk_graph_read_options")
        chosen, alive = new_options("geodisk_graph_read_options", options, "Graph.read_bytes")
        raw = data.encode() if isinstance(data, str) else bytes(memoryview(data))
        info, out = ffi.new("geodisk_graph_read_info *"), ffi.new("geodisk_graph **")
        held = (ffi.new("char[]", path_bytes(label)), ffi.from_buffer(raw))
        file = ffi.new("geodisk_memory_file *", (*held, len(raw)))
        with Session(1) as s:
            status = lib.geodisk_graph_read_memory(s.context, file, chosen, info, out)
            graph = s.own(status, out, lib.geodisk_graph_destroy)
        return cls._wrap(graph, {"self_loops": info.self_loops, "duplicates": info.duplicates}, info)

    @classmethod
    @keywords("geodisk_wordnet_options")
    def wordnet(cls, root: Optional[str] = None, dict: PathLike = "/usr/share/wordnet", *, pos: Optional[str] = None,  # noqa: A002
                direct: bool = False, reverse: bool = False) -> "Graph":
        """WordNet's hypernyms of nouns (`pos`: "n", or "v" for verbs), by default their closure: an edge from each synset to all above it;
        `direct`: the links only."""
        chosen, alive = new_options("geodisk_wordnet_options", given(locals(), "geodisk_wordnet_options"), "Graph.wordnet")
        with Session(1) as s:
            return cls._wrap(s.make("graph", lib.geodisk_graph_read_wordnet, path_bytes(dict), chosen, ffi.NULL, path=os.fspath(dict)))

    @classmethod
    @keywords("geodisk_obo_options")
    def obo(cls, path: PathLike, *, part_of: bool = False, names: bool = False, reverse: bool = False) -> "Graph":
        """An ontology in OBO format, such as the Gene Ontology; `part_of`: those links too; `names`: nodes are called by names, not ids."""
        chosen, alive = new_options("geodisk_obo_options", given(locals(), "geodisk_obo_options"), "Graph.obo")
        with Session(1) as s:
            return cls._wrap(s.make("graph", lib.geodisk_graph_read_obo, path_bytes(path), chosen, ffi.NULL, path=os.fspath(path)))

    @classmethod
    @keywords("geodisk_generate_options")
    def generate(cls, kind: Generator, *, shape: Shape = "directed", nodes: int = 0, branching: int = 0, depth: int = 0, rows: int = 0,
                 columns: int = 0, attach: int = 0, blocks: int = 0, p_in: float = 0.0, p_out: float = 0.0, seed: int = 0) -> "Graph":
        """A graph by rule or by chance: a tree (branching, depth), a recursive tree (nodes), a grid (rows, columns), Barabasi and Albert's
        (nodes, attach), or blocks (nodes, blocks, p_in, p_out). Its nodes are called "0", "1", ...

        >>> Graph.generate("tree", branching=2, depth=5)
        <geodisk.Graph: 63 nodes, 62 edges>
        """
        chosen, alive = new_options("geodisk_generate_options", given(locals(), "geodisk_generate_options"), "Graph.generate")
        with Session(1) as s:
            return cls._wrap(s.make("graph", lib.geodisk_graph_generate, chosen))

    @classmethod
    def _from_edges(cls, edges: _sources.Edges) -> "Graph":
        alive = pointer(edges.children), pointer(edges.parents), pointer(edges.weights)
        arrays = ffi.new("geodisk_graph_arrays *", {"nodes": edges.nodes, "edges": len(edges.children), "children": alive[0],
                                                    "parents": alive[1], "weights": alive[2]})
        if edges.texts is not None:
            texts = [ffi.new("char[]", name_bytes(text)) for text in edges.texts]
            listed = ffi.new("char *[]", texts)
            arrays.names = listed
        dropped = ffi.new("geodisk_graph_dropped *")
        with Session(1) as s:
            graph = s.make("graph", lib.geodisk_graph_create, arrays, dropped)
        return cls._wrap(graph, as_dict(dropped), None, edges.kinds)

    @classmethod
    def from_arrays(cls, children: npt.ArrayLike, parents: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None,
                    names: Optional[Sequence[Name]] = None, nodes: Optional[int] = None) -> "Graph":
        """A graph from node numbers, which are the names if none are given.

        >>> Graph.from_arrays([1, 2], [0, 0], names=["animal", "dog", "cat"]).children("animal")
        ['dog', 'cat']
        >>> Graph.from_arrays([1, 2], [0, 0]).children(0)
        [1, 2]
        """
        return cls._from_edges(_sources.of_arrays(children, parents, weights, names, nodes))

    @classmethod
    def from_pairs(cls, pairs: Iterable[Sequence[Any]]) -> "Graph":
        """A graph from (child, parent) or (child, parent, weight). Nodes are strings, integers, floats, or tuples of these."""
        return cls._from_edges(_sources.of_pairs(pairs))

    @classmethod
    def from_pandas(cls, frame: Any, child: Any = None, parent: Any = None, weight: Any = None) -> "Graph":
        """A graph from two columns of a pandas.DataFrame, the first two unless they are named, and perhaps one of weights.

        >>> import pandas
        >>> staff = pandas.DataFrame({"id": [1, 2], "name": ["Ann", "Bob"], "boss": ["Eve", "Ann"], "since": [2019, 2020]})
        >>> sorted(Graph(staff, child="name", parent="boss"))
        [('Ann', 'Eve'), ('Bob', 'Ann')]
        """
        return cls._from_edges(_sources.of_frame(frame, child, parent, weight))

    @classmethod
    def from_scipy(cls, matrix: Any, names: Optional[Sequence[Name]] = None) -> "Graph":
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
    def from_networkx(cls, graph: Any, weight: Optional[str] = "weight") -> "Graph":
        """A graph from networkx, edges from child to parent; an undirected one has each edge in both directions. The edges' attribute
        `weight` is their weight, where they have it.

        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(3)).parents(1)
        [0, 2]
        """
        made = cls._from_edges(_sources.of_networkx(graph, weight))
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

    def _repr_html_(self) -> str:
        return graph_html(self)

    @property
    def _texts(self) -> List[str]:
        """The names as the library has them."""
        starts = ffi.new("uint64_t **")
        block = lib.geodisk_graph_names(self._graph, starts)
        return block_texts(block, starts[0], len(self))

    @property
    def names(self) -> List[Name]:
        """The names of the nodes, in the order of their numbers."""
        if self._names is None:
            self._names = python_names(self._texts, self._kinds)
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

    def __iter__(self) -> Iterator[Tuple[Name, Name]]:
        names = self.names
        return ((names[u], names[v]) for u, v in self.edges.tolist())

    def __contains__(self, name: object) -> bool:
        try:
            self.index(name)
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def _look_up(self, raw: bytes) -> Optional[int]:
        out = ffi.new("uint32_t *")
        return int(out[0]) if lib.geodisk_graph_find(self._graph, raw, len(raw), out) else None

    def index(self, node: Name) -> int:
        """The number of a node."""
        found = located(node, self._kinds, self._look_up, "graph")
        if found is None:
            raise UnknownNodeError(f"the graph has no node {shown(node)}")
        return found

    def _row(self, rows: Any, node: Name) -> List[Name]:
        u = self.index(node)
        return [self.names[rows.nodes[i]] for i in range(rows.offsets[u], rows.offsets[u + 1])]

    def parents(self, node: Name) -> List[Name]:
        return self._row(lib.geodisk_graph_out(self._graph), node)

    def children(self, node: Name) -> List[Name]:
        return self._row(lib.geodisk_graph_in(self._graph), node)

    def has_edge(self, child: Name, parent: Name) -> bool:
        return bool(lib.geodisk_graph_has_edge(self._graph, self.index(child), self.index(parent)))

    @property
    def fingerprint(self) -> int:
        """A 64-bit hash of names, edges and weights: the same for the same graph, everywhere."""
        return int(lib.geodisk_graph_fingerprint(self._graph))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.fingerprint == other.fingerprint and self._kinds == other._kinds

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
        count = ffi.new("size_t *")
        with Session(threads) as s:
            read = self.read_info if self.read_info is not None else ffi.NULL
            check = s.make("check", lib.geodisk_graph_check, self._graph, read, options)
        found = lib.geodisk_check_findings(check, count)
        level = ffi.typeof("geodisk_finding_level")
        return [Finding(text_of(f.topic), enum_word(level, int(f.level)), text_of(f.finding), text_of(f.advice))
                for f in (found[i] for i in range(count[0]))]

    @keywords("geodisk_hyperbolicity_options")
    def hyperbolicity(self, threads: Optional[int] = None, progress: Progress = False, *, exact_nodes: int = 0, sample_nodes: int = 0,
                      seed: int = 0) -> Dict[str, Any]:
        """Gromov's delta: how tree-like the graph is (0: a tree)."""
        options = given(locals(), "geodisk_hyperbolicity_options")
        chosen, alive = new_options("geodisk_hyperbolicity_options", options, "Graph.hyperbolicity")
        out = ffi.new("geodisk_hyperbolicity *")
        with Session(threads, progress) as s:
            s.check(lib.geodisk_graph_hyperbolicity(s.context, self._graph, chosen, out))
        return as_dict(out)

    def hops(self, sources: Optional[Sequence[Name]] = None, way: Way = "both", threads: Optional[int] = None) -> Array:
        """Edges on a shortest path from each source (by default all nodes) to every node; -1 where there is none.

        >>> Graph([("dog", "mammal"), ("cat", "mammal")]).hops(["dog"]).tolist()
        [[0, 1, 2]]
        """
        ids = np.arange(len(self), dtype=np.uint32) if sources is None else np.array([self.index(node) for node in sources], np.uint32)
        out = np.empty((len(ids), len(self)), np.uint32)
        walked = enum_value(ffi.typeof("geodisk_way"), way, "Graph.hops: way")
        chosen = ffi.new("geodisk_path_options *", {"way": walked, "sources": pointer(ids), "n_sources": len(ids)})
        with Session(threads) as s:
            s.check(lib.geodisk_graph_hops(s.context, self._graph, chosen, writable(out), ffi.NULL))
        return out.view(np.int32)

    # ---- graphs from graphs ----

    def _made(self, function: Callable[..., int], *arguments: Any) -> "Graph":
        with Session(None) as s:
            return self._heir(s.make("graph", function, self._graph, *arguments))

    def _heir(self, graph: Any) -> "Graph":
        """A graph of the same nodes, or some of them."""
        made = self._wrap(graph)
        made._kinds = None if self._kinds is None else inherited(self._kinds, self._texts, made._texts)
        return made

    def rename(self, names: Union[Callable[[Name], Name], Sequence[Name], Mapping[Name, Name]]) -> "Graph":
        """The same graph with other names: a function of each, a dictionary (what is not in it stays), or a list in the order of `names`.

        >>> sorted(Graph.read_bytes("2,1\\n3,1\\n").rename(int))
        [(2, 1), (3, 1)]
        """
        if callable(names):
            new = [names(name) for name in self.names]
        elif isinstance(names, Mapping):
            new = [names.get(name, name) for name in self.names]
        else:
            new = list(names)
        edges = self.edges
        return self.from_arrays(edges[:, 0], edges[:, 1], None if self.weights is None else np.array(self.weights), new, len(self))

    @keywords("geodisk_closure_options")
    def closure(self, *, allow_cycles: bool = False, max_edges: int = 0) -> "Graph":
        """An edge from each node to all its ancestors; at most so many edges (0: no limit)."""
        chosen, alive = new_options("geodisk_closure_options", given(locals(), "geodisk_closure_options"), "Graph.closure")
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

    def without_roots(self) -> "Graph":
        """The same nodes without the edges to those that have no parents."""
        return self._made(lib.geodisk_graph_without_roots)

    def non_edges(self, edges: "Graph", per_edge: int = 10, seed: int = 0) -> "Graph":
        """Pairs that are no edges of this graph, drawn beside `edges`, which has the same nodes: for each of its edges one end is
        replaced `per_edge` times."""
        if not isinstance(edges, Graph):
            raise TypeError(f"non_edges takes a Graph, not {edges!r}")
        return self._made(lib.geodisk_graph_non_edges, edges._graph, per_edge, seed)

    def below(self, node: Name) -> "Graph":
        """A node and all its descendants."""
        return self._made(lib.geodisk_graph_subgraph_below, self.index(node))

    def split(self, validation: float = 5.0, test: float = 5.0, seed: int = 0, kind: Kind = "auto", protocol: Protocol = "links",
              closure_share: float = 0.0) -> Split:
        """Holds edges out: percentages of those that a closed graph's reduction does not need. `protocol` "entailment" leaves
        `closure_share` percent of them in training, beside the basic ones; "parents" takes a parent from nodes that have several, with
        all that follows from it alone. (Whole nodes: `take_out`.)"""
        if protocol == "nodes":
            raise ValueError("Graph.split: nodes are taken out by Graph.take_out")
        return Split(*self._split("Graph.split", validation=validation, test=test, seed=seed, kind=kind, protocol=protocol,
                                  closure_share=closure_share))

    def take_out(self, leaves: int = 0, inner: int = 0, given: Given = "ancestor", seed: int = 0, validation: float = 0.0,
                 test: float = 5.0) -> TakenOut:
        """Takes out whole nodes of a closed hierarchy, so many leaves and inner ones. `given` says what is told of each, for `Model.place`: one
        of its ancestors, two-ancestors, a direct parent, or up to three children. Held out are its other edges, those for `validation` and
        `test` in this proportion.

        >>> import geodisk
        >>> parts = geodisk.Graph.generate("tree", branching=3, depth=3, shape="closed").take_out(leaves=5, given="parent")
        >>> parts.given.edge_count, parts.train.edge_count
        (5, 87)
        """
        return TakenOut(*self._split("Graph.take_out", validation=validation, test=test, seed=seed, protocol="nodes", leaves=leaves,
                                     inner=inner, given=given))

    def _split(self, what: str, **options: Any) -> List["Graph"]:
        chosen, alive = new_options("geodisk_split_options", options, what)
        out = ffi.new("geodisk_split *")
        with Session(None) as s:
            s.check(lib.geodisk_graph_split(s.context, self._graph, chosen, out))
        graphs = (out.train, out.validation, out.test, out.given)
        return [self._heir(ffi.gc(g, lib.geodisk_graph_destroy)) for g in graphs if g != ffi.NULL]

    # ---- to other places ----

    @keywords("geodisk_graph_write_options")
    def write(self, path: Target, *, separator: Optional[str] = None, reverse: bool = False, no_weights: bool = False,
              no_lone_nodes: bool = False, format: GraphFormat = "auto") -> None:  # noqa: A002
        """Writes an edge list to a path (.gz: compressed) or an open file, separated by tabs unless told otherwise;
        `reverse`: the parent first. A path that ends in .graphml, .gexf or .json, or `format`, gives those."""
        chosen, alive = new_options("geodisk_graph_write_options", given(locals(), "geodisk_graph_write_options"), "Graph.write")
        with Session(1) as s:
            write_to(s, path, lambda place: s.check(lib.geodisk_graph_write(s.context, self._graph, place, chosen)))

    def to_scipy(self) -> Any:
        """A SciPy sparse matrix (CSR): entry (i, j) is the edge from node i to node j."""
        from scipy.sparse import csr_matrix

        rows, n, m = lib.geodisk_graph_out(self._graph), len(self), self.edge_count
        offsets = view(self, rows.offsets, (n + 1,), np.uint64).astype(np.int64)
        columns = view(self, rows.nodes, (m,), np.uint32).astype(np.int64)
        weights = self.weights
        return csr_matrix((np.ones(m) if weights is None else np.array(weights), columns, offsets), shape=(n, n))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the edges: columns child, parent and, if there are any, weight."""
        import pandas

        names, edges = self.names, self.edges
        columns: Dict[str, Any] = {"child": [names[u] for u in edges[:, 0].tolist()], "parent": [names[v] for v in edges[:, 1].tolist()]}
        return pandas.DataFrame(columns if self.weights is None else {**columns, "weight": np.array(self.weights)})

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


def _rebuild(children: Array, parents: Array, weights: Optional[Array], names: List[Name]) -> Graph:
    return Graph.from_arrays(children, parents, weights, names)
