"""gensim's evaluations by geodisk's: ranks without the node itself, and without a crash."""
from __future__ import annotations

import bisect
import csv
import io
from collections import defaultdict
from typing import Any, DefaultDict, Dict, List, Optional, Set, Tuple

import numpy as np

from .._arrays import F32, Array, pointer
from .._evaluate import _ranking, lexical_entailment
from .._graph import Graph
from .._library import Session
from .._model import Model
from .._native import ffi, lib
from ._storage import open_file
from ._vectors import as_float

Relations = DefaultDict[int, Set[int]]


def _read_relations(path: Any, embedding: Any) -> Relations:
    relations: Relations = defaultdict(set)
    with open_file(path, "rb") as file:
        for row in csv.reader(io.TextIOWrapper(file, "utf8"), delimiter="\t"):
            if len(row) != 2:
                raise ValueError(f"{path}: expected two items in a line, got {row!r}")
            relations[embedding.get_index(row[0])].add(embedding.get_index(row[1]))
    return relations


def _first(relations: Relations, max_n: Optional[int]) -> Relations:
    return relations if max_n is None else defaultdict(set, {node: relations[node] for node in sorted(relations)[:max_n]})


def _relation(s: Session, relations: Relations, nodes: int) -> Tuple[Any, Graph]:
    pairs = np.array([(u, v) for u, above in relations.items() for v in above], np.uint32).reshape(-1, 2)
    graph = Graph.from_arrays(pairs[:, 0], pairs[:, 1], nodes=nodes)
    return s.make("relation", lib.geodisk_relation_create_plain, graph._graph, nodes), graph


def _mean_rank_and_map(vectors: Any, unknown: Relations, known: Optional[Relations], definition: str, workers: int) -> Tuple[float, float]:
    x: Array = np.ascontiguousarray(as_float(vectors))
    n, dim = x.shape
    held = pointer(x)
    points = ffi.new("geodisk_eval_points *", {"nodes": n, "ball": lib.geodisk_unit_ball(dim), "vectors": held,
                                               "precision": int(x.dtype == F32), "space": lib.GEODISK_SPACE_HYPERBOLIC})
    with Session(workers) as s:
        positives, graph = _relation(s, unknown, n)
        others = None if known is None else _relation(s, known, n)
        figures = _ranking(s, points, positives, None if others is None else others[0], {"definition": definition}, False)
    return figures["mean_rank"], figures["map"]


def _ranks(distances: Any, positives: Any, left_out: Any) -> Tuple[List[int], float]:
    """Ranks of positives among what is neither positive nor left out, and their average precision; for callers that have distances."""
    d, index = np.asarray(distances), np.asarray(list(positives), int)
    others = np.ones(len(d), bool)
    others[index] = False
    others[np.asarray(list(left_out), int)] = False
    negatives = np.sort(d[others])
    ranks = 1 + np.searchsorted(negatives, d[index], side="left")
    among_all = np.sort(ranks) + np.arange(len(ranks))
    return [int(r) for r in ranks], float(np.mean(np.arange(1, len(ranks) + 1) / among_all))


class _Evaluation:
    """What both have: an embedding, how ranks are counted, and by how many threads."""

    def __init__(self, embedding: Any, definition: str, workers: int) -> None:
        self.embedding = embedding
        self.definition = definition
        self.workers = workers

    def evaluate(self, max_n: Optional[int] = None) -> Dict[str, float]:
        """Mean rank and mean average precision; `max_n`: of the first so many nodes."""
        mean_rank, map_ = self.evaluate_mean_rank_and_map(max_n)
        return {"mean_rank": mean_rank, "MAP": map_}

    def evaluate_mean_rank_and_map(self, max_n: Optional[int] = None) -> Tuple[float, float]:
        raise NotImplementedError


