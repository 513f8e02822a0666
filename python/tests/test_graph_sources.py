"""Graph: every source gives the same graph; queries; graphs from graphs; what is refused."""
import gzip
import pickle

import numpy as np
import pytest

import geodisk
from geodisk import Graph

PAIRS = [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"), ("trout", "fish"), ("fish", "animal")]


def test_pairs_file_gzip_and_bytes_agree(tmp_path):
    text = "".join(f"{u}\t{v}\n" for u, v in PAIRS)
    (tmp_path / "edges.tsv").write_text(text)
    with gzip.open(tmp_path / "edges.tsv.gz", "wt") as file:
        file.write(text)
    graph = Graph(PAIRS)
    assert len(graph) == 6 and graph.edge_count == 5
    for other in (Graph(str(tmp_path / "edges.tsv")), Graph(tmp_path / "edges.tsv.gz"), Graph.read_bytes(text), Graph(iter(PAIRS)), Graph(graph)):
        assert other == graph and hash(other) == hash(graph) and other.fingerprint == graph.fingerprint
    assert Graph(PAIRS[:-1]) != graph


def test_what_is_in_it():
    graph = Graph(PAIRS)
    assert graph.names == ["dog", "mammal", "cat", "animal", "trout", "fish"]
    assert sorted(graph) == sorted(PAIRS)
    assert graph.edges.tolist() == sorted([graph.index(u), graph.index(v)] for u, v in PAIRS)
    assert graph.parents("dog") == ["mammal"] and graph.children("animal") == ["mammal", "fish"]
    assert graph.has_edge("dog", "mammal") and not graph.has_edge("mammal", "dog")
    assert "dog" in graph and "wolf" not in graph and 3 not in graph
    assert not graph.weighted and graph.weights is None
    facts = graph.describe()
    assert (facts["roots"], facts["leaves"], facts["depth"], facts["components"]) == (1, 3, 2, 1)


def test_weights():
    graph = Graph([("a", "b", 2.0), ("a", "c", 0.5)])
    assert graph.weighted and graph.weights.tolist() == [2.0, 0.5]
    with pytest.raises(ValueError):
        graph.weights[0] = 1.0  # the graph's own memory
    with pytest.raises(ValueError, match="a weight with every pair"):
        Graph([("a", "b", 1.0), ("a", "c")])


def test_dropped_edges_are_counted():
    assert Graph([("a", "a"), ("a", "b"), ("a", "b")]).dropped == {"self_loops": 1, "duplicates": 1}


def test_closure_and_friends():
    graph = Graph(PAIRS)
    closed = graph.closure()
    assert closed.edge_count == 8 and closed.has_edge("dog", "animal")
    assert closed.reduce() == graph
    assert graph.reverse().reverse() == graph and graph.reverse().has_edge("mammal", "dog")
    assert graph.undirected().edge_count == 10
    assert sorted(graph.below("mammal").names) == ["cat", "dog", "mammal"]
    tree = Graph.generate("tree", branching=3, depth=4, shape="closed")
    split = tree.split(validation=10, test=20, seed=1)
    assert split.train.edge_count + split.validation.edge_count + split.test.edge_count == tree.edge_count
    assert split.test.edge_count > split.validation.edge_count > 0 and len(split.train) == len(tree)


def test_hops_match_networkx():
    networkx = pytest.importorskip("networkx")
    graph = Graph.generate("recursive", nodes=60, seed=5)
    hops, other = graph.hops(), dict(networkx.all_pairs_shortest_path_length(graph.to_networkx().to_undirected()))
    for i, u in enumerate(graph.names):
        assert hops[i].tolist() == [other[u][v] for v in graph.names]
    assert Graph([("a", "b"), ("c", "d")]).hops(["a"]).tolist() == [[0, 1, -1, -1]]
    assert Graph([("a", "b")]).hops(["b"], way="to-parents").tolist() == [[-1, 0]]


def test_networkx_there_and_back():
    networkx = pytest.importorskip("networkx")
    directed = networkx.DiGraph()
    directed.add_nodes_from(["lonely"])
    directed.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 3.0)])
    graph = Graph(directed)
    assert "lonely" in graph and graph.weights.tolist() == [2.0, 3.0]
    back = graph.to_networkx()
    assert networkx.utils.graphs_equal(back, directed)
    assert Graph(networkx.path_graph(3)).edge_count == 4  # undirected: both ways


