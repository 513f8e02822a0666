"""How good is an embedding?"""
from __future__ import annotations

import math
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

import numpy as np

from ._arrays import writable
from ._entailment import entailment, relation_of
from ._graph import Graph
from ._keywords import Definition, Device, Precision, Space, given, keywords
from ._library import PathLike, Session, enum_value, new_options, path_bytes
from ._model import Model
from ._native import ffi, lib
from ._progress import Progress

TASKS = ("reconstruction", "loss", "kendall", "distortion", "link-prediction", "precision", "routing", "entailment")

_PRECISION = ("precision_at_1", "precision_at_3", "precision_at_10", "precision_at_degree")
_RANKS = ("mean_rank", "map", "hits_at_1", "hits_at_3", "hits_at_10", "auc")


def _put(result: Dict[str, Any], struct: Any, names: Sequence[str]) -> None:
    """Figures; of a sample with their intervals."""
    for name in names:
        estimate = getattr(struct, name)
        result[name] = estimate.value
        if not math.isnan(estimate.value) and (estimate.low != estimate.value or estimate.high != estimate.value):
            result[name + "_interval"] = (estimate.low, estimate.high)


def _ranking(s: Session, points: Any, relation: Any, known: Any, options: Mapping[str, Any], by_node: bool,
             precision: bool = False) -> Dict[str, Any]:
    chosen, alive = new_options("geodisk_ranking_options", options, "evaluate")
    out, arrays, nodes = ffi.new("geodisk_ranking *"), {}, ffi.new("geodisk_ranking_nodes *")
    if by_node:
        chosen.by_node = nodes
        for name in ("mean_rank", "average_precision") + (("loss", "loss_complement") if chosen.loss else ()):
            arrays[name] = np.full(points.nodes, np.nan)
            alive.append(writable(arrays[name]))
            setattr(nodes, name, alive[-1])
    s.check(lib.geodisk_eval_ranking(s.context, points, relation, known if known is not None else ffi.NULL, chosen, out))
    result: Dict[str, Any] = {"nodes_judged": out.nodes, "pairs": out.pairs}
    _put(result, out, _RANKS + (("loss", "loss_complement") if chosen.loss else ()) + (_PRECISION if precision else ()))
    if by_node:
        result["by_node"] = arrays
    return result


def _fit(s: Session, points: Any, relation: Any, tasks: Sequence[str], options: Dict[str, Any]) -> Dict[str, Any]:
    chosen, alive = new_options("geodisk_fit_options", options, "evaluate")
    out = ffi.new("geodisk_fit *")
    s.check(lib.geodisk_eval_fit(s.context, points, relation, chosen, out))
    result: Dict[str, Any] = {"distance_pairs": out.pairs, "unreachable_pairs": out.unreachable}
    if "kendall" in tasks:
        _put(result, out, ("kendall_tau", "spearman"))
        result["depth_radius"] = out.depth_radius
    if "distortion" in tasks:
        _put(result, out, ("distortion_mean", "distortion_scaled"))
        result["distortion_scale"], result["distortion_worst"] = out.scale, out.distortion_worst
        _put(result, out, ("distortion_squared", "distortion_squared_scaled"))
    return result


def _routing(s: Session, points: Any, relation: Any, options: Dict[str, Any]) -> Dict[str, Any]:
    asked = {name: options[name] for name in ("sample", "seed", "all_pairs") if name in options}
    chosen, alive = new_options("geodisk_routing_options", asked, "evaluate")
    out = ffi.new("geodisk_routing *")
    s.check(lib.geodisk_eval_routing(s.context, points, relation, chosen, out))
    found = {"routing_pairs": out.pairs}
    estimates: Dict[str, Any] = {}
    _put(estimates, out, ("success", "stretch"))
    return {**found, **{"routing_" + name: value for name, value in estimates.items()}}


