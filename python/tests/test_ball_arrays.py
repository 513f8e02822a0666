"""Ball: against the formulas in NumPy (where these are good), shapes, precisions, and what is refused."""
import math
import pickle

import numpy as np
import pytest

from geodisk import Ball

RNG = np.random.default_rng(7)
SINGLE = (3,)
CASES = [(SINGLE, SINGLE), (SINGLE, (5, 3)), ((5, 3), SINGLE), ((5, 3), (5, 3)), ((4, 1, 3), (1, 5, 3)), ((2, 4, 3), (4, 3)), ((0, 3), SINGLE)]


def some_points(shape, radius=1.0):
    return RNG.uniform(-0.5, 0.5, shape) * radius


def numpy_distance(x, y, radius=1.0, k=1.0):
    x, y = np.asarray(x, float), np.asarray(y, float)
    s = (radius**2 - (x * x).sum(-1)) * (radius**2 - (y * y).sum(-1))
    return 2 / math.sqrt(k) * np.arcsinh(radius * np.sqrt(((x - y) ** 2).sum(-1) / s))


@pytest.mark.parametrize("left,right", CASES)
@pytest.mark.parametrize("radius,k", [(1.0, 1.0), (2.5, 0.3)])
def test_distance_is_the_formula_for_every_shape(left, right, radius, k):
    x, y = some_points(left, radius), some_points(right, radius)
    got = Ball(3, radius, k).distance(x, y)
    wanted = numpy_distance(x, y, radius, k)
    assert np.shape(got) == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_a_single_distance_is_a_float_and_lists_will_do():
    assert type(Ball(2).distance([0, 0], [0.5, 0])) is float
    assert Ball(2).distance([0, 0], [0.5, 0]) == pytest.approx(math.log(3), rel=1e-15)


def test_all_distances():
    x, y = some_points((7, 3)), some_points((4, 3))
    got = Ball(3).distances(x, y)
    np.testing.assert_allclose(got, numpy_distance(x[:, None], y[None]), rtol=1e-13)
    assert (np.diag(Ball(3).distances(x)) == 0).all()


