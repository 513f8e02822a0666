"""Training: a graph in, a model out."""
from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._arrays import Array, writable
from ._ball import Ball
from ._errors import GeodiskWarning
from ._graph import Graph
from ._library import PathLike, Session, as_dict, callback, fill, path_bytes, text_of
from ._model import Model
from ._native import ffi, lib
from ._progress import Progress


def recipes() -> List[str]:
    """The names that `train(recipe=...)` takes."""
    names: List[str] = []
    while True:
        name = lib.geodisk_train_recipe_name(len(names))
        if name == ffi.NULL:
            return names
        names.append(text_of(name))


class _Run:
    """What the library's callback needs while training; `error` is where an exception goes."""

    def __init__(self, on_epoch: Optional[Callable[[Dict[str, Any]], Any]], output: Optional[PathLike], every: int,
                 session: Session) -> None:
        self.on_epoch = on_epoch
        self.output = output
        self.every = every
        self.session = session
        self.error: Optional[BaseException] = None


def _after_epoch(user: Any, trainer: Any, info: Any) -> bool:
    run: _Run = ffi.from_handle(user)
    if run.error is not None:
        return False
    if run.every and run.output is not None and (info.epoch + 1) % run.every == 0:
        run.session.check(lib.geodisk_trainer_save(trainer, path_bytes(run.output)))
    return run.on_epoch is None or run.on_epoch(as_dict(info)) is not False


callback("geodisk_python_epoch", _after_epoch)


def _options(dim: int, recipe: Optional[str], start: Optional[Model], given: Dict[str, Any]) -> Any:
    options = ffi.new("geodisk_train_options *", lib.geodisk_train_defaults())
    options.dim = dim
    if start is not None:
        options.start = start._model  # a recipe may look at it
    if recipe is not None:
        with Session(1) as s:
            s.check(lib.geodisk_train_recipe(s.context, recipe.encode(), options))
    if isinstance(given.get("lr"), (int, float)):  # as the command has it: the schedule follows the rate
        given = {"lr_first": given["lr"], "lr_last": 0.03 * given["lr"], **given}
    fill(options, given, "train")
    return options


def _train(trainer: Any, run: _Run, s: Session) -> bool:
    """Trains what is left; true if Ctrl-C came."""
    handle = ffi.new_handle(run)
    try:
        status = lib.geodisk_trainer_run(trainer, lib.geodisk_python_epoch, handle)
    except KeyboardInterrupt:  # it came when the library was just back
        return True
    error, s.error, run.error = run.error or s.error, None, None
    if isinstance(error, KeyboardInterrupt):
        return True
    if error is not None:
        raise error
    if status != lib.GEODISK_ERROR_STOPPED:  # on_epoch has said so
        s.check(status)
    return False