class ReconstructionEvaluation(_Evaluation):
    """How well an embedding keeps the relations of a file. `definition="gensim"` counts ranks as gensim does, a node among its own
    negatives included."""

    def __init__(self, file_path: Any, embedding: Any, definition: str = "filtered", workers: int = 1) -> None:
        self.relations = _read_relations(file_path, embedding)
        self.items = set(self.relations).union(*self.relations.values())
        super().__init__(embedding, definition, workers)

    @staticmethod
    def get_positive_relation_ranks_and_avg_prec(all_distances: Any, positive_relations: Any) -> Tuple[List[int], float]:
        """Ranks and average precision of one node's relations, from its distances to all nodes; `evaluate` does not need it."""
        return _ranks(all_distances, positive_relations, ())

    def evaluate_mean_rank_and_map(self, max_n: Optional[int] = None) -> Tuple[float, float]:
        return _mean_rank_and_map(self.embedding.vectors, _first(self.relations, max_n), None, self.definition, self.workers)


class LinkPredictionEvaluation(_Evaluation):
    """How well an embedding that was trained on one file predicts the relations of another."""

    def __init__(self, train_path: Any, test_path: Any, embedding: Any, definition: str = "filtered", workers: int = 1) -> None:
        self.relations = {"known": _read_relations(train_path, embedding), "unknown": _read_relations(test_path, embedding)}
        self.items: Set[int] = set()
        for relations in self.relations.values():
            self.items.update(relations, *relations.values())
        super().__init__(embedding, definition, workers)

    @staticmethod
    def get_unknown_relation_ranks_and_avg_prec(all_distances: Any, unknown_relations: Any, known_relations: Any) -> Tuple[List[int], float]:
        """The same for relations to be predicted; known ones do not count."""
        return _ranks(all_distances, unknown_relations, known_relations)

    def evaluate_mean_rank_and_map(self, max_n: Optional[int] = None) -> Tuple[float, float]:
        unknown = _first(self.relations["unknown"], max_n)
        return _mean_rank_and_map(self.embedding.vectors, unknown, self.relations["known"], self.definition, self.workers)


class _Vocabulary:
    """Keys in order, found by how they begin: what gensim needs pygtrie for."""

    def __init__(self, keys: List[str]) -> None:
        self.keys = sorted(keys)

    def items(self, prefix: str) -> List[Tuple[str, bool]]:
        first = bisect.bisect_left(self.keys, prefix)
        found = []
        for key in self.keys[first:]:
            if not key.startswith(prefix):
                break
            found.append((key, True))
        if not found:
            raise KeyError(prefix)
        return found


class LexicalEntailmentEvaluation:
    """How well "is a kind of" can be read off, against the scores of a file such as HyperLex's."""

    def __init__(self, filepath: Any) -> None:
        self.filepath = filepath
        self.alpha = 1000
        self.scores: Dict[Tuple[str, str], float] = {}
        with open_file(filepath, "rb") as file:
            for row in csv.DictReader(io.TextIOWrapper(file, "utf8"), delimiter=" "):
                self.scores[row["WORD1"], row["WORD2"]] = float(row["AVG_SCORE"])

    def score_function(self, embedding: Any, trie: Any, term_1: str, term_2: str) -> float:
        """The extent to which term_1 is a type of term_2, by their nearest senses."""
        try:
            senses_1, senses_2 = self.find_matching_terms(trie, term_1), self.find_matching_terms(trie, term_2)
        except KeyError:
            raise ValueError(f"No matching terms found for either {term_1} or {term_2}") from None
        near, sense_1, sense_2 = min((embedding.distance(a, b), a, b) for a in senses_1 for b in senses_2)
        return float(-(1 + self.alpha * (embedding.norm(sense_2) - embedding.norm(sense_1))) * near)

    @staticmethod
    def find_matching_terms(trie: Any, word: str) -> List[str]:
        """The keys that begin with the word and a dot."""
        return ["".join(key) for key, _ in trie.items(f"{word}.")]

    @staticmethod
    def create_vocab_trie(embedding: Any) -> _Vocabulary:
        """What find_matching_terms looks through; no pygtrie is needed."""
        return _Vocabulary(list(embedding.key_to_index))

    def evaluate_spearman(self, embedding: Any) -> float:
        """The rank correlation of scores and embedding over the pairs whose words have vectors."""
        model = Model([str(key) for key in embedding.index_to_key], as_float(embedding.vectors))
        return float(lexical_entailment(model, self.filepath, float(self.alpha))["spearman"])
