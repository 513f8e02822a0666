"""Edges against pairs that are none: the task entailment of `evaluate`."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from ._graph import Graph
from ._library import Session, new_options
from ._model import Model
from ._native import ffi, lib

# What the keys of each score begin with, and how its parameter is called: as the command prints them.
_SCORES = (("half_space", None), ("half_space_radius", "weight"), ("distance", None), ("nickel_kiela", "alpha"), ("cone", "k"),
           ("order", None))
_FIGURES = ("f1", "precision", "recall", "auc", "average_precision")


def relation_of(s: Session, graph: Graph, model: Model, skip_missing: bool) -> Any:
    return s.make("relation", lib.geodisk_relation_create, graph._graph, model._model, skip_missing, ffi.NULL, holds=graph)


def _figures(found: Any) -> Dict[str, Any]:
    result: Dict[str, Any] = {"entailment_edges": found.edges, "entailment_non_edges": found.non_edges}
    for i, (name, parameter) in enumerate(_SCORES if found.order else _SCORES[:lib.GEODISK_IS_A_ORDER]):
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

    judged, chosen_on = ffi.new("geodisk_is_a_pairs *"), ffi.new("geodisk_is_a_pairs *")
    kept = [related(of) for of in (graph, asked["non_edges"], asked["validation"], asked["validation_non_edges"], train)]
    judged.edges, judged.non_edges, chosen_on.edges, chosen_on.non_edges, known = (ffi.NULL if r is None else r for r in kept)
    given = {} if asked["threshold"] is None else {"threshold_given": True, "threshold": asked["threshold"]}
    options, alive = new_options("geodisk_is_a_options", {"seed": seed, "per_edge": asked["per_edge"], **given}, "evaluate")
    options.train, options.model = known, model._model
    found = ffi.new("geodisk_is_a *")
    s.check(lib.geodisk_eval_is_a(s.context, points, judged, ffi.NULL if asked["validation"] is None else chosen_on, options, found))
    return _figures(found)