@pytest.mark.parametrize("left,right", CASES)
def test_log_undoes_exp_for_every_shape(left, right):
    ball = Ball(3, 2.0, 0.5)
    x, v = some_points(left), some_points(right)
    y = ball.exp(x, v)
    assert y.shape == np.broadcast_shapes(left, right)
    np.testing.assert_allclose(ball.log(x, y), np.broadcast_to(v, y.shape), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(ball.distance(x, y), ball.norm(x, v), rtol=1e-12)


def test_geodesic_with_arrays_of_shares():
    ball, (x, y) = Ball(3), some_points((2, 3))
    t = np.linspace(0, 1, 6)
    way = ball.geodesic(x, y, t)
    assert way.shape == (6, 3)
    np.testing.assert_allclose(ball.distance(x, way), t * ball.distance(x, y), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(ball.geodesic(x, y, 0.0), x)
    np.testing.assert_allclose(ball.geodesic(some_points((4, 1, 3)), y, t).shape, (4, 6, 3))


def test_transport_keeps_inner_products():
    ball = Ball(3)
    x, y, u, v = (some_points((9, 3)) for _ in range(4))
    np.testing.assert_allclose(ball.inner(y, ball.transport(x, y, u), ball.transport(x, y, v)), ball.inner(x, u, v), rtol=1e-11)
    np.testing.assert_allclose(np.cos(ball.angle(x, u, v)), ball.inner(x, u, v) / ball.norm(x, u) / ball.norm(x, v), rtol=1e-11, atol=1e-13)


def test_mobius_operations():
    ball = Ball(3)
    x, y, v = (some_points((9, 3)) for _ in range(3))
    np.testing.assert_allclose(ball.mobius_add(-x, ball.mobius_add(x, y)), y, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ball.centre(x, y), ball.mobius_add(-x, y), rtol=1e-13)
    np.testing.assert_allclose(ball.mobius_scale(2, x), ball.mobius_add(x, x), rtol=1e-12)
    left = ball.mobius_add(x, ball.mobius_add(y, v))
    np.testing.assert_allclose(left, ball.mobius_add(ball.mobius_add(x, y), ball.gyration(x, y, v)), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("model", ["lorentz", "klein", "halfspace"])
def test_other_models_and_back(model):
    ball, x = Ball(3, 2.0, 0.7), some_points((8, 3))
    there = getattr(ball, "to_" + model)(x)
    assert there.shape == (8, 4 if model == "lorentz" else 3)
    np.testing.assert_allclose(getattr(ball, "from_" + model)(there), x, rtol=1e-12, atol=1e-14)
    if model == "lorentz":
        np.testing.assert_allclose(-there[:, 0] ** 2 + (there[:, 1:] ** 2).sum(1), -1 / 0.7, rtol=1e-12)


def test_gap_gradient_and_radii():
    ball, x = Ball(3, 1.5, 2.0), some_points((8, 3))
    gap = 1.5**2 - (x * x).sum(1)
    np.testing.assert_allclose(ball.gap(x), gap, rtol=1e-14)
    np.testing.assert_allclose(ball.metric_factor(x), 3.0 / (gap * math.sqrt(2)), rtol=1e-14)
    np.testing.assert_allclose(ball.gradient(x, x), x / ball.metric_factor(x)[:, None] ** 2, rtol=1e-14)
    radius = ball.distance(np.zeros(3), x)
    np.testing.assert_allclose(ball.radius_from_gap(ball.gap(x)), radius, rtol=1e-13)
    np.testing.assert_allclose(ball.radius_from_euclidean(np.linalg.norm(x, axis=1)), radius, rtol=1e-13)
    np.testing.assert_allclose(ball.gap_from_radius(radius), gap, rtol=1e-13)
    np.testing.assert_allclose(ball.euclidean_from_radius(radius), np.linalg.norm(x, axis=1), rtol=1e-13)


def test_float32_in_float32_out():
    ball = Ball(3)
    x, y = (some_points((6, 3)).astype(np.float32) for _ in range(2))
    for got, wanted in [(ball.distance(x, y), ball.distance(x.astype(float), y.astype(float))),
                        (ball.distance(x[0], y), ball.distance(x[0].astype(float), y.astype(float))),
                        (ball.distances(x, y), ball.distances(x.astype(float), y.astype(float))),
                        (ball.exp(x, y), ball.exp(x.astype(float), y.astype(float))),
                        (ball.geodesic(x, y, 0.25), ball.geodesic(x.astype(float), y.astype(float), 0.25))]:
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, wanted, rtol=3e-7, atol=1e-7)
    assert ball.distance(x, y.astype(float)).dtype == np.float64


def test_any_layout_and_any_number_type():
    ball, wide = Ball(3), some_points((6, 6))
    x, y = wide[:, ::2], np.asfortranarray(wide[:, :3])
    np.testing.assert_array_equal(ball.distance(x, y), ball.distance(x.copy(), y.copy()))
    np.testing.assert_array_equal(ball.distance(x[0], y[0]), ball.distance(x[0].copy(), y[0].copy()))
    np.testing.assert_array_equal(ball.exp(x, y), ball.exp(x.copy(), y.copy()))
    assert ball.distance(np.zeros(3, int), np.zeros(3, np.float16)) == 0.0


def test_out_is_used_and_may_be_an_input():
    ball, x, v = Ball(3), some_points((5, 3)), some_points((5, 3))
    wanted, out = ball.exp(x, v), np.empty((5, 3))
    assert ball.exp(x, v, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    assert ball.exp(x, v, out=x) is x
    np.testing.assert_array_equal(x, wanted)
    one, w = some_points(3), some_points(3)
    np.testing.assert_array_equal(ball.exp(one.copy(), w, out=np.empty(3)), ball.exp(one, w))


@pytest.mark.parametrize("name,arguments", [
    ("exp", 2), ("log", 2), ("mobius_add", 2), ("centre", 2), ("transport", 3), ("gyration", 3), ("gradient", 2), ("norm", 2), ("inner", 3)])
def test_one_point_alone_is_the_same_as_in_a_row(name, arguments):
    ball, rows = Ball(3), [some_points((4, 3)) for _ in range(arguments)]
    function = getattr(ball, name)
    np.testing.assert_array_equal(function(*(r[2] for r in rows)), function(*rows)[2])


def test_threads_do_not_matter():
    x, y = some_points((20000, 3)), some_points((20000, 3))
    for name in ("distance", "exp", "log", "mobius_add"):
        np.testing.assert_array_equal(getattr(Ball(3, threads=1), name)(x, y), getattr(Ball(3, threads=3), name)(x, y))


def test_outside_is_nan():
    assert math.isnan(Ball(2).distance([0.0, 0.0], [1.0, 0.0]))
    assert np.isnan(Ball(2).exp([2.0, 0.0], [1.0, 0.0])).all()


def test_random_points_fill_the_ball():
    ball = Ball(2)
    radius = ball.distance(np.zeros(2), ball.random(4000, 4.0, seed=3))
    assert radius.max() <= 4.0
    share = (math.cosh(2.0) - 1) / (math.cosh(4.0) - 1)  # of the area within half the radius
    assert abs((radius < 2.0).mean() - share) < 4 * math.sqrt(share / 4000)
    np.testing.assert_array_equal(ball.random(5, 1.0, seed=1), ball.random(5, 1.0, seed=1))


def test_value_semantics():
    ball = Ball(3, 2.0, 0.5)
    assert pickle.loads(pickle.dumps(ball)) == ball == eval(repr(ball)) and hash(ball) == hash(Ball(3, 2, 0.5)) and ball != Ball(3)


@pytest.mark.parametrize("call,kind,text", [
    (lambda: Ball(3).distance([1, 2], np.zeros(3)), ValueError, r"x: expected an array of shape \(\.\.\., 3\), got shape \(2,\)"),
    (lambda: Ball(3).exp(np.zeros(3), ["a", "b", "c"]), TypeError, "v: expected real numbers .* got dtype <U1"),
    (lambda: Ball(3).exp(np.zeros(3), np.zeros(3, complex)), TypeError, "got dtype complex128"),
    (lambda: Ball(3).log(np.zeros((4, 3)), np.zeros((5, 3))), ValueError, r"x \(4,\), y \(5,\)"),
    (lambda: Ball(3).distances(np.zeros(3)), ValueError, r"expected an array of shape \(n, 3\), got shape \(3,\)"),
    (lambda: Ball(3).exp(np.zeros(3), np.zeros(3), out=np.empty(3, np.float32)), ValueError, r"out: .* of shape \(3,\), got float32"),
    (lambda: Ball(3).exp(np.zeros(3), np.zeros(3), out=[0, 0, 0]), ValueError, "out: expected a contiguous array"),
    (lambda: Ball(0), ValueError, "dim"), (lambda: Ball(2, -1), ValueError, "radius"), (lambda: Ball(2, 1, math.nan), ValueError, "curvature"),
])
def test_refused_with_what_was_expected(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
