"""What mypy --strict refuses of a program that uses geodisk: each line below with an "ignore" is wrong, and mypy complains of an ignore where
nothing is. Never run."""
import geodisk
from geodisk import Graph, Model

pairs = [("a", "b"), ("c", "b")]
model: Model = geodisk.train(pairs, 5, lr=0.5, epochs="auto", negatives="all", update="natural")
geodisk.train(pairs, epochs=3, negatives=5, recipe=None, threads=2, output="model.safetensors")
geodisk.train(pairs, lr="a")  # type: ignore[arg-type]
geodisk.train(pairs, dim="2")  # type: ignore[arg-type]
geodisk.train(pairs, epochs="never")  # type: ignore[arg-type]
geodisk.train(pairs, epoch=3)  # type: ignore[call-arg]
geodisk.train(pairs, update="newton")  # type: ignore[arg-type]
geodisk.train(pairs, negatives=2.5)  # type: ignore[arg-type]

graph: Graph = Graph.read("edges.csv", header=True, separator=",").closure(max_edges=5)
Graph.read("edges.csv", header="yes")  # type: ignore[arg-type]
Graph.generate("tree", branching=2, depth=3)
Graph.generate("bush")  # type: ignore[arg-type]
graph.closure(max_edge=5)  # type: ignore[call-arg]

Model.load("model.txt", format="word2vec", space="euclidean")
Model.load("model.txt", format="xml")  # type: ignore[arg-type]
model.plot("disk.svg", graph, centre="root", labels=20, dark=True, max_nodes=100)
model.plot("disk.svg", graph, labels="many")  # type: ignore[arg-type]
model.place(pairs, iterations=100)
model.place(pairs, iteration=100)  # type: ignore[call-arg]
geodisk.evaluate(model, graph, definition="gensim", directed=True)
geodisk.evaluate(model, graph, definition="mine")  # type: ignore[arg-type]
