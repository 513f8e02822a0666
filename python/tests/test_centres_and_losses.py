"""mean, median, minimize."""
import numpy as np
import pytest

import geodisk
from geodisk import Ball

RNG = np.random.default_rng(3)
POINTS = RNG.uniform(-0.5, 0.5, (40, 3))


def test_mean_has_no_gradient():
    ball = Ball(3)
    for weights in (None, RNG.uniform(0, 1, 40)):
        centre, info = geodisk.mean(POINTS, weights, full=True)
        w = np.ones(40) if weights is None else weights
        assert np.linalg.norm((w[:, None] * ball.log(centre, POINTS)).sum(0)) < 1e-12
        assert info["converged"] and info["error_bound"] < 1e-13
    np.testing.assert_allclose(geodisk.mean(POINTS, method="gradient", tolerance=1e-10), geodisk.mean(POINTS), atol=1e-9)
    pair = geodisk.mean([[0.8, 0.0], [-0.1, 0.3]], ball=Ball(2, 1.5, 0.5))
    np.testing.assert_allclose(pair, Ball(2, 1.5, 0.5).geodesic([0.8, 0.0], [-0.1, 0.3], 0.5), atol=1e-13)


def test_median_pulls_cancel():
    ball, centre = Ball(3), geodisk.median(POINTS)
    logs = ball.log(centre, POINTS)
    assert np.linalg.norm((logs / np.linalg.norm(logs, axis=1)[:, None]).sum(0)) < 1e-6


def test_minimize_finds_the_barycenter():
    """A sum of squared distances to fixed points: its minimum is the mean."""
    start = np.vstack([np.zeros(3), POINTS])
    pairs = [(0, i) for i in range(1, 41)]
    found = geodisk.minimize(lambda d: (float(d @ d), 2 * d), start, pairs, fixed=[False] + [True] * 40, tolerance=1e-10)
    assert found.converged
    np.testing.assert_allclose(found.points[0], geodisk.mean(POINTS), atol=1e-10)
    np.testing.assert_array_equal(found.points[1:], POINTS)
    np.testing.assert_allclose(found.gap, Ball(3).gap(found.points), rtol=1e-9)


def test_minimize_by_terms_and_methods():
    start = np.vstack([np.full(3, 0.1), POINTS[:4]])
    pairs, fixed = [(0, i) for i in range(1, 5)], [False] + [True] * 4
    seen = []

    def loss(d, term):
        seen.append(term)
        return float(d[0] ** 2), 2 * d

    for method in ("gradient", "momentum", "adam"):
        found = geodisk.minimize(loss, start, pairs, terms=range(5), fixed=fixed, method=method, iterations=400, tolerance=1e-6, batch=0,
                                 schedule={"rate": 0.02})
        np.testing.assert_allclose(found.points[0], geodisk.mean(POINTS[:4]), atol=1e-3)
    assert set(seen) == {0, 1, 2, 3}


def test_iterations_are_seen_and_stop_it():
    seen = []
    start = np.vstack([np.full(3, 0.1), POINTS[:4]])
    pairs = [(0, i) for i in range(1, 5)]
    found = geodisk.minimize(lambda d: (float(d @ d), 2 * d), start, pairs, method="gradient", schedule={"rate": 0.01},
                             on_iteration=lambda it: seen.append(it) or it["iteration"] < 3)
    assert found.stopped and found.iterations == 3 and seen[-1]["points"].shape == (5, 3)
    assert seen[0]["loss"] > seen[-1]["loss"]


def test_errors_in_the_loss_come_out():
    def bad(d):
        raise LookupError("my own")

    with pytest.raises(LookupError, match="my own"):
        geodisk.minimize(bad, POINTS[:2], [(0, 1)])
    with pytest.raises(ValueError, match="expected 1 derivatives"):
        geodisk.minimize(lambda d: (0.0, [1.0, 2.0]), POINTS[:2], [(0, 1)])
    with pytest.raises(ArithmeticError):
        geodisk.minimize(lambda d: (float("nan"), d), POINTS[:2], [(0, 1)])


@pytest.mark.parametrize("call,kind,text", [
    (lambda: geodisk.mean([0.1, 0.2]), ValueError, r"points: expected an array of shape \(n, dim\), got shape \(2,\)"),
    (lambda: geodisk.mean(POINTS, [1.0]), ValueError, r"weights: expected an array of shape \(40,\), got shape \(1,\)"),
    (lambda: geodisk.mean(POINTS, ball=Ball(2)), ValueError, r"shape \(n, 2\), got shape \(40, 3\)"),
    (lambda: geodisk.mean([[2.0, 0.0]]), ValueError, "."), (lambda: geodisk.mean(POINTS, -np.ones(40)), ValueError, "weight"),
    (lambda: geodisk.mean(POINTS, method="magic"), ValueError, "newton"), (lambda: geodisk.mean(POINTS, tolerence=1), TypeError, "tolerence"),
    (lambda: geodisk.minimize(lambda d: (0, d), POINTS, [[0, 99]]), ValueError, "99"),
    (lambda: geodisk.minimize(lambda d: (0, d), POINTS, [[0, 1, 2]]), ValueError, r"pairs: expected an array of shape \(n, 2\)"),
    (lambda: geodisk.minimize(lambda d: (0, d), POINTS, [[0, 1]], fixed=[True]), ValueError, "fixed"),
])
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_calls_inside_a_callback():
    """The loss may use the library itself: it gets a context of its own."""
    ball, big = Ball(3), RNG.uniform(-0.5, 0.5, (9000, 3))

    def loss(d):
        assert np.isfinite(ball.distance(big, big[::-1])).all()
        return float(d @ d), 2 * d

    assert geodisk.minimize(loss, POINTS[:2], [(0, 1)], iterations=3).loss < 1.0
