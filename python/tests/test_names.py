"""Nodes are called what they were called: integers stay integers, everywhere and in files; 5 and "5" never meet; nothing is no name."""
import copy
import io
import pickle

import numpy as np
import pytest

import geodisk
from geodisk import Graph, Model

PAIRS = [(10, 5), (20, 5), (30, 20), (40, 20), (50, 40)]


def trained(graph, **options):
    return geodisk.train(graph, **{"dim": 2, "epochs": 3, "negatives": 2, "progress": False, **options})


@pytest.fixture
def model():
    return trained(PAIRS)


def test_integers_stay_integers_in_graphs():
    graph = Graph(PAIRS)
    assert sorted(graph.names) == [5, 10, 20, 30, 40, 50] and all(type(name) is int for name in graph.names)
    assert graph.parents(10) == [5] and sorted(graph.children(20)) == [30, 40]
    assert graph.has_edge(30, 20) and 30 in graph and "30" not in graph and 0 not in graph
    assert sorted(graph) == sorted(PAIRS)
    assert graph.index(np.int64(5)) == graph.index(5)
    for made in (graph.closure(), graph.reverse(), graph.undirected(), graph.reduce(), graph.below(20), *graph.closure().split(test=20),
                 pickle.loads(pickle.dumps(graph)), copy.copy(graph)):
        assert all(type(name) is int for name in made.names)
    assert sorted(graph.below(20).names) == [20, 30, 40, 50]
    assert graph == Graph(PAIRS) and graph != Graph([(str(a), str(b)) for a, b in PAIRS])


def test_an_integer_is_a_name_and_never_a_row(model):
    assert all(type(name) is int for name in model.names)
    row = model.index(20)
    assert model.names[row] == 20
    np.testing.assert_array_equal(model[20], model.vectors[row])
    assert model.most_similar(20) == model.most_similar(row=row)
    assert model.parents(20) == model.parents(row=row) and model.children(5, 2) == model.children(row=model.index(5), k=2)
    assert model.ancestors(50) == model.ancestors(row=model.index(50)) and model.descendants(5) == model.descendants(row=model.index(5))
    assert {name for name, _ in model.most_similar(20)} == {5, 10, 30, 40, 50}
    assert model.distance(5, 10) == model.distance(np.int32(5), 10)
    for missing in (0, 1, 3):  # rows, but no names
        with pytest.raises(KeyError, match=f"no node {missing}"):
            model.most_similar(missing)
    with pytest.raises(KeyError, match="no row 6: it has 6"):
        model.most_similar(row=6)
    with pytest.raises(KeyError, match='no node "5": its 5 is an integer, not a string'):
        model.most_similar("5")
    with pytest.raises(TypeError, match="by its name or by row="):
        model.parents(5, row=1)
    with pytest.raises(TypeError, match="by its name or by row="):
        model.most_similar()


def test_strings_are_no_integers():
    model = trained([("5", "6"), ("7", "6")])
    assert model.names == ["5", "6", "7"] and model.most_similar("5", topn=1)
    with pytest.raises(KeyError, match='no node 5: its "5" is a string, not an integer'):
        model.most_similar(5)
    assert 5 not in model and "5" in model


def test_files_keep_the_type(tmp_path, model):
    model.save(tmp_path / "m.safetensors")
    buffer = io.BytesIO()
    model.save(buffer)
    buffer.seek(0)
    for again in (Model.load(tmp_path / "m.safetensors"), Model.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model)),
                  Model.load(buffer)):
        assert again.names == model.names and type(again.names[0]) is int
        assert again.most_similar(20) == model.most_similar(20)
    assert model.metadata["name_types"] == "int"
    assert "name_types" not in trained([("a", "b"), ("c", "b")]).metadata


def test_checkpoints_keep_the_type(tmp_path):
    graph = Graph(PAIRS)
    whole = trained(graph, epochs=6, output=tmp_path / "whole")
    part = trained(graph, epochs=6, output=tmp_path / "part", checkpoint_every=1, on_epoch=lambda e: e["epoch"] < 2)
    assert Model.load(tmp_path / "part").names == part.names == graph.names
    again = geodisk.train(graph, resume=tmp_path / "part", output=tmp_path / "again", progress=False)
    assert again.names == graph.names and again.to_bytes() == whole.to_bytes()
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    with pytest.raises(ValueError, match="the model has the node 10, an integer, the graph '10', a string"):
        geodisk.train(Graph([(str(a), str(b)) for a, b in PAIRS]), resume=tmp_path / "part", progress=False)


