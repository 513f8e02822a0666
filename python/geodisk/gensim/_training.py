"""PoincareModel: gensim's class over geodisk's trainer."""
from __future__ import annotations

import csv
import logging
import time
from collections import defaultdict
from typing import Any, DefaultDict, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np
import numpy.typing as npt

from .._arrays import Array, indices, pointer, writable
from .._ball import Ball
from .._graph import Graph
from .._library import Session
from .._native import ffi, lib
from .._train import Rows
from ._storage import Stored, open_file
from ._vectors import PoincareKeyedVectors, as_float

logger = logging.getLogger(__name__)

_CHECKED_NODES = 200  # gradients are checked on so many: the exact loss is quadratic in them

# A node is pulled with all its relations at a time, from the vectors as the batch found them; then all vectors that were pulled move, none
# further than 2. Two nodes share four times the negatives of one relation (as many times as there are relations to a node, if that is less).
# Larger batches, and more nodes that share, are unstable at gensim's rates. `geodisk bench train` compares speed, docs/gensim.md quality.
_STEPS = {"units": "source", "sharpness": 1.0, "sharpness_first": 1.0, "cap": 2.0, "bound": 2.0, "sparse": 0.05, "placement": "random", "burn_in": 0}
_BATCHES, _LARGEST_BATCH, _MOST_SHARED, _SHARING = 512, 16, 4, 2


class PoincareRelations:
    """The pairs of a file, one a line, again each time they are asked for."""

    def __init__(self, file_path: Any, encoding: str = "utf8", delimiter: str = "\t") -> None:
        self.file_path = file_path
        self.encoding = encoding
        self.delimiter = delimiter

    def __iter__(self) -> Iterator[Tuple[str, ...]]:
        with open_file(self.file_path, "rb") as file:
            for row in csv.reader((line.decode(self.encoding) for line in file), delimiter=self.delimiter):
                yield tuple(row)


