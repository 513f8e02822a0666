"""Training: a graph in, a model out."""
from __future__ import annotations

import contextlib
import os
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._arrays import Array, whole, writable
from ._ball import Ball
from ._distances import fit_distances
from ._errors import Error, GeodiskWarning
from ._graph import Graph
from ._keywords import (CoreEpochs, Device, Epochs, Loss, Negatives, Objective, Placement, Precision, Rates, Sampling, Space, Stress, Units,
                        Update, given, keywords)
from ._library import PathLike, Session, as_dict, callback, fill, path_bytes, text_of
from ._memory import in_memory
from ._model import Model
from ._names import Kinds
from ._native import ffi, lib
from ._progress import Progress
from ._show import kept_to_show


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

    def __init__(self, on_epoch: Optional[Callable[[Dict[str, Any]], Any]], output: Optional[PathLike], every: int, session: Session,
                 kinds: Kinds = None) -> None:
        self.on_epoch = on_epoch
        self.output = output
        self.every = every
        self.session = session
        self.kinds = kinds
        self.error: Optional[BaseException] = None

    def check_output(self, numbers: int) -> None:
        """Whether the output can be written, and its disk has room for these bytes, before time is spent on it."""
        if self.every and self.output is None:
            raise ValueError("train: checkpoint_every needs output=..., the file to write")
        if self.output is not None and os.fspath(self.output) != "-":
            raw = path_bytes(self.output)
            self.session.check(lib.geodisk_file_check_room(self.session.context, raw, numbers), os.fspath(self.output))

    def save(self, trainer: Any) -> None:
        assert self.output is not None
        if self.kinds is None:
            self.session.check(lib.geodisk_trainer_save(trainer, path_bytes(self.output)))
            return
        saved = Model.from_bytes(in_memory(self.session, lambda place: self.session.check(lib.geodisk_trainer_save(trainer, place))))
        saved._record(self.kinds)
        saved.save(self.output)


def _after_epoch(user: Any, trainer: Any, info: Any) -> bool:
    run: _Run = ffi.from_handle(user)
    if run.error is not None:
        return False
    if run.every and (info.epoch + 1) % run.every == 0:
        run.save(trainer)
    return run.on_epoch is None or run.on_epoch(as_dict(info)) is not False


callback("geodisk_python_epoch", _after_epoch)


def _options(recipe: Optional[str], start: Optional[Model], options: Dict[str, Any]) -> Any:
    chosen = ffi.new("geodisk_train_options *", lib.geodisk_train_defaults())
    fill(chosen, {name: options[name] for name in ("dim",) if name in options}, "train")  # a recipe may look at it
    if start is not None:
        lib.geodisk_train_start(chosen, start._model)
    if recipe is not None:
        with Session(1) as s:
            s.check(lib.geodisk_train_recipe(s.context, path_bytes(recipe), chosen))
    fill(chosen, options, "train")
    return chosen


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
        if run.output is not None:  # what was trained is kept; if that is what failed, the first error is the one to tell
            with contextlib.suppress(Error, OSError):
                run.save(trainer)
        raise error
    if status != lib.GEODISK_ERROR_STOPPED:  # on_epoch has said so
        s.check(status)
    return False


