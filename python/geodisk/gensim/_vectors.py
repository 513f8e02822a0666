"""PoincareKeyedVectors: vectors by key, with gensim's questions to them."""
from __future__ import annotations

import itertools
import logging
from typing import Any, Dict, Hashable, Iterable, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from .._arrays import Array
from .._ball import Ball
from .._model import Model
from ._storage import Stored, open_file

logger = logging.getLogger(__name__)

Key = Any  # whatever can be hashed: str, bytes, int
Kv = TypeVar("Kv", bound="PoincareKeyedVectors")

_balls: Dict[int, Ball] = {}


def _ball(dim: int) -> Ball:
    if dim not in _balls:
        _balls[dim] = Ball(dim)
    return _balls[dim]


def _is_key(value: Any) -> bool:
    return isinstance(value, (str, bytes, int, np.integer))


def as_float(vectors: Any) -> Array:
    """float32 as it is, all else as float64."""
    array = np.asarray(vectors)
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


class PoincareKeyedVectors(Stored):
    """Vectors by key.

    >>> from geodisk.gensim import PoincareKeyedVectors
    >>> kv = PoincareKeyedVectors(2, 0, dtype=float)
    >>> kv.add_vectors(["animal", "dog", "cat"], [[0.0, 0.0], [0.5, 0.0], [0.4, 0.3]])
    >>> [(key, round(distance, 6)) for key, distance in kv.most_similar("dog", topn=1)]
    [('cat', 0.820098)]
    >>> kv.closest_parent("dog"), kv.closest_child("dog"), round(kv.similarity("dog", "animal"), 6)
    ('animal', None, 0.476505)
    """

    def __init__(self, vector_size: int, vector_count: int, dtype: npt.DTypeLike = np.float32) -> None:
        self.vector_size = vector_size
        self.index_to_key: List[Any] = [None] * vector_count
        self.next_index = 0
        self.key_to_index: Dict[Hashable, int] = {}
        self.vectors: Array = np.zeros((vector_count, vector_size), dtype=dtype)
        self.norms: Optional[Array] = None
        self.expandos: Dict[str, Array] = {}
        self.mapfile_path = None
        self.max_distance = 0

    def __str__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    # ---- to and from models ----

    def to_model(self) -> Model:
        """A geodisk.Model over the same vectors, for whatever gensim does not have: plots, placing, exact parents, evaluation."""
        names = [key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else str(key) for key in self.index_to_key]
        return Model(names, as_float(self.vectors), counts=self.expandos.get("count"))

    @classmethod
    def from_model(cls: Type[Kv], model: Model) -> Kv:
        """The vectors of a geodisk.Model."""
        names, vectors = model.to_numpy()
        kv = cls(model.dim, 0, dtype=vectors.dtype)
        kv.add_vectors(names, vectors)
        if model.counts is not None:
            kv.expandos["count"] = model.counts.astype(np.int64)
        return kv

    # ---- keys ----

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, key: Key) -> bool:
        return self.has_index_for(key)

    def has_index_for(self, key: Key) -> bool:
        """Whether there is a vector for this key."""
        return self.get_index(key, -1) >= 0

    def get_index(self, key: Key, default: Optional[int] = None) -> int:
        """The row of a key; a number that is not a key is a row itself."""
        row = self.key_to_index.get(key, -1)
        if row >= 0:
            return row
        if isinstance(key, (int, np.integer)) and 0 <= key < len(self.index_to_key):
            return int(key)
        if default is not None:
            return default
        raise KeyError(f"Key '{key}' not present")

    def get_vector(self, key: Key, norm: bool = False) -> Array:
        """The vector of a key, read-only; `norm`: scaled to Euclidean length 1."""
        row = self.get_index(key)
        if norm:
            self.fill_norms()
            assert self.norms is not None
            found: Array = self.vectors[row] / self.norms[row]
        else:
            found = self.vectors[row]
        found.setflags(write=False)
        return found

    word_vec = get_vector

    def __getitem__(self, key_or_keys: Union[Key, Sequence[Key]]) -> Array:
        if _is_key(key_or_keys):
            return self.get_vector(key_or_keys)
        return np.vstack([self.get_vector(key) for key in key_or_keys])

    def __setitem__(self, keys: Union[Key, List[Key]], weights: Any) -> None:
        if not isinstance(keys, list):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        self.add_vectors(keys, weights, replace=True)

    def add_vector(self, key: Key, vector: npt.ArrayLike) -> int:
        """Adds one vector, in a free row if there is one; returns the row."""
        row = self.next_index
        if row < len(self) and self.index_to_key[row] is None:
            self.index_to_key[row] = key
            self.key_to_index[key] = row
            self.vectors[row] = vector
            self.next_index += 1
            return row
        row = len(self)
        self.add_vectors([key], [vector])
        self.allocate_vecattrs()
        self.next_index = row + 1
        return row

    def add_vectors(self, keys: Any, weights: Any, extras: Optional[Dict[str, Array]] = None, replace: bool = False) -> None:
        """Adds vectors; of keys that are there already the old ones stay unless `replace`."""
        if _is_key(keys):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        weights = np.asarray(weights)
        extras = {} if extras is None else extras
        self.allocate_vecattrs(list(extras), [extra.dtype for extra in extras.values()])
        known = np.array([key in self.key_to_index for key in keys], dtype=bool)
        first = len(self)
        for key in (key for key, there in zip(keys, known) if not there):
            self.key_to_index[key] = len(self.index_to_key)
            self.index_to_key.append(key)
        self.vectors = np.vstack((self.vectors, weights[~known].astype(self.vectors.dtype)))
        self.allocate_vecattrs()
        for name, extra in extras.items():
            self.expandos[name][first:] = extra[~known]
        if replace and known.any():
            rows = [self.key_to_index[key] for key, there in zip(keys, known) if there]
            self.vectors[rows] = weights[known]
            for name, extra in extras.items():
                self.expandos[name][rows] = extra[known]
        self.norms = None

    def sort_by_descending_frequency(self) -> None:
        """Puts the keys with the highest counts first."""
        if not len(self):
            return
        order = np.argsort(self.expandos["count"])[::-1]
        self.index_to_key = [self.index_to_key[i] for i in order]
        self.allocate_vecattrs()
        self.expandos = {name: values[order] for name, values in self.expandos.items()}
        if len(self.vectors):
            self.vectors = self.vectors[order]
        self.norms = None
        self.key_to_index = {key: i for i, key in enumerate(self.index_to_key)}

    # ---- attributes of keys ----

    def allocate_vecattrs(self, attrs: Optional[Iterable[str]] = None, types: Optional[Iterable[Any]] = None) -> None:
        """Makes room for attributes of each key, by default for those that are there."""
        if attrs is None or types is None:
            attrs = list(self.expandos)
            types = [self.expandos[name].dtype for name in attrs]
        for name, kind in zip(attrs, types):
            kind = np.int64 if kind is int else object if kind is str else kind
            old = self.expandos.get(name)
            if old is None:
                self.expandos[name] = np.zeros(len(self), dtype=kind)
                continue
            if not np.issubdtype(kind, old.dtype):
                raise TypeError(f"Can't allocate type {kind} for attribute {name}, conflicts with its existing type {old.dtype}")
            if len(old) != len(self):
                self.expandos[name] = np.zeros(len(self), dtype=old.dtype)
                kept = min(len(old), len(self))
                self.expandos[name][:kept] = old[:kept]

    def set_vecattr(self, key: Key, attr: str, val: Any) -> None:
        """Sets an attribute of a key, such as its count."""
        self.allocate_vecattrs([attr], [type(val)])
        self.expandos[attr][self.get_index(key)] = val

    def get_vecattr(self, key: Key, attr: str) -> Any:
        """An attribute of a key."""
        return self.expandos[attr][self.get_index(key)]

    def fill_norms(self, force: bool = False) -> None:
        """Computes `norms`, the Euclidean length of each vector."""
        if self.norms is None or force:
            self.norms = np.linalg.norm(self.vectors, axis=1)

    def get_normed_vectors(self) -> Array:
        """All vectors, scaled to Euclidean length 1."""
        self.fill_norms()
        assert self.norms is not None
        scaled: Array = self.vectors / self.norms[..., np.newaxis]
        return scaled

    # ---- distances ----

    @staticmethod
    def vector_distance(vector_1: npt.ArrayLike, vector_2: npt.ArrayLike) -> Any:
        """The Poincare distance of two vectors."""
        first, second = as_float(vector_1), as_float(vector_2)
        return _ball(first.shape[-1]).distance(first, second)

    @staticmethod
    def vector_distance_batch(vector_1: npt.ArrayLike, vectors_all: npt.ArrayLike) -> Array:
        """The Poincare distances of one vector to many."""
        first, all_ = as_float(vector_1), as_float(vectors_all)
        found: Array = _ball(all_.shape[-1]).distance(first.reshape(-1), all_)
        return found

    def _vector(self, node_or_vector: Any) -> Array:
        if _is_key(node_or_vector):
            return self.get_vector(node_or_vector)
        vector = np.asarray(node_or_vector)
        return vector.reshape(-1) if vector.ndim == 2 and len(vector) == 1 else vector

    def distance(self, w1: Key, w2: Key) -> Any:
        """The Poincare distance of two keys."""
        return self.vector_distance(self.get_vector(w1), self.get_vector(w2))

    def distances(self, node_or_vector: Any, other_nodes: Iterable[Key] = ()) -> Array:
        """The distances of a key or vector to other keys, by default to all."""
        others = list(other_nodes) if other_nodes is not None else []
        rows = self.vectors[[self.get_index(node) for node in others]] if others else self.vectors
        return self.vector_distance_batch(self._vector(node_or_vector), rows)

    def similarity(self, w1: Key, w2: Key) -> Any:
        """1 / (1 + distance)."""
        return 1 / (1 + self.distance(w1, w2))

    def most_similar(self, node_or_vector: Any, topn: Optional[int] = 10, restrict_vocab: Optional[int] = None) -> List[Tuple[Any, float]]:
        """The nearest keys with their distances, the key asked about left out; `topn` None: all of them."""
        if topn is not None and topn < 1:
            return []
        rows = self.vectors[:restrict_vocab] if restrict_vocab else self.vectors
        all_distances = self.vector_distance_batch(self._vector(node_or_vector), rows)
        own = self.get_index(node_or_vector) if _is_key(node_or_vector) else -1
        order = _nearest(all_distances, None if topn is None else topn + 1)
        found = [(self.index_to_key[i], float(all_distances[i])) for i in order if i != own]
        return found if topn is None else found[:topn]

    def similar_by_key(self, key: Key, topn: Optional[int] = 10, restrict_vocab: Optional[int] = None) -> List[Tuple[Any, float]]:
        """most_similar under another name."""
        return self.most_similar(key, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_word = similar_by_key

    def similar_by_vector(self, vector: npt.ArrayLike, topn: Optional[int] = 10,
                          restrict_vocab: Optional[int] = None) -> List[Tuple[Any, float]]:
        """most_similar of a vector."""
        return self.most_similar(np.asarray(vector), topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_to_given(self, key1: Key, keys_list: Sequence[Key]) -> Key:
        """The key of the list that is nearest."""
        return keys_list[int(np.argmin(self.distances(key1, keys_list)))]

    def closer_than(self, key1: Key, key2: Key) -> List[Any]:
        """The keys that are nearer to key1 than key2 is."""
        all_distances = self.distances(key1)
        own, limit = self.get_index(key1), all_distances[self.get_index(key2)]
        return [self.index_to_key[i] for i in np.flatnonzero(all_distances < limit) if i != own]

    words_closer_than = closer_than

    def rank(self, key1: Key, key2: Key) -> int:
        """1 + how many keys are nearer to key1 than key2 is."""
        return len(self.closer_than(key1, key2)) + 1

    # ---- the hierarchy ----

    def _closest(self, node: Key, higher: bool) -> Optional[Any]:
        gaps: Array = _ball(self.vector_size).gap(as_float(self.vectors))  # the nearer to the origin, the larger
        own = gaps[self.get_index(node)]
        side = np.flatnonzero(gaps > own if higher else gaps < own)
        if not len(side):
            return None
        near = self.vector_distance_batch(self._vector(node), self.vectors[side])
        return self.index_to_key[side[int(np.argmin(near))]]

    def closest_child(self, node: Key) -> Optional[Any]:
        """The nearest key that is lower in the hierarchy; None if there is none."""
        return self._closest(node, higher=False)

    def closest_parent(self, node: Key) -> Optional[Any]:
        """The nearest key that is higher in the hierarchy; None if there is none."""
        return self._closest(node, higher=True)

    def descendants(self, node: Key, max_depth: int = 5) -> List[Any]:
        """The closest child, its closest child, and so on."""
        found: List[Any] = []
        while len(found) < max_depth:
            child = self.closest_child(found[-1] if found else node)
            if child is None:
                break
            found.append(child)
        return found

    def ancestors(self, node: Key) -> List[Any]:
        """The closest parent, its closest parent, and so on to the top."""
        found: List[Any] = []
        while True:
            parent = self.closest_parent(found[-1] if found else node)
            if parent is None:
                return found
            found.append(parent)

    def norm(self, node_or_vector: Any) -> Any:
        """The Euclidean length, from 0 (top of the hierarchy) to 1."""
        return np.linalg.norm(self._vector(node_or_vector))

    def difference_in_hierarchy(self, node_or_vector_1: Any, node_or_vector_2: Any) -> Any:
        """Positive if the first is higher in the hierarchy."""
        return self.norm(node_or_vector_2) - self.norm(node_or_vector_1)

    # ---- word2vec files ----

    def save_word2vec_format(self, fname: Any, fvocab: Any = None, binary: bool = False, total_vec: Optional[int] = None,
                             write_header: bool = True, prefix: str = "", append: bool = False, sort_attr: str = "count") -> None:
        """Writes the vectors in the format of word2vec, most frequent keys first."""
        mode = "ab" if append else "wb"
        order = list(range(len(self)))
        if sort_attr in self.expandos:
            values = self.expandos[sort_attr].tolist()
            order.sort(key=lambda i: float(-values[i]))
        elif fvocab is not None:
            raise ValueError(f"Cannot store vocabulary with '{sort_attr}' because that attribute does not exist")
        if fvocab is not None:
            with open_file(fvocab, mode) as file:
                for i in order:
                    file.write(f"{prefix}{self.index_to_key[i]} {self.expandos[sort_attr][i]}\n".encode())
        with open_file(fname, mode) as file:
            if write_header:
                file.write(f"{len(self) if total_vec is None else total_vec} {self.vector_size}\n".encode())
            for i in order:
                row = self.vectors[i]
                name = f"{prefix}{self.index_to_key[i]} ".encode()
                if binary:
                    file.write(name + row.astype(np.float32).tobytes())
                else:
                    # str() of a number of the array's own type is the shortest that reads back, in every version of NumPy
                    file.write(name + " ".join([str(value) for value in row]).encode() + b"\n")

    @classmethod
    def load_word2vec_format(cls: Type[Kv], fname: Any, fvocab: Any = None, binary: bool = False, encoding: str = "utf8",
                             unicode_errors: str = "strict", limit: Optional[int] = None, datatype: npt.DTypeLike = np.float32,
                             no_header: bool = False) -> Kv:
        """Reads vectors in the format of word2vec, as gensim, geodisk (`Model.to_word2vec`) and others write it."""
        counts = _read_counts(fvocab, unicode_errors) if fvocab is not None else None
        with open_file(fname, "rb") as file:
            if no_header:
                if binary:
                    raise NotImplementedError("no_header only available for text-format files")
                rows: List[Tuple[str, Any]] = list(_text_rows(file, encoding, unicode_errors, limit))
                size, dim = len(rows), len(rows[0][1]) if rows else 0
            else:
                size, dim = (int(number) for number in file.readline().decode(encoding).split())
                size = min(size, limit) if limit else size
                if binary:
                    rows = list(_binary_rows(file, size, dim, encoding, unicode_errors))
                else:
                    rows = list(_text_rows(file, encoding, unicode_errors, size))
        if len(rows) < size:
            raise EOFError("unexpected end of input; is count incorrect or file otherwise damaged?")
        kv = cls(dim, 0, dtype=datatype)
        first: Dict[str, int] = {}
        for i, (name, _) in enumerate(rows):
            if first.setdefault(name, i) != i:
                logger.warning("duplicate word '%s' in word2vec file, ignoring all but first", name)
        kept = list(first.values())
        kv.index_to_key, kv.key_to_index, kv.next_index = list(first), {name: i for i, name in enumerate(first)}, len(first)
        kv.vectors = np.array([rows[i][1] for i in kept], dtype=datatype).reshape(len(kept), dim)
        numbers = [size - i for i in range(len(kept))] if counts is None else [counts.get(name, 0) for name in first]
        kv.expandos["count"] = np.array(numbers, dtype=np.int64)
        return kv


def _nearest(distances: Array, k: Optional[int]) -> Array:
    """Rows by distance, of equal ones the first first; the k nearest only."""
    if k is None or k >= len(distances):
        return np.argsort(distances, kind="stable")
    limit = np.partition(distances, k - 1)[k - 1]
    candidates = np.flatnonzero(~(distances > limit))
    order: Array = candidates[np.argsort(distances[candidates], kind="stable")][:k]
    return order


def _read_counts(path: Any, errors: str) -> Dict[str, int]:
    with open_file(path, "rb") as file:
        return {word: int(count) for word, count in (line.decode("utf8", errors).split() for line in file)}


def _text_rows(file: Any, encoding: str, errors: str, limit: Optional[int]) -> Iterable[Tuple[str, Any]]:
    for line in itertools.islice(file, limit):
        parts = line.decode(encoding, errors).rstrip().split(" ")
        yield parts[0], [float(number) for number in parts[1:]]


def _binary_rows(file: Any, size: int, dim: int, encoding: str, errors: str) -> Iterable[Tuple[str, Any]]:
    data, at = file.read(), 0
    for _ in range(size):
        blank = data.find(b" ", at)
        end = blank + 1 + 4 * dim
        if blank < 0 or end > len(data):
            return
        yield data[at:blank].decode(encoding, errors).lstrip("\n"), np.frombuffer(data, np.float32, dim, blank + 1)
        at = end
