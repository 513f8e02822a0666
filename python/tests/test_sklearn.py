"""The estimator for scikit-learn: its own checks, pipelines, graphs, samples that were not seen."""
import pickle

import numpy as np
import pytest

import geodisk

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from geodisk.sklearn import PoincareEmbedding  # noqa: E402

CHECKS = list(check_estimator(PoincareEmbedding(epochs=3), generate_only=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator,check", CHECKS, ids=[str(check.func.__name__) for _, check in CHECKS])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_there_are_checks():
    assert len(CHECKS) > 30


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=4, n_features=6, cluster_std=0.7, random_state=1)


def test_neighbours_stay_near(blobs):
    X, y = blobs
    estimator = PoincareEmbedding(n_components=2, n_neighbors=6, epochs=60, random_state=0)
    Z = estimator.fit_transform(X[:100])
    assert Z.shape == (100, 2) and (np.linalg.norm(Z, axis=1) < 1).all()
    np.testing.assert_array_equal(Z, estimator.embedding_)
    np.testing.assert_array_equal(Z, estimator.transform(X[:100]))
    seen = KNeighborsClassifier(5).fit(Z, y[:100])
    assert seen.score(Z, y[:100]) > 0.9
    new = estimator.transform(X[100:])
    assert seen.score(new, y[100:]) > 0.8  # measured: 1.0
    np.testing.assert_array_equal(new[3:5], estimator.transform(X[103:105]))  # whatever else is asked


def test_parameters_seeds_and_pickles(blobs):
    X, _ = blobs
    estimator = PoincareEmbedding(3, epochs=4, random_state=7, n_jobs=1)
    assert estimator.get_params()["n_components"] == 3 and estimator.set_params(epochs=5).epochs == 5
    first = estimator.fit_transform(X)
    np.testing.assert_array_equal(first, clone(estimator).set_params(n_jobs=2).fit_transform(X))
    assert (first != clone(estimator).set_params(random_state=8).fit_transform(X)).any()
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.transform(X), first)
    assert estimator.n_iter_ == 5 and list(estimator.get_feature_names_out()) == [f"poincareembedding{i}" for i in range(3)]
    pipeline = make_pipeline(StandardScaler(), clone(estimator), KNeighborsClassifier())
    assert pipeline.fit(X, np.arange(len(X)) % 2).predict(X).shape == (len(X),)


def test_graphs_and_matrices():
    graph = geodisk.Graph.generate("tree", branching=2, depth=4, shape="closed")
    estimator = PoincareEmbedding(2, epochs=30, random_state=0)
    Z = estimator.fit_transform(graph)
    assert Z.shape == (31, 2) and estimator.model_.names == graph.names and estimator.graph_ == graph
    matrix = graph.to_scipy()
    for X in (matrix, matrix.toarray()):
        other = PoincareEmbedding(2, affinity="precomputed", epochs=30, random_state=0)
        np.testing.assert_array_equal(other.fit_transform(X), Z)
    networkx = pytest.importorskip("networkx")
    assert estimator.fit_transform(networkx.karate_club_graph()).shape == (34, 2)
    with pytest.raises(ValueError, match="fitted to a graph"):
        estimator.transform(Z)
    with pytest.raises(ValueError, match="square"):
        PoincareEmbedding(affinity="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="affinity takes"):
        PoincareEmbedding(affinity="rbf").fit(np.ones((3, 2)))
