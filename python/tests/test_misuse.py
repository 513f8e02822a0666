"""What must not be lost or go wrong in silence: texts cut at a NUL, outputs that cannot be written, gaps that lie, arrays that change."""
import contextlib
import io
import json
import os
import threading

import numpy as np
import pytest

import geodisk
from geodisk import Ball, Graph, Model

PAIRS = [("a", "b"), ("c", "b"), ("d", "c")]


def small(**options):
    return geodisk.train(PAIRS, **{"dim": 2, "epochs": 3, "negatives": 1, "progress": False, **options})


@pytest.fixture
def model():
    return Model(["a", "b", "c"], [[0.0, 0.0], [0.5, 0.0], [0.0, -0.5]])


def test_no_path_or_text_is_cut_at_a_nul(tmp_path, model):
    model.save(tmp_path / "m")
    Graph(PAIRS).write(tmp_path / "e")
    cut = str(tmp_path / "m") + "\0.safetensors"
    edges = str(tmp_path / "e") + "\0.tsv"
    for call in (lambda: Model.load(cut), lambda: model.save(cut), lambda: model.export(cut, format="tsv"), lambda: Graph(edges),
                 lambda: Graph.read(edges), lambda: Graph(PAIRS).write(edges), lambda: Graph.obo(edges), lambda: Graph.wordnet(dict=cut),
                 lambda: Graph.wordnet(root="a\0b"), lambda: model.plot(cut, format="svg"), lambda: model.view(cut), lambda: small(output=cut),
                 lambda: small(resume=cut), lambda: geodisk.lexical_entailment(model, cut), lambda: model.view(title="a\0b"),
                 lambda: Model.load(tmp_path / "m", names="a\0b"), lambda: small(recipe="paper\0x"), lambda: Graph.read_bytes("a b", label="x\0y"),
                 lambda: model.most_similar("a\0"), lambda: Graph(PAIRS).parents("a\0"), lambda: Model(["a\0b"], [[0.0]])):
        with pytest.raises(ValueError, match="NUL"):
            call()
    assert sorted(os.listdir(tmp_path)) == ["e", "m"]


def test_an_output_that_cannot_be_written_is_refused_before_training(tmp_path):
    seen = []
    (tmp_path / "file").write_text("mine")
    for output in (tmp_path / "no" / "folder" / "m", tmp_path, tmp_path / "file" / "m", ""):
        with pytest.raises((OSError, ValueError)):
            small(output=output, on_epoch=seen.append)
    assert seen == [] and (tmp_path / "file").read_text() == "mine"
    with pytest.raises(FileNotFoundError):
        small(output=tmp_path / "no" / "m")
    assert os.listdir(tmp_path) == ["file"]  # no temporary file stays
    small(output=tmp_path / "file")
    assert Model.load(tmp_path / "file").names == ["a", "b", "c", "d"]


def test_an_output_may_be_a_pipe(tmp_path):
    """Looking whether it can be written must not open it."""
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    model = small(output=tmp_path / "pipe")
    reader.join(30)
    np.testing.assert_array_equal(Model.from_bytes(read[0]).vectors, model.vectors)


