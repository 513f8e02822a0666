"""compare_ranks.py - ranks, MAP and loss of libgeodisk against NumPy on random graphs and embeddings, and against gensim's own static
methods where gensim is installed. Usage: compare_ranks.py [GRAPHS]; the library is the one $LIBRARY names."""
import sys

import numpy as np

from eval_library import GENSIM, Relation, ranking

try:
    from gensim.models.poincare import LinkPredictionEvaluation, PoincareKeyedVectors, ReconstructionEvaluation
except ImportError:
    ReconstructionEvaluation = None
    print("gensim is not installed: not compared with it")


def less_as_it_was(self, other):
    """MaskedArray < array with the mask broadcast, as NumPy did it when gensim was written; without it gensim's methods fail."""
    out = np.less(self.data, other)
    return np.ma.array(out, mask=np.broadcast_to(np.ma.getmaskarray(self), out.shape))


np.ma.MaskedArray.__lt__ = less_as_it_was


def random_case(rng):
    """Points (some of them equal), positives and known edges."""
    n, dim = rng.integers(3, 160), rng.integers(1, 12)
    x = rng.normal(size=(n, dim))
    x *= (np.tanh(rng.uniform(0, 3, size=n)) / np.linalg.norm(x, axis=1))[:, None]
    for i in np.nonzero(rng.random(n) < 0.1)[0]:
        x[i] = x[rng.integers(n)]
    def edges(count):
        pairs = {(int(u), int(v)) for u, v in rng.integers(n, size=(count, 2)) if u != v}
        return sorted(pairs | {(0, 1)})
    return x, edges(int(rng.integers(1, 4) * n)), edges(n)


def distances(x):
    """By the definition; equal points give equal numbers."""
    square = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
    gap = 1 - (x * x).sum(1)
    return 2 * np.arcsinh(np.sqrt(square / gap[:, None] / gap[None, :]))


def rows(edges):
    out = {}
    for u, v in edges:
        out.setdefault(u, []).append(v)
    return out


def by_numpy(d, edges, known):
    """Mean rank, MAP, hits@10 and both losses, as docs/evaluation.md defines them."""
    ranks, precisions, loss, complement = [], [], 0.0, 0.0
    known = rows(known)
    for u, positives in rows(edges).items():
        negative = np.ones(len(d), bool)
        negative[positives + known.get(u, []) + [u]] = False
        others = d[u][negative]
        own = np.sort([1 + (others < d[u, v]).sum() + 0.5 * (others == d[u, v]).sum() for v in positives])
        ranks.extend(own)
        order = np.arange(1, len(own) + 1)
        precisions.append(np.mean(order / (own + order - 1)))
        z = np.exp(-others).sum()
        for v in positives:
            loss += d[u, v] + np.log(z + np.exp(-d[u, v]))
            complement += d[u, v] + np.log(z + 1)
    ranks = np.array(ranks)
    return ranks.mean(), np.mean(precisions), (ranks <= 10).mean(), loss / len(ranks), complement / len(ranks)


def by_gensim(x, edges, known):
    """gensim's static methods: distances, ranks and average precision."""
    ranks, precisions = [], []
    unknown, known = rows(edges), None if known is None else rows(known)
    for u, positives in unknown.items():
        d = PoincareKeyedVectors.vector_distance_batch(x[u], x)
        if known is None:
            own, precision = ReconstructionEvaluation.get_positive_relation_ranks_and_avg_prec(d, positives)
        else:
            own, precision = LinkPredictionEvaluation.get_unknown_relation_ranks_and_avg_prec(d, positives, known.get(u, []))
        ranks += own
        precisions.append(precision)
    return np.mean(ranks), np.mean(precisions)


def close(what, got, expected, bound=1e-12):
    assert abs(got - expected) <= bound * max(1.0, abs(expected)), f"{what}: {got!r}, expected {expected!r}"


def main(cases):
    rng = np.random.default_rng(1)
    for case in range(cases):
        x, edges, known = random_case(rng)
        positives, known_relation = Relation(len(x), edges), Relation(len(x), known)
        d = distances(x)
        for use_known in (False, True):
            expected = by_numpy(d, edges, known if use_known else [])
            got = ranking(x, positives, known_relation if use_known else None, loss=True)
            for name, value in zip(("mean_rank", "map", "hits_at_10", "loss", "loss_complement"), expected):
                close(f"case {case}, {name}", getattr(got, name).value, value)
        if ReconstructionEvaluation is None:
            continue
        # gensim measures by arccosh(1 + 2 q), which cannot tell near points apart: points in general position only
        x = rng.normal(size=x.shape)
        x *= (np.tanh(rng.uniform(0.2, 2, size=len(x))) / np.linalg.norm(x, axis=1))[:, None]
        for use_known in (False, True):
            mean_rank, precision = by_gensim(x, edges, known if use_known else None)
            got = ranking(x, positives, known_relation if use_known else None, definition=GENSIM)
            close(f"case {case}, gensim's mean rank", got.mean_rank.value, mean_rank, 1e-15)
            close(f"case {case}, gensim's MAP", got.map.value, precision, 1e-14)
    print(f"{cases} graphs: equal")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
