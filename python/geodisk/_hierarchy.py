"""What a model knows of its hierarchy: is this a that, who is above, who is below."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional

from ._library import Session
from ._names import Name
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._model import Model


class IsA(NamedTuple):
    """The answer to "is this a that?": true where `score`, d(p,c) - d(o,c), is at most `threshold`."""
    is_a: bool
    probability: float
    score: float
    threshold: float

    def __bool__(self) -> bool:
        return self.is_a


class Hierarchy:
    """Answers by the half-space score; made by `model.hierarchy()`.

    >>> import geodisk
    >>> pairs = [("dog", "canine"), ("wolf", "canine"), ("canine", "mammal"), ("cat", "feline"), ("feline", "mammal")]
    >>> model = geodisk.train(geodisk.Graph(pairs).closure(), dim=5, seed=1)
    >>> tree = model.hierarchy()
    >>> bool(tree.is_a("dog", "mammal")), bool(tree.is_a("mammal", "dog"))
    (True, False)
    >>> tree.parents("dog"), tree.ancestors("dog"), tree.lowest_common_ancestor("dog", "cat")
    (['canine'], ['mammal', 'canine'], 'mammal')
    """

    def __init__(self, model: "Model", threshold: Optional[float] = None) -> None:
        given = ffi.NULL if threshold is None else ffi.new("double *", float(threshold))
        self._model = model
        with Session(None) as s:
            self._hierarchy = s.make("hierarchy", lib.geodisk_hierarchy_create, model._model, given, holds=model._model)

    def is_a(self, child: Name, parent: Name) -> IsA:
        """Is child a parent? The answer is true or false, and has probability, score and threshold."""
        out = ffi.new("geodisk_is_a_answer *")
        with Session(1) as s:
            s.check(lib.geodisk_hierarchy_is_a(s.context, self._hierarchy, self._model.index(child), self._model.index(parent), out))
        return IsA(bool(out.is_a), float(out.probability), float(out.score), float(out.threshold))

    def _set(self, function: Any, *nodes: Name) -> List[Name]:
        out, found = ffi.new("uint32_t[]", len(self._model)), ffi.new("size_t *")
        with Session(None) as s:
            s.check(function(s.context, self._hierarchy, *(self._model.index(node) for node in nodes), out, found))
        return [self._model.names[out[i]] for i in range(found[0])]

    def ancestors(self, node: Name) -> List[Name]:
        """All nodes above, the deepest last."""
        return self._set(lib.geodisk_hierarchy_ancestors, node)

    def parents(self, node: Name) -> List[Name]:
        """The nodes above it that are above no other of them, the deepest first."""
        return self._set(lib.geodisk_hierarchy_parents, node)

    def descendants(self, node: Name) -> List[Name]:
        """All nodes below, the highest first."""
        return self._set(lib.geodisk_hierarchy_descendants, node)

    def children(self, node: Name) -> List[Name]:
        """The nodes below it that are below no other of them."""
        return self._set(lib.geodisk_hierarchy_children, node)

    def siblings(self, node: Name) -> List[Name]:
        """The other children of its parents."""
        return self._set(lib.geodisk_hierarchy_siblings, node)

    def analogy(self, a: Name, b: Name, c: Name) -> List[Name]:
        """a is to b as c is to what? As many levels above or below; nothing where neither a nor b is above the other."""
        return self._set(lib.geodisk_hierarchy_analogy, a, b, c)

    def lowest_common_ancestor(self, a: Name, b: Name) -> Optional[Name]:
        """The deepest node that is above both (or one of them, if it is above the other); None if there is none."""
        out, found = ffi.new("uint32_t *"), ffi.new("bool *")
        with Session(None) as s:
            s.check(lib.geodisk_hierarchy_common_ancestor(s.context, self._hierarchy, self._model.index(a), self._model.index(b),
                                                          out, found))
        return self._model.names[out[0]] if found[0] else None
