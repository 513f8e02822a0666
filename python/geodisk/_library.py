"""Calls into the library: sessions (a context, its events, its errors), options by name, structs as dictionaries."""
from __future__ import annotations

import functools
import os
import sys
import threading
import traceback
import types
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, Union

import numpy as np

from ._errors import GeodiskWarning, error_of
from ._keywords import unknown_option
from ._native import ffi, lib
from ._progress import Bar, Progress, bar_for

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

PathLike = Union[str, "os.PathLike[str]"]


def text_of(pointer: Any) -> str:
    """A C string, or "" for NULL."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer), "utf-8", "replace")


def path_bytes(path: PathLike) -> bytes:
    """A path (or any text) for C, which ends at a NUL: one inside is an error."""
    raw = os.fsencode(os.fspath(path))
    if b"\0" in raw:
        raise ValueError(f"a path or text holds a NUL: {os.fspath(path)!r}")
    return raw


__version__: str = text_of(lib.geodisk_version())
features: str = text_of(lib.geodisk_features())


# ---- contexts: worker threads that wait for the next call ----

class _Pool(threading.local):
    """The contexts that are free on this thread of Python, by their number of threads."""

    def __init__(self) -> None:
        self.free: Dict[int, List[Any]] = {}


_pool = _Pool()


def _forget_contexts() -> None:
    """After a fork the worker threads are gone: the child makes new contexts. (What it has of the old ones, those of other threads of
    Python too, the library frees without waiting for anybody.)"""
    _pool.free = {}


os.register_at_fork(after_in_child=_forget_contexts)


def _new_context(threads: int) -> Any:
    out = ffi.new("geodisk_context **")
    status = lib.geodisk_context_create(threads, out)
    if status != lib.GEODISK_OK:
        raise error_of(status, f"threads={threads}: {text_of(lib.geodisk_status_text(status))}")
    return ffi.gc(out[0], lib.geodisk_context_destroy)


def _outside() -> int:
    """How many calls up the user's own code is, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