def test_gaps_must_belong_to_their_points():
    x = [[0.1, 0.0], [0.0, 0.2]]
    for gap in ([5, 5], [1.0, 0.5], [0.99, -0.96], [0.99, 0.0], [np.nan, 0.96]):
        with pytest.raises(ValueError, match="gap of node"):
            Model(["a", "b"], x, gap=gap)
    right = Model(["a", "b"], x, gap=Ball(2).gap(np.array(x)))
    assert right.distance("a", "b") == Model(["a", "b"], x).distance("a", "b")
    deep = Model(["a", "b"], [[1 - 2**-53, 0.0], [0.0, 0.0]], gap=[1e-200, 1.0])  # deeper than coordinates reach
    assert deep.distance("a", "b") > 400
    with pytest.raises(ValueError, match="have none"):
        Model(["a", "b"], x, gap=[1, 1], space="euclidean")
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="vectors|not inside"):
            Model(["a", "b"], [[0.1, bad], [0.0, 0.2]])
        with pytest.raises(ValueError, match="vectors of node 0"):
            Model(["a", "b"], [[0.1, bad], [0.0, 0.2]], space="euclidean")
    for counts in ([1, -1], [1.5, 2], [1], ["x", "y"]):
        with pytest.raises((ValueError, TypeError), match="counts"):
            Model(["a", "b"], x, counts=counts)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_model_has_its_own_numbers(dtype):
    x = np.array([[0.1, 0.0], [0.0, 0.2]], dtype)
    gap, counts = np.array(Ball(2).gap(x)), np.array([3, 4], np.uint64)
    model = Model(["a", "b"], x, gap=gap, counts=counts)
    before = model.distance("a", "b"), model.vectors.copy(), model.gap.copy()
    x[:], gap[:], counts[:] = 0.9, 5, 0
    assert model.distance("a", "b") == before[0] and model.counts.tolist() == [3, 4] and model.vectors.dtype == dtype
    np.testing.assert_array_equal(model.vectors, before[1])
    np.testing.assert_array_equal(model.gap, before[2])


