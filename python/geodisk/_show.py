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
    return _frame("geodisk.Model", rows, _svg(model, None))


def graph_html(graph: Any) -> str:
    facts = graph.describe()
    rows = [(name.replace("_", " "), _number(facts[name]))
            for name in ("nodes", "edges", "roots", "leaves", "depth", "components") if facts[name] != -1]
    rows += [("cycles", "yes")] if facts["depth"] == -1 else []
    rows += [("weights", "yes")] if graph.weighted else []
    return _frame("geodisk.Graph", rows, _layout(graph))


def _layout(graph: Any) -> Optional[str]:
    """The graph where a training would begin, which for hierarchies is a layout of the tree."""
    from ._model import Model

    if not 1 < len(graph) <= _MOST_PLACED or not 0 < graph.edge_count <= _MOST_PLACED:
        return None
    options = ffi.new("geodisk_train_options *", lib.geodisk_train_defaults())
    options.dim, options.epochs = 2, 1
    trainer, rows = ffi.new("geodisk_trainer **"), ffi.new("geodisk_model **")
    with Session(1) as s:
        owner = s.own(lib.geodisk_trainer_create(s.context, graph._graph, options, trainer), trainer, lib.geodisk_trainer_destroy)
        model = Model._wrap(s.own(lib.geodisk_trainer_model(owner, rows), rows, lib.geodisk_model_destroy))
        s.messages.clear()
        return _svg(model, graph)