class NegativesBuffer:
    """Random numbers drawn in advance."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._current_index = 0

    def num_items(self) -> int:
        return len(self._items) - self._current_index

    def get_items(self, num_items: int) -> Any:
        start, self._current_index = self._current_index, self._current_index + num_items
        return self._items[start : self._current_index]


class PoincareModel(Stored):
    """Poincare embeddings with gensim's signature; `update` and `sampling` are extra (see `docs/gensim.md`).

    >>> from geodisk.gensim import PoincareModel
    >>> relations = [("kangaroo", "marsupial"), ("kangaroo", "mammal"), ("gib", "cat")]
    >>> model = PoincareModel(relations, size=2, negative=2)
    >>> model.train(epochs=50)
    >>> model.kv.most_similar("gib", topn=1)[0][0]
    'cat'
    """

    def __init__(self, train_data: Iterable[Any], size: int = 50, alpha: float = 0.1, negative: int = 10, workers: int = 1,
                 epsilon: float = 1e-5, regularization_coeff: float = 1.0, burn_in: int = 10, burn_in_alpha: float = 0.01,
                 init_range: Tuple[float, float] = (-0.001, 0.001), dtype: npt.DTypeLike = np.float64, seed: Optional[int] = 0, *,
                 update: str = "geodesic", sampling: str = "uniform") -> None:
        self.train_data = train_data
        self.kv = PoincareKeyedVectors(size, 0, dtype=dtype)
        self.all_relations: List[Tuple[int, int]] = []
        self.node_relations: DefaultDict[int, Set[int]] = defaultdict(set)
        self.size = size
        self.train_alpha = alpha
        self.burn_in_alpha = burn_in_alpha
        self.alpha = alpha
        self.negative = negative
        self.workers = workers
        self.epsilon = epsilon
        self.regularization_coeff = regularization_coeff
        self.burn_in = burn_in
        self.dtype = dtype
        self.seed = seed
        self.init_range = init_range
        self._burn_in_done = False
        self._negatives_buffer = NegativesBuffer([])
        self._negatives_buffer_size = 2000
        self._np_random = np.random.RandomState(seed)
        self._loss_grad = None
        self._defaults(update, sampling)
        self.build_vocab(train_data)

    def _defaults(self, update: str = "geodesic", sampling: str = "uniform") -> None:
        """What gensim's class does not have."""
        self.update = update
        self.sampling = sampling
        self.loss: Optional[float] = None  # of the last epoch
        self._epochs_done = 0
        self._graph: Optional[Graph] = None
        self._rows: Optional[Rows] = None

    # ---- what is trained ----

    def build_vocab(self, relations: Iterable[Any], update: bool = False) -> None:
        """Takes relations in; `update`: vectors that are there stay, else all begin anew."""
        old = len(self.kv)
        keys, rows = self.kv.index_to_key, self.kv.key_to_index
        counts: List[int] = self.kv.expandos["count"].tolist() if "count" in self.kv.expandos else []
        for relation in relations:
            if len(relation) != 2:
                raise ValueError(f'Relation pair "{relation!r}" should have exactly two items')
            pair = []
            for item in relation:
                row = rows.get(item)
                if row is None:
                    row = rows[item] = len(keys)
                    keys.append(item)
                    counts.append(0)
                counts[row] += 1
                pair.append(row)
            self.all_relations.append((pair[0], pair[1]))
            self.node_relations[pair[0]].add(pair[1])
        self.kv.expandos["count"] = np.array(counts, dtype=np.int64)
        self.indices_set = set(range(len(keys)))
        self.indices_array = np.arange(len(keys))
        self._graph = None
        self._init_node_probabilities()
        fresh = self._np_random.uniform(*self.init_range, (len(keys) - (old if update else 0), self.size)).astype(self.dtype)
        self.kv.vectors = np.concatenate([self.kv.vectors, fresh]) if update else fresh
        self.kv.norms = None
        self.kv.next_index = len(keys)
        self._relations_graph()
        self._trained_rows()
        logger.info("loaded %d relations from train data, %d nodes", len(self.all_relations), len(keys))

    def _init_node_probabilities(self) -> None:
        counts = self.kv.expandos["count"].astype(np.float64)
        self._node_counts_cumsum = np.cumsum(counts)
        self._node_probabilities = counts / counts.sum()

    def _relations_graph(self) -> Graph:
        """The relations as a graph of numbered nodes; a relation that comes several times weighs as much."""
        if self._graph is None:
            pairs, times = indices(self.all_relations, "relations", (None, 2), np.uint32), None
            if sum(len(nodes) for nodes in self.node_relations.values()) != len(pairs):
                pairs, times = np.unique(pairs, axis=0, return_counts=True)
            self._graph = Graph.from_arrays(pairs[:, 0], pairs[:, 1], times, nodes=len(self.kv))
        return self._graph

    def _trained_rows(self) -> Rows:
        """The vectors as the trainer takes them, which is as they are unless their type is another or their memory is not ours."""
        vectors = as_float(self.kv.vectors)
        if self._rows is None or self._rows.vectors is not vectors:
            fit = vectors.flags.c_contiguous and vectors.flags.writeable
            self._rows = Rows(vectors if fit else np.array(vectors, order="C"))
        return self._rows

    # ---- training ----

    def train(self, epochs: int, batch_size: int = 10, print_every: int = 1000, check_gradients_every: Optional[int] = None) -> None:
        """Trains; the first time after `burn_in` epochs at the rate `burn_in_alpha`. The trainer chooses its own batches, whatever
        `batch_size`; every epoch is logged, whatever `print_every`."""
        self._check_population()
        if self.burn_in > 0 and not self._burn_in_done:
            logger.info("starting burn-in (%d epochs)", self.burn_in)
            self.alpha = self.burn_in_alpha
            self._run(self.burn_in)
            self._burn_in_done = True
        self.alpha = self.train_alpha
        logger.info("starting training (%d epochs)", epochs)
        self._run(epochs)
        if check_gradients_every:
            self._check_gradients()

    def _check_population(self) -> None:
        """gensim's limit: more negatives than there are nodes without a relation."""
        left = len(self.kv) - max(map(len, self.node_relations.values()), default=0)
        if left < self.negative:
            node = max(self.node_relations, key=lambda u: len(self.node_relations[u]))
            raise ValueError(f"Cannot sample {self.negative} negative nodes from a set of {left} negative nodes for "
                             f"{self.kv.index_to_key[node]}")

    def _run(self, epochs: int) -> None:
        if epochs < 1:
            return
        rows = self._trained_rows()
        sources = max(len(self.node_relations), 1)
        shared = min(max(len(self.all_relations) // sources, 1), _MOST_SHARED)
        seed = ((self.seed if self.seed is not None else int(self._np_random.randint(2**31))) << 32) + self._epochs_done
        options: Dict[str, Any] = {
            "dim": self.size, "epochs": epochs, "rates": "constant", "lr": self.alpha, "lr_first": self.alpha, "lr_last": self.alpha,
            "negatives": self.negative * shared, "block": _SHARING if shared > 1 else 1, "margin": self.epsilon, "regularization": self.regularization_coeff,
            "update": self.update, "sampling": self.sampling, **_STEPS,
            "batch": min(max(sources // _BATCHES, 1), _LARGEST_BATCH),
            "precision": "float" if rows.vectors.dtype == np.float32 else "double", "seed": seed % 2**64,
        }
        started = time.monotonic()

        def log(epoch: Dict[str, Any]) -> None:
            self.loss = epoch["loss"]
            self._epochs_done += 1
            logger.info("epoch %d: loss %.4f, %.1f s", self._epochs_done, epoch["loss"], time.monotonic() - started)

        self.kv.norms = None
        interrupted = rows.train(self._relations_graph(), options, self.workers, log)
        if rows.vectors is not self.kv.vectors:
            self.kv.vectors = rows.vectors.astype(self.kv.vectors.dtype, copy=False)
        if interrupted:
            raise KeyboardInterrupt

    def _check_gradients(self, tol: float = 1e-8) -> None:
        """Compares the library's gradient of the exact loss with differences of it, at the vectors as they are."""
        chosen: Dict[int, int] = {}
        edges = []
        for u, v in self.all_relations:
            if len({u, v} - set(chosen)) + len(chosen) <= _CHECKED_NODES and u != v:
                edges.append((chosen.setdefault(u, len(chosen)), chosen.setdefault(v, len(chosen))))
        x = np.ascontiguousarray(self.kv.vectors[list(chosen)], np.float64)
        pairs = indices(edges, "relations", (None, 2))
        check, ball = ffi.new("geodisk_gradient_check *"), Ball(self.size)
        with Session(self.workers) as s:
            rows = ffi.cast("size_t *", pointer(pairs))
            terms = ffi.new("geodisk_objective_rows *", {"n_points": len(x), "n_rows": len(pairs), "rows": rows})
            objective = s.make("objective", lib.geodisk_objective_poincare, terms, lib.GEODISK_LOSS_NICKEL_KIELA)
            s.check(lib.geodisk_objective_check(s.context, ball._ball, objective, writable(x), ffi.NULL, check))
        logger.info("largest difference of gradients: %.3g", check.error)
        assert check.error < tol, f"gradient and differences are {check.error:.3g} apart"

    # ---- files ----

    def _skipped(self) -> FrozenSet[str]:
        return frozenset({"_node_probabilities", "_node_counts_cumsum", "_graph", "_rows", "_loss_grad"})

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._defaults()  # a file of gensim's does not have these
        self.__dict__.update(state)

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_rows")}

    def _loaded(self) -> None:
        self._graph = self._rows = None
        self._loss_grad = None
        self._init_node_probabilities()

    # ---- helpers of gensim's class that its tests call; the trainer has its own ----

    def _get_candidate_negatives(self) -> Any:
        """Nodes by their counts, with repetitions."""
        if self._negatives_buffer.num_items() < self.negative:
            numbers = self._np_random.randint(1, int(self._node_counts_cumsum[-1]) + 1, self._negatives_buffer_size)
            self._negatives_buffer = NegativesBuffer(np.searchsorted(self._node_counts_cumsum, numbers))
        return self._negatives_buffer.get_items(self.negative)

    def _sample_negatives(self, node_index: int) -> List[int]:
        """Different nodes without a relation to a node, by their counts; never the node itself, and never without end."""
        left_out = self.node_relations[node_index] | {node_index}
        candidates = np.array(sorted(self.indices_set - left_out))
        if len(candidates) < self.negative:
            raise ValueError(f"Cannot sample {self.negative} negative nodes from a set of {len(candidates)} negative nodes for "
                             f"{self.kv.index_to_key[node_index]}")
        share = self._node_probabilities[candidates]
        return [int(i) for i in self._np_random.choice(candidates, size=self.negative, p=share / share.sum(), replace=False)]

    @staticmethod
    def _handle_duplicates(vector_updates: Array, node_indices: Sequence[int]) -> None:
        """Adds the updates of one node together, in the last of its rows."""
        last = {node: i for i, node in enumerate(node_indices)}
        for i, node in enumerate(node_indices):
            if last[node] != i:
                vector_updates[last[node]] += vector_updates[i]
                vector_updates[i] = 0