def train(graph: Any, dim: int = 10, *, recipe: Optional[str] = None, start: Optional[Model] = None, output: Optional[PathLike] = None,
          checkpoint_every: int = 0, resume: Optional[PathLike] = None, on_epoch: Optional[Callable[[Dict[str, Any]], Any]] = None,
          threads: Optional[int] = None, progress: Progress = None, **options: Any) -> Model:
    """Learns a point for every node of a graph (anything that `Graph` takes, child first, parent second).

    recipe            settings by name (`geodisk.recipes()`); options change them
    start             a model: nodes of its names begin where it has them
    output            the file to write the model to, also while training, every `checkpoint_every` epochs
    resume            such a file of an unfinished run, to go on with; `epochs` alone may be another
    on_epoch          called with a dictionary after every epoch; False ends the run
    threads           None: all cores. The result does not depend on it
    progress          None: a bar if somebody looks; True, False; or a function that gets a dictionary
    options           by the names of `geodisk_train_options`: epochs (a number or "auto"), lr, rates, negatives (a number or "all"),
                      sampling, loss, update, precision, space, burn_in, seed, variant, ...

    Ctrl-C finishes the epoch, writes `output` if there is one, and returns what is there, with `model.interrupted` set.

    >>> import geodisk
    >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"), ("dog", "animal"), ("cat", "animal"), ("oak", "tree")]
    >>> model = geodisk.train(pairs, dim=2, epochs=50, negatives=2)
    >>> model.most_similar("dog", 1)[0][0] in ("mammal", "animal")
    True
    >>> len(model.history["loss"])
    50
    """
    graph = graph if isinstance(graph, Graph) else Graph(graph)
    out = ffi.new("geodisk_trainer **")
    with Session(threads, progress) as s:
        if resume is not None:
            chosen = ffi.NULL
            if options:
                given = _read_options(graph, resume, s)
                fill(given, options, "train")
                chosen = given
            status = lib.geodisk_trainer_resume(s.context, graph._graph, path_bytes(resume), chosen, out)
        else:
            chosen = _options(dim, recipe, start, options)
            status = lib.geodisk_trainer_create(s.context, graph._graph, chosen, out)
        trainer = s.own(status, out, lib.geodisk_trainer_destroy, os.fspath(resume) if resume is not None else "")
        interrupted = _train(trainer, _Run(on_epoch, output, checkpoint_every, s), s)
        if output is not None:
            s.check(lib.geodisk_trainer_save(trainer, path_bytes(output)))
        model = _model_of(trainer, s)
        done, total = int(lib.geodisk_trainer_position(trainer)), int(lib.geodisk_trainer_epochs(trainer))
    if interrupted:
        model.interrupted = True
        saved = f"; go on with resume={os.fspath(output)!r}" if output is not None else ""
        warnings.warn(f"interrupted after epoch {done}{f' of {total}' if total else ''}{saved}", GeodiskWarning, stacklevel=2)
    return model


def _read_options(graph: Graph, path: PathLike, s: Session) -> Any:
    """The options of a checkpoint, to be changed."""
    out = ffi.new("geodisk_trainer **")
    status = lib.geodisk_trainer_resume(s.context, graph._graph, path_bytes(path), ffi.NULL, out)
    trainer = s.own(status, out, lib.geodisk_trainer_destroy, os.fspath(path))
    return ffi.new("geodisk_train_options *", lib.geodisk_trainer_options(trainer))


def _model_of(trainer: Any, s: Session) -> Model:
    """A model of its own with the trainer's points."""
    rows, out = ffi.new("geodisk_model **"), ffi.new("geodisk_model **")
    over = s.own(lib.geodisk_trainer_model(trainer, rows), rows, lib.geodisk_model_destroy)
    return Model._wrap(s.own(lib.geodisk_model_copy(s.context, over, lib.GEODISK_WIDTH_AUTO, True, out), out, lib.geodisk_model_destroy))


class Rows:
    """Points in an array, trained where they lie: for models whose nodes are the numbers of a graph."""

    def __init__(self, vectors: Array) -> None:
        self.vectors = np.ascontiguousarray(vectors)
        self.ball = Ball(self.vectors.shape[1])
        self.gap = np.empty(len(self.vectors), self.vectors.dtype)
        self.gap[:] = self.ball.gap(self.vectors)
        self.model = Model(None, self.vectors, self.gap)  # looks at both arrays

    def train(self, graph: Graph, options: Dict[str, Any], threads: int, on_epoch: Callable[[Dict[str, Any]], Any]) -> bool:
        """Trains on from where the points are; true if Ctrl-C came."""
        self.gap[:] = self.ball.gap(self.vectors)
        outside = np.flatnonzero(~(self.gap > 0))
        if len(outside):
            raise ValueError(f"vectors: row {outside[0]} is not inside the ball")
        chosen = _options(int(options["dim"]), None, self.model, options)
        out = ffi.new("geodisk_trainer **")
        with Session(threads) as s:
            trainer = s.own(lib.geodisk_trainer_create(s.context, graph._graph, chosen, out), out, lib.geodisk_trainer_destroy)
            interrupted = _train(trainer, _Run(on_epoch, None, 0, s), s)
            result = self.vectors if self.vectors.dtype == np.float64 else np.empty(self.vectors.shape)
            lib.geodisk_trainer_points(trainer, writable(result))
            if result is not self.vectors:
                self.vectors[...] = result
        return interrupted
