"""Models: named points in hyperbolic space, questions to them, and their files."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import F32, F64, Array, indices, numbers, pointer, points, real, vector, view, whole, writable
from ._ball import Ball
from ._draw import Page, Picture, plot, view as view_page
from ._errors import ArgumentError
from ._graph import Graph
from ._hierarchy import Hierarchy, IsA
from ._keywords import Device, Format, Kind, PictureFormat, Space, Width, given, keywords
from ._library import PathLike, Session, as_dict, enum_value, new_options, path_bytes, text_of
from ._memory import Target, in_memory, write_to
from ._names import INTEGER, Name, listed, merged, name_bytes, trimmed
from ._native import ffi, lib
from ._points import Points
from ._progress import Progress

# One neighbour as the library has it in memory.
_NEIGHBOUR = np.dtype({"names": ["node", "distance"], "formats": [np.uint32, np.float64], "itemsize": ffi.sizeof("geodisk_neighbour"),
                       "offsets": [ffi.offsetof("geodisk_neighbour", "node"), ffi.offsetof("geodisk_neighbour", "distance")]})


class Parent(NamedTuple):
    """A likely parent, with the model's probability of the edge."""

    node: Name
    distance: float
    probability: float


class Placed(NamedTuple):
    """How placing a new node went."""

    node: Name
    loss: float
    gradient_norm: float
    iterations: int
    converged: bool
    round: int


