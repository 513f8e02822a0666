"""Edges against pairs that are none: the task entailment of `evaluate`."""
from __future__ import annotations

import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._arrays import Array, pointer, view
from ._graph import Graph
from ._library import Session, new_options
from ._model import Model
from ._native import ffi, lib

# What the keys of each score begin with, and how its parameter is called: as the command prints them.
_SCORES = (("half_space", None), ("half_space_radius", "weight"), ("distance", None), ("nickel_kiela", "alpha"), ("cone", "k"))
_FIGURES = ("f1", "precision", "recall", "auc", "average_precision")


def relation_of(s: Session, graph: Graph, model: Model, skip_missing: bool) -> Any:
    out = ffi.new("geodisk_relation **")
    status = lib.geodisk_relation_create(s.context, graph._graph, model._model, skip_missing, ffi.NULL, out)
    return s.own(status, out, lambda r, graph=graph: lib.geodisk_relation_destroy(r))  # it looks at the graph, which must live as long


def _edges(relation: Any) -> Tuple[Array, Array]:
    """Children and parents, by the numbers of the points."""
    n, rows = lib.geodisk_relation_points(relation), lib.geodisk_relation_rows(relation)
    offsets = view(relation, rows.offsets, (n + 1,), np.uint64).astype(np.int64)
    parents = np.array(view(relation, rows.nodes, (int(offsets[-1]),), np.uint32)) if offsets[-1] else np.empty(0, np.uint32)
    return np.repeat(np.arange(n, dtype=np.uint32), np.diff(offsets)), parents


def _union(s: Session, relations: List[Any]) -> Any:
    """A graph whose nodes are the points."""
    edges = [_edges(r) for r in relations]
    children, parents = (np.ascontiguousarray(np.concatenate([e[i] for e in edges])) for i in (0, 1))
    arrays, out = ffi.new("geodisk_graph_arrays *"), ffi.new("geodisk_graph **")
    arrays.nodes, arrays.edges = lib.geodisk_relation_points(relations[0]), len(children)
    held = (pointer(children), pointer(parents))
    arrays.children, arrays.parents = held
    return s.own(lib.geodisk_graph_create(s.context, arrays, ffi.NULL, out), out, lib.geodisk_graph_destroy)


def _check_known(s: Session, model: Model, graph: Graph) -> None:
    """Without the edges that were trained on, they could be drawn as non-edges."""
    on = ffi.new("geodisk_trained_on *")
    s.check(lib.geodisk_model_trained_on(s.context, model._model, graph._graph, on))
    if on[0] == lib.GEODISK_TRAINED_ON_ANOTHER:
        raise ValueError("evaluate: non-edges cannot be drawn: the model was trained on edges that are not in the graph, and they would be "
                         "drawn too; give train=, or non_edges= (and validation_non_edges=)")
    if on[0] == lib.GEODISK_TRAINED_ON_UNKNOWN:
        warnings.warn("evaluate: non-edges are drawn as if there were no edges but those given and what follows from them; if the model "
                      "was trained on others, give train=", stacklevel=4)


def _closure(s: Session, relations: List[Any]) -> Any:
    options, alive = new_options("geodisk_closure_options", {"allow_cycles": True}, "evaluate")
    out = ffi.new("geodisk_graph **")
    return s.own(lib.geodisk_graph_closure(s.context, _union(s, relations), options, out), out, lib.geodisk_graph_destroy)


def _drawn(s: Session, known: Any, beside: Any, per_edge: int, seed: int) -> Any:
    out, relation = ffi.new("geodisk_graph **"), ffi.new("geodisk_relation **")
    status = lib.geodisk_graph_non_edges(s.context, known, _union(s, [beside]), per_edge, seed, out)
    graph = s.own(status, out, lib.geodisk_graph_destroy)
    status = lib.geodisk_relation_create_plain(s.context, graph, lib.geodisk_relation_points(beside), relation)
    return s.own(status, relation, lambda r, graph=graph: lib.geodisk_relation_destroy(r))


def _figures(found: Any) -> Dict[str, Any]:
    result: Dict[str, Any] = {"entailment_edges": found.edges, "entailment_non_edges": found.non_edges}
    for i, (name, parameter) in enumerate(_SCORES):
        score = found.scores[i]
        for figure in _FIGURES:
            estimate = getattr(score, figure)
            result[f"{name}_{figure}"] = estimate.value
            result[f"{name}_{figure}_interval"] = (estimate.low, estimate.high)
        result[f"{name}_threshold"] = score.threshold
        if parameter is not None:
            result[f"{name}_{parameter}"] = score.parameter
    return result


def entailment(s: Session, model: Model, points: Any, graph: Graph, train: Optional[Graph], asked: Mapping[str, Any], skip_missing: bool,
               seed: int) -> Dict[str, Any]:
    """`asked` are the arguments of `evaluate` for this task."""
    def related(of: Any) -> Any:
        return None if of is None else relation_of(s, model._agreeing(of), model, skip_missing)

    edges, validation = related(graph), related(asked["validation"])
    others, validation_others = related(asked["non_edges"]), related(asked["validation_non_edges"])
    if others is None or (validation is not None and validation_others is None):
        if train is None:
            _check_known(s, model, graph)
        known = _closure(s, [r for r in (edges, related(train), validation) if r is not None])
        others = others if others is not None else _drawn(s, known, edges, asked["per_edge"], 2 * seed + 1)
        if validation is not None and validation_others is None:
            validation_others = _drawn(s, known, validation, asked["per_edge"], 2 * seed)
    judged, chosen_on = ffi.new("geodisk_is_a_pairs *", (edges, others)), ffi.NULL
    if validation is not None:
        chosen_on = ffi.new("geodisk_is_a_pairs *", (validation, validation_others))
    given = {} if asked["threshold"] is None else {"threshold_given": True, "threshold": asked["threshold"]}
    options, alive = new_options("geodisk_is_a_options", {"seed": seed, **given}, "evaluate")
    found = ffi.new("geodisk_is_a *")
    s.check(lib.geodisk_eval_is_a(s.context, points, judged, chosen_on, options, found))
    return _figures(found)