@keywords("geodisk_train_options")
def train(graph: Any = None, dim: int = 10, *, objective: Objective = "neighbours", distances: Any = None, stress: Stress = "mean",
          recipe: Optional[str] = None, start: Optional[Model] = None, output: Optional[PathLike] = None, checkpoint_every: int = 0,
          resume: Optional[PathLike] = None, on_epoch: Optional[Callable[[Dict[str, Any]], Any]] = None,
          threads: Optional[int] = None, progress: Progress = None,
          precision: Precision = "double", space: Space = "hyperbolic", update: Update = "geodesic", loss: Loss = "nickel-kiela",
          sharpness: float = 0.0, sharpness_first: float = 0.0, units: Units = "source", block: int = 0, batch: int = 0,
          negatives: Negatives = 0, sampling: Sampling = "nearby", power: float = 1.0, nearby: float = -1.0, inner: float = -1.0,
          epochs: Epochs = "auto",
          rates: Rates = "rise", lr: float = 0.0, lr_first: float = 0.0, lr_last: float = 0.0, rise: float = -1.0, cap: float = -1.0,
          bound: float = -1.0, burn_in: int = 0, burn_in_lr: float = 0.001, sparse: float = -1.0, regularization: float = 0.0,
          placement: Placement = "auto", depth: float = 0.0, core_epochs: CoreEpochs = "auto", range: float = 0.001,  # noqa: A002
          margin: float = 1e-05, seed: int = 1, device: Device = "cpu") -> Model:
    """Learns a point for every node of a graph (anything that `Graph` takes, child first, parent second).

    dim               of the space; that of `start` if there is one
    objective         "neighbours": who is near whom; "distances": how far apart nodes are, by shortest ways in the graph
    distances         for the second, instead of a graph: a square of numbers (an array, or a data frame whose index has the names)
    stress            what is minimised then: "mean", of |s d/g - 1| (Sala et al.), or "squared", of |(s d/g)^2 - 1| (Gu et al.), s learned
    recipe            settings by name (`geodisk.recipes()`); what is given beside it goes first. None, or "auto": what suits the graph,
                      by looking at it and by short trials (docs/training.md); `model.choice` tells what was seen and taken
    start             a model: nodes of its names begin where it has them
    output            the file to write the model to, also while training, every `checkpoint_every` epochs
    resume            such a file of an unfinished run, to go on with: its options hold, and `epochs` alone may be another
    on_epoch          called with a dictionary after every epoch, but not while settings are tried; False ends the run
    threads           None: all cores. The result does not depend on it
    device            cpu, cuda (a CUDA device, to the same bytes), or auto: cuda where there is one and it pays
    progress          None: a bar if somebody looks; True, False; or a function that gets a dictionary

    The other arguments are the options of the library (`geodisk_train_options`) with its defaults; docs/training.md says what each does.
    What is "auto", 0 where 0 makes no sense, or below 0 is chosen from the graph and the other options, so that it is best left out;
    `model.options` tells what was. `negatives="all"` is for small graphs.

    Ctrl-C finishes the epoch, writes `output` if there is one, and returns what is there, with `model.interrupted` set. An exception
    from `on_epoch` ends the training and comes out of it, after `output` was written.

    >>> import geodisk
    >>> pairs = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"), ("dog", "animal"), ("cat", "animal"), ("oak", "tree")]
    >>> model = geodisk.train(pairs, dim=2, epochs=50, core_epochs=0, negatives=2)
    >>> model.most_similar("dog", 1)[0][0] in ("mammal", "animal")
    True
    >>> len(model.history["loss"])
    50
    """
    options = given(locals(), "geodisk_train_options")
    if objective not in ("neighbours", "distances"):
        raise ValueError(f"train: objective takes neighbours or distances, not {objective!r}")
    if objective == "distances" or distances is not None:
        for name, value in (("recipe", recipe), ("start", start), ("checkpoint_every", checkpoint_every or None), ("resume", resume),
                            ("on_epoch", on_epoch)):
            if value is not None:
                raise ValueError(f'train: objective="distances" does not take {name}')
        return fit_distances(graph, distances, stress, options, output, threads, progress)
    if graph is None:
        raise TypeError("train: say what to embed: a graph, or distances=")
    if start is not None and not isinstance(start, Model):
        raise TypeError(f"train: start takes a Model, not {start!r}")
    if on_epoch is not None and not callable(on_epoch):
        raise TypeError(f"train: on_epoch takes a function, not {on_epoch!r}")
    if resume is not None and (start is not None or recipe is not None):
        raise ValueError("train: resume goes on with what its file has; start and recipe are for a new training")
    graph = graph if isinstance(graph, Graph) else Graph(graph)
    if start is not None:
        start._agreeing(graph)
    with Session(threads, progress) as s:
        run = _Run(on_epoch, output, whole(checkpoint_every, "train: checkpoint_every", 0), s, graph._kinds)
        fixed = resume is None and start is None and isinstance(dim, int) and 0 < dim < 2**31  # else files say how large it is
        run.check_output(len(graph) * int(dim) * (4 if precision == "float" else 8) if fixed else 0)
        trainer, interrupted = _trainer(graph, recipe, start, options, s) if resume is None else (_resumed(graph, resume, options, s), False)
        interrupted = interrupted or _train(trainer, run, s)
        model = _model_of(trainer, s)
        learned = False
        try:
            learned = not interrupted and _learn(model, graph, s)
        except KeyboardInterrupt:
            interrupted = True
        except (Error, MemoryError) as error:  # the training is done, and what was trained is kept
            warnings.warn(f"the model cannot tell what is below what: {error}", GeodiskWarning, stacklevel=2)
        if output is not None and not learned:
            run.save(trainer)
        done, total = int(lib.geodisk_trainer_position(trainer)), int(lib.geodisk_trainer_epochs(trainer))
    model._record(graph._kinds)
    if output is not None and learned:
        model.save(output)
    model._shown_with = kept_to_show(graph)
    if interrupted:
        model.interrupted = True
        saved = f"; go on with resume={os.fspath(output)!r}" if output is not None else ""
        warnings.warn(f"interrupted after epoch {done}{f' of {total}' if total else ''}{saved}", GeodiskWarning, stacklevel=2)
    return model


