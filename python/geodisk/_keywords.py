"""Options as keyword arguments: the fields of the library's structs, by their names and with its defaults, in signatures that people,
notebooks and type checkers can read.

    @keywords("geodisk_closure_options")
    def closure(self, *, allow_cycles: bool = False, max_edges: int = 0) -> "Graph":
        chosen, alive = new_options("geodisk_closure_options", given(locals(), "geodisk_closure_options"), "Graph.closure")

What the caller did not write is UNSET inside, so that the library, a recipe or a checkpoint decides about it. tests/test_keywords.py holds
every signature to its struct and prints the lines to write when a field was added, removed or given another default.
"""
from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Literal, Mapping, Tuple, TypeVar, Union, cast

from ._native import ffi

F = TypeVar("F", bound=Callable[..., Any])

# The words that stand for the library's enums and named numbers.
Update = Literal["geodesic", "natural", "euclidean"]
Precision = Literal["double", "float"]
Space = Literal["hyperbolic", "euclidean"]
Width = Literal["auto", "double", "float"]
Format = Literal["auto", "model", "word2vec", "word2vec-binary", "tsv", "csv", "npy", "tensorboard", "graphml", "gexf", "json"]
GraphFormat = Literal["auto", "edges", "graphml", "json", "newick", "gexf"]
Generator = Literal["tree", "recursive", "grid", "barabasi", "blocks"]
Kind = Literal["auto", "hierarchy", "network"]
Protocol = Literal["links", "entailment", "parents", "nodes"]
Given = Literal["ancestor", "two-ancestors", "parent", "children"]
Shape = Literal["directed", "closed", "undirected"]
Way = Literal["both", "to-parents", "to-children"]
PictureFormat = Literal["auto", "png", "svg", "pdf"]
Loss = Literal["nickel-kiela", "complement"]
Sampling = Literal["uniform", "degree", "nearby"]
Rates = Literal["rise", "constant", "linear", "cosine"]
Units = Literal["source", "edge"]
Placement = Literal["tree", "random", "auto", "construction", "arcs"]
MeanMethod = Literal["newton", "gradient", "fixed-point", "stochastic"]
Method = Literal["gradient", "backtracking", "stochastic", "momentum", "adagrad", "adam", "rsvrg", "accelerated"]
Schedule = Mapping[str, Any]  # fields of geodisk_schedule: kind, rate, end, decay, steps
Epochs = Union[int, Literal["auto", "none"]]
CoreEpochs = Union[int, Literal["auto"]]
Negatives = Union[int, Literal["all"]]
Definition = Literal["filtered", "gensim"]
Device = Literal["cpu", "cuda", "auto"]
Objective = Literal["neighbours", "distances"]
Stress = Literal["mean", "squared"]


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()

# Every function that takes the fields of structs: (function, structs).
DECLARED: List[Tuple[Callable[..., Any], Tuple[str, ...]]] = []


@functools.lru_cache(maxsize=None)
def fields_of(*structs: str) -> FrozenSet[str]:
    """The fields that an option can set: no functions, no objects of the library's own."""
    found = ((name, field.type) for struct in structs for name, field in ffi.typeof(struct).fields)
    return frozenset(name for name, t in found
                     if t.kind in ("enum", "primitive", "struct") or (t.kind == "pointer" and t.item.cname == "char"))


def given(values: Mapping[str, Any], *structs: str) -> Dict[str, Any]:
    """Of the arguments of a function (its locals()) the options of these structs that its caller wrote."""
    fields = fields_of(*structs)
    return {name: value for name, value in values.items() if name in fields and value is not UNSET}


def unknown_option(what: str, name: str, known: Iterable[str]) -> TypeError:
    known = list(known)
    near = difflib.get_close_matches(name, known, 1, 0.6)
    return TypeError(f"{what} has no option {name!r}; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"))


def keywords(*structs: str) -> Callable[[F], F]:
    """Declares that a function's keyword arguments are fields of these structs."""

    def declare(function: F) -> F:
        parameters = inspect.signature(function).parameters
        positions = [name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
        fields = fields_of(*structs)
        unset = {name: UNSET for name, p in parameters.items() if name in fields and p.default is not p.empty}

        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            for name in options:
                if name not in parameters:
                    raise unknown_option(function.__qualname__, name, [n for n in parameters if n not in ("self", "cls")])
            left = {name: value for name, value in unset.items() if name not in positions[: len(args)]}
            return function(*args, **{**left, **options})

        DECLARED.append((call, structs))
        return cast(F, call)

    return declare