MIXED = [("dog", 1), (2, 1), ((3, "x"), 1), (2.5, "dog")]


def test_mixed_names_and_tuples(tmp_path):
    graph = Graph(MIXED)
    wanted = ["dog", 1, 2, (3, "x"), 2.5]
    assert graph.names == wanted and [type(name) for name in graph.names] == [str, int, int, tuple, float]
    assert graph.parents((3, "x")) == [1] and sorted(graph, key=str) == sorted(MIXED, key=str)
    model = trained(graph)
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert again.names == wanted and [type(name) for name in again.names] == [str, int, int, tuple, float]
    assert again.most_similar((3, "x")) == model.most_similar((3, "x")) and again.metadata["name_types"] == "mixed"
    assert list(again.to_pandas().index) == wanted
    networkx = pytest.importorskip("networkx")
    grid = Graph(networkx.grid_2d_graph(3, 3))
    assert (1, 2) in grid and sorted(grid.parents((0, 0))) == [(0, 1), (1, 0)]
    assert networkx.is_isomorphic(grid.to_networkx().to_undirected(), networkx.grid_2d_graph(3, 3))


@pytest.mark.parametrize("call,kind,text", [
    (lambda: Graph([(1, 2), ("1", 3)]), ValueError, r"edge 1 .*the child is '1', a string, after '1' that was an integer"),
    (lambda: Graph([("a", "b"), ("c", None)]), ValueError, r"edge 1 .*the parent is None: there is no name"),
    (lambda: Graph([("a", "b"), (float("nan"), "b")]), ValueError, r"edge 1 .*the child is NaN"),
    (lambda: Graph([("a", "b"), (np.float32("nan"), "b")]), ValueError, r"edge 1 .*the child is NaN"),
    (lambda: Graph([("a", float("inf"))]), ValueError, r"edge 0 .*the parent is inf"),
    (lambda: Graph([(True, 2)]), TypeError, r"edge 0 .*the child is True: a truth value is no name"),
    (lambda: Graph([(b"a", "b")]), TypeError, r"edge 0 .*the child is b'a', a bytes"),
    (lambda: Graph([(["a"], "b")]), TypeError, r"edge 0 .*the child is \['a'\], a list"),
    (lambda: Graph([("a", "b", 1.0), ("c", "b", "heavy")]), ValueError, r"edge 1 .*the weight is 'heavy', not a number"),
    (lambda: Graph([("a", "b", 1.0), ("c", "b", float("nan"))]), ValueError, r"edge 1 .*the weight is nan"),
    (lambda: Graph([("a", "b", 1.0), ("c", "b", None)]), ValueError, r"edge 1 .*the weight is None"),
    (lambda: Graph.from_arrays([0], [1], names=[1, "1"]), ValueError, "names: number 1 is '1', a string, after '1' that was an integer"),
    (lambda: Graph.from_arrays([0], [1], names=["a", None]), ValueError, "names: number 1 is None"),
    (lambda: Model([1, float("nan")], np.zeros((2, 2))), ValueError, "names: number 1 is NaN"),
    (lambda: Model([1, "1"], np.zeros((2, 2))), ValueError, "names: number 1"),
    (lambda: Model([1, 1], np.zeros((2, 2))), ValueError, "1"),
])
def test_no_names(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_models_and_graphs_must_call_nodes_the_same(model):
    texts = Graph([(str(a), str(b)) for a, b in PAIRS])
    for call in (lambda: geodisk.evaluate(model, texts), lambda: model.place([("60", "5")]), lambda: model.plot(graph=texts),
                 lambda: model.view(graph=texts), lambda: trained(texts, start=model)):
        with pytest.raises(ValueError, match=r"the model has the node \d+, an integer, the graph '\d+', a string; Graph.rename"):
            call()
    assert geodisk.evaluate(model, texts.rename(int)) == geodisk.evaluate(model, PAIRS)


def test_rename():
    graph = Graph.read_bytes("2\t1\t0.5\n3\t1\t2\n4\t3\t1\n")
    whole = graph.rename(int)
    assert sorted(whole) == [(2, 1), (3, 1), (4, 3)] and sorted(whole.weights.tolist()) == [0.5, 1.0, 2.0]
    assert whole.rename(str) == graph
    assert sorted(graph.rename({"1": "root"}).names) == ["2", "3", "4", "root"]
    assert graph.rename(["a", "b", "c", "d"]).parents("a") == ["b"]
    with pytest.raises(ValueError):
        graph.rename(lambda name: "same")
    with pytest.raises(ValueError, match="expected 4 names"):
        graph.rename(["a"])


def test_placed_nodes_have_their_type(model):
    more, placed = model.place([(60, 5), ("new", 60)])
    assert [p.node for p in placed] == [60, "new"] and more.names[-2:] == [60, "new"] and more.names[:-2] == model.names
    assert Model.from_bytes(more.to_bytes()).names == more.names


def test_numbers_without_names_are_the_names():
    assert Graph.from_arrays([1, 2], [0, 0]).children(0) == [1, 2]
    sparse = pytest.importorskip("scipy.sparse")
    assert Graph(sparse.csr_matrix(np.eye(4, k=-1))).parents(3) == [2]
    assert Model(None, np.zeros((3, 2))).names == [0, 1, 2]
    assert Graph(np.array([[7, 3], [8, 3]])).names == [7, 3, 8]


def test_many_nodes_and_points(model):
    many = model.most_similar([10, 20], topn=2)
    assert many == [model.most_similar(10, 2), model.most_similar(20, 2)]
    assert model.most_similar((10, 20), 2) == many and model.most_similar(np.array([10, 20]), 2) == many
    assert model.most_similar([], 2) == [] and len(model.most_similar(10, None)) == 5
    point = model[10]
    assert model.most_similar(point, 1)[0][0] == 10 == model.most_similar(point.tolist(), 1)[0][0]
    assert [near[0][0] for near in model.most_similar(model.vectors, 1)] == model.names
    with pytest.raises(ValueError, match=r"expected an array of shape \(..., 2\)"):
        model.most_similar([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="number of neighbours takes a whole number from 1 up, not 0"):
        model.most_similar(10, 0)
    with pytest.raises(TypeError, match="whole number"):
        model.most_similar(10, 1.5)


def test_pictures_take_nodes_by_their_names(tmp_path, model):
    text = model.plot(graph=PAIRS, centre=20, highlight=[30, 40], below=5)._repr_svg_()
    assert text == model.plot(graph=PAIRS, centre=np.int64(20), highlight=(30, 40), below=5)._repr_svg_()
    assert text != model.plot(graph=PAIRS, centre="root", highlight=30)._repr_svg_()
    for options in ({"centre": 0}, {"highlight": "30"}, {"below": 99}):
        with pytest.raises(KeyError, match="no node"):
            model.plot(graph=PAIRS, **options)


def test_gensims_rule_is_gensims():
    from geodisk.gensim import PoincareKeyedVectors, PoincareModel

    kv = PoincareKeyedVectors(2, 0, dtype=float)
    kv.add_vectors(["a", "b", "c"], [[0.0, 0.0], [0.5, 0.0], [0.4, 0.3]])
    assert kv.most_similar("b", topn=1) == kv.most_similar(1, topn=1)  # an integer is an index there
    numbered = PoincareModel([(7, 8), (9, 8)], size=2, negative=1)
    numbered.train(1)
    assert numbered.kv.index_to_key == [7, 8, 9]


def test_pandas_frames():
    pandas = pytest.importorskip("pandas")
    staff = pandas.DataFrame({"id": [1, 2, 3], "name": ["Ann", "Bob", "Cid"], "manager": ["Eve", "Ann", "Ann"], "pay": [3.0, 1.0, 2.0]})
    graph = Graph(staff, child="name", parent="manager", weight="pay")
    assert sorted(graph) == [("Ann", "Eve"), ("Bob", "Ann"), ("Cid", "Ann")] and sorted(graph.weights.tolist()) == [1.0, 2.0, 3.0]
    assert Graph(staff[["name", "manager"]]) == Graph(staff, child="name", parent="manager")
    assert Graph(staff.rename(columns={"pay": "weight"})[["name", "manager", "weight"]]) == graph
    for frame in (staff.astype({"name": "string"}), staff.astype({"manager": "category"}), staff.set_index("id")):
        assert Graph(frame, child="name", parent="manager", weight="pay") == graph
    numbers = pandas.DataFrame({"child": [10, 20], "parent": [5, 5]}, dtype="Int64")
    assert Graph(numbers).children(5) == [10, 20] == Graph(numbers.astype("int32")).children(5)
    back = Graph(PAIRS).to_pandas()
    assert list(back.columns) == ["child", "parent"] and Graph(back) == Graph(Graph(PAIRS))
    assert list(graph.to_pandas().columns) == ["child", "parent", "weight"] and Graph(graph.to_pandas()) == graph
    lonely = pandas.DataFrame({"name": ["Ann", "Bob"], "manager": [None, "Ann"]}, index=["x", "y"])
    for call, text in [
        (lambda: Graph(staff), r"which columns are the edges\? Say child=.*'id', 'name', 'manager', 'pay'"),
        (lambda: Graph(staff, child="nane", parent="manager"), "child='nane': the frame has no such column; did you mean 'name'"),
        (lambda: Graph(staff, child="name"), "give both columns"),
        (lambda: Graph(staff, child="name", parent="manager", weight="name"), "row 0, column 'name': is 'Ann', not a number"),
        (lambda: Graph(lonely), r"row 0 \(index 'x'\), column 'manager': is None: there is no name; frame.dropna\(subset=\['manager'\]\)"),
        (lambda: Graph(pandas.DataFrame({"a": [1, 2], "b": [3, None]})), "row 1, column 'b': is NaN"),
        (lambda: Graph(pandas.DataFrame({"a": [1, 2], "b": [3, pandas.NA]}, dtype="Int64")), "row 1, column 'b': is <NA>"),
        (lambda: Graph(pandas.concat([staff, staff], axis=1), child="name", parent="manager"), "more than one such column"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(TypeError, match="name the columns of a pandas.DataFrame, not of a list"):
        Graph(PAIRS, child="a", parent="b")


def test_networkx_nodes_and_weights():
    networkx = pytest.importorskip("networkx")
    club = networkx.karate_club_graph()
    graph = Graph(club)
    assert graph.names == list(range(34)) and graph.edge_count == 2 * club.number_of_edges() and graph.weighted
    assert 33 in graph.parents(0) or 1 in graph.parents(0)
    assert not Graph.from_networkx(club, weight=None).weighted
    assert networkx.utils.graphs_equal(networkx.DiGraph(Graph(networkx.DiGraph([(1, 2), (3, 2)])).to_networkx()), networkx.DiGraph([(1, 2), (3, 2)]))
    heavy = networkx.DiGraph()
    heavy.add_edge("a", "b", cost=2.0)
    heavy.add_edge("c", "b", cost="dear")
    assert not Graph(heavy).weighted
    with pytest.raises(ValueError, match=r"edge \('c', 'b'\): its cost is 'dear', not a number"):
        Graph(heavy, weight="cost")
    with pytest.raises(TypeError, match="networkx graph: names: number 0 is <object"):
        Graph(networkx.DiGraph([(object(), "b")]))
    with pytest.raises(ValueError, match="networkx graph: names: number 1 is '1'"):
        Graph(networkx.DiGraph([(1, "1")]))


def test_models_for_pandas_networkx_and_numpy(model):
    frame = model.to_pandas()
    assert list(frame.index) == model.names and list(frame.columns) == ["x0", "x1", "radius"]
    net = model.to_networkx(PAIRS)
    assert set(net.edges) == set(PAIRS) and net.nodes[20]["pos"] == tuple(model[20].tolist())
    assert net.edges[10, 5]["distance"] == model.distance(10, 5) and net.nodes[5]["radius"] == model.radii[model.index(5)]
    assert model.to_networkx().number_of_edges() == 0
    np.testing.assert_array_equal(np.asarray(model), model.vectors)
    assert np.asarray(model, np.float32).dtype == np.float32 and np.array(model).flags.writeable


def test_other_formats(tmp_path, model):
    networkx = pytest.importorskip("networkx")
    graph = Graph(PAIRS)
    graph.write(tmp_path / "g.graphml")
    assert {(int(u), int(v)) for u, v in networkx.read_graphml(tmp_path / "g.graphml").edges} == set(PAIRS)
    assert Graph(tmp_path / "g.graphml").rename(int) == Graph(Graph.read(tmp_path / "g.graphml", format="graphml")).rename(int)
    assert sorted(Graph(tmp_path / "g.graphml").rename(int)) == sorted(PAIRS)
    buffer = io.BytesIO()
    model.export(buffer, format="json", graph=PAIRS)
    assert b'"links"' in buffer.getvalue() or b'"edges"' in buffer.getvalue()
    with pytest.raises(ValueError, match="the model has the node 10, an integer"):
        model.export(io.BytesIO(), format="json", graph=[("10", "5")])