def _trainer(graph: Graph, recipe: Optional[str], start: Optional[Model], options: Dict[str, Any], s: Session) -> Tuple[Any, bool]:
    """A new trainer; and whether Ctrl-C came while its settings were being chosen."""
    chosen, out = _options(recipe, start, options), ffi.new("geodisk_trainer **")
    if not lib.geodisk_auto_wanted(ffi.NULL if recipe is None else path_bytes(recipe)):
        return s.make("trainer", lib.geodisk_trainer_create, graph._graph, chosen), False
    choice = ffi.new("geodisk_auto_choice *")
    status = lib.geodisk_auto_trainer(s.context, graph._graph, chosen, choice, out)
    if status == lib.GEODISK_OK and isinstance(s.error, KeyboardInterrupt):
        s.error = None  # the best so far is there
    return s.own(status, out, lib.geodisk_trainer_destroy), bool(choice.stopped)


def _resumed(graph: Graph, path: PathLike, options: Dict[str, Any], s: Session) -> Any:
    """The trainer of a checkpoint; what is given of its options must be what it has."""
    chosen = ffi.new("geodisk_train_options *")
    s.check(lib.geodisk_train_resumed(s.context, path_bytes(path), chosen), os.fspath(path))
    fill(chosen, options, "train")
    trainer = s.make("trainer", lib.geodisk_trainer_resume, graph._graph, path_bytes(path), chosen, path=os.fspath(path))
    Model.load(path)._agreeing(graph)
    return trainer


def _model_of(trainer: Any, s: Session) -> Model:
    """A model of its own with the trainer's points."""
    rows = ffi.new("geodisk_model **")
    over = s.own(lib.geodisk_trainer_model(trainer, rows), rows, lib.geodisk_model_destroy)
    return Model._wrap(s.make("model", lib.geodisk_model_copy, over, lib.GEODISK_WIDTH_AUTO, True))


def _learn(model: Model, graph: Graph, s: Session) -> bool:
    """Of a hierarchy the model learns to tell what is below what."""
    learned = ffi.new("bool *")
    s.check(lib.geodisk_auto_learn(s.context, model._model, graph._graph, learned))
    return bool(learned[0])


class Rows:
    """Points in an array, trained where they lie: for models whose nodes are the numbers of a graph."""

    def __init__(self, vectors: Array) -> None:
        self.vectors = np.ascontiguousarray(vectors)
        self.ball = Ball(self.vectors.shape[1])
        self.gap = np.empty(len(self.vectors), self.vectors.dtype)
        self.gap[:] = self.ball.gap(self.vectors)
        self.model = Model._over(self.vectors, self.gap, None, self.ball)

    def train(self, graph: Graph, options: Dict[str, Any], threads: int, on_epoch: Callable[[Dict[str, Any]], Any]) -> bool:
        """Trains on from where the points are; true if Ctrl-C came."""
        self.gap[:] = self.ball.gap(self.vectors)
        outside = np.flatnonzero(~(self.gap > 0))
        if len(outside):
            raise ValueError(f"vectors: row {outside[0]} is not inside the ball")
        chosen = _options(None, self.model, options)
        with Session(threads) as s:
            trainer = s.make("trainer", lib.geodisk_trainer_create, graph._graph, chosen)
            interrupted = _train(trainer, _Run(on_epoch, None, 0, s), s)
            result = self.vectors if self.vectors.dtype == np.float64 else np.empty(self.vectors.shape)
            lib.geodisk_trainer_points(trainer, writable(result))
            if result is not self.vectors:
                self.vectors[...] = result
        return interrupted
