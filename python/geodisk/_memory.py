"""What the library writes to paths, written to memory and to open files: through a pipe, without a temporary file."""
from __future__ import annotations

import io
import os
import select
import threading
from typing import IO, Any, Callable, List, Union

from ._library import PathLike, path_bytes

Target = Union[PathLike, IO[bytes], IO[str]]

_PIECE = 1 << 20  # bytes
_LOOK_AGAIN = 50  # milliseconds


def in_memory(write: Callable[[bytes], Any]) -> bytes:
    """The bytes that `write(path)` writes."""
    parts: List[bytes] = []
    done = threading.Event()
    reading, writing = os.pipe()

    def read() -> None:
        # The end of the pipe is seen when nobody holds its other side any more, which a process forked meanwhile may do for long.
        ready = select.poll()
        ready.register(reading, select.POLLIN)
        while True:
            over = done.is_set()
            if not ready.poll(_LOOK_AGAIN):
                if over:
                    return
                continue
            part = os.read(reading, _PIECE)
            if not part:
                return
            parts.append(part)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        write(f"/dev/fd/{writing}".encode())
    finally:
        os.close(writing)
        done.set()
        reader.join()
        os.close(reading)
    return b"".join(parts)


def write_to(target: Target, write: Callable[[bytes], Any]) -> None:
    """write(path), or the same bytes into an open file."""
    if isinstance(target, (str, os.PathLike)):
        write(path_bytes(target))
    elif hasattr(target, "write"):
        data = in_memory(write)
        target.write(data.decode("utf-8") if isinstance(target, io.TextIOBase) else data)  # type: ignore[arg-type]
    else:
        raise TypeError(f"expected a path or an open file, got {target!r}")