class Session:
    """One call (or several in a row) into the library: `with Session(threads, progress) as s: s.check(lib.f(s.context, ...))`.

    Progress events drive a bar, warnings become Python's after the call, and what a callback raised is raised again when the
    library has come back, KeyboardInterrupt above all.
    """

    __slots__ = ("context", "free", "threads", "progress", "bar", "error", "messages", "handle")

    def __init__(self, threads: Optional[int] = None, progress: Progress = False) -> None:
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, (int, np.integer))):
            raise TypeError(f"threads takes a whole number or None, not {threads!r}")
        self.threads = int(threads or 0)
        self.progress = progress
        self.error: Optional[BaseException] = None
        self.messages: List[str] = []

    def __enter__(self) -> "Session":
        self.free = _pool.free  # in a child that is forked before the end it is another one
        free = self.free.get(self.threads)
        self.context = free.pop() if free else _new_context(self.threads)
        self.bar: Optional[Bar] = bar_for(self.progress)
        self.handle = ffi.new_handle(self)
        lib.geodisk_context_on_log(self.context, lib.geodisk_python_log, self.handle)
        lib.geodisk_context_on_progress(self.context, lib.geodisk_python_progress, self.handle)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[types.TracebackType]) -> None:
        lib.geodisk_context_on_log(self.context, ffi.NULL, ffi.NULL)
        lib.geodisk_context_on_progress(self.context, ffi.NULL, ffi.NULL)
        self.free.setdefault(self.threads, []).append(self.context)
        if self.bar is not None:
            self.bar.close()
        if kind is None:
            for message in self.messages:
                warnings.warn(message, GeodiskWarning, stacklevel=_outside())

    def check(self, status: int, path: str = "") -> None:
        """Raises what went wrong, if anything did."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        if status != lib.GEODISK_OK:
            raise error_of(status, text_of(lib.geodisk_context_error(self.context)) or text_of(lib.geodisk_status_text(status)), path)

    def own(self, status: int, out: Any, destroy: Any, path: str = "") -> Any:
        """The object that a call has handed out in out[0], to be destroyed when nobody holds it any more."""
        owned = ffi.gc(out[0], destroy) if status == lib.GEODISK_OK else None
        self.check(status, path)
        return owned

    def make(self, kind: str, function: Any, *arguments: Any, path: str = "", holds: Any = None) -> Any:
        """The graph, model ... that function(context, *arguments, out) hands out; what it looks at, `holds`, lives as long."""
        out, destroy = ffi.new(f"geodisk_{kind} **"), getattr(lib, f"geodisk_{kind}_destroy")
        status = function(self.context, *arguments, out)
        return self.own(status, out, destroy if holds is None else lambda made, holds=holds: destroy(made), path)


def _keep_error(kind: Type[BaseException], value: Optional[BaseException], trace: Optional[types.TracebackType]) -> None:
    """An exception in a callback: kept for Session.check. (Before the callback's first line there is nothing to keep it in.)"""
    user = trace.tb_frame.f_locals.get("user") if trace is not None else None
    if user is None:
        traceback.print_exception(kind, value, trace)
    else:
        ffi.from_handle(user).error = value if value is not None else kind()


def _on_progress(user: Any, progress: Any) -> bool:
    session: Session = ffi.from_handle(user)
    if session.bar is not None:
        session.bar.update(text_of(progress.task), text_of(progress.unit), progress.done, progress.total, text_of(progress.extra))
    return session.error is None


def _on_log(user: Any, level: int, text: Any) -> None:
    if level == lib.GEODISK_LOG_WARNING:
        ffi.from_handle(user).messages.append(text_of(text))


def callback(name: str, function: Callable[..., Any], on_error: Any = False) -> None:
    """Fills in one of the binding's callbacks; its first argument must be called `user` and be a handle of something with `error`."""
    ffi.def_extern(name=name, error=on_error, onerror=_keep_error)(function)


callback("geodisk_python_progress", _on_progress)
callback("geodisk_python_log", _on_log, None)


# ---- structs ----

@functools.lru_cache(maxsize=None)
def enum_words(ctype: Any) -> Dict[str, int]:
    """The words of an enum: GEODISK_UPDATE_GEODESIC, GEODISK_UPDATE_NATURAL, ... give geodesic, natural, ..."""
    elements: Dict[int, str] = ctype.elements
    names = list(elements.values())
    start = os.path.commonprefix(names) if len(names) > 1 else "GEODISK_"
    start = start[: start.rfind("_") + 1]
    return {name[len(start) :].lower().replace("_", "-"): value for value, name in elements.items()}


def _listed(words: List[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def enum_value(ctype: Any, value: Any, what: str) -> int:
    words = enum_words(ctype)
    if isinstance(value, str):
        found = words.get(value.lower().replace("_", "-"))
        if found is not None:
            return found
    elif isinstance(value, bool) or value is None:  # a choice: yes, no, or find out
        word = {True: "yes", False: "no", None: "auto"}[value]
        if word in words:
            return words[word]
    elif isinstance(value, int) and value in words.values():
        return value
    raise ValueError(f"{what} takes {_listed(sorted(words, key=words.__getitem__))}, not {value!r}")


def enum_word(ctype: Any, value: int) -> str:
    for word, number in enum_words(ctype).items():
        if number == value:
            return word
    return str(value)


def _named_number(name: str, word: str) -> Optional[int]:
    """negatives="all" is GEODISK_NEGATIVES_ALL: what the headers call by a name."""
    value = getattr(lib, f"GEODISK_{name}_{word}".upper(), None) if word.isascii() else None  # half a surrogate pair is no name
    return value if isinstance(value, int) else None


def _convert(ctype: Any, name: str, value: Any, what: str, alive: List[Any]) -> Any:
    label = f"{what}: {name}"
    if ctype.kind == "enum":
        return enum_value(ctype, value, label)
    if ctype.kind == "primitive" and ctype.cname == "char":
        raw = b"\0" if value is None else value.encode() if isinstance(value, str) else value
        if not isinstance(raw, bytes) or len(raw) != 1:
            raise ValueError(f"{label} takes one character, not {value!r}")
        return raw
    if ctype.kind == "primitive" and ctype.cname == "_Bool":
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{label} takes True or False, not {value!r}")
        return bool(value)
    if ctype.kind == "primitive":
        if isinstance(value, str):
            number = _named_number(name, value)
            if number is None:
                raise ValueError(f"{label} takes a number, not {value!r}")
            return number
        try:
            if isinstance(value, bool):
                raise TypeError
            return float(value) if ctype.cname in ("double", "float") else int(value.__index__())
        except (TypeError, ValueError, AttributeError):
            kind = "a number" if ctype.cname in ("double", "float") else "a whole number"
            raise TypeError(f"{label} takes {kind}, not {value!r}") from None
    if ctype.kind == "pointer" and ctype.item.cname == "char" and value is not None:
        try:
            text = ffi.new("char[]", path_bytes(value))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{label}: {error}") from None
        alive.append(text)
        return text
    return ffi.NULL if value is None else value


@functools.lru_cache(maxsize=None)
def _fields_of(pointer: Any) -> Dict[str, Any]:
    return dict(pointer.item.fields)


def fill(struct: Any, options: Mapping[str, Any], what: str, alive: Optional[List[Any]] = None) -> List[Any]:
    """Sets the fields of an options struct by their names; returns what must live as long as the struct."""
    alive = [] if alive is None else alive
    fields = _fields_of(ffi.typeof(struct))
    for name, value in options.items():
        if name not in fields:
            raise unknown_option(what, name, [n for n, f in fields.items() if f.type.kind in ("enum", "primitive")])
        ctype = fields[name].type
        if ctype.kind == "struct":
            if value is not None and not isinstance(value, Mapping):
                raise TypeError(f"{what}: {name} takes a dictionary, not {value!r}")
            fill(ffi.addressof(struct, name), value or {}, f"{what}: {name}", alive)
            continue
        try:
            setattr(struct, name, _convert(ctype, name, value, what, alive))
        except OverflowError:
            raise ValueError(f"{what}: {name} is out of range: {value!r}") from None
    return alive


def new_options(ctype: str, options: Mapping[str, Any], what: str) -> Tuple[Any, List[Any]]:
    struct = ffi.new(ctype + " *")
    return struct, fill(struct, options, what)


def as_dict(struct: Any) -> Dict[str, Any]:
    """The numbers and words of a struct."""
    ctype = ffi.typeof(struct)
    ctype = ctype.item if ctype.kind == "pointer" else ctype
    result: Dict[str, Any] = {}
    for name, field in ctype.fields:
        if field.type.kind == "enum":
            result[name] = enum_word(field.type, int(getattr(struct, name)))
        elif field.type.kind == "primitive":
            value = getattr(struct, name)
            result[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        elif field.type.kind == "struct":
            result[name] = as_dict(getattr(struct, name))
        elif field.type.kind == "pointer" and field.type.item.cname == "char":
            result[name] = text_of(getattr(struct, name))
    return result