def test_scipy_there_and_back():
    sparse = pytest.importorskip("scipy.sparse")
    graph = Graph.generate("barabasi", nodes=50, attach=2, seed=1)
    matrix = graph.to_scipy()
    assert matrix.shape == (50, 50) and matrix.nnz == graph.edge_count
    assert Graph(matrix, names=graph.names) == graph
    weighted = Graph(sparse.csr_matrix(np.array([[0, 2.5], [0, 0]])), names=["a", "b"])
    assert weighted.weights.tolist() == [2.5]
    with pytest.raises(ValueError, match="square"):
        Graph(sparse.csr_matrix((2, 3)))


def test_pickle_and_write(tmp_path):
    for graph in (Graph(PAIRS), Graph([("a b", 'say "c"', 2.0)])):
        assert pickle.loads(pickle.dumps(graph)) == graph
        graph.write(tmp_path / "out.tsv")
        assert Graph(tmp_path / "out.tsv").edge_count == graph.edge_count
    assert sorted(Graph(tmp_path / "out.tsv")) == [("a b", 'say "c"')]


def test_wordnet():
    try:
        graph = Graph.wordnet(root="mammal.n.01", direct=True)
    except FileNotFoundError:
        pytest.skip("wordnet-base is not installed")
    assert graph.has_edge("dog.n.01", "canine.n.02")
    with pytest.raises(ValueError, match="nosuch.n.01"):
        Graph.wordnet(root="nosuch.n.01")


def test_obo(tmp_path):
    (tmp_path / "x.obo").write_text("format-version: 1.2\n\n[Term]\nid: A:1\nname: cell\n\n[Term]\nid: A:2\nname: neuron\nis_a: A:1 ! cell\n")
    assert list(Graph.obo(tmp_path / "x.obo", names=True)) == [("neuron", "cell")]


def test_check_says_what_is_wrong():
    topics = {f.topic: f for f in Graph([("a", "b"), ("b", "c"), ("c", "a")]).check()}
    assert topics["cycles"].level == "problem" and topics["cycles"].advice
    assert Graph.generate("tree", branching=2, depth=3).hyperbolicity()["upper"] == 0.0


@pytest.mark.parametrize("call,kind,text", [
    (lambda: Graph(["ab"]), ValueError, r"expected \(child, parent\)"),
    (lambda: Graph([("a", "b", "c", "d")]), ValueError, r"expected \(child, parent\)"),
    (lambda: Graph("no/such/file.tsv"), FileNotFoundError, "no/such/file.tsv"),
    (lambda: Graph.read_bytes("a\tb\tx\nc\td\t1\n", header=False, weights=True), ValueError, "edges: line 1, column 3"),
    (lambda: Graph.read_bytes("a\tb\n", sepparator=","), TypeError, "no option 'sepparator'; did you mean separator?"),
    (lambda: Graph.generate("bush"), ValueError, "kind takes tree, recursive, grid, barabasi or blocks, not 'bush'"),
    (lambda: Graph.generate("tree", branching="two", depth=1), ValueError, "branching takes a number"),
    (lambda: Graph.generate("tree", branching=2.5, depth=1), TypeError, "branching takes a whole number"),
    (lambda: Graph.generate("tree", branching=-1, depth=1), ValueError, "branching is out of range"),
    (lambda: Graph(PAIRS).parents("wolf"), KeyError, 'no node "wolf"'),
    (lambda: Graph(PAIRS).parents(0), KeyError, "no node 0"),
    (lambda: Graph([("a", "b"), ("b", "a")]).closure(), ValueError, "cycle"),
    (lambda: Graph.from_arrays([0, 1], [1]), ValueError, r"parents: expected an array of shape \(2,\), got shape \(1,\)"),
    (lambda: Graph.from_arrays([0.5], [1]), TypeError, "children: expected whole numbers"),
    (lambda: Graph.from_arrays([-1], [1]), ValueError, "children"),
    (lambda: Graph.from_arrays([0], [1], names=["a"]), ValueError, "."),
    (lambda: Graph.from_arrays([0], [1], names=["a", "a"]), ValueError, "."),
    (lambda: Graph.from_arrays([0], [1], names=["a", "b\0"]), ValueError, "NUL"),
])
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_library_warnings_become_pythons():
    with pytest.warns(geodisk.GeodiskWarning, match="self-loop|itself|loop") as seen:
        Graph.read_bytes("a\ta\nb\tc\n")
    assert seen[0].filename == __file__  # where the user called
