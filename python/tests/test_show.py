"""Graphs and models show themselves in a notebook: a small picture that is right, the figures, and nothing that is no text."""
import re
import xml.etree.ElementTree

import numpy as np
import pytest

import geodisk
from geodisk import Graph, Model


def parsed(shown):
    """What a notebook would show: it must be well-formed."""
    return xml.etree.ElementTree.fromstring(shown)


def figures(shown):
    return dict(re.findall(r"<tr><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td></tr>", shown))


def test_a_hierarchy_and_its_model():
    graph = Graph([("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"), ("a<b>&c", "animal")])
    shown = graph._repr_html_()
    parsed(shown)
    assert figures(shown) == {"nodes": "5", "edges": "4", "roots": "1", "leaves": "3", "depth": "2", "components": "1"}
    assert "<svg" in shown and ">dog</text>" in shown and "a&lt;b&gt;&amp;c" in shown and "<?xml" not in shown
    model = geodisk.train(graph.closure(), dim=2, epochs=5, negatives=2, progress=False)
    shown = model._repr_html_()
    parsed(shown)
    found = figures(shown)
    assert (found["nodes"], found["dimensions"], found["space"], found["epochs"]) == ("5", "2", "hyperbolic", "5")
    assert float(found["loss"]) == pytest.approx(model.history["loss"][-1], rel=1e-3)
    assert ">dog</text>" in shown and "<path" in shown  # the graph's edges
    assert "<svg" in Model.from_bytes(model.to_bytes())._repr_html_()  # which has no graph any more


def test_networks_weights_and_integers():
    networkx = pytest.importorskip("networkx")
    shown = Graph(networkx.karate_club_graph())._repr_html_()
    parsed(shown)
    found = figures(shown)
    assert found == {"nodes": "34", "edges": "156", "components": "1", "directions": "both", "weights": "yes"}
    assert ">33</text>" in shown
    circle = Graph([(1, 2), (2, 3), (3, 1)])._repr_html_()
    assert figures(circle)["directions"] == "one, with cycles" and "<svg" in circle


def test_what_is_large_or_nothing_is_shown_too():
    large = Graph.generate("recursive", nodes=25000, seed=1)
    shown = large._repr_html_()
    parsed(shown)
    assert figures(shown)["nodes"] == "25,000" and "<svg" not in shown
    model = Model(None, np.random.default_rng(0).uniform(-0.3, 0.3, (5000, 4)))
    shown = model._repr_html_()
    parsed(shown)
    assert figures(shown)["nodes"] == "5,000" and "<svg" in shown and len(shown) < 10**6
    for graph in (Graph([]), Graph.from_arrays([], [], names=["a", "b"])):
        parsed(graph._repr_html_())
    parsed(Model(["one"], [[0.0, 0.0]])._repr_html_())
    parsed(Model(["a", "b"], [[0.0, 3.0], [1.0, 1.0]], space="euclidean")._repr_html_())
