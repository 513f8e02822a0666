"""The ball model of hyperbolic space, for points in NumPy arrays."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import DOUBLES, F32, F64, Array, Number, from_buffer, numbers, pointer, points, real, whole, writable
from ._library import Session
from ._native import ffi, lib

_THREADED = 5000  # numbers from which on it is worth to wake the other threads

_distance, _exp, _log = lib.geodisk_distance, lib.geodisk_exp, lib.geodisk_log
_mobius_add, _centre = lib.geodisk_mobius_add, lib.geodisk_centre
_empty = np.empty


class Ball:
    """The ball of radius R and sectional curvature -k: points are rows of `dim` numbers with |x| < R.

    Every method takes single points (shape `(dim,)`) or any number of them (shape `(..., dim)`), which broadcast against each other
    as NumPy's own functions do; float32 in gives float32 out. A point outside the ball gives NaN. `docs/math.md` has the formulas,
    `docs/numerics.md` how exact the answers are.

    >>> from geodisk import Ball
    >>> disk = Ball(2)
    >>> x, v = [0.5, 0.0], [0.0, 0.375]
    >>> y = disk.exp(x, v)                         # walk from x along v
    >>> print(round(disk.distance(x, y), 12))
    1.0
    >>> print(disk.geodesic(x, y, 0.5).round(6))   # half of the way
    [0.522162 0.180975]
    """

    __slots__ = ("dim", "radius", "curvature", "threads", "_ball", "_shape")

    def __init__(self, dim: int, radius: float = 1.0, curvature: float = 1.0, threads: Optional[int] = None) -> None:
        self.dim = whole(dim, "Ball: dim")
        self.radius = real(radius, "Ball: radius")
        self.curvature = real(curvature, "Ball: curvature")
        self.threads = threads
        if self.dim >= 2**31:
            raise ValueError(f"Ball: dim takes a whole number below 2^31, not {dim!r}")
        self._ball = ffi.new("geodisk_ball *", (self.dim, self.radius, self.curvature))
        self._shape = (self.dim,)
        if not lib.geodisk_ball_valid(self._ball):
            raise ValueError(f"Ball: radius and curvature must be finite and > 0, not {radius!r} and {curvature!r}")

    def __repr__(self) -> str:
        return f"Ball({self.dim}, radius={self.radius!r}, curvature={self.curvature!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ball) and (self.dim, self.radius, self.curvature) == (other.dim, other.radius, other.curvature)

    def __hash__(self) -> int:
        return hash((self.dim, self.radius, self.curvature))

    def __reduce__(self) -> Tuple[Any, ...]:
        return Ball, (self.dim, self.radius, self.curvature, self.threads)

    # ---- distances ----

    def distance(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        """Hyperbolic distance of x and y: a number, or an array for several points.

        >>> Ball(2).distance([0.0, 0.0], [[0.5, 0.0], [0.0, 0.9]]).round(6).tolist()
        [1.098612, 2.944439]
        """
        try:
            if x.dtype is F64 and y.dtype is F64 and x.shape == self._shape and y.shape == self._shape:  # type: ignore[union-attr]
                return _distance(self._ball, from_buffer(DOUBLES, x), from_buffer(DOUBLES, y))
        except (AttributeError, ValueError):
            pass  # no array, or not contiguous
        return self._distances(x, y)

    def _distances(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        a, b = points(x, self.dim, "x"), points(y, self.dim, "y")
        if a.ndim > 1 and b.ndim == 1:
            a, b = b, a
        kind = F32 if a.dtype == F32 and b.dtype == F32 else F64
        suffix = "f" if kind == F32 else ""
        a, b = np.ascontiguousarray(a, kind), np.ascontiguousarray(b, kind)
        if b.ndim == 1:
            return getattr(lib, "geodisk_distance" + suffix)(self._ball, pointer(a), pointer(b))
        if a.ndim == 1:
            out = np.empty(b.shape[:-1], kind)
            n, many = out.size, getattr(lib, "geodisk_distance_many" + suffix)
            self._call(b.size, lambda context: many(context, self._ball, pointer(a), n, pointer(b), ffi.NULL, writable(out)))
            return out
        lead = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        a, b = (np.ascontiguousarray(np.broadcast_to(p, lead + self._shape)) for p in (a, b))
        out = np.empty(lead, kind)
        n, rows = out.size, getattr(lib, "geodisk_distance_rows" + suffix)
        self._call(a.size, lambda context: rows(context, self._ball, n, pointer(a), pointer(b), writable(out)))
        return out

    def distances(self, x: npt.ArrayLike, y: Optional[npt.ArrayLike] = None) -> Array:
        """All distances between the rows of x and those of y (by default x again): an array of len(x) rows and len(y) columns.

        >>> Ball(1).distances([[0.0], [0.5]]).round(6).tolist()
        [[0.0, 1.098612], [1.098612, 0.0]]
        """
        a = points(x, self.dim, "x", 2)
        b = a if y is None else points(y, self.dim, "y", 2)
        kind = F32 if a.dtype == F32 and b.dtype == F32 else F64
        a, b = np.ascontiguousarray(a, kind), np.ascontiguousarray(b, kind)
        out = np.empty((len(a), len(b)), kind)
        function = lib.geodisk_distance_allf if kind == F32 else lib.geodisk_distance_all
        n, m = out.shape
        self._call(out.size * self.dim, lambda context: function(context, self._ball, n, pointer(a), m, pointer(b), writable(out)))
        return out

    # ---- walks ----

    def exp(self, x: npt.ArrayLike, v: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The point reached from x along the geodesic that starts with the tangent v, after the length of v."""
        return self._pair(_exp, "geodisk_exp", ("x", "v"), x, v, out)

    def log(self, x: npt.ArrayLike, y: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The tangent at x whose exp is y.

        >>> Ball(2).log([0.0, 0.0], [0.5, 0.0]).round(6).tolist()
        [0.549306, 0.0]
        """
        return self._pair(_log, "geodisk_log", ("x", "y"), x, y, out)

    def geodesic(self, x: npt.ArrayLike, y: npt.ArrayLike, t: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The point a share t of the way from x to y; t may be an array too."""
        return self._point("pps", "geodisk_geodesic", (("x", x), ("y", y)), out, ("t", t))

    def transport(self, x: npt.ArrayLike, y: npt.ArrayLike, v: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The tangent v at x, carried in parallel to y along their geodesic."""
        return self._point("ppp", "geodisk_transport", (("x", x), ("y", y), ("v", v)), out)

    # ---- Moebius operations ----

    def mobius_add(self, x: npt.ArrayLike, y: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """x (+) y: the isometry that carries the origin to x, applied to y."""
        return self._pair(_mobius_add, "geodisk_mobius_add", ("x", "y"), x, y, out)

    def mobius_scale(self, s: npt.ArrayLike, x: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The point on the ray through x at s times its distance from the origin."""
        return self._point("sp", "geodisk_mobius_scale", (("x", x),), out, ("s", s))

    def gyration(self, x: npt.ArrayLike, y: npt.ArrayLike, v: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """gyr[x, y] v, the rotation by which (+) fails to associate."""
        return self._point("ppp", "geodisk_gyration", (("x", x), ("y", y), ("v", v)), out)

    def centre(self, centre: npt.ArrayLike, x: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The isometry that carries `centre` to the origin, applied to x."""
        return self._pair(_centre, "geodisk_centre", ("centre", "x"), centre, x, out)

    # ---- the metric ----

    def gap(self, x: npt.ArrayLike) -> Any:
        """R^2 - |x|^2 with all its digits, however small it is."""
        return self._number("p", "geodisk_gap", (("x", x),))

    def metric_factor(self, x: npt.ArrayLike) -> Any:
        """What the Euclidean length of a tangent at x must be multiplied with."""
        return self._number("p", "geodisk_metric_factor", (("x", x),))

    def norm(self, x: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """The hyperbolic length of the tangent v at x."""
        return self._number("pp", "geodisk_norm", (("x", x), ("v", v)))

    def inner(self, x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """The inner product of the tangents u and v at x."""
        return self._number("ppp", "geodisk_inner", (("x", x), ("u", u), ("v", v)))

    def angle(self, x: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike) -> Any:
        """The angle between the tangents u and v at x, from 0 to pi."""
        return self._number("ppp", "geodisk_angle", (("x", x), ("u", u), ("v", v)))

    def gradient(self, x: npt.ArrayLike, df: npt.ArrayLike, out: Optional[Array] = None) -> Array:
        """The Riemannian gradient from the Euclidean one."""
        return self._point("pp", "geodisk_gradient", (("x", x), ("df", df)), out)

    # ---- other models of the same space ----

    def to_lorentz(self, x: npt.ArrayLike) -> Array:
        """Points of the hyperboloid: dim + 1 numbers, time first.

        >>> Ball(1).to_lorentz([0.5]).round(6).tolist()
        [1.666667, 1.333333]
        """
        return self._point("p", "geodisk_to_lorentz", (("x", x),), None, out_dim=self.dim + 1)

    def from_lorentz(self, p: npt.ArrayLike) -> Array:
        """The inverse of to_lorentz."""
        return self._point("p", "geodisk_from_lorentz", (("p", p),), None, dim=self.dim + 1)

    def to_klein(self, x: npt.ArrayLike) -> Array:
        """Points of the Klein model in the same ball, where geodesics are straight."""
        return self._point("p", "geodisk_to_klein", (("x", x),), None)

    def from_klein(self, p: npt.ArrayLike) -> Array:
        """The inverse of to_klein."""
        return self._point("p", "geodisk_from_klein", (("p", p),), None)

    def to_halfspace(self, x: npt.ArrayLike) -> Array:
        """Points of the upper half-space, height last."""
        return self._point("p", "geodisk_to_halfspace", (("x", x),), None)

    def from_halfspace(self, p: npt.ArrayLike) -> Array:
        """The inverse of to_halfspace."""
        return self._point("p", "geodisk_from_halfspace", (("p", p),), None)

    # ---- the distance from the origin, the gap and the Euclidean norm say the same ----

    def radius_from_gap(self, gap: npt.ArrayLike) -> Any:
        """The distance from the origin of a point with this gap."""
        return self._number("s", "geodisk_radius_from_gap", (), ("gap", gap))

    def radius_from_euclidean(self, euclidean: npt.ArrayLike) -> Any:
        """The distance from the origin of a point with |x| = euclidean."""
        return self._number("s", "geodisk_radius_from_euclidean", (), ("euclidean", euclidean))

    def gap_from_radius(self, radius: npt.ArrayLike) -> Any:
        """The gap of a point at this distance from the origin."""
        return self._number("s", "geodisk_gap_from_radius", (), ("radius", radius))

    def euclidean_from_radius(self, radius: npt.ArrayLike) -> Any:
        """|x| of a point at this distance from the origin."""
        return self._number("s", "geodisk_euclidean_from_radius", (), ("radius", radius))

    # ---- random points ----

    def random(self, n: int, radius: float, seed: int = 0) -> Array:
        """n points, uniform by hyperbolic volume in the ball of the given hyperbolic radius around the origin.

        >>> disk = Ball(2)
        >>> bool((disk.distance([0.0, 0.0], disk.random(100, 3.0)) <= 3.0).all())
        True
        """
        out = np.empty((n, self.dim))
        stream = ffi.new("geodisk_random *", lib.geodisk_random_stream(seed, 0))
        for row in out:
            lib.geodisk_random_in_ball(self._ball, stream, radius, writable(row), ffi.NULL)
        return out

    # ---- one call for one point: as little Python as there can be; what is not as it should be goes the other way ----

    def _pair(self, function: Any, name: str, labels: Tuple[str, str], a: Any, b: Any, out: Optional[Array]) -> Array:
        """Two single points of doubles go straight to the function; all else through `_point`."""
        try:
            shape = self._shape
            if out is None and a.dtype is F64 and b.dtype is F64 and a.shape == shape and b.shape == shape:
                made: Array = _empty(shape)
                function(self._ball, from_buffer(DOUBLES, a), from_buffer(DOUBLES, b), from_buffer(DOUBLES, made))
                return made
        except (AttributeError, ValueError):
            pass  # no array, or not contiguous
        return self._point("pp", name, ((labels[0], a), (labels[1], b)), out)

    # ---- one call for all rows ----

    def _call(self, size: int, call: Callable[[Any], object]) -> None:
        """On this thread for little, on all for much."""
        if size < _THREADED:
            call(ffi.NULL)
        else:
            with Session(self.threads) as s:
                call(s.context)

    def _operands(self, vectors: Tuple[Tuple[str, npt.ArrayLike], ...], scalar: Optional[Tuple[str, npt.ArrayLike]],
                  dim: int) -> Tuple[List[Array], Optional[Array], Tuple[int, ...], "np.dtype[Any]"]:
        """The arrays of a call, in one precision, and the shape they broadcast to."""
        arrays = [points(value, dim, name) for name, value in vectors]
        number = None if scalar is None else numbers(scalar[1], scalar[0])
        kinds = [a.dtype for a in arrays] if arrays else [] if number is None else [number.dtype]
        kind = F32 if all(k == F32 for k in kinds) else F64
        arrays = [np.ascontiguousarray(a, kind) for a in arrays]
        shapes = [a.shape[:-1] for a in arrays]
        if number is not None:
            number = number.astype(kind, copy=False)
            shapes.append(number.shape)
        try:
            lead = np.broadcast_shapes(*shapes)
        except ValueError:
            names = [name for name, _ in vectors] + ([] if scalar is None else [scalar[0]])
            told = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes))
            raise ValueError(f"expected numbers of points that fit together, got {told}") from None
        return arrays, number, lead, kind

    def _rows(self, kind: "np.dtype[Any]", code: str, name: str, arrays: List[Array], number: Optional[Array], lead: Tuple[int, ...],
              out: Array, step: int) -> None:
        suffix = "f" if kind == F32 else ""
        o: Any = ffi.new(f"rows_operands{suffix} *")
        alive = []  # what the struct points at
        o.n = int(np.prod(lead, dtype=np.int64))
        for slot, array in zip("abc", arrays):
            if array.shape[:-1] != lead and array.size != array.shape[-1]:
                array = np.ascontiguousarray(np.broadcast_to(array, lead + array.shape[-1:]))
            alive.append(pointer(array))
            setattr(o, slot, alive[-1])
            setattr(o, slot + "_step", array.shape[-1] if array.shape[:-1] == lead else 0)
        if number is not None:
            if number.shape != lead and number.size != 1:
                number = np.ascontiguousarray(np.broadcast_to(number, lead))
            number = np.ascontiguousarray(number.reshape(-1))
            alive.append(pointer(number))
            o.s, o.s_step = alive[-1], 0 if number.size == 1 else 1
        target = writable(out.reshape(-1))
        o.out, o.out_step = target, step
        function = _function(name + suffix)
        loop = getattr(lib, f"rows_map_{code}{suffix}")
        self._call(out.size + sum(a.size for a in arrays), lambda context: loop(context, self._ball, function, o))

    def _point(self, code: str, name: str, vectors: Tuple[Tuple[str, npt.ArrayLike], ...], out: Optional[Array],
               scalar: Optional[Tuple[str, npt.ArrayLike]] = None, dim: int = 0, out_dim: int = 0) -> Array:
        arrays, number, lead, kind = self._operands(vectors, scalar, dim or self.dim)
        shape = lead + (out_dim or self.dim,)
        if out is None:
            out = _empty(shape, kind)
        elif not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != kind or not out.flags.c_contiguous:
            got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(type(out))
            raise ValueError(f"out: expected a contiguous array of {kind} of shape {shape}, got {got}")
        if lead == () and number is None:  # one point: the function itself
            function = getattr(lib, name + ("f" if kind == F32 else ""))
            function(self._ball, *(pointer(a) for a in arrays), writable(out))
        else:
            self._rows(kind, code + "_point", name, arrays, number, lead, out, shape[-1])
        return out

    def _number(self, code: str, name: str, vectors: Tuple[Tuple[str, npt.ArrayLike], ...],
                scalar: Optional[Tuple[str, npt.ArrayLike]] = None) -> Number:
        arrays, number, lead, kind = self._operands(vectors, scalar, self.dim)
        out = np.empty(lead, kind)
        self._rows(kind, code + "_number", name, arrays, number, lead, out, 1)
        return float(out) if lead == () else out


_functions: Dict[str, Any] = {}


def _function(name: str) -> Any:
    """The address of a function of the library."""
    if name not in _functions:
        _functions[name] = ffi.addressof(lib, name)
    return _functions[name]
