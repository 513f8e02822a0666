"""How graphs and models show themselves in a notebook: a small picture and the figures."""
from __future__ import annotations

import html
import re
import warnings
from typing import Any, Dict, List, Optional, Tuple

from ._errors import Error
from ._library import Session
from ._native import ffi, lib

_SIZE = 280  # of the picture
_MOST_NODES = 2000  # that a picture is drawn of; of more, so many
_MOST_PLACED = 20000  # nodes (and edges) of a graph that are laid out only to be shown
_MOST_TRAINED = 5000  # edges of a network that is trained for it, so many epochs
_EPOCHS = 30


def _frame(title: str, rows: List[Tuple[str, str]], picture: Optional[str]) -> str:
    cells = "".join(f"<tr><td style='text-align:left'>{html.escape(k)}</td><td style='text-align:left'>{html.escape(v)}</td></tr>"
                    for k, v in rows)
    shown = f"<div>{picture}</div>" if picture else ""
    return (f"<div style='display:flex;gap:1.5em;align-items:center'>{shown}<div><b>{html.escape(title)}</b>"
            f"<table>{cells}</table></div></div>")


def _svg(model: Any, graph: Any) -> Optional[str]:
    """A small picture that can stand in a page; None where there is none to draw."""
    options: Dict[str, Any] = {"size": _SIZE, "no_legend": True, "no_labels": len(model) > 60, "format": "svg"}
    if len(model) > _MOST_NODES:
        options["max_nodes"] = _MOST_NODES
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = model.plot(graph=graph, **options).data.decode("utf-8")
    except (Error, ValueError):
        return None
    return re.sub(r"^<\?xml[^>]*>\s*|<!DOCTYPE[^>]*>\s*", "", str(text))


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)


def model_html(model: Any) -> str:
    rows = [("nodes", _number(len(model))), ("dimensions", str(model.dim)), ("space", model.space),
            ("numbers", "float32" if model._is_float else "float64")]
    losses = model.history.get("loss")
    if losses is not None and len(losses):
        rows += [("epochs", _number(int(model.history["epoch"][-1]) + 1)), ("loss", _number(float(losses[-1])))]
    radii = model.radii
    rows.append(("distance from the origin", f"{_number(float(radii.min()))} to {_number(float(radii.max()))}"))
    return _frame("geodisk.Model", rows, _svg(model, model._shown_with))


def graph_html(graph: Any) -> str:
    facts = graph.describe()
    cyclic = facts["depth"] == -1
    names = ("nodes", "edges") + (() if cyclic else ("roots", "leaves", "depth")) + ("components",)
    rows = [(name, _number(facts[name])) for name in names]
    rows += [("directions", "both" if facts["symmetric"] else "one, with cycles")] if cyclic else []
    rows += [("weights", "yes")] if graph.weighted else []
    return _frame("geodisk.Graph", rows, _layout(graph))


def kept_to_show(graph: Any) -> Any:
    """The graph that a model's picture is drawn with, if it is small enough to be kept for that."""
    return graph if graph.edge_count <= _MOST_PLACED else None


def _layout(graph: Any) -> Optional[str]:
    """The graph where a training begins, which of hierarchies is a layout of the tree; networks are trained for a moment."""
    from ._model import Model

    if not 1 < len(graph) <= _MOST_PLACED or not 0 < graph.edge_count <= _MOST_PLACED:
        return None
    options, kind = ffi.new("geodisk_train_options *", lib.geodisk_train_defaults()), ffi.new("geodisk_kind_info *")
    options.dim, options.epochs = 2, _EPOCHS
    rows = ffi.new("geodisk_model **")
    with Session(1) as s:
        s.check(lib.geodisk_graph_tell_kind(s.context, graph._graph, kind))
        owner = s.make("trainer", lib.geodisk_trainer_create, graph._graph, options)
        if kind.kind == lib.GEODISK_KIND_NETWORK and graph.edge_count <= _MOST_TRAINED:
            s.check(lib.geodisk_trainer_run(owner, ffi.NULL, ffi.NULL))
        model = Model._wrap(s.own(lib.geodisk_trainer_model(owner, rows), rows, lib.geodisk_model_destroy))
        model._types = graph._kinds
        s.messages.clear()
        return _svg(model, graph)