@keywords("geodisk_ranking_options", "geodisk_fit_options")
def evaluate(model: Model, graph: Any, tasks: Union[str, Sequence[str]] = ("reconstruction",), *, train: Any = None, sample: int = 0, seed: int = 0,
             definition: Definition = "filtered", arithmetic: Precision = "double", space: Optional[Space] = None,
             skip_missing: bool = False, by_node: bool = False, directed: bool = False, as_given: bool = False, weighted: bool = False,
             pairs: int = 0, all_pairs: bool = False, validation: Any = None, non_edges: Any = None, validation_non_edges: Any = None,
             per_edge: int = 0, threshold: Optional[float] = None, device: Device = "cpu", threads: Optional[int] = None,
             progress: Progress = False) -> Dict[str, Any]:
    """How well a model keeps a graph (anything that `Graph` takes). `docs/evaluation.md` defines every figure.

    tasks          of reconstruction, loss, kendall, distortion, precision, routing, entailment, link-prediction (which needs `train`, the graph that
                   was trained on)
    sample         judge so many nodes only; figures then come with 95 % intervals
    definition     filtered, or gensim: ranks as gensim counts them
    device         cuda: ranks are counted, and the loss is summed, on a CUDA device, to the same figures
    by_node        also arrays with each node's figures, under "by_node"
    directed, as_given, weighted
                   for kendall and distortion: walk from child to parent only; no transitive reduction; lengths are sums of weights
    validation, non_edges, validation_non_edges
                   for entailment: edges that thresholds are chosen on; pairs that are no edges, `per_edge` of them (0: 10) drawn for each edge
                   where they are not given, which takes `train` unless the graph is what was trained on; `threshold` of the half-space score
    all_pairs      also of a large graph, which is else sampled (`pairs` of them, 0: the library's choice)

    >>> import geodisk
    >>> tree = geodisk.Graph.generate("tree", branching=2, depth=3, shape="closed")
    >>> figures = geodisk.evaluate(geodisk.train(tree, dim=5, epochs=100, negatives=5), tree)
    >>> figures["map"] > 0.9, figures["pairs"]
    (True, 34)
    """
    ranks, fit = given(locals(), "geodisk_ranking_options"), given(locals(), "geodisk_fit_options")
    asked = {"validation": validation, "non_edges": non_edges, "validation_non_edges": validation_non_edges, "per_edge": per_edge,
             "threshold": threshold}
    tasks = (tasks,) if isinstance(tasks, str) else tasks
    for task in tasks:
        if task not in TASKS:
            raise ValueError(f"evaluate: tasks are {', '.join(TASKS)}, not {task!r}")
    if ("link-prediction" in tasks) != (train is not None) and not (train is not None and "entailment" in tasks):
        raise ValueError("evaluate: link-prediction and train=... (the graph that was trained on) need each other")
    if not isinstance(model, Model):
        raise TypeError(f"evaluate takes a Model, not {model!r}")
    graph = model._agreeing(graph)
    known_graph = None if train is None else model._agreeing(train)
    kind = lib.geodisk_model_space(model._model) if space is None else enum_value(ffi.typeof("geodisk_space"), space, "evaluate: space")
    points = ffi.new("geodisk_eval_points *")
    result: Dict[str, Any] = {"nodes": len(model)}
    with Session(threads, progress) as s:
        s.check(lib.geodisk_eval_points_of_model(s.context, model._model, kind, points))
        relation = relation_of(s, graph, model, skip_missing)
        known = None if known_graph is None else relation_of(s, known_graph, model, skip_missing)
        if {"reconstruction", "loss", "link-prediction", "precision"} & set(tasks):
            result.update(_ranking(s, points, relation, known, {**ranks, "loss": "loss" in tasks}, by_node, "precision" in tasks))
        if {"kendall", "distortion"} & set(tasks):
            result.update(_fit(s, points, relation, tasks, fit))
        if "routing" in tasks:
            result.update(_routing(s, points, relation, fit))
        if "entailment" in tasks:
            result.update(entailment(s, model, points, graph, known_graph, asked, skip_missing, ranks.get("seed", 0)))
    return result


def lexical_entailment(model: Model, path: PathLike, alpha: float = 1000.0, pos: Optional[str] = None,
                       threads: Optional[int] = None) -> Dict[str, Any]:
    """How well "u is a kind of v" can be read off, against people's scores in a file such as HyperLex's: a Spearman correlation."""
    if not isinstance(model, Model):
        raise TypeError(f"lexical_entailment takes a Model, not {model!r}")
    options, alive = new_options("geodisk_entailment_options", {"alpha": alpha, **({"pos": pos} if pos else {})}, "lexical_entailment")
    points, out = ffi.new("geodisk_eval_points *"), ffi.new("geodisk_entailment *")
    with Session(threads) as s:
        s.check(lib.geodisk_eval_points_of_model(s.context, model._model, lib.geodisk_model_space(model._model), points))
        s.check(lib.geodisk_eval_entailment(s.context, model._model, points, path_bytes(path), options, out), os.fspath(path))
    return {"pairs": out.pairs, "unknown": out.unknown, "filtered": out.filtered, "spearman": out.spearman, "kendall_tau": out.kendall_tau,
            "half_space_spearman": out.half_space_spearman, "half_space_kendall_tau": out.half_space_kendall_tau}


def rank_correlation(x: Any, y: Any, threads: Optional[int] = None) -> Dict[str, float]:
    """Kendall's tau-b and Spearman's rho of two rows of numbers.

    >>> import geodisk
    >>> geodisk.rank_correlation([1, 2, 3, 4], [1, 3, 2, 4])["kendall_tau"] > 0.66
    True
    """
    from ._arrays import pointer, vector

    a = vector(x, np.size(x), "x")
    b = vector(y, len(a), "y")
    out = ffi.new("geodisk_correlation *")
    with Session(threads) as s:
        s.check(lib.geodisk_rank_correlation(s.context, len(a), pointer(a), pointer(b), out))
    return {"kendall_tau": out.kendall_tau, "spearman": out.spearman}
