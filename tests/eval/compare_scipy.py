"""compare_scipy.py - rank correlations and distortion of libgeodisk against scipy.stats and NumPy. Usage: compare_scipy.py [CASES]; the
library is the one $LIBRARY names."""
import sys

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import shortest_path
from scipy.stats import kendalltau, spearmanr

from eval_library import Relation, correlation, fit


def close(what, got, expected, bound=1e-12):
    assert np.isnan(got) == np.isnan(expected) and not abs(got - expected) > bound * max(1.0, abs(expected)), \
        f"{what}: {got!r}, expected {expected!r}"


def random_sample(rng):
    n = int(rng.integers(2, 3000))
    x = rng.integers(0, rng.integers(1, 40), size=n).astype(float)
    kind = rng.integers(3)
    if kind == 0:
        y = rng.integers(0, rng.integers(1, 200), size=n).astype(float)
    elif kind == 1:
        y = x * rng.normal() + rng.normal(size=n)
    else:
        y = np.round(x * rng.normal() + rng.normal(size=n), 1)
    return x, y


def random_tree(rng, n):
    return [(i, int(rng.integers(max(0, i - 20), i))) for i in range(1, n)]


def check_tree(rng, case):
    """A random forest with its embedding at random: all pairs, against shortest paths by scipy."""
    n = int(rng.integers(3, 120))
    edges = [e for e in random_tree(rng, n) if rng.random() < 0.95] or [(1, 0)]
    x = rng.normal(size=(n, 3))
    x *= (np.tanh(rng.uniform(0, 4, size=n)) / np.linalg.norm(x, axis=1))[:, None]
    u, v = np.array(edges).T
    hops = shortest_path(coo_matrix((np.ones(len(edges)), (u, v)), shape=(n, n)), directed=False)
    square = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
    gap = 1 - (x * x).sum(1)
    d = 2 * np.arcsinh(np.sqrt(square / gap[:, None] / gap[None, :]))
    upper = np.triu_indices(n, 1)
    g, d = hops[upper], d[upper]
    there = np.isfinite(g)
    g, d = g[there], d[there]
    if len(g) < 2:
        return
    got = fit(x, Relation(n, edges))
    assert (got.pairs, got.unreachable, got.reduced) == (len(g), (~there).sum(), True)
    close(f"tree {case}, tau", got.kendall_tau.value, kendalltau(g, d).correlation)
    close(f"tree {case}, rho", got.spearman.value, spearmanr(g, d).correlation)
    ratio = d / g
    close(f"tree {case}, distortion", got.distortion_mean.value, np.abs(ratio - 1).mean())
    close(f"tree {case}, worst", got.distortion_worst, ratio.max() / ratio.min())
    best = min(np.abs(s * ratio - 1).mean() for s in 1 / ratio)
    close(f"tree {case}, scaled", got.distortion_scaled.value, best)
    close(f"tree {case}, its scale", np.abs(got.scale * ratio - 1).mean(), best)
    square = ratio * ratio
    close(f"tree {case}, squared", got.distortion_squared.value, np.abs(square - 1).mean())
    close(f"tree {case}, squared, scaled", got.distortion_squared_scaled.value, min(np.abs(s * square - 1).mean() for s in 1 / square))
    depth = shortest_path(coo_matrix((np.ones(len(edges)), (u, v)), shape=(n, n)), directed=True)
    parents = set(u)
    roots = [r for r in range(n) if r not in parents and r in set(v)]
    depth = depth[:, roots].min(1)
    below = np.isfinite(depth)
    assert got.depth_nodes == below.sum()
    close(f"tree {case}, depth", got.depth_radius, spearmanr(depth[below], np.linalg.norm(x, axis=1)[below]).correlation, 1e-10)


def main(cases):
    rng = np.random.default_rng(2)
    np.seterr(all="ignore")
    for case in range(cases):
        x, y = random_sample(rng)
        got = correlation(x, y)
        close(f"case {case}, tau-b", got.kendall_tau, kendalltau(x, y).correlation)
        close(f"case {case}, rho", got.spearman, spearmanr(x, y).correlation)
    for case in range(cases // 4):
        check_tree(rng, case)
    print(f"{cases} samples, {cases // 4} trees: equal")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
