"""What a model holds: named points, their arrays, texts, and nodes by their names."""
from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from ._arrays import F32, F64, Array, view, whole
from ._ball import Ball
from ._errors import FormatError, UnknownNodeError
from ._graph import Graph
from ._library import Session, enum_word, text_of
from ._names import INTEGER, Kinds, Name, block_texts, located, merged, python_names, shown, trimmed
from ._native import ffi, lib
from ._show import model_html

_TYPES_KEY = b"name_types"  # in a model's metadata: "int", or "mixed" with a tensor of the same name (docs/models.md)

P = TypeVar("P", bound="Points")


class Points:
    """The part of a model that only looks."""

    __slots__ = ("_model", "_index", "_names", "_types", "_alive", "_shown_with", "interrupted", "__weakref__")

    def _set(self, model: Any) -> None:
        self._model = model
        self._alive: Any = None  # the arrays of somebody else's that the model looks at, if it does
        self._index: Any = None
        self._names: Optional[List[Name]] = None
        self._types: Union[Kinds, bool] = False  # False: not yet read
        self._shown_with: Optional[Graph] = None  # a small graph, for the picture in a notebook
        self.interrupted = False

    @classmethod
    def _wrap(cls: Type[P], model: Any) -> P:
        self = cls.__new__(cls)
        self._set(model)
        return self

    # ---- the kinds of its names, which its file keeps ----

    @property
    def _kinds(self) -> Kinds:
        if self._types is False:
            self._types = self._read_types()
        return self._types  # type: ignore[return-value]

    def _read_types(self) -> Kinds:
        word, n = text_of(lib.geodisk_model_get(self._model, _TYPES_KEY)), len(self)
        tensor = ffi.new("geodisk_tensor *")
        if word == "int":
            kinds = bytes([INTEGER]) * n
        elif word == "mixed" and lib.geodisk_model_tensor(self._model, _TYPES_KEY, tensor) and tensor.type == lib.GEODISK_TYPE_U8:
            kinds = bytes(ffi.buffer(tensor.data, min(n, tensor.shape[0] if tensor.rank == 1 else 0))).ljust(n, b"\0")
        else:
            return None
        # Another program may have added nodes, which are strings.
        return trimmed(bytes(kind if not isinstance(name, str) else 0 for kind, name in zip(kinds, python_names(self._texts, kinds))))

    def _record(self, kinds: Kinds) -> None:
        self._types, self._names = kinds, None
        if kinds is None:
            return
        whole, data = kinds == bytes([INTEGER]) * len(kinds), ffi.new("void **")
        tensor = ffi.new("geodisk_tensor *", {"type": lib.GEODISK_TYPE_U8, "rank": 1, "shape": [len(kinds)]})
        with Session(1) as s:
            s.check(lib.geodisk_model_set(s.context, self._model, _TYPES_KEY, b"int" if whole else b"mixed"))
            if not whole:
                s.check(lib.geodisk_model_add_tensor(s.context, self._model, _TYPES_KEY, tensor, data))
                ffi.memmove(data[0], kinds, len(kinds))

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

    def _repr_html_(self) -> str:
        return model_html(self)

    @property
    def _texts(self) -> List[str]:
        """The names as the library has them."""
        starts = ffi.new("uint64_t **")
        block = lib.geodisk_model_names(self._model, starts)
        return block_texts(block, starts[0], len(self))

    @property
    def names(self) -> List[Name]:
        """The names of the nodes, in the order of the rows."""
        if self._names is None:
            self._names = python_names(self._texts, self._kinds)
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

    def _noted(self, key: str, kind: Type[Any]) -> Any:
        """JSON in the metadata, where another program may have written something else."""
        try:
            loaded = json.loads(self.metadata.get(key, "null"))
        except ValueError as error:
            raise FormatError(f"{key}, in the metadata, is not JSON: {error}") from None
        if loaded is None:
            return kind()
        if not isinstance(loaded, kind):
            raise FormatError(f"{key}, in the metadata, is not a JSON {'object' if kind is dict else 'array'}")
        return loaded

    @property
    def options(self) -> Dict[str, Any]:
        """The options it was trained with."""
        loaded = self._noted("options", dict)
        return dict(loaded)

    @property
    def choice(self) -> str:
        """What training saw of the graph, and what settings it took for that: one line, or nothing."""
        return str(self.metadata.get("choice", ""))

    @property
    def history(self) -> Dict[str, Array]:
        """What training noted for each epoch, by column: epoch, lr, loss, radius, clips ... Empty if it was not trained. Of more
        than 16,384 epochs some are left out."""
        table = ffi.new("geodisk_history *")
        if lib.geodisk_model_history(self._model, table):
            values = np.frombuffer(ffi.buffer(table.values, table.rows * table.columns * 8)).reshape(table.rows, table.columns)
            return {name: values[:, k].copy() for k, name in enumerate(text_of(table.names).split(" "))}
        rows = self._noted("history", list)
        if not all(isinstance(row, dict) for row in rows):
            raise FormatError("history, in the metadata, is not a list of objects")
        return {name: np.array([row.get(name, np.nan) for row in rows]) for name in (rows[0] if rows else {})}

    def to_numpy(self) -> Tuple[List[Name], Array]:
        """The names and a copy of the vectors."""
        return list(self.names), np.array(self.vectors)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        array = self.vectors if dtype is None else self.vectors.astype(dtype, copy=False)
        return np.array(array) if copy else array

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: names as index, columns x0, x1, ..., radius."""
        import pandas

        frame = pandas.DataFrame(np.array(self.vectors), index=pandas.Index(self.names, tupleize_cols=False),
                                 columns=[f"x{i}" for i in range(self.dim)])
        frame["radius"] = self.radii
        return frame

    # ---- nodes by name ----

    def __contains__(self, name: object) -> bool:
        try:
            return located(name, self._kinds, self._look_up, "model") is not None
        except (KeyError, TypeError, ValueError):
            return False

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __getitem__(self, node: Name) -> Array:
        row: Array = self.vectors[self.index(node)]
        return row

    def _look_up(self, raw: bytes) -> Optional[int]:
        out = ffi.new("uint32_t *")
        return int(out[0]) if lib.geodisk_model_find(self._model, raw, len(raw), out) else None

    def index(self, node: Name) -> int:
        """The row of a node."""
        found = located(node, self._kinds, self._look_up, "model")
        if found is None:
            likely = self.suggest(node, 3)
            hint = f"; did you mean {' or '.join(map(str, likely))}?" if likely else ""
            raise UnknownNodeError(f"the model has no node {shown(node)}{hint}")
        return found

    def _asked(self, node: Name, row: Optional[int]) -> int:
        """The row of a node that is given by its name or by its row."""
        if (row is None) == (node is None):
            raise TypeError("give a node by its name or by row=, one of them")
        if row is None:
            return self.index(node)
        if isinstance(row, bool) or not isinstance(row, (int, np.integer)):
            raise TypeError(f"row takes a whole number, not {row!r}")
        if not 0 <= row < len(self):
            raise UnknownNodeError(f"the model has no row {row}: it has {len(self)}")
        return int(row)

    def _agreeing(self, graph: Any) -> Graph:
        """A graph whose names are of the model's kind where they look alike."""
        given_graph = graph if isinstance(graph, Graph) else Graph(graph)
        if self._kinds is not None or given_graph._kinds is not None:
            merged(self._kinds, self._texts, given_graph._kinds, given_graph._texts, "model", "graph")
        return given_graph

    def suggest(self, name: Name, k: int = 5) -> List[Name]:
        """The names that look most like this one."""
        k = whole(k, "k")
        raw, out, found = str(name).encode("utf-8", "replace"), ffi.new("uint32_t[]", k), ffi.new("size_t *")
        with Session(1) as s:
            s.check(lib.geodisk_model_suggest(s.context, self._model, raw, k, out, found))
        return [self.names[out[i]] for i in range(found[0])]
