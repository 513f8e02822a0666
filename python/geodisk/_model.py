"""Models: named points in hyperbolic space, questions to them, and their files."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import F32, F64, Array, numbers, pointer, points, vector, view, writable
from ._ball import Ball
from ._draw import Page, Picture, plot, view as view_page
from ._errors import UnknownNodeError
from ._graph import Graph, Node, block_names, name_bytes
from ._library import PathLike, Session, as_dict, enum_value, enum_word, new_options, path_bytes, text_of
from ._native import ffi, lib
from ._progress import Progress


# One neighbour as the library has it in memory.
_NEIGHBOUR = np.dtype({"names": ["node", "distance"], "formats": [np.uint32, np.float64], "itemsize": ffi.sizeof("geodisk_neighbour"),
                       "offsets": [ffi.offsetof("geodisk_neighbour", "node"), ffi.offsetof("geodisk_neighbour", "distance")]})


class Parent(NamedTuple):
    """A likely parent, with the model's probability of the edge."""

    node: str
    distance: float
    probability: float


class Placed(NamedTuple):
    """How placing a new node went."""

    node: str
    loss: float
    gradient_norm: float
    iterations: int
    converged: bool
    round: int


class Model:
    """Named points. `geodisk.train` makes one, `Model.load` reads one, `Model(names, vectors)` takes what you have.

    >>> import geodisk
    >>> model = geodisk.Model(["animal", "dog", "cat"], [[0.0, 0.0], [0.5, 0.0], [0.4, 0.3]])
    >>> model
    <geodisk.Model: 3 nodes, dim 2>
    >>> model.most_similar("dog", 1)
    [('cat', 0.8200981417077875)]
    >>> model["dog"]
    array([0.5, 0. ])
    """

    __slots__ = ("_model", "_index", "_names", "_alive", "interrupted", "__weakref__")

    def __init__(self, names: Optional[Sequence[str]], vectors: npt.ArrayLike, gap: Optional[npt.ArrayLike] = None,
                 counts: Optional[npt.ArrayLike] = None, space: str = "hyperbolic", radius: float = 1.0, curvature: float = 1.0) -> None:
        x = numbers(vectors, "vectors")
        if x.ndim != 2:
            raise ValueError(f"vectors: expected an array of shape (n, dim), got shape {x.shape}")
        n, dim = x.shape
        if names is not None and len(names) != n:
            raise ValueError(f"names: expected {n} names, one for each row of vectors, got {len(names)}")
        ball = Ball(dim, radius, curvature)
        spec = ffi.new("geodisk_model_spec *", {"nodes": n, "ball": ball._ball[0], "precision": int(x.dtype == F32),
                                                "space": enum_value(ffi.typeof("geodisk_space"), space, "Model: space")})
        alive: List[Any] = [pointer(x)]
        spec.vectors = alive[0]
        if spec.space == lib.GEODISK_SPACE_HYPERBOLIC:
            g = np.ascontiguousarray(ball.gap(x)) if gap is None else vector(gap, n, "gap", x.dtype)
            outside = np.flatnonzero(~(g > 0))
            if len(outside):
                name = names[outside[0]] if names is not None else str(outside[0])
                raise ValueError(f"vectors: row {outside[0]} ({name}) is not inside the ball of radius {radius}")
            alive.append(pointer(g))
            spec.gap = alive[-1]
        spec.counts = counts is not None
        texts = None if names is None else [ffi.new("char[]", name_bytes(name)) for name in names]
        listed = ffi.NULL if texts is None else ffi.new("char *[]", texts)
        spec.name_list = listed
        out = ffi.new("geodisk_model **")
        with Session(1) as s:
            model = s.own(lib.geodisk_model_create(s.context, spec, out), out, lib.geodisk_model_destroy)
        if counts is not None:
            target = view(model, lib.geodisk_model_edit_counts(model), (n,), np.uint64, read_only=False)
            target[:] = np.asarray(counts)
        self._set(model, alive)

    def _set(self, model: Any, alive: Any = None) -> None:
        self._model = model
        self._alive = alive  # the caller's arrays, if the model looks at them
        self._index: Any = None
        self._names: Optional[List[str]] = None
        self.interrupted = False

    @classmethod
    def _wrap(cls, model: Any) -> "Model":
        self = cls.__new__(cls)
        self._set(model)
        return self

    # ---- files ----

    @classmethod
    def load(cls, path: PathLike, **options: Any) -> "Model":
        """Reads a model file, or any of the other formats: word2vec text and binary, TSV, CSV, npy.

        Options (`geodisk_import_options`): format, lorentz, space, radius, curvature, width, names.
        """
        chosen, alive = new_options("geodisk_import_options", options, "Model.load")
        out = ffi.new("geodisk_model **")
        with Session(1) as s:
            status = lib.geodisk_model_import(s.context, path_bytes(path), chosen, ffi.NULL, out)
            return cls._wrap(s.own(status, out, lib.geodisk_model_destroy, os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model whose file holds these bytes."""
        out = ffi.new("geodisk_model **")
        with Session(1) as s:
            status = lib.geodisk_model_read_memory(s.context, b"model", ffi.from_buffer(data), len(data), out)
            return cls._wrap(s.own(status, out, lib.geodisk_model_destroy))

    def save(self, path: PathLike) -> None:
        """Writes the model file (safetensors), as a whole or not at all."""
        with Session(1) as s:
            s.check(lib.geodisk_model_write(s.context, self._model, path_bytes(path)))

    def to_bytes(self) -> bytes:
        """What `save` would write."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def export(self, path: PathLike, format: str = "auto", **options: Any) -> Dict[str, Any]:  # noqa: A002
        """Writes word2vec (text or binary), TSV, CSV or npy, by default as the path's end says; returns what the file cannot hold.

        Options (`geodisk_export_options`): lorentz, width, names.
        """
        chosen, alive = new_options("geodisk_export_options", {**options, "format": format}, "Model.export")
        info = ffi.new("geodisk_export_info *")
        with Session(1) as s:
            s.check(lib.geodisk_model_export(s.context, self._model, path_bytes(path), chosen, info))
            if not (info.renamed or info.moved or info.pulled):
                s.messages.clear()  # metadata that no such file has: who asks for the format knows
        return as_dict(info)

    def to_word2vec(self, path: PathLike, binary: bool = False, **options: Any) -> Dict[str, Any]:
        """Writes what gensim's load_word2vec_format reads."""
        return self.export(path, "word2vec-binary" if binary else "word2vec", **options)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    # ---- what is in it ----

    def __len__(self) -> int:
        return int(lib.geodisk_model_nodes(self._model))

    @property
    def dim(self) -> int:
        return int(lib.geodisk_model_dim(self._model))

    @property
    def space(self) -> str:
        """hyperbolic or euclidean"""
        return enum_word(ffi.typeof("geodisk_space"), int(lib.geodisk_model_space(self._model)))

    @property
    def ball(self) -> Ball:
        """The ball its points lie in."""
        ball = lib.geodisk_model_ball(self._model)
        return Ball(ball.dim, ball.radius, ball.curvature)

    def __repr__(self) -> str:
        extra = "" if self.space == "hyperbolic" else ", euclidean"
        if self._is_float:
            extra += ", float32"
        return f"<geodisk.Model: {len(self)} nodes, dim {self.dim}{extra}>"

    @property
    def _is_float(self) -> bool:
        return bool(lib.geodisk_model_precision(self._model) == lib.GEODISK_PRECISION_FLOAT)

    @property
    def names(self) -> List[str]:
        """The names of the nodes, in the order of the rows."""
        if self._names is None:
            starts = ffi.new("uint64_t **")
            block = lib.geodisk_model_names(self._model, starts)
            self._names = block_names(block, starts[0], len(self))
        return self._names

    def _array(self, name: str, shape: Tuple[int, ...]) -> Optional[Array]:
        suffix = "f" if self._is_float else ""
        address = getattr(lib, name + suffix)(self._model)
        return None if address == ffi.NULL else view(self, address, shape, F32 if suffix else F64)

    @property
    def vectors(self) -> Array:
        """The coordinates, one row for each node: the model's own memory, read-only."""
        found = self._array("geodisk_model_vectors", (len(self), self.dim))
        assert found is not None
        return found

    @property
    def gap(self) -> Optional[Array]:
        """R^2 - |x|^2 of each point, which is exact where coordinates are not; None in Euclidean space."""
        return self._array("geodisk_model_gap", (len(self),))

    @property
    def counts(self) -> Optional[Array]:
        """In how many edges each node stands, if the model knows."""
        address = lib.geodisk_model_counts(self._model)
        return None if address == ffi.NULL else view(self, address, (len(self),), np.uint64)

    @property
    def radii(self) -> Array:
        """The distance of each point from the origin: small means high in the hierarchy."""
        return np.array([lib.geodisk_model_radius(self._model, i) for i in range(len(self))])

    @property
    def metadata(self) -> Dict[str, str]:
        """Texts by key: options, history, seed, program, ..."""
        result: Dict[str, str] = {}
        while True:
            key = lib.geodisk_model_key(self._model, len(result))
            if key == ffi.NULL:
                return result
            result[text_of(key)] = text_of(lib.geodisk_model_get(self._model, key))

    @property
    def options(self) -> Dict[str, Any]:
        """The options it was trained with."""
        loaded: Dict[str, Any] = json.loads(self.metadata.get("options", "{}"))
        return loaded

    @property
    def history(self) -> Dict[str, Array]:
        """What training noted for each epoch, by column: epoch, lr, loss, radius, clips ... Empty if it was not trained. Of more
        than 16,384 epochs some are left out."""
        table = ffi.new("geodisk_history *")
        if lib.geodisk_model_history(self._model, table):
            values = np.frombuffer(ffi.buffer(table.values, table.rows * table.columns * 8)).reshape(table.rows, table.columns)
            return {name: values[:, k].copy() for k, name in enumerate(text_of(table.names).split(" "))}
        rows: List[Dict[str, float]] = json.loads(self.metadata.get("history", "[]"))
        return {name: np.array([row.get(name, np.nan) for row in rows]) for name in (rows[0] if rows else {})}

    def to_numpy(self) -> Tuple[List[str], Array]:
        """The names and a copy of the vectors."""
        return list(self.names), np.array(self.vectors)

    def to_frame(self) -> Any:
        """A pandas.DataFrame: names as index, columns x0, x1, ..., radius."""
        import pandas

        frame = pandas.DataFrame(np.array(self.vectors), index=self.names, columns=[f"x{i}" for i in range(self.dim)])
        frame["radius"] = self.radii
        return frame

    # ---- nodes by name ----

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, node: Node) -> Array:
        row: Array = self.vectors[self.index(node)]
        return row

    def _find(self, name: str) -> Optional[int]:
        raw, out = name_bytes(name), ffi.new("uint32_t *")
        return int(out[0]) if lib.geodisk_model_find(self._model, raw, len(raw), out) else None

    def index(self, node: Node) -> int:
        """The row of a node."""
        if isinstance(node, str):
            found = self._find(node)
            if found is None:
                likely = self.suggest(node, 3)
                hint = f"; did you mean {' or '.join(likely)}?" if likely else ""
                raise UnknownNodeError(f'the model has no node "{node}"{hint}')
            return found
        if not isinstance(node, (int, np.integer)):
            raise TypeError(f"expected a name or the number of a row, got {node!r}")
        if not 0 <= node < len(self):
            raise UnknownNodeError(f"the model has no node {node}: it has {len(self)}")
        return int(node)

    def suggest(self, name: str, k: int = 5) -> List[str]:
        """The names that look most like this one."""
        raw, out, found = name.encode("utf-8", "replace"), ffi.new("uint32_t[]", k), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_model_suggest(s.context, self._model, raw, len(raw), k, out, found))
        return [self.names[out[i]] for i in range(found[0])]

    # ---- questions ----

    def _search(self, questions: int = 1) -> Any:
        """The index; for many questions one that is worth making."""
        if self._index is None or questions > 1000:
            model, out = self._model, ffi.new("geodisk_index **")
            kind = lib.GEODISK_SEARCH_AUTO if questions > 1000 else lib.GEODISK_SEARCH_SCAN
            with Session(None) as s:
                status = lib.geodisk_index_create(s.context, model, kind, questions, out)
                # The index looks at the model: whoever holds the index holds the model.
                self._index = s.own(status, out, lambda index, model=model: lib.geodisk_index_destroy(index))
        return self._index

    def distance(self, a: Node, b: Node) -> float:
        """The distance of two nodes."""
        out = ffi.new("double *")
        with Session(1) as s:
            s.check(lib.geodisk_model_distance(s.context, self._model, self.index(a), self.index(b), out))
        return float(out[0])

    def _near(self, nodes: Sequence[int], k: int, side: int, threads: Optional[int]) -> Tuple[Any, Any]:
        ids = np.array(nodes, np.uint32)
        k = min(k, max(1, len(self) - 1))
        out, found = ffi.new("geodisk_neighbour[]", len(ids) * k), ffi.new("size_t[]", len(ids))
        index = self._search(len(ids))
        with Session(threads) as s:
            s.check(lib.geodisk_index_nearest(s.context, index, len(ids), pointer(ids), k, side, out, found))
        return out, found

    def _pairs(self, found: Any, n: int) -> List[Tuple[str, float]]:
        names = self.names
        return [(names[found[i].node], found[i].distance) for i in range(n)]

    def most_similar(self, node: Union[Node, npt.ArrayLike], k: int = 10) -> List[Tuple[str, float]]:
        """The k nearest nodes of a node (or of a point), with their distances."""
        if isinstance(node, (str, int)):
            out, found = self._near([self.index(node)], k, lib.GEODISK_SIDE_ANY, 1)
            return self._pairs(out, found[0])
        return self._near_point(points(node, self.dim, "node", 1, F64), None, k)

    def _near_point(self, x: Array, gap: Optional[Array], k: int) -> List[Tuple[str, float]]:
        k = min(k, len(self))
        out, found = ffi.new("geodisk_neighbour[]", k), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_index_nearest_to(s.context, self._search(), 1, pointer(x), pointer(gap), k, out, found))
        return self._pairs(out, found[0])

    def neighbours(self, nodes: Sequence[Node], k: int = 10, threads: Optional[int] = None) -> Tuple[Array, Array]:
        """The k nearest nodes of many: their numbers and distances, one row for each node asked about."""
        out, _ = self._near([self.index(node) for node in nodes], k, lib.GEODISK_SIDE_ANY, threads)
        table = np.frombuffer(ffi.buffer(out), _NEIGHBOUR).reshape(len(nodes), -1)
        return table["node"].astype(np.int64), table["distance"].copy()

    def parents(self, node: Node, k: int = 5) -> List[Parent]:
        """The likely parents: the nearest nodes nearer to the origin, with the model's probability of the edge."""
        out, found = ffi.new("geodisk_parent[]", k), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_index_parents(s.context, self._search(), self.index(node), k, out, found))
        return [Parent(self.names[out[i].node], out[i].distance, out[i].probability) for i in range(found[0])]

    def children(self, node: Node, k: int = 5) -> List[Tuple[str, float]]:
        """The nearest nodes farther from the origin."""
        out, found = self._near([self.index(node)], k, lib.GEODISK_SIDE_LOWER, 1)
        return self._pairs(out, found[0])

    def _chain(self, node: Node, side: int, limit: int) -> List[Tuple[str, float]]:
        out, found = ffi.new("geodisk_neighbour[]", limit), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_index_chain(s.context, self._search(), self.index(node), side, limit, out, found))
        return self._pairs(out, found[0])

    def ancestors(self, node: Node, limit: int = 100) -> List[Tuple[str, float]]:
        """The closest parent, its closest parent, and so on."""
        return self._chain(node, lib.GEODISK_SIDE_HIGHER, limit)

    def descendants(self, node: Node, limit: int = 5) -> List[Tuple[str, float]]:
        """The closest child, its closest child, and so on."""
        return self._chain(node, lib.GEODISK_SIDE_LOWER, limit)

    def rank(self, a: Node, b: Node) -> int:
        """1 + how many nodes are nearer to a than b is."""
        out = ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_index_rank(s.context, self._search(), self.index(a), self.index(b), out))
        return int(out[0])

    def _between(self, function: Any, *arguments: Any) -> Tuple[Array, Array]:
        x, gap = np.empty(self.dim), np.empty(1)
        with Session(1) as s:
            s.check(function(s.context, self._model, *arguments, writable(x), writable(gap)))
        return x, gap

    def between(self, a: Node, b: Node, t: float = 0.5) -> Array:
        """The point a share t of the way from a to b."""
        return self._between(lib.geodisk_model_between, self.index(a), self.index(b), t)[0]

    def analogy(self, a: Node, b: Node, c: Node, k: int = 1) -> List[Tuple[str, float]]:
        """a is to b as c is to what? The k nearest nodes of that place, a, b and c left out."""
        asked = [self.index(node) for node in (a, b, c)]
        x, gap = self._between(lib.geodisk_model_analogy, *asked)
        near = self._near_point(x, gap if self.space == "hyperbolic" else None, k + 3)
        left_out = {self.names[i] for i in asked}
        return [pair for pair in near if pair[0] not in left_out][:k]

    def mean(self, nodes: Sequence[Node], weights: Optional[npt.ArrayLike] = None) -> Array:
        """The barycenter of nodes."""
        ids = np.array([self.index(node) for node in nodes], np.uint32)
        w = None if weights is None else vector(weights, len(ids), "weights")
        return self._between(lib.geodisk_model_mean, len(ids), pointer(ids), pointer(w))[0]

    # ---- new nodes ----

    def place(self, edges: Any, threads: Optional[int] = None, progress: Progress = False, **options: Any) -> Tuple["Model", List[Placed]]:
        """A model that also has the new nodes of `edges` (anything `Graph` takes), the old ones unmoved; and how it went.

        Options (`geodisk_place_options`): negatives, competitors, iterations, tolerance, seed.
        """
        graph = edges if isinstance(edges, Graph) else Graph(edges)
        chosen, alive = new_options("geodisk_place_options", options, "Model.place")
        placed, info, out = ffi.new("geodisk_placed[]", max(1, len(graph))), ffi.new("geodisk_place_info *"), ffi.new("geodisk_model **")
        with Session(threads, progress) as s:
            status = lib.geodisk_model_place(s.context, self._model, graph._graph, chosen, placed, info, out)
            more = self._wrap(s.own(status, out, lib.geodisk_model_destroy))
        names = more.names
        return more, [Placed(names[p.node], p.loss, p.gradient_norm, p.iterations, p.converged, p.round)
                      for p in (placed[i] for i in range(info.placed))]

    # ---- pictures ----

    def plot(self, path: Optional[PathLike] = None, graph: Any = None, *, highlight: Union[str, Sequence[str]] = (),
             threads: Optional[int] = None, progress: Progress = False, **options: Any) -> Optional[Picture]:
        """Draws the disk into a file (PNG, SVG or PDF by its end); without a path it returns a picture that notebooks show.

        `graph` (anything `Graph` takes) gives edges and colours. Options are those of `geodisk_scene_options` (kind: hierarchy or
        network; below, max_nodes, all_edges, scale, full_names, renamed: a dictionary of what nodes are called) and `geodisk_picture_options` (size, centre: origin, root, barycenter or a node; labels, dark, grid, ...).

        >>> import geodisk
        >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")]
        >>> picture = geodisk.train(pairs, dim=2, epochs=10, negatives=1).plot(graph=pairs)
        >>> picture.format, "</svg>" in picture._repr_svg_()
        ('svg', True)
        """
        return plot(self, path, graph, highlight, threads, progress, options)

    def view(self, path: Optional[PathLike] = None, graph: Any = None, *, threads: Optional[int] = None, progress: Progress = False,
             **options: Any) -> Optional[Page]:
        """Writes a page for the browser in which one walks around in the disk: one HTML file that needs nothing else. Without a path it
        returns the page, which notebooks show; its `open()` shows it in the browser.

        `graph` as in `plot`. Options are those of `geodisk_scene_options` (kind, below, max_nodes, all_edges, full_names, renamed) and `geodisk_page_options`
        (title, no_vectors).

        >>> import geodisk
        >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")]
        >>> page = geodisk.train(pairs, dim=2, epochs=10, negatives=1).view(graph=pairs, title="animals")
        >>> "animals" in page.text
        True
        """
        return view_page(self, path, graph, threads, progress, options)
