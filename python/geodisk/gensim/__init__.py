"""A drop-in for gensim.models.poincare: the same classes, the same files, computed by geodisk.

    from geodisk.gensim import PoincareModel      # was: from gensim.models.poincare import PoincareModel

    model = PoincareModel(relations, size=10, negative=10, workers=2)
    model.train(epochs=50)
    model.kv.most_similar("dog.n.01")

gensim itself is not needed. `docs/gensim.md` says what is the same, what is better, and what is different.
"""
from ._evaluation import LexicalEntailmentEvaluation, LinkPredictionEvaluation, ReconstructionEvaluation
from ._training import NegativesBuffer, PoincareModel, PoincareRelations
from ._vectors import PoincareKeyedVectors

__all__ = ["LexicalEntailmentEvaluation", "LinkPredictionEvaluation", "NegativesBuffer", "PoincareKeyedVectors", "PoincareModel",
           "PoincareRelations", "ReconstructionEvaluation"]
