"""Names of nodes: what Python calls them, and what the library does, which knows texts only.

A name is a string, an integer, a finite float, or a tuple of these. The library gets strings as they are and everything else as Python
writes it; which is which is kept beside, one byte for each node (`kinds`; None: all are strings), in the model's file too.
"""
from __future__ import annotations

import ast
import math
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._errors import UnknownNodeError
from ._native import ffi

Name = Any  # str, int, float, or a tuple of these
Kinds = Optional[bytes]

STRING, INTEGER, OTHER = 0, 1, 2
_WORDS = {STRING: "a string", INTEGER: "an integer", OTHER: "another value"}
_MISSING = ("NAType", "NaTType")  # of pandas


def block_texts(block: Any, starts: Any, n: int) -> List[str]:
    """The names of a graph or model as the library has them, in one block."""
    if n == 0:
        return []
    return bytes(ffi.buffer(block, starts[n])).decode("utf-8").split("\0")[:n]


def name_bytes(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"a name is a text, not {text!r}")
    raw = text.encode("utf-8")
    if b"\0" in raw:
        raise ValueError(f"a name holds a NUL: {text!r}")
    return raw


def _plain(name: Any) -> Any:
    """A name as one of Python's own types; an error if it cannot be one."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (bool, np.bool_)):
        raise TypeError(f"is {name!r}: a truth value is no name")
    if isinstance(name, (int, np.integer)):
        return int(name)
    if name is None or type(name).__name__ in _MISSING:
        raise ValueError(f"is {name!r}: there is no name")
    if isinstance(name, (float, np.floating)):
        if math.isnan(name):
            raise ValueError("is NaN: there is no name")
        if math.isinf(name):
            raise ValueError(f"is {name!r}, which is no name")
        return float(name)
    if isinstance(name, tuple):
        return tuple(_plain(part) for part in name)
    raise TypeError(f"is {name!r}, a {type(name).__name__}: names are strings, integers, floats, or tuples of these")


def text_and_kind(name: Any) -> Tuple[str, int]:
    """What the library calls a name; the error says what it is instead of one ("is NaN: ...")."""
    if type(name) is str:
        return name, STRING
    if type(name) is int:
        return str(name), INTEGER
    name = _plain(name)
    if isinstance(name, str):
        return name, STRING
    return (str(name), INTEGER) if isinstance(name, int) else (repr(name), OTHER)


def _python_name(text: str, kind: int) -> Name:
    """The name that has this text; a text that another program has written there stays one."""
    try:
        value = text if kind == STRING else int(text) if kind == INTEGER else ast.literal_eval(text)
        return value if kind == STRING or text_and_kind(value) == (text, kind) else text
    except (ValueError, SyntaxError, TypeError):
        return text


def python_names(texts: List[str], kinds: Kinds) -> List[Name]:
    return texts if kinds is None else [_python_name(text, kind) for text, kind in zip(texts, kinds)]


def trimmed(kinds: bytes) -> Kinds:
    return bytes(kinds) if any(kinds) else None


class Table:
    """Names as they come, numbered; 5 and "5" are not one name, nor two."""

    def __init__(self) -> None:
        self.ids: Dict[str, int] = {}
        self._kinds = bytearray()

    def add(self, name: Any) -> int:
        text, kind = text_and_kind(name)
        found = self.ids.get(text)
        if found is None:
            found = self.ids[text] = len(self._kinds)
            self._kinds.append(kind)
        elif self._kinds[found] != kind:
            raise ValueError(f"is {name!r}, {_WORDS[kind]}, after {text!r} that was {_WORDS[self._kinds[found]]}: "
                             "call it the same everywhere")
        return found

    @property
    def texts(self) -> List[str]:
        return list(self.ids)

    @property
    def kinds(self) -> Kinds:
        return trimmed(self._kinds)


def listed(names: Any) -> Tuple[List[str], Kinds]:
    """The texts of a list of names. (That all differ is for the library to say, but 5 and "5" would look alike to it.)"""
    table, texts = Table(), []
    for i, name in enumerate(names):
        try:
            table.add(name)
        except (TypeError, ValueError) as error:
            raise type(error)(f"names: number {i} {error}") from None
        texts.append(text_and_kind(name)[0])
    return texts, table.kinds if len(table.ids) == len(texts) else trimmed(bytes(text_and_kind(name)[1] for name in names))


def inherited(kinds: Kinds, texts: List[str], new: List[str]) -> Kinds:
    """The kinds of names that are all, or among, older ones."""
    if kinds is None:
        return None
    of_text = dict(zip(texts, kinds))
    return trimmed(bytes(of_text.get(text, STRING) for text in new))


def merged(kinds: Kinds, texts: List[str], other: Kinds, other_texts: List[str], what: str, other_what: str) -> Dict[str, int]:
    """The kinds of two sets of names by their texts; an error where one has 5 and the other "5"."""
    of_text: Dict[str, int] = {}
    if kinds is None and other is None:
        return of_text
    of_text.update(zip(texts, kinds or bytes(len(texts))))
    for text, kind in zip(other_texts, other or bytes(len(other_texts))):
        if of_text.setdefault(text, kind) != kind:
            mine, yours = _python_name(text, of_text[text]), _python_name(text, kind)
            raise ValueError(f"the {what} has the node {mine!r}, {_WORDS[of_text[text]]}, the {other_what} {yours!r}, {_WORDS[kind]}; "
                             "Graph.rename(int) or Graph.rename(str) gives a graph's nodes other names")
    return of_text


def shown(name: Name) -> str:
    return f'"{name}"' if isinstance(name, str) else repr(name)


def located(node: Any, kinds: Kinds, look_up: Callable[[bytes], Optional[int]], what: str) -> Optional[int]:
    """The number of a node, None if there is none; an error if the one that looks like it is of another kind."""
    try:
        text, kind = text_and_kind(node)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the node {error}") from None
    found = look_up(name_bytes(text))
    there = STRING if found is None or kinds is None else kinds[found]
    if found is not None and there != kind:
        raise UnknownNodeError(f"the {what} has no node {shown(node)}: its {shown(_python_name(text, there))} is {_WORDS[there]}, "
                               f"not {_WORDS[kind]}")
    return found
