"""Barycenters, medians, and minimising losses of distances."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Literal, NamedTuple, Optional, Tuple, Union, overload

import numpy as np
import numpy.typing as npt
from ._arrays import F64, Array, indices, numbers, pointer, points, vector, view, writable
from ._ball import Ball
from ._keywords import MeanMethod, Method, Schedule, Update, given, keywords
from ._library import Session, as_dict, callback, enum_value, fill
from ._native import ffi, lib
from ._progress import Progress


def _ball_for(ball: Optional[Ball], array: Array, what: str) -> Ball:
    if array.ndim != 2:
        raise ValueError(f"{what}: expected an array of shape (n, dim), got shape {array.shape}")
    if ball is not None and not isinstance(ball, Ball):
        raise TypeError(f"ball takes a Ball, not {ball!r}")
    return Ball(array.shape[1]) if ball is None else ball


def _centre(function: Any, name: str, x: npt.ArrayLike, weights: Optional[npt.ArrayLike], ball: Optional[Ball],
            start: Optional[npt.ArrayLike], threads: Optional[int], progress: Progress, options: Dict[str, Any]) -> Tuple[Array, Dict[str, Any]]:
    array = numbers(x, "points", F64)
    ball = _ball_for(ball, array, "points")
    array = points(array, ball.dim, "points", 2)
    w = None if weights is None else vector(weights, len(array), "weights")
    chosen = ffi.new("geodisk_mean_options *", lib.geodisk_mean_defaults())
    alive = fill(chosen, options, name)
    if start is not None:
        first = vector(start, ball.dim, "start")
        alive += [first, pointer(first)]
        chosen.start = alive[-1]
    out, info = np.empty(ball.dim), ffi.new("geodisk_mean_info *")
    with Session(threads, progress) as s:
        chosen.context = s.context
        s.check(function(ball._ball, len(array), pointer(array), pointer(w), chosen, writable(out), info))
    del alive
    return out, as_dict(info)


@overload
def mean(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = ..., ball: Optional[Ball] = ..., *, full: Literal[False] = ...,
         method: MeanMethod = ..., tolerance: float = ..., iterations: int = ..., start: Optional[npt.ArrayLike] = ...,
         start_gap: float = ..., update: Update = ..., margin: float = ..., schedule: Optional[Schedule] = ...,
         seed: int = ..., batch: int = ..., evaluate_every: int = ..., threads: Optional[int] = ..., progress: Progress = ...
         ) -> Array: ...
@overload
def mean(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = ..., ball: Optional[Ball] = ..., *, full: Literal[True],
         method: MeanMethod = ..., tolerance: float = ..., iterations: int = ..., start: Optional[npt.ArrayLike] = ...,
         start_gap: float = ..., update: Update = ..., margin: float = ..., schedule: Optional[Schedule] = ...,
         seed: int = ..., batch: int = ..., evaluate_every: int = ..., threads: Optional[int] = ..., progress: Progress = ...
         ) -> Tuple[Array, Dict[str, Any]]: ...
@keywords("geodisk_mean_options")
def mean(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None, ball: Optional[Ball] = None, *, full: bool = False,
         method: MeanMethod = "newton", tolerance: float = 0.0, iterations: int = 0, start: Optional[npt.ArrayLike] = None,
         start_gap: float = 0.0, update: Update = "geodesic", margin: float = 1e-10, schedule: Optional[Schedule] = None,
         seed: int = 0, batch: int = 1, evaluate_every: int = 0, threads: Optional[int] = None, progress: Progress = False
         ) -> Union[Array, Tuple[Array, Dict[str, Any]]]:
    """The barycenter (Frechet mean) of points, rows of an array; `full` also gives how exact it is.

    A `tolerance` of 0 goes as far as rounding allows, `iterations` of 0 are the method's own number; `start` is where it begins (with its
    gap, or 0). For the gradient and stochastic methods: `update`, `margin`, `schedule`, the learning rate as {"rate": 0.1}; for the
    stochastic one: `seed`, `batch`, `evaluate_every`.

    >>> import geodisk
    >>> centre, info = geodisk.mean([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]], full=True)
    >>> print(centre.round(6), info["error_bound"] < 1e-14)
    [0.       0.145986] True
    """
    options = given(locals(), "geodisk_mean_options")
    out, info = _centre(lib.geodisk_mean, "mean", points, weights, ball, start, threads, progress, options)
    return (out, info) if full else out


@overload
def median(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = ..., ball: Optional[Ball] = ..., *, full: Literal[False] = ...,
           method: MeanMethod = ..., tolerance: float = ..., iterations: int = ..., start: Optional[npt.ArrayLike] = ...,
           start_gap: float = ..., update: Update = ..., margin: float = ..., schedule: Optional[Schedule] = ...,
           seed: int = ..., batch: int = ..., evaluate_every: int = ..., threads: Optional[int] = ..., progress: Progress = ...
           ) -> Array: ...
@overload
def median(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = ..., ball: Optional[Ball] = ..., *, full: Literal[True],
           method: MeanMethod = ..., tolerance: float = ..., iterations: int = ..., start: Optional[npt.ArrayLike] = ...,
           start_gap: float = ..., update: Update = ..., margin: float = ..., schedule: Optional[Schedule] = ...,
           seed: int = ..., batch: int = ..., evaluate_every: int = ..., threads: Optional[int] = ..., progress: Progress = ...
           ) -> Tuple[Array, Dict[str, Any]]: ...
@keywords("geodisk_mean_options")
def median(points: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None, ball: Optional[Ball] = None, *, full: bool = False,
           method: MeanMethod = "newton", tolerance: float = 0.0, iterations: int = 0, start: Optional[npt.ArrayLike] = None,
           start_gap: float = 0.0, update: Update = "geodesic", margin: float = 1e-10, schedule: Optional[Schedule] = None,
           seed: int = 0, batch: int = 1, evaluate_every: int = 0, threads: Optional[int] = None, progress: Progress = False
           ) -> Union[Array, Tuple[Array, Dict[str, Any]]]:
    """The geometric median of points: the least sum of distances, which far outliers hardly move.

    >>> import geodisk
    >>> print(geodisk.median([[0.1, 0.0], [0.1, 0.0], [0.9, 0.0]]))
    [0.1 0. ]
    """
    options = given(locals(), "geodisk_mean_options")
    out, info = _centre(lib.geodisk_median, "median", points, weights, ball, start, threads, progress, options)
    return (out, info) if full else out


# ---- losses of distances ----

class Minimum(NamedTuple):
    """What minimize has found."""

    points: Array
    gap: Array
    loss: float
    gradient_norm: float
    iterations: int
    converged: bool
    stopped: bool


class _Loss:
    """What the library's callbacks need; `error` is where an exception goes."""

    def __init__(self, loss: Callable[..., Tuple[float, npt.ArrayLike]], terms: bool,
                 on_iteration: Optional[Callable[[Dict[str, Any]], Any]], shape: Tuple[int, int]) -> None:
        self.loss = loss
        self.terms = terms
        self.on_iteration = on_iteration
        self.shape = shape
        self.error: Optional[BaseException] = None


