"""Exceptions: one for each status of the library, of Python's own type for it and of geodisk.Error."""
from __future__ import annotations

import os
from typing import Dict, Type

from ._native import lib


class Error(Exception):
    """Whatever the library reports; each kind is also one of Python's own exceptions.

    >>> import geodisk
    >>> try:
    ...     geodisk.Model.load("nowhere.safetensors")
    ... except FileNotFoundError as error:
    ...     print(isinstance(error, geodisk.Error))
    True
    """

    def __str__(self) -> str:
        return " ".join(str(part) for part in self.args)


class ArgumentError(Error, ValueError):
    """An argument is outside its domain."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class FormatError(Error, ValueError):
    """The content of a file is malformed; the text says where."""


class NumericError(Error, ArithmeticError):
    """A number that must be finite is not."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class StoppedError(Error, RuntimeError):
    """A callback asked to stop."""


class UnsupportedError(Error, NotImplementedError):
    """Not built into this library."""


class ThreadError(Error, RuntimeError):
    """A worker thread could not be started."""


class DeviceError(Error, RuntimeError):
    """A device failed: what it was computing is lost."""


class UnknownNodeError(Error, KeyError):
    """There is no node of that name; the text suggests others."""


class GeodiskWarning(UserWarning):
    """What the library counted and left out, or thinks you should know."""


_BY_STATUS: Dict[int, Type[Error]] = {
    lib.GEODISK_ERROR_MEMORY: OutOfMemoryError,
    lib.GEODISK_ERROR_ARGUMENT: ArgumentError,
    lib.GEODISK_ERROR_IO: FileError,
    lib.GEODISK_ERROR_FORMAT: FormatError,
    lib.GEODISK_ERROR_NUMERIC: NumericError,
    lib.GEODISK_ERROR_STOPPED: StoppedError,
    lib.GEODISK_ERROR_UNSUPPORTED: UnsupportedError,
    lib.GEODISK_ERROR_THREAD: ThreadError,
    lib.GEODISK_ERROR_DEVICE: DeviceError,
}

for _kind in (Error, MissingFileError, UnknownNodeError, GeodiskWarning, *_BY_STATUS.values()):
    _kind.__module__ = "geodisk"  # where users find them


def error_of(status: int, text: str, path: str = "") -> Error:
    """The exception for a status; `path` is the file that was to be read, if any."""
    kind = _BY_STATUS.get(status, Error)
    if kind is FileError and path and path != "-" and not os.path.exists(path):
        kind = MissingFileError
    return kind(text)
