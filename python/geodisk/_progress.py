"""A bar for long tasks: in a terminal or a notebook one line that is drawn again; nothing where nobody looks."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Optional, TextIO, Union

# None: a bar if there is somebody to see it. True, False: in any case, in no case. A function is called with a dictionary instead.
Progress = Union[bool, None, Callable[[Dict[str, Any]], Any]]

_REDRAW = 0.1  # seconds


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"


def _count(number: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


class Bar:
    """update() as often as you like, close() at the end."""

    def __init__(self, stream: Optional[TextIO], function: Optional[Callable[[Dict[str, Any]], Any]] = None) -> None:
        self.stream = stream
        self.function = function
        self.started = time.monotonic()
        self.drawn = 0.0
        self.width = 0
        self.task = ""

    def update(self, task: str, unit: str, done: int, total: int, extra: str) -> None:
        if self.function is not None:
            self.function({"task": task, "unit": unit, "done": done, "total": total or None, "extra": extra})
        if self.stream is None:
            return
        now = time.monotonic()
        if task != self.task:
            self.close()
            self.task, self.started = task, now
        elif now - self.drawn < _REDRAW and done != total:
            return
        self.drawn = now
        self._draw(self.line(task, unit, done, total, extra, now - self.started))

    @staticmethod
    def line(task: str, unit: str, done: int, total: int, extra: str, seconds: float) -> str:
        """The text of the bar, e.g. `training  62% |######    | 0:12<0:07, 1.2 M edges/s, loss 0.81`."""
        rate = done / seconds if seconds > 0 else 0.0
        parts = [task]
        if total:
            share = min(1.0, done / total)
            left = _clock((total - done) / rate) if rate else "?"
            parts.append(f" {int(100 * share):3d}% |{'#' * int(20 * share):20s}| {_clock(seconds)}<{left}")
        else:
            parts.append(f" {_count(done)} {unit}, {_clock(seconds)}")
        parts.append(f", {_count(rate)} {unit}/s")
        if extra:
            parts.append(f", {extra}")
        return "".join(parts)

    def _draw(self, text: str) -> None:
        assert self.stream is not None
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.stream is not None and self.width:
            self.stream.write("\n")
            self.stream.flush()
            self.width = 0


def bar_for(progress: Progress) -> Optional[Bar]:
    if callable(progress):
        return Bar(None, progress)
    if progress is None:
        progress = _is_notebook() or sys.stderr.isatty()
    return Bar(sys.stderr) if progress else None
