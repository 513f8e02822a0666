"""Distances by gensim, for the accuracy table: one case a line on standard input (the two points as hex floats), one distance a
line on standard output. Exit status 3: gensim is not installed."""
import sys

try:
    import numpy
    from gensim.models.poincare import PoincareKeyedVectors
except ImportError:
    sys.exit(3)

numpy.seterr(all="ignore")
for line in sys.stdin:
    numbers = numpy.array([float.fromhex(word) for word in line.split()])
    half = len(numbers) // 2
    print(float(PoincareKeyedVectors.vector_distance(numbers[:half], numbers[half:])).hex())