class Tensor:
    """What a tensor of torch is to NumPy: an object with an array interface."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def __array__(self, dtype=None):
        return self.array if dtype is None else self.array.astype(dtype)


class TensorOfRows(Tensor):
    """Its rows are tensors again, and so are their elements, which are no names."""

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return TensorOfRows(self.array[i])


def test_tensors_come_in_by_the_array_interface(model):
    x = np.array([[0.1, 0.2], [0.3, -0.4]], np.float32)
    ball = Ball(2)
    np.testing.assert_array_equal(ball.distance(Tensor(x), Tensor(x[::-1])), ball.distance(x, x[::-1]))
    assert ball.distance(Tensor(x), Tensor(x[::-1])).dtype == np.float32
    assert Model(["a", "b"], Tensor(x)).vectors.tolist() == x.tolist()
    assert Graph.from_arrays(Tensor([1, 2]), Tensor([0, 0]), Tensor([0.5, 2.0])).weights.tolist() == [0.5, 2.0]
    assert Graph(TensorOfRows([[1, 0], [2, 0]])).children(0) == [1, 2]
    assert model.most_similar(Tensor([0.5, 0.0]), 1)[0][0] == "b"
    np.testing.assert_allclose(geodisk.mean(Tensor(x)), geodisk.mean(x))


@pytest.mark.parametrize("error", [geodisk.Error("no more"), MemoryError("no more"), KeyboardInterrupt()])
def test_what_was_trained_is_kept_where_learning_what_is_below_what_fails(tmp_path, monkeypatch, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("geodisk._train._learn", fail)
    with pytest.warns(geodisk.GeodiskWarning, match="interrupted" if isinstance(error, KeyboardInterrupt) else "no more"):
        model = small(output=tmp_path / "m")
    assert (Model.load(tmp_path / "m").vectors == model.vectors).all()


@pytest.mark.parametrize("text", ["{", "[]", "1"])
def test_options_that_are_none_are_told(model, text):
    trained = small()
    bytes_ = trained.to_bytes()
    size = int.from_bytes(bytes_[:8], "little")
    header = json.loads(bytes_[8 : 8 + size])
    kept = {key: value for key, value in header["__metadata__"].items() if not key.startswith("crc32c")}
    header["__metadata__"] = {**kept, "options": text}
    made = json.dumps(header).encode()
    with pytest.raises(geodisk.FormatError, match="options, in the metadata, is not"):
        Model.from_bytes(len(made).to_bytes(8, "little") + made + bytes_[8 + size :]).options  # noqa: B018


def test_writing_to_memory_leaves_no_files(tmp_path, monkeypatch, model):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))  # would fail
    monkeypatch.chdir(tmp_path)
    graph = Graph(PAIRS[:2])
    wanted = {}
    for name, write in {"m.safetensors": model.save, "m.tsv": lambda t: model.export(t, format="tsv"), "m.txt": model.to_word2vec,
                        "m.csv": lambda t: model.export(t, format="csv"), "e.tsv": graph.write, "e.csv": lambda t: graph.write(t, separator=","),
                        "p.svg": lambda t: model.plot(t, graph), "p.html": lambda t: model.view(t, graph)}.items():
        write(name)
        buffer = io.BytesIO()
        write(buffer)
        wanted[name] = (tmp_path / name).read_bytes()
        assert buffer.getvalue() == wanted[name], name
        with open("open", "wb") as file:
            write(file)
        assert (tmp_path / "open").read_bytes() == wanted[name]
        os.remove("open")
    text = io.StringIO()
    graph.write(text)
    assert text.getvalue().encode() == wanted["e.tsv"]
    assert model.to_bytes() == wanted["m.safetensors"] and model.plot(graph=graph).data == wanted["p.svg"]
    assert model.view(graph=graph).text.encode() == wanted["p.html"]
    with open("m.safetensors", "rb") as file:
        assert Model.load(file).names == model.names
    if "without cairo" not in geodisk.features:
        buffer = io.BytesIO()
        model.plot(buffer, graph, format="png")
        assert buffer.getvalue()[:4] == b"\x89PNG"
    for target in (None, 5, b"x"):
        with pytest.raises(TypeError, match="a path or an open file"):
            model.save(target)
    assert sorted(os.listdir(tmp_path)) == sorted(wanted)


def test_memory_takes_more_than_a_pipe_holds():
    big = Model(None, np.random.default_rng(0).uniform(-0.05, 0.05, (20000, 50)))
    data = big.to_bytes()
    assert len(data) > 8 * 10**6
    np.testing.assert_array_equal(Model.from_bytes(data).vectors, big.vectors)
    with pytest.raises(ZeroDivisionError):
        big.save(Broken())


class Broken(io.BytesIO):
    def write(self, data):
        1 / 0


@pytest.mark.parametrize("call,text", [
    (lambda m: Ball("2"), "Ball: dim takes a whole number, not '2'"), (lambda m: Ball(2.5), "Ball: dim takes a whole number, not 2.5"),
    (lambda m: Ball(0), "dim takes a whole number from 1 up"), (lambda m: Ball(2, radius="x"), "Ball: radius takes a number, not 'x'"),
    (lambda m: Model(None, [[0.0]], curvature=None), "curvature takes a number"), (lambda m: m.parents("a", k="3"), "k takes a whole number"),
    (lambda m: m.parents("a", k=0), "k takes a whole number from 1 up"), (lambda m: m.ancestors("a", limit=-1), "limit takes a whole number"),
    (lambda m: m.between("a", "b", t="x"), "t takes a number"), (lambda m: m.suggest("a", k=1.5), "k takes a whole number"),
    (lambda m: Graph(5), "a graph is made of a path, pairs"), (lambda m: Model.from_bytes("x"), "takes bytes, not a string"),
    (lambda m: small(epochs=True), "epochs takes a whole number, not True"), (lambda m: Graph(PAIRS).write("x", reverse=1), "reverse takes True or False"),
    (lambda m: Graph(PAIRS).write("x", separator="ab"), "separator takes one character"),
])
def test_arguments_are_named(model, call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call(model)


def test_small_mercies(model):
    assert model.suggest(5, 1) and geodisk.evaluate(model, [("a", "b")], "reconstruction")["pairs"] == 1
    assert len(model.parents("b", k=10**9)) <= 3 and model.ancestors("b", limit=10**9)


class Short:
    """Says that it has three, and has one."""

    def __len__(self):
        return 3

    def __iter__(self):
        return iter(["a"])


def test_arrays_of_another_shape_are_never_read_beyond_their_end(model):
    for x in (np.zeros((3, 0)), np.zeros((3, 2)), np.float64(1.0), [[1.0], [2.0], [3.0]]):
        with pytest.raises(ValueError, match="x: expected an array of shape"):
            geodisk.rank_correlation(x, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="expected 3 names, .*got 1"):
        Model(Short(), [[0.0, 0.0], [0.5, 0.0], [0.0, -0.5]])
    with pytest.raises(ValueError, match="expected 3 names, got 1"):
        Graph.from_arrays([0, 1], [1, 2], names=Short(), nodes=3)
    for data in (np.zeros((3, 0)), np.zeros(3)):
        with pytest.raises(geodisk.FormatError):
            Model.from_bytes(data)
    for data in (5, [97, 98], None, Short()):
        with pytest.raises(TypeError):
            Model.from_bytes(data)
        with pytest.raises(TypeError):
            Graph.read_bytes(data)


HOSTILE = [object(), 7, "x", "\udcff", -1, float("nan"), b"x", [None], {"a": 1}, np.zeros((3, 0)), np.zeros((2, 2, 2)), lambda *_: None, Short()]
FINE = (TypeError, ValueError, LookupError, OverflowError, MemoryError, OSError, geodisk.Error)


def calls(model, graph):
    """What takes arguments of a class, an array or a table, with arguments that are fine."""
    ball, x = Ball(2), [[0.0, 0.0], [0.5, 0.0], [0.0, -0.5]]

    def square(d):
        return float(np.sum(d * d)), 2 * d

    return [
        (geodisk.evaluate, {"model": model, "graph": graph, "tasks": "reconstruction", "train": None, "space": None, "sample": 0}),
        (geodisk.lexical_entailment, {"model": model, "path": "nowhere", "alpha": 1.0, "pos": None}),
        (geodisk.mean, {"points": x, "weights": None, "ball": ball, "start": None, "schedule": None}),
        (geodisk.median, {"points": x, "weights": None, "ball": ball, "start": None, "schedule": None}),
        (geodisk.minimize, {"loss": square, "points": x, "pairs": [[0, 1], [1, 2]], "ball": ball, "schedule": None, "iterations": 2}),
        (geodisk.rank_correlation, {"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, 2.0]}),
        (geodisk.train, {"graph": graph, "dim": 2, "epochs": 1, "negatives": 1, "start": None, "recipe": None, "output": None, "lr": 0.0}),
        (Model, {"names": ["a", "b", "c"], "vectors": x, "gap": None, "counts": None, "radius": 1.0}),
        (Graph.from_arrays, {"children": [0, 1], "parents": [1, 2], "weights": None, "names": None, "nodes": None}),
        (graph.rename, {"names": str}),
        (graph.non_edges, {"edges": graph, "per_edge": 1}),
        (graph.split, {"validation": 5.0, "kind": "auto"}),
        (model.compare, {"other": model, "neighbours": 0}),
        (model.place, {"edges": [("new", "a")], "tolerance": 0.0}),
        (model.view, {"graph": graph, "below": None, "renamed": None, "title": None}),
        (model.plot, {"graph": graph, "highlight": (), "renamed": None, "size": 0, "centre": "auto"}),
        (model.mean, {"nodes": ["a"], "weights": None}),
        (model.between, {"a": "a", "b": "b", "t": 0.5}),
        (ball.exp, {"x": x[0], "v": x[1], "out": None}),
        (ball.geodesic, {"x": x[0], "y": x[1], "t": 0.5, "out": None}),
        (ball.random, {"n": 1, "radius": 1.0}),
    ]


@pytest.mark.filterwarnings("ignore")
def test_what_is_no_argument_is_named_in_an_error_for_users(model, tmp_path, monkeypatch, capsys):
    """Or is understood: but nothing of the package's own comes out, no attribute that is private, no SystemError."""
    monkeypatch.chdir(tmp_path)
    graph = Graph([("a", "b"), ("c", "b")])
    for function, arguments in calls(model, graph):
        with contextlib.suppress(geodisk.Error):
            function(**arguments)  # fine as they are; the file is not there
        for name in arguments:
            for value in HOSTILE:
                with contextlib.suppress(*FINE):
                    function(**{**arguments, name: value})
