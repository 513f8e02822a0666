"""An estimator for scikit-learn: samples (or a graph) in, points of the hyperbolic ball out."""
from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Tuple, Union

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._arrays import Array
from ._graph import Graph
from ._keywords import Epochs, Negatives, Precision, Space
from ._train import train

__all__ = ["PoincareEmbedding"]

_GIVEN = ("epochs", "negatives", "lr")  # options of train() that None leaves to the library


class PoincareEmbedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Poincare embedding with scikit-learn's interface.

    n_components      the dimension of the space
    affinity          "nearest_neighbors": X are samples, and each is joined to its `n_neighbors` nearest ones;
                      "precomputed": X is a square matrix, dense or sparse, whose entry (i, j) is the weight of the edge from i to j
    n_neighbors       None: 10, or all others where there are fewer
    epochs, negatives, lr
                      as in `geodisk.train`; None: its defaults
    space, precision  as in `geodisk.train`
    recipe            as in `geodisk.train`
    random_state      the seed: a number, a RandomState, or None for a random one
    n_jobs            threads; None or -1: all cores. The result does not depend on it

    `fit` also takes a `geodisk.Graph`, a networkx graph or a path to a file of edges, as they are. `transform` places samples that were
    not seen by their nearest ones that were (and their neighbours as competitors), the others unmoved; of samples that were seen it gives
    the points they have. With a graph or "precomputed", `fit_transform` and `embedding_` have the points.

    embedding_        the points, one row for each sample
    model_            the `geodisk.Model`, whose nodes are the numbers of samples (or the graph's own)
    graph_            the `geodisk.Graph` that was trained

    >>> from geodisk.sklearn import PoincareEmbedding
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> PoincareEmbedding(n_components=2, epochs=20, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    def __init__(self, n_components: int = 2, *, affinity: Literal["nearest_neighbors", "precomputed"] = "nearest_neighbors",
                 n_neighbors: Optional[int] = None, epochs: Optional[Epochs] = None, negatives: Optional[Negatives] = None,
                 lr: Optional[float] = None, space: Space = "hyperbolic", precision: Precision = "double", recipe: Optional[str] = None,
                 random_state: Union[int, np.random.RandomState, None] = None, n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.epochs = epochs
        self.negatives = negatives
        self.lr = lr
        self.space = space
        self.precision = precision
        self.recipe = recipe
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _more_tags(self) -> Dict[str, Any]:
        return {"pairwise": self.affinity == "precomputed", "preserves_dtype": []}

    # ---- fitting ----

    def _threads(self) -> Optional[int]:
        return None if self.n_jobs is None or self.n_jobs < 0 else self.n_jobs

    def _neighbours(self, search: NearestNeighbors, X: Any, wanted: Optional[int], exclude_self: bool) -> Tuple[Array, Array]:
        k = min(10 if wanted is None else wanted, search.n_samples_fit_ - exclude_self)
        distances, rows = search.kneighbors(None if exclude_self else X, n_neighbors=k)
        return np.asarray(distances), np.asarray(rows)

    def _graph_of_samples(self, X: Any) -> Graph:
        X = self._validate_data(X, accept_sparse="csr", ensure_min_samples=2)
        self.search_ = NearestNeighbors(n_jobs=self.n_jobs).fit(X)
        _, rows = self._neighbours(self.search_, X, self.n_neighbors, True)
        children = np.repeat(np.arange(len(rows)), rows.shape[1])
        return Graph.from_arrays(children, rows.ravel(), nodes=len(rows)).undirected()

    def _graph_of_matrix(self, X: Any) -> Graph:
        X = self._validate_data(X, accept_sparse="csr", ensure_min_samples=2)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f'affinity="precomputed" takes a square matrix, got shape {X.shape}')
        return Graph.from_scipy(scipy.sparse.csr_matrix(X))

    def _graph_of(self, X: Any) -> Graph:
        self.search_ = None
        if isinstance(X, Graph):
            return X
        if isinstance(X, str) or hasattr(X, "__fspath__") or (hasattr(X, "is_directed") and hasattr(X, "edges")):
            return Graph(X)
        if self.affinity == "precomputed":
            return self._graph_of_matrix(X)
        if self.affinity != "nearest_neighbors":
            raise ValueError(f'affinity takes "nearest_neighbors" or "precomputed", not {self.affinity!r}')
        return self._graph_of_samples(X)

    def fit(self, X: Any, y: Any = None) -> "PoincareEmbedding":
        """Learns a point for every sample, or for every node."""
        self.graph_ = self._graph_of(X)
        options: Dict[str, Any] = {name: getattr(self, name) for name in _GIVEN if getattr(self, name) is not None}
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else None
        options["seed"] = int(seed) if seed is not None else int(check_random_state(self.random_state).randint(2**31))
        self.model_ = train(self.graph_, dim=self.n_components, recipe=self.recipe, space=self.space, precision=self.precision,
                            threads=self._threads(), progress=False, **options)
        self.embedding_ = np.array(self.model_.vectors)
        self.n_iter_ = len(self.model_.history["loss"])
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """`fit`, and the points."""
        return np.array(self.fit(X).embedding_)

    # ---- samples that were not seen ----

    def transform(self, X: Any) -> Array:
        """The points of samples: those they have, or where they are placed."""
        check_is_fitted(self)
        if self.search_ is None:
            raise ValueError("transform needs samples, and this was fitted to a graph: embedding_ has its points, model_.place places new nodes")
        X = self._validate_data(X, accept_sparse="csr", reset=False)
        distances, rows = self._neighbours(self.search_, X, self.n_neighbors, False)
        result, new = self.embedding_[rows[:, 0]].copy(), np.flatnonzero(distances[:, 0] > 0)
        for i in new:  # one at a time, so that samples do not depend on each other's company
            more, _ = self.model_.place([("sample", int(row)) for row in rows[i]], threads=self._threads())
            result[i] = more.vectors[-1]
        return np.asarray(result)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """poincareembedding0, poincareembedding1, ..."""
        check_is_fitted(self)
        return np.array([f"poincareembedding{i}" for i in range(self._n_features_out)], dtype=object)

