"""Edges from what people have: pairs, pandas frames, networkx graphs, SciPy matrices."""
from __future__ import annotations

import difflib
import math
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence

import numpy as np

from ._arrays import Array, indices, vector
from ._names import Kinds, Table, listed


class Edges(NamedTuple):
    """Node numbers of children and parents, weights if there are any, and the names (None: numbers) as the library knows them."""

    children: Array
    parents: Array
    weights: Optional[Array]
    nodes: int
    texts: Optional[List[str]]
    kinds: Kinds


def _weight(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"is {value!r}, not a number") from None
    if not math.isfinite(number) or number <= 0:
        raise ValueError(f"is {value!r}: weights are positive and finite")
    return number


def of_pairs(pairs: Iterable[Any]) -> Edges:
    """(child, parent) or (child, parent, weight)."""
    if hasattr(pairs, "__array__"):  # rows of a tensor, of whatever library
        pairs = np.asarray(pairs)
    if not isinstance(pairs, Iterable):
        raise TypeError(f"a graph is made of a path, pairs, a pandas frame, a networkx graph or a sparse matrix, not of {pairs!r}")
    table = Table()
    children: List[int] = []
    parents: List[int] = []
    weights: List[float] = []
    for i, pair in enumerate(pairs):
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or not hasattr(pair, "__getitem__") or len(pair) not in (2, 3):
            raise ValueError(f"edge {i}: expected (child, parent) or (child, parent, weight), got {pair!r}")
        part = "child"
        try:
            children.append(table.add(pair[0]))
            part = "parent"
            parents.append(table.add(pair[1]))
            part = "weight"
            if len(pair) == 3:
                weights.append(_weight(pair[2]))
        except (TypeError, ValueError) as error:
            raise type(error)(f"edge {i} (the first is 0), {pair!r}: the {part} {error}") from None
        if weights and len(weights) != len(children):
            raise ValueError(f"edge {i}: expected a weight with every pair or with none, got {pair!r} after others")
    return Edges(np.array(children, np.uint32), np.array(parents, np.uint32), np.array(weights) if weights else None, len(table.ids),
                 table.texts, table.kinds)


def _column(frame: Any, name: Any, what: str) -> Any:
    columns = list(frame.columns)
    if columns.count(name) == 1:
        return name
    near = difflib.get_close_matches(str(name), [str(column) for column in columns], 1)
    hint = f"did you mean {near[0]!r}?" if near and not columns.count(name) else f"there are {', '.join(map(repr, columns))}"
    raise ValueError(f"{what}={name!r}: the frame has {'no' if not columns.count(name) else 'more than one'} such column; {hint}")


def of_frame(frame: Any, child: Any = None, parent: Any = None, weight: Any = None) -> Edges:
    """Two columns of a pandas.DataFrame, and perhaps a third with weights."""
    columns = list(frame.columns)
    if (child is None) != (parent is None):
        raise ValueError("child and parent: give both columns, or none for the first two")
    if child is None:
        if len(columns) not in (2, 3) or (len(columns) == 3 and weight is None and str(columns[2]).lower() not in ("weight", "weights")):
            raise ValueError(f"which columns are the edges? Say child=..., parent=... (and weight=...) of {', '.join(map(repr, columns))}")
        child, parent = columns[0], columns[1]
        weight = columns[2] if weight is None and len(columns) == 3 else weight
    chosen = [_column(frame, child, "child"), _column(frame, parent, "parent")]
    if weight is not None:
        chosen.append(_column(frame, weight, "weight"))
    lists = [frame[column].tolist() for column in chosen]
    table, numbers, weights = Table(), np.empty((2, len(frame)), np.uint32), np.empty(len(frame))
    for i, row in enumerate(zip(*lists)):
        at = 0
        try:
            for at in (0, 1):
                numbers[at, i] = table.add(row[at])
            if len(row) == 3:
                at = 2
                weights[i] = _weight(row[2])
        except (TypeError, ValueError) as error:
            label = frame.index[i]
            place = f"row {i}" + (f" (index {label!r})" if label != i else "")
            hint = f"; frame.dropna(subset=[{chosen[at]!r}]) leaves such rows out" if "there is no name" in str(error) else ""
            raise type(error)(f"{place}, column {chosen[at]!r}: {error}{hint}") from None
    return Edges(numbers[0], numbers[1], weights if weight is not None else None, len(table.ids), table.texts, table.kinds)


def of_networkx(graph: Any, weight: Optional[str]) -> Edges:
    """The edges of a networkx graph as they are."""
    nodes = list(graph.nodes)
    try:
        texts, kinds = listed(nodes)
    except (TypeError, ValueError) as error:
        raise type(error)(f"networkx graph: {error}") from None
    ids = {node: i for i, node in enumerate(nodes)}
    children, parents, weights, found = [], [], [], False
    for u, v, w in graph.edges(data=weight, default=None) if weight is not None else ((u, v, None) for u, v in graph.edges()):
        children.append(ids[u])
        parents.append(ids[v])
        found = found or w is not None
        try:
            weights.append(1.0 if w is None else _weight(w))
        except ValueError as error:
            raise ValueError(f"networkx graph: edge ({u!r}, {v!r}): its {weight} {error}") from None
    return Edges(np.array(children, np.uint32), np.array(parents, np.uint32), np.array(weights) if found else None, len(nodes), texts, kinds)


def of_arrays(children: Any, parents: Any, weights: Any, names: Optional[Sequence[Any]], nodes: Optional[int]) -> Edges:
    """Node numbers; without names they are the names."""
    u = indices(children, "children", (None,), np.uint32)
    v = indices(parents, "parents", (len(u),), np.uint32)
    w = None if weights is None else vector(weights, len(u), "weights")
    names = None if names is None else list(names)  # as many as it gives, whatever it says
    if nodes is None:
        nodes = len(names) if names is not None else int(max(u.max(), v.max())) + 1 if len(u) else 0
    if names is not None and len(names) != nodes:
        raise ValueError(f"names: expected {nodes} names, got {len(names)}")
    texts, kinds = (None, b"\1" * nodes) if names is None else listed(names)
    return Edges(u, v, w, nodes, texts, kinds or None)
