"""geodisk: graphs and hierarchies in hyperbolic space.

    import geodisk

    graph = geodisk.Graph("edges.tsv")              # child first, parent second
    model = geodisk.train(graph.closure(), dim=5)   # a point for every node
    model.most_similar("dog")
    model.save("animals.safetensors")

`Ball` is the geometry, `Graph`, `train`, `Model` and `evaluate` what one does with a hierarchy, `mean`, `median` and `minimize` what one
does with points; `geodisk.gensim` stands in for gensim.models.poincare. Everything is computed by the C library inside.
"""
from ._ball import Ball
from ._draw import Page, Picture
from ._errors import (ArgumentError, DeviceError, Error, FileError, FormatError, GeodiskWarning, MissingFileError, NumericError, OutOfMemoryError,
                      StoppedError, ThreadError, UnknownNodeError, UnsupportedError)
from ._evaluate import evaluate, lexical_entailment, rank_correlation
from ._graph import Finding, Graph, Split, TakenOut
from ._hierarchy import Hierarchy, IsA
from ._library import __version__, features
from ._mean import Minimum, mean, median, minimize
from ._model import Model, Parent, Placed
from ._train import recipes, train

__all__ = [
    "ArgumentError", "Ball", "DeviceError", "Error", "FileError", "Finding", "FormatError", "GeodiskWarning", "Graph", "Hierarchy", "IsA",
    "Minimum",
    "MissingFileError", "Model", "NumericError", "OutOfMemoryError", "Page", "Parent", "Picture", "Placed", "Split", "StoppedError",
    "TakenOut", "ThreadError", "UnknownNodeError", "UnsupportedError", "__version__", "evaluate", "features", "lexical_entailment", "mean", "median",
    "minimize", "rank_correlation", "recipes", "train",
]
