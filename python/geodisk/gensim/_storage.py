"""Files as gensim's save() and load() have them: a pickle, and large arrays as .npy beside it. gensim's own are read too."""
from __future__ import annotations

import bz2
import gzip
import os
import pickle
from typing import IO, Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Type, TypeVar, Union, cast

import numpy as np

Self = TypeVar("Self", bound="Stored")

_SEPARATE = 10 * 1024**2  # numbers from which on an array gets a file of its own
_OPENERS: Dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}

# Where gensim's pickles say their classes live, and ours.
_MODULES = {"gensim.models.poincare": "geodisk.gensim", "gensim.models.keyedvectors": "geodisk.gensim"}
_CLASSES = {"KeyedVectors": "PoincareKeyedVectors", "Word2VecKeyedVectors": "PoincareKeyedVectors"}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in _MODULES:
            module, name = _MODULES[module], _CLASSES.get(name, name)
        return super().find_class(module, name)


def open_file(path: Union[str, "os.PathLike[str]"], mode: str) -> IO[bytes]:
    """A file, compressed if its name ends in .gz or .bz2."""
    path = os.fspath(path)
    opener = _OPENERS.get(os.path.splitext(path)[1], open)
    return cast(IO[bytes], opener(path, mode))


def _suffix(path: str) -> str:
    """Of the files for arrays: compressed if the main one is."""
    return ".npz" if path.endswith((".gz", ".bz2")) else ".npy"


def _write_array(file: str, array: Any) -> None:
    if file.endswith(".npz"):
        np.savez_compressed(file, val=np.ascontiguousarray(array))
    else:
        np.save(file, np.ascontiguousarray(array))


class Stored:
    """Objects with save() and load()."""

    def _skipped(self) -> FrozenSet[str]:
        """Attributes that are never stored."""
        return frozenset()

    def _stored(self: Self, path: str, suffix: str, separately: Optional[List[str]], limit: int, ignore: Iterable[str]) -> Self:
        """A twin whose large arrays have been written to files of their own."""
        twin = object.__new__(type(self))
        numpys: List[str] = []
        nested: List[str] = []
        ignored = set(ignore) | self._skipped()
        for name, value in self.__dict__.items():
            if name in ignored or name.startswith("__"):
                continue
            if isinstance(value, Stored):
                nested.append(name)
                value = value._stored(f"{path}.{name}" if path else "", suffix, None, limit, ignore)
            elif path and isinstance(value, np.ndarray) and (name in separately if separately is not None else value.size >= limit):
                numpys.append(name)
                _write_array(f"{path}.{name}{suffix}", value)
                continue
            twin.__dict__[name] = value
        lists = {"__numpys": numpys, "__scipys": [], "__ignoreds": sorted(ignored & set(self.__dict__)), "__recursive_saveloads": nested}
        twin.__dict__.update(lists)
        return twin

    def save(self, fname_or_handle: Any, separately: Optional[List[str]] = None, sep_limit: int = _SEPARATE,
             ignore: Iterable[str] = frozenset(), pickle_protocol: int = 4) -> None:
        """Writes the object to a file (or an open one); arrays of `sep_limit` numbers and more go into files beside it."""
        if hasattr(fname_or_handle, "write"):
            pickle.dump(self._stored("", "", None, _SEPARATE, ignore), fname_or_handle, protocol=pickle_protocol)
            return
        path = os.fspath(fname_or_handle)
        twin = self._stored(path, _suffix(path), separately, sep_limit, ignore)
        with open_file(path, "wb") as file:
            pickle.dump(twin, file, protocol=pickle_protocol)

    @classmethod
    def load(cls: Type[Self], fname: Union[str, "os.PathLike[str]"], mmap: Any = None) -> Self:
        """Reads what save() wrote, or gensim's. As with every pickle: only files that you trust."""
        path = os.fspath(fname)
        with open_file(path, "rb") as file:
            loaded = _Unpickler(file).load()
        if not isinstance(loaded, cls):
            raise TypeError(f"{path}: expected a {cls.__name__}, got a {type(loaded).__name__}")
        loaded._collect(path, _suffix(path), mmap)
        return loaded

    def _collect(self, path: str, suffix: str, mmap: Any) -> None:
        """Reads the arrays that lie in files of their own."""
        lists = {name: self.__dict__.pop(name, []) for name in ("__numpys", "__scipys", "__ignoreds", "__recursive_saveloads")}
        for name in lists["__recursive_saveloads"]:
            getattr(self, name)._collect(f"{path}.{name}", suffix, mmap)
        for name in lists["__numpys"]:
            file = f"{path}.{name}{suffix}"
            setattr(self, name, np.load(file)["val"] if suffix == ".npz" else np.load(file, mmap_mode=mmap))
        self._loaded()

    def _loaded(self) -> None:
        """What is left to do when everything is there."""
