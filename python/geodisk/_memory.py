"""What the library writes to paths, written to memory and to open files."""
from __future__ import annotations

import io
import os
from typing import IO, Any, Callable, Union

from ._library import PathLike, Session, path_bytes
from ._native import ffi, lib

Target = Union[PathLike, IO[bytes], IO[str]]


def in_memory(session: Session, write: Callable[[bytes], Any]) -> bytes:
    """The bytes that `write(path)` writes."""
    held = ffi.new("geodisk_bytes *")
    lib.geodisk_context_on_write(session.context, ffi.addressof(lib, "geodisk_bytes_write"), held)
    try:
        write(b"-")
        return bytes(ffi.buffer(held.bytes, held.size))
    finally:
        lib.geodisk_context_on_write(session.context, ffi.NULL, ffi.NULL)
        lib.geodisk_bytes_free(held)


def write_to(session: Session, target: Target, write: Callable[[bytes], Any]) -> None:
    """write(path), or the same bytes into an open file."""
    if isinstance(target, (str, os.PathLike)):
        write(path_bytes(target))
    elif hasattr(target, "write"):
        data = in_memory(session, write)
        target.write(data.decode("utf-8") if isinstance(target, io.TextIOBase) else data)  # type: ignore[arg-type]
    else:
        raise TypeError(f"expected a path or an open file, got {target!r}")
