"""Points whose distances are those of a graph or of a matrix: `train(objective="distances")`."""
from __future__ import annotations

import os
import warnings
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._arrays import Array, numbers, pointer, writable
from ._errors import ArgumentError, GeodiskWarning
from ._graph import Graph
from ._library import PathLike, Session, fill, path_bytes
from ._model import Model
from ._names import Kinds, listed, name_bytes
from ._native import ffi, lib
from ._progress import Progress
from ._show import kept_to_show

_TAKEN = ("dim", "space", "epochs", "seed")


def _matrix(value: Any) -> Array:
    """A square of distances: none below 0 and none that is no number, 0 on the diagonal, the same both ways up to rounding."""
    d = numbers(value, "distances", np.float64)
    if d.ndim != 2 or d.shape[0] != d.shape[1]:
        raise ValueError(f"distances: expected a square, got shape {d.shape}")
    with np.errstate(invalid="ignore"):
        faults = ((~(d >= 0), "is no distance"), (np.diag(np.diag(d) != 0), "is on the diagonal and not 0"),
                  (~((d == d.T) | (np.abs(d - d.T) <= 1e-6 * (d + d.T))), "is not the same both ways"))
    for wrong, text in faults:
        at = np.argwhere(wrong)
        if len(at):
            i, j = at[0]
            raise ArgumentError(f"distances: row {i}, column {j}: {d[i, j]} {text}")
    return d


def _model(points: Array, gaps: Array, texts: Any, kinds: Kinds, options: Any, result: Any) -> Model:
    """The library's, with arrays of its own."""
    spec = ffi.new("geodisk_model_spec *")
    names = [ffi.new("char[]", name_bytes(text)) for text in texts]
    held = (ffi.new("char *[]", names), pointer(points), pointer(gaps))
    spec.nodes, spec.name_list, spec.vectors, spec.gap = len(texts), *held
    with Session(1) as s:
        rows = s.make("model", lib.geodisk_distance_model, spec, options, result)
        model = s.make("model", lib.geodisk_model_copy, rows, lib.GEODISK_WIDTH_AUTO, True)
    made = Model._wrap(model)
    made._record(kinds)
    return made


def _given(graph: Any, distances: Any) -> Tuple[Optional[Graph], Optional[Array], Any, Kinds]:
    """What to fit, and the names of its nodes: those of the graph, of a data frame's rows, or numbers."""
    if (graph is None) == (distances is None):
        raise ValueError('train: objective="distances" fits a graph, or distances=; give one of them')
    if distances is None:
        graph = graph if isinstance(graph, Graph) else Graph(graph)
        return graph, None, *listed(graph.names)
    lengths = _matrix(distances)
    names = list(distances.index) if hasattr(distances, "index") and hasattr(distances, "columns") else list(range(len(lengths)))
    if len(names) != len(lengths):
        raise ValueError(f"distances: {len(lengths)} rows, and names of {len(names)}")
    return None, lengths, *listed(names)


def fit_distances(graph: Any, distances: Any, stress: str, options: Dict[str, Any], output: Optional[PathLike], threads: Optional[int],
                  progress: Progress) -> Model:
    """The model; its figures are those of `model.evaluate`."""
    for name in options:
        if name not in _TAKEN:
            raise ValueError(f'train: objective="distances" does not take {name}, but {", ".join(_TAKEN)} and stress')
    chosen = ffi.new("geodisk_distance_options *", lib.geodisk_distance_defaults())
    epochs = options.pop("epochs", "auto")
    fill(chosen, {"stress": stress, **options}, "train")
    fill(chosen, {} if epochs == "auto" else {"steps": lib.GEODISK_EPOCHS_NONE if epochs == "none" else epochs}, "train")
    source, lengths, texts, kinds = _given(graph, distances)
    n = len(texts)
    points, gaps, result = np.empty((n, max(int(chosen.dim), 1))), np.empty(n), ffi.new("geodisk_distance_result *")
    with Session(threads, progress) as s:
        if output is not None:
            s.check(lib.geodisk_file_check_room(s.context, path_bytes(output), points.nbytes), os.fspath(output))
        if source is not None:
            status = lib.geodisk_fit_graph_distances(s.context, source._graph, chosen, writable(points), writable(gaps), result)
        else:
            given = ffi.new("geodisk_distances *", {"nodes": n, "sources": n, "lengths": pointer(lengths)})
            status = lib.geodisk_fit_distances(s.context, given, chosen, writable(points), writable(gaps), result)
        interrupted = status == lib.GEODISK_ERROR_STOPPED and isinstance(s.error, KeyboardInterrupt) and result.start != ffi.NULL
        if interrupted:
            s.error = None
        else:
            s.check(status)
    model = _model(points, gaps, texts, kinds, chosen, result)
    if source is not None:
        model._shown_with = kept_to_show(source)
    if output is not None:
        model.save(output)
    if interrupted:
        model.interrupted = True
        warnings.warn("interrupted: the points are the best there were", GeodiskWarning, stacklevel=3)
    return model