def _on_loss(user: Any, term: int, count: int, distances: Any, derivatives: Any) -> float:
    task: _Loss = ffi.from_handle(user)
    if task.error is not None:
        return float("nan")
    d = np.frombuffer(ffi.buffer(distances, 8 * count), F64)
    d.flags.writeable = False
    value, slopes = task.loss(d, term) if task.terms else task.loss(d)
    slopes = np.asarray(slopes, F64)
    if slopes.shape not in ((count,), ()):
        raise ValueError(f"loss: expected {count} derivatives, one for each distance, got shape {slopes.shape}")
    np.frombuffer(ffi.buffer(derivatives, 8 * count), F64)[:] = slopes
    return float(value)


def _on_iteration(user: Any, iteration: Any) -> bool:
    task: _Loss = ffi.from_handle(user)
    if task.error is not None:
        return False
    if task.on_iteration is None:
        return True
    state = as_dict(iteration)
    state["points"] = np.array(view(None, iteration.x, task.shape, F64))
    return task.on_iteration(state) is not False


callback("geodisk_python_loss", _on_loss, float("nan"))
callback("geodisk_python_iteration", _on_iteration)


@keywords("geodisk_optim_options")
def minimize(loss: Callable[..., Tuple[float, npt.ArrayLike]], points: npt.ArrayLike, pairs: npt.ArrayLike, ball: Optional[Ball] = None, *,
             terms: Optional[npt.ArrayLike] = None, fixed: Optional[npt.ArrayLike] = None, gap: Optional[npt.ArrayLike] = None,
             method: Method = "backtracking", update: Update = "geodesic", margin: float = 1e-10, schedule: Optional[Schedule] = None,
             iterations: int = 1000, tolerance: float = 1e-09, batch: int = 0, seed: int = 0, evaluate_every: int = 0, inner: int = 0,
             momentum: float = 0.9, beta2: float = 0.999, stabiliser: float = 1e-12, decrease: float = 0.0001, shrink: float = 0.5,
             convexity: float = 1.0, distortion: float = 1.0, on_iteration: Optional[Callable[[Dict[str, Any]], Any]] = None,
             threads: Optional[int] = 1, progress: Progress = False) -> Minimum:
    """Minimises a function of hyperbolic distances by moving points along geodesics.

    `pairs` are two columns of row numbers of `points`. `loss(distances)` gets the distances of all pairs and returns the loss and its
    derivative by each distance; the chain rule, steps and stopping are the library's. With `terms` (where each term's pairs begin, and
    the end) the loss is a sum: `loss(distances, term)` is called for one term at a time. `fixed` says which points do not move.
    `on_iteration` sees every step and ends the run by returning False. The learning rate is schedule={"rate": 0.1, ...}; the other options
    and what they are for in which method: `geodisk_optim_options` in include/geodisk/optim.h, whose defaults depend on the method a little.

    >>> import geodisk
    >>> wanted = [1.0, 1.0, 1.0]                                # a triangle with equal sides
    >>> found = geodisk.minimize(lambda d: (((d - wanted) ** 2).sum(), 2 * (d - wanted)),
    ...                          [[0.1, 0.0], [0.0, 0.2], [-0.1, 0.1]], [[0, 1], [1, 2], [0, 2]])
    >>> found.converged, [round(float(d), 6) for d in geodisk.Ball(2).distances(found.points)[0]]
    (True, [0.0, 1.0, 1.0])
    """
    options = given(locals(), "geodisk_optim_options")
    x = np.array(numbers(points, "points", F64))
    ball = _ball_for(ball, x, "points")
    if x.shape[1] != ball.dim:
        raise ValueError(f"points: expected an array of shape (n, {ball.dim}), got shape {x.shape}")
    n = len(x)
    p = indices(pairs, "pairs", (None, 2))
    begin = None if terms is None else indices(terms, "terms", (None,))
    still = None if fixed is None else np.ascontiguousarray(np.asarray(fixed, np.bool_))
    if still is not None and still.shape != (n,):
        raise ValueError(f"fixed: expected an array of shape ({n},), got shape {still.shape}")
    g = np.array(ball.gap(x) if gap is None else vector(gap, n, "gap"))
    task = _Loss(loss, begin is not None, on_iteration, (n, ball.dim))
    handle = ffi.new_handle(task)
    alive: List[Any] = [pointer(p), pointer(still), pointer(begin)]
    spec = ffi.new("geodisk_objective_spec *", {"n_points": n, "n_pairs": len(p), "pairs": ffi.cast("size_t *", alive[0]),
                                                "fixed": alive[1], "loss": lib.geodisk_python_loss, "user": handle})
    if begin is not None:
        spec.n_terms, spec.term_begin = len(begin) - 1, ffi.cast("size_t *", alive[2])
    kind = enum_value(ffi.typeof("geodisk_method"), options.get("method", "backtracking"), "minimize: method")
    chosen = ffi.new("geodisk_optim_options *", lib.geodisk_optim_defaults(kind))
    alive += fill(chosen, options, "minimize")
    chosen.on_iteration, chosen.user = lib.geodisk_python_iteration, handle
    info = ffi.new("geodisk_optim_info *")
    with Session(threads, progress) as s:
        objective = s.make("objective", lib.geodisk_objective_create, spec)
        chosen.context = s.context
        status = lib.geodisk_minimise(ball._ball, objective, chosen, writable(x), writable(g), info)
        if task.error is not None:
            raise task.error
        s.check(status)
    return Minimum(x, g, info.loss, info.gradient_norm, info.iterations, info.converged, info.stopped)