class Model(Points):
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

    __slots__ = ()

    def __init__(self, names: Optional[Sequence[Name]], vectors: npt.ArrayLike, gap: Optional[npt.ArrayLike] = None,
                 counts: Optional[npt.ArrayLike] = None, space: Space = "hyperbolic", radius: float = 1.0, curvature: float = 1.0) -> None:
        x = numbers(vectors, "vectors")
        if x.ndim != 2:
            raise ValueError(f"vectors: expected an array of shape (n, dim), got shape {x.shape}")
        n, dim = x.shape
        names = None if names is None else list(names)  # as many as it gives, whatever it says
        if names is not None and len(names) != n:
            raise ValueError(f"names: expected {n} names, one for each row of vectors, got {len(names)}")
        texts, kinds = (None, bytes([INTEGER]) * n) if names is None else listed(names)
        ball = Ball(dim, radius, curvature)
        gaps = None
        if enum_value(ffi.typeof("geodisk_space"), space, "Model: space") == lib.GEODISK_SPACE_HYPERBOLIC:
            outside = np.flatnonzero(~(ball.gap(x) > 0))
            if len(outside):
                name = names[outside[0]] if names is not None else outside[0]
                raise ValueError(f"vectors: row {outside[0]} ({name}) is not inside the ball of radius {radius}")
            gaps = np.ascontiguousarray(ball.gap(x)) if gap is None else vector(gap, n, "gap", x.dtype)
        elif gap is not None:
            raise ValueError("gap: points of Euclidean space have none")
        count = None if counts is None else indices(counts, "counts", (n,))
        over = self._over(x, gaps, texts, ball, counts is not None)
        with Session(None) as s:
            if lib.geodisk_model_check(s.context, over._model) == lib.GEODISK_ERROR_NUMERIC:
                raise ArgumentError(text_of(lib.geodisk_context_error(s.context)))
            model = s.make("model", lib.geodisk_model_copy, over._model, lib.GEODISK_WIDTH_AUTO, True)
        if count is not None:
            view(model, lib.geodisk_model_edit_counts(model), (n,), np.uint64, read_only=False)[:] = count
        self._set(model)
        self._record(kinds)

    @classmethod
    def _over(cls, x: Array, gap: Optional[Array], texts: Optional[List[str]], ball: Ball, counts: bool = False) -> "Model":
        """A model that looks at arrays of somebody else's, who may change them; without gaps it is Euclidean."""
        space = lib.GEODISK_SPACE_EUCLIDEAN if gap is None else lib.GEODISK_SPACE_HYPERBOLIC
        spec = ffi.new("geodisk_model_spec *", {"nodes": len(x), "ball": ball._ball[0], "precision": int(x.dtype == F32), "space": space,
                                                "counts": counts})
        alive = [x, gap, pointer(x), pointer(gap)]
        spec.vectors, spec.gap = alive[2], alive[3]
        kept = None if texts is None else [ffi.new("char[]", name_bytes(text)) for text in texts]
        listing = ffi.NULL if kept is None else ffi.new("char *[]", kept)
        spec.name_list = listing
        with Session(1) as s:
            model = s.make("model", lib.geodisk_model_create, spec)
        self = cls._wrap(model)
        self._alive = alive
        return self

    # ---- files ----

    @classmethod
    @keywords("geodisk_import_options")
    def load(cls, path: Union[PathLike, Any], *, format: Format = "auto", lorentz: bool = False, space: Space = "hyperbolic",  # noqa: A002
             radius: float = 0.0, curvature: float = 0.0, width: Width = "auto", names: Optional[PathLike] = None) -> "Model":
        """Reads a model file from a path or an open file, or any of the other formats from a path: word2vec text and binary, TSV, CSV, npy.
        For these: `lorentz` if rows are points of the hyperboloid, the `space` and its `radius` and `curvature` (0: 1), the precision of
        numbers, a file of `names`.
        """
        chosen, alive = new_options("geodisk_import_options", given(locals(), "geodisk_import_options"), "Model.load")
        if hasattr(path, "read"):
            return cls.from_bytes(path.read())
        with Session(1) as s:
            return cls._wrap(s.make("model", lib.geodisk_model_import, path_bytes(path), chosen, ffi.NULL, path=os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model whose file holds these bytes."""
        if isinstance(data, str):
            raise TypeError("Model.from_bytes takes bytes, not a string")
        out, held = ffi.new("geodisk_model **"), ffi.from_buffer(data)
        with Session(1) as s:
            status = lib.geodisk_model_read_memory(s.context, b"model", held, len(held), out)
            return cls._wrap(s.own(status, out, lib.geodisk_model_destroy))

    def save(self, path: Target) -> None:
        """Writes the model file (safetensors) to a path, as a whole or not at all, or to an open file."""
        with Session(1) as s:
            write_to(s, path, lambda place: s.check(lib.geodisk_model_write(s.context, self._model, place)))

    def to_bytes(self) -> bytes:
        """What `save` would write."""
        with Session(1) as s:
            return in_memory(s, lambda place: s.check(lib.geodisk_model_write(s.context, self._model, place)))

    @keywords("geodisk_export_options")
    def export(self, path: Target, format: Format = "auto", *, lorentz: bool = False, width: Width = "auto",  # noqa: A002
               names: Optional[PathLike] = None, graph: Any = None) -> Dict[str, Any]:
        """Writes word2vec (text or binary), TSV, CSV, npy, TensorBoard's pair of files, GraphML, GEXF or JSON, by default as the path's end
        says; returns what the file cannot hold. `lorentz`: points of the hyperboloid; `names`: where npy and TensorBoard put them; `graph`
        (anything `Graph` takes): whose edges the last three hold.
        """
        edges = None if graph is None else self._agreeing(graph)
        return self._export(path, given(locals(), "geodisk_export_options"), "Model.export", edges)

    def _export(self, path: Target, options: Dict[str, Any], what: str, graph: Optional[Graph] = None) -> Dict[str, Any]:
        chosen, alive = new_options("geodisk_export_options", options, what)
        if graph is not None:
            chosen.graph = graph._graph
        info = ffi.new("geodisk_export_info *")
        with Session(1) as s:
            write_to(s, path, lambda place: s.check(lib.geodisk_model_export(s.context, self._model, place, chosen, info)))
            if not (info.renamed or info.moved or info.pulled):
                s.messages.clear()  # metadata that no such file has: who asks for the format knows
        return as_dict(info)

    def to_word2vec(self, path: Target, binary: bool = False, *, lorentz: bool = False) -> Dict[str, Any]:
        """Writes what gensim's load_word2vec_format reads."""
        return self._export(path, {"format": "word2vec-binary" if binary else "word2vec", "lorentz": lorentz}, "Model.to_word2vec")

    def __reduce__(self) -> Tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    def to_networkx(self, graph: Any = None) -> Any:
        """A networkx.DiGraph of the nodes with their coordinates (`pos`) and `radius`, and of the edges of `graph` (anything that `Graph`
        takes) with their `distance`."""
        import networkx

        result = networkx.DiGraph()
        for name, x, radius in zip(self.names, self.vectors.tolist(), self.radii.tolist()):
            result.add_node(name, pos=tuple(x), radius=radius)
        for child, parent in [] if graph is None else list(self._agreeing(graph)):
            result.add_edge(child, parent, distance=self.distance(child, parent))
        return result

    # ---- questions ----

    def _search(self, questions: int = 1, device: Device = "cpu") -> Any:
        """The index; for many questions one that is worth making."""
        wanted = enum_value(ffi.typeof("geodisk_device"), device, "device")
        if wanted != lib.GEODISK_DEVICE_CPU:
            return self._make_index(lib.GEODISK_SEARCH_CUDA if wanted == lib.GEODISK_DEVICE_CUDA else lib.GEODISK_SEARCH_CUDA_AUTO, questions)
        if self._index is None or questions > 1000:
            self._index = self._make_index(lib.GEODISK_SEARCH_AUTO if questions > 1000 else lib.GEODISK_SEARCH_SCAN, questions)
        return self._index

    def _make_index(self, kind: int, questions: int) -> Any:
        with Session(None) as s:
            return s.make("index", lib.geodisk_index_create, self._model, kind, questions, holds=self._model)

    def distance(self, a: Name, b: Name) -> float:
        """The distance of two nodes."""
        out = ffi.new("double *")
        with Session(1) as s:
            s.check(lib.geodisk_model_distance(s.context, self._model, self.index(a), self.index(b), out))
        return float(out[0])

    def _near(self, nodes: Sequence[int], k: Optional[int], side: int, threads: Optional[int],
              device: Device = "cpu") -> Tuple[Any, Any, int]:
        ids = np.array(nodes, np.uint32)
        k = self._at_most(k, max(1, len(self) - 1))
        out, found = ffi.new("geodisk_neighbour[]", max(1, len(ids)) * k), ffi.new("size_t[]", max(1, len(ids)))
        index = self._search(len(ids), device)
        with Session(threads) as s:
            query = ffi.new("geodisk_nearest_query *", {"n": len(ids), "nodes": pointer(ids), "k": k, "side": side})
            s.check(lib.geodisk_index_nearest(s.context, index, query, out, found))
        return out, found, k

    @staticmethod
    def _at_most(k: Optional[int], limit: int) -> int:
        return limit if k is None else min(whole(k, "the number of neighbours"), limit)

    def _pairs(self, found: Any, n: int, start: int = 0) -> List[Tuple[Name, float]]:
        names = self.names
        return [(names[found[i].node], found[i].distance) for i in range(start, start + n)]

    def most_similar(self, nodes: Any = None, topn: Optional[int] = 10, *, row: Optional[int] = None, threads: Optional[int] = None,
                     device: Device = "cpu") -> Any:
        """The `topn` nearest nodes (None: all) of a node, with their distances: [(name, distance), ...].

        A list of nodes gives a list of such lists. An array (or list) of `dim` floats is a point, one of shape (n, dim) are points.
        `row` is a node by its row; integers are names like others. With device="cuda" the nearest of nodes are looked for on a CUDA
        device, to the same answers; "auto" takes one where it is there and worth it.

        >>> model = Model([10, 20, 30], [[0.0, 0.0], [0.5, 0.0], [0.4, 0.3]])
        >>> model.most_similar(20, topn=1)[0][0], model.most_similar(row=1, topn=1)[0][0], model.most_similar([0.5, 0.1], topn=1)[0][0]
        (30, 30, 20)
        >>> [near[0][0] for near in model.most_similar([20, 30], topn=1)]
        [30, 20]
        """
        if row is not None or nodes is None or _is_name(nodes) or (isinstance(nodes, tuple) and nodes in self):
            out, found, _ = self._near([self._asked(nodes, row)], topn, lib.GEODISK_SIDE_ANY, 1, device)
            return self._pairs(out, found[0])
        listing = isinstance(nodes, (list, tuple, set, frozenset, dict)) or not hasattr(nodes, "__array__")
        items = list(nodes) if listing else []
        if items and any(_is_name(item) and not isinstance(item, (float, np.floating)) for item in items) or (listing and not items):
            return self._near_each([self.index(item) for item in items], topn, threads, device)
        array = np.asarray(nodes)
        if array.dtype.kind != "f":
            return self._near_each([self.index(item) for item in array.ravel().tolist()], topn, threads, device)
        x = points(array, self.dim, "nodes", None, F64)
        if x.ndim == 1:
            return self._near_point(x, None, topn)
        return [self._near_point(np.ascontiguousarray(each), None, topn) for each in points(x, self.dim, "nodes", 2)]

    def _near_each(self, rows: List[int], topn: Optional[int], threads: Optional[int],
                   device: Device) -> List[List[Tuple[Name, float]]]:
        out, found, k = self._near(rows, topn, lib.GEODISK_SIDE_ANY, threads, device)
        return [self._pairs(out, found[i], i * k) for i in range(len(rows))]

    def _near_point(self, x: Array, gap: Optional[Array], k: Optional[int]) -> List[Tuple[Name, float]]:
        k = self._at_most(k, len(self))
        out, found = ffi.new("geodisk_neighbour[]", k), ffi.new("size_t *")
        with Session(1) as s:
            query = ffi.new("geodisk_nearest_query *", {"n": 1, "x": pointer(x), "gap": pointer(gap), "k": k})
            s.check(lib.geodisk_index_nearest(s.context, self._search(), query, out, found))
        return self._pairs(out, found[0])

    def neighbours(self, nodes: Sequence[Name], k: int = 10, threads: Optional[int] = None, *,
                   device: Device = "cpu") -> Tuple[Array, Array]:
        """The k nearest nodes of many: their rows and distances, one row for each node asked about. device="cuda" looks for them on a
        CUDA device, to the same answers; "auto" takes one where it is there and worth it."""
        out, _, k = self._near([self.index(node) for node in nodes], k, lib.GEODISK_SIDE_ANY, threads, device)
        table = np.frombuffer(ffi.buffer(out), _NEIGHBOUR)[: len(nodes) * k].reshape(len(nodes), k)
        return table["node"].astype(np.int64), table["distance"].copy()

    def parents(self, node: Name = None, k: int = 5, *, row: Optional[int] = None) -> List[Parent]:
        """The likely parents: the nearest nodes nearer to the origin, with the model's probability of the edge."""
        k = min(whole(k, "k"), len(self))
        out, found = ffi.new("geodisk_parent[]", k), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_index_parents(s.context, self._search(), self._asked(node, row), k, out, found))
        return [Parent(self.names[out[i].node], out[i].distance, out[i].probability) for i in range(found[0])]

    def children(self, node: Name = None, k: int = 5, *, row: Optional[int] = None) -> List[Tuple[Name, float]]:
        """The nearest nodes farther from the origin."""
        out, found, _ = self._near([self._asked(node, row)], k, lib.GEODISK_SIDE_LOWER, 1)
        return self._pairs(out, found[0])

    def _chain(self, row: int, side: int, limit: int) -> List[Tuple[Name, float]]:
        limit = min(whole(limit, "limit"), len(self))
        out, found, node = ffi.new("geodisk_neighbour[]", limit), ffi.new("size_t *"), ffi.new("uint32_t *", row)
        with Session(1) as s:
            query = ffi.new("geodisk_nearest_query *", {"n": 1, "nodes": node, "k": limit, "side": side})
            s.check(lib.geodisk_index_chain(s.context, self._search(), query, out, found))
        return self._pairs(out, found[0])

    def ancestors(self, node: Name = None, limit: int = 100, *, row: Optional[int] = None) -> List[Tuple[Name, float]]:
        """The closest parent, its closest parent, and so on, by distance. (`hierarchy().ancestors`: all nodes above.)"""
        return self._chain(self._asked(node, row), lib.GEODISK_SIDE_HIGHER, limit)

    def descendants(self, node: Name = None, limit: int = 5, *, row: Optional[int] = None) -> List[Tuple[Name, float]]:
        """The closest child, its closest child, and so on, by distance. (`hierarchy().descendants`: all nodes below.)"""
        return self._chain(self._asked(node, row), lib.GEODISK_SIDE_LOWER, limit)

    @property
    def knows_hierarchy(self) -> bool:
        """Whether the model was trained on a hierarchy, and can tell what is below what without a threshold of yours."""
        return bool(lib.geodisk_model_hierarchy(self._model, ffi.new("geodisk_hierarchy_info *")))

    def hierarchy(self, threshold: Optional[float] = None) -> Hierarchy:
        """What the model knows of its hierarchy, to be asked; `threshold` replaces those in the model."""
        return Hierarchy(self, threshold)

    def is_a(self, child: Name, parent: Name) -> IsA:
        """Is child a parent? Of many questions, ask `model.hierarchy()`."""
        return self.hierarchy().is_a(child, parent)

    def rank(self, a: Name, b: Name) -> int:
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

    def between(self, a: Name, b: Name, t: float = 0.5) -> Array:
        """The point a share t of the way from a to b."""
        return self._between(lib.geodisk_model_between, self.index(a), self.index(b), real(t, "t"))[0]

    def analogy(self, a: Name, b: Name, c: Name, k: int = 1) -> List[Tuple[Name, float]]:
        """a is to b as c is to what? The k nearest nodes of that place, a, b and c left out."""
        asked = [self.index(node) for node in (a, b, c)]
        x, gap = self._between(lib.geodisk_model_analogy, *asked)
        near = self._near_point(x, gap if self.space == "hyperbolic" else None, k + 3)
        left_out = {self.names[i] for i in asked}
        return [pair for pair in near if pair[0] not in left_out][:k]

    def mean(self, nodes: Sequence[Name], weights: Optional[npt.ArrayLike] = None) -> Array:
        """The barycenter of nodes."""
        ids = np.array([self.index(node) for node in nodes], np.uint32)
        w = None if weights is None else vector(weights, len(ids), "weights")
        return self._between(lib.geodisk_model_mean, len(ids), pointer(ids), pointer(w))[0]

    @keywords("geodisk_compare_options")
    def compare(self, other: "Model", *, neighbours: int = 0, sample: int = 0, pairs: int = 0, seed: int = 0,
                threads: Optional[int] = None) -> Dict[str, Any]:
        """How alike two models are over the nodes that both have: rank correlations of distances (kendall_tau, spearman), the share of
        `neighbours` (0: 10) that a node has in both (overlap), and how far nodes are apart when this model is moved onto the other by the
        best isometry (moved_mean, moved_worst and its node; None for models of different dimension). `sample` nodes (0: 2000) and `pairs`
        (0: 2^20) are drawn where there are more. docs/evaluation.md has the definitions.

        >>> model = Model(["a", "b", "c"], [[0.0, 0.0], [0.5, 0.0], [0.4, 0.3]])
        >>> turned = Model(["c", "b", "a"], [[0.3, 0.4], [0.0, 0.5], [0.0, 0.0]])
        >>> same = model.compare(turned)
        >>> round(same["kendall_tau"], 6), same["overlap"], same["moved_worst"] < 1e-12
        (1.0, 1.0, True)
        """
        if not isinstance(other, Model):
            raise TypeError(f"compare takes a Model, not {other!r}")
        chosen, alive = new_options("geodisk_compare_options", given(locals(), "geodisk_compare_options"), "Model.compare")
        merged(self._kinds, self._texts, other._kinds, other._texts, "model", "other model")
        out = ffi.new("geodisk_comparison *")
        with Session(threads) as s:
            s.check(lib.geodisk_eval_compare(s.context, self._model, other._model, chosen, out))
        result = as_dict(out)
        if result.pop("aligned"):
            result["worst"] = self.names[result["worst"]]
        else:
            result.update(dict.fromkeys(("spread", "moved_mean", "moved_worst", "worst")))
        return result

    # ---- new nodes ----

    @keywords("geodisk_place_options")
    def place(self, edges: Any, threads: Optional[int] = None, progress: Progress = False, *, negatives: int = 0, competitors: int = 0,
              iterations: int = 0, tolerance: float = 0.0, seed: int = 0, as_given: bool = False) -> Tuple["Model", List[Placed]]:
        """A model that also has the new nodes of `edges` (anything `Graph` takes), the old ones unmoved; and how it went.

        A 0 leaves it to the library: sums over all nodes instead of so many `negatives`, 16 `competitors`, 200 `iterations` at most, a
        `tolerance` of 0.01. In a model of a closed hierarchy new nodes also have the edges that follow, unless `as_given`.
        """
        chosen, alive = new_options("geodisk_place_options", given(locals(), "geodisk_place_options"), "Model.place")
        graph = edges if isinstance(edges, Graph) else Graph(edges)
        kinds = merged(self._kinds, self._texts, graph._kinds, graph._texts, "model", "graph")
        placed, info = ffi.new("geodisk_placed[]", max(1, len(graph))), ffi.new("geodisk_place_info *")
        chosen.placed = placed
        with Session(threads, progress) as s:
            more = self._wrap(s.make("model", lib.geodisk_model_place, self._model, graph._graph, chosen, info))
        more._record(trimmed(bytes(kinds.get(text, 0) for text in more._texts)) if kinds else None)
        names = more.names
        return more, [Placed(names[p.node], p.loss, p.gradient_norm, p.iterations, p.converged, p.round)
                      for p in (placed[i] for i in range(info.placed))]

    # ---- pictures ----

    @keywords("geodisk_scene_options", "geodisk_picture_options")
    def plot(self, path: Optional[Target] = None, graph: Any = None, *, highlight: Union[Name, Sequence[Name]] = (), kind: Kind = "auto",
             all_edges: bool = False, below: Name = None, max_nodes: int = 0, scale: float = 0.0, full_names: bool = False,
             renamed: Optional[Mapping[Name, str]] = None, format: PictureFormat = "auto", size: int = 0, centre: Name = "auto",  # noqa: A002
             labels: int = 0, no_labels: bool = False, no_legend: bool = False, grid: bool = False, dark: bool = False,
             threads: Optional[int] = None, progress: Progress = False) -> Optional[Picture]:
        """Draws the disk into a file (PNG, SVG or PDF by its end); without a path it returns a picture that notebooks show.

        `graph` (anything `Graph` takes) gives edges and colours, `highlight` nodes to stress, `below` the one node whose descendants are
        drawn, `centre` is auto, origin, root, barycenter or a node, `renamed` a dictionary of what nodes are called. The others are in
        docs/pictures.md; 0 leaves a choice to the library.

        >>> import geodisk
        >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")]
        >>> picture = geodisk.train(pairs, dim=2, epochs=10, negatives=1).plot(graph=pairs)
        >>> picture.format, "</svg>" in picture._repr_svg_()
        ('svg', True)
        """
        options = given(locals(), "geodisk_scene_options", "geodisk_picture_options")
        return plot(self, path, None if graph is None else self._agreeing(graph), highlight, threads, progress, options)

    @keywords("geodisk_scene_options", "geodisk_page_options")
    def view(self, path: Optional[Target] = None, graph: Any = None, *, kind: Kind = "auto", all_edges: bool = False, below: Name = None,
             max_nodes: int = 0, scale: float = 0.0, full_names: bool = False, renamed: Optional[Mapping[Name, str]] = None,
             title: Optional[str] = None, no_vectors: bool = False, threads: Optional[int] = None, progress: Progress = False) -> Optional[Page]:
        """Writes a page for the browser in which one walks around in the disk: one HTML file that needs nothing else. Without a path it
        returns the page, which notebooks show; its `open()` shows it in the browser.

        `graph` and what is to be seen of it as in `plot`; `no_vectors` leaves out what only distances in lists need.

        >>> import geodisk
        >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal")]
        >>> page = geodisk.train(pairs, dim=2, epochs=10, negatives=1).view(graph=pairs, title="animals")
        >>> "animals" in page.text
        True
        """
        options = given(locals(), "geodisk_scene_options", "geodisk_page_options")
        return view_page(self, path, None if graph is None else self._agreeing(graph), threads, progress, options)


def _is_name(value: Any) -> bool:
    return isinstance(value, (str, int, float, np.integer, np.floating))
