"""Training, models, their files, questions, placing, evaluation."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import geodisk
from geodisk import Ball, Graph, Model

TREE = Graph.generate("tree", branching=3, depth=3, shape="closed")


def quick(**options):
    return geodisk.train(TREE, **{"dim": 3, "epochs": 20, "core_epochs": 0, "negatives": 5, "progress": False, **options})


def test_the_same_bytes_for_any_number_of_threads():
    one, three = quick(threads=1), quick(threads=3)
    assert one.to_bytes() == three.to_bytes()
    assert quick(seed=2).to_bytes() != one.to_bytes()


def test_training_learns(mammals, mammals_model):
    assert len(mammals_model) == len(mammals) and mammals_model.names == mammals.names
    history = mammals_model.history
    assert len(history["loss"]) == 30 and history["loss"][-1] < history["loss"][0]
    figures = geodisk.evaluate(mammals_model, mammals, ("reconstruction", "loss", "kendall", "distortion"), threads=1)
    assert figures["map"] > 0.8 and 1 <= figures["mean_rank"] < 20  # measured: 0.967 and 1.2
    assert figures["pairs"] == mammals.edge_count and 0 < figures["kendall_tau"] < 1 and figures["loss"] > 0
    assert mammals_model.options["negatives"] == 10 and mammals_model.metadata["seed"] == "1"


def test_options_by_name():
    model = quick(update="natural", sampling="uniform", rates="constant", lr=0.05, precision="float", loss="complement", epochs=2)
    options = model.options
    assert (options["update"], options["sampling"], options["loss"], options["precision"]) == ("natural", "uniform", "complement", "float")
    assert model.vectors.dtype == np.float32 and model.gap.dtype == np.float32
    assert quick(negatives="all", epochs=1).options["negatives"] == "all"
    assert quick(recipe="paper", epochs=1).options["placement"] == "random"
    flat = quick(space="euclidean", epochs=2)
    assert flat.space == "euclidean" and flat.gap is None
    assert geodisk.recipes() == ["auto", "paper", "gensim", "entailment", "link-prediction"]
    edges = quick(units="edge", batch=8, cap=0.0, epochs=2).options
    assert (edges["units"], edges["batch"], edges["cap"], edges["block"]) == ("edge", 8, 0, 1)


def test_what_is_left_open_is_chosen():
    """Options that are not given are told as the trainer chose them, numbers all of them; a given one stays."""
    options = geodisk.train(TREE, dim=5, progress=False, on_epoch=lambda e: False).options
    assert options["epochs"] > 0 and 0 <= options["core_epochs"] < 10**6 and options["placement"] in ("random", "tree")
    assert all(options[name] > 0 for name in ("sharpness", "sharpness_first", "block", "batch", "negatives", "lr", "lr_first", "lr_last", "depth"))
    given = geodisk.train(TREE, dim=5, sharpness=3.5, cap=0.25, lr=0.5, progress=False, on_epoch=lambda e: False).options
    assert (given["sharpness"], given["cap"], given["lr"]) == (3.5, 0.25, 0.5)


@pytest.mark.parametrize("gone", ["variant", "async", "parts"])
def test_options_that_are_gone(gone):
    with pytest.raises(TypeError, match=f"train has no option '{gone}'"):
        quick(**{gone: 1})
    with pytest.raises(ValueError, match='the recipe "nouns" is gone'):
        quick(recipe="nouns")


def test_epochs_auto_ends_by_itself(capsys):
    model = quick(epochs="auto", progress=True)
    assert 5 < len(model.history["loss"]) < 2000 and geodisk.evaluate(model, TREE)["map"] > 0.9
    assert "training" in capsys.readouterr().err
    assert len(quick(epochs="auto", on_epoch=lambda e: e["epoch"] < 2).history["loss"]) == 3


@pytest.mark.parametrize("options,kind,text", [
    ({"epoch": 3}, TypeError, "train has no option 'epoch'; did you mean epochs?"),
    ({"update": "newton"}, ValueError, "update takes geodesic, natural or euclidean, not 'newton'"),
    ({"dim": 0}, ValueError, "dim"), ({"lr": -1.0}, ValueError, "learning rate"), ({"recipe": "cake"}, ValueError, "cake"),
    ({"lr": float("nan"), "epochs": "auto"}, ValueError, "learning rate"), ({"lr": -1.0, "epochs": "auto"}, ValueError, "learning rate"),
    ({"lr": "fast"}, ValueError, "lr"), ({"resume": "nowhere"}, FileNotFoundError, "nowhere"), ({"threads": 5000}, ValueError, "5000"),
])
def test_bad_options(options, kind, text):
    with pytest.raises(kind, match=text):
        quick(**options)


def test_on_epoch_sees_and_stops():
    seen = []
    model = quick(on_epoch=lambda e: seen.append(e["epoch"]) or len(seen) < 4)
    assert seen == [0, 1, 2, 3] and len(model.history["loss"]) == 4 and not model.interrupted
    with pytest.raises(ZeroDivisionError):
        quick(on_epoch=lambda e: 1 / 0)


def test_what_was_trained_is_kept_when_on_epoch_fails(tmp_path):
    with pytest.raises(ZeroDivisionError):
        quick(output=tmp_path / "part.safetensors", on_epoch=lambda e: e["epoch"] < 4 or 1 / 0)
    again = geodisk.train(TREE, resume=tmp_path / "part.safetensors", progress=False)
    assert again.to_bytes() == quick().to_bytes()


def test_resume_is_the_same_as_going_on(tmp_path):
    whole = quick(output=tmp_path / "whole.safetensors")
    quick(output=tmp_path / "part.safetensors", on_epoch=lambda e: e["epoch"] < 6)
    again = geodisk.train(TREE, resume=tmp_path / "part.safetensors", output=tmp_path / "again.safetensors", progress=False)
    assert again.to_bytes() == whole.to_bytes()
    assert (tmp_path / "whole.safetensors").read_bytes() == (tmp_path / "again.safetensors").read_bytes()
    longer = geodisk.train(TREE, resume=tmp_path / "part.safetensors", epochs=25, progress=False)
    assert len(longer.history["loss"]) == 25
    with pytest.raises(ValueError, match="graph"):
        geodisk.train([("a", "b"), ("c", "d")], resume=tmp_path / "part.safetensors", progress=False)


def test_checkpoints_are_written_while_training(tmp_path):
    sizes = []
    quick(output=tmp_path / "m.safetensors", checkpoint_every=5, on_epoch=lambda e: sizes.append((tmp_path / "m.safetensors").exists()))
    assert sizes[3] is False and sizes[4] is True
    with pytest.raises(OSError):
        quick(output=tmp_path / "no" / "folder" / "m.safetensors", checkpoint_every=1)


def test_start_continues_where_a_model_is():
    first = quick()
    second = quick(start=first, epochs=1, lr=1e-9, rates="constant")
    np.testing.assert_allclose(second.vectors, first.vectors, atol=1e-6)


def test_arrays_are_the_models_own_memory():
    model = quick()
    vectors, gap = model.vectors, model.gap
    assert vectors.shape == (len(TREE), 3) and not vectors.flags.writeable and not vectors.flags.owndata
    np.testing.assert_allclose(gap, Ball(3).gap(vectors), rtol=1e-6)
    kept = vectors.copy()
    del model, gap
    np.testing.assert_array_equal(vectors, kept)  # the view keeps the model alive
    with pytest.raises(ValueError):
        vectors[0, 0] = 0.0


def test_files(tmp_path, mammals_model):
    model = mammals_model
    model.save(tmp_path / "m.safetensors")
    again = Model.load(tmp_path / "m.safetensors")
    assert again.names == model.names and again.metadata == model.metadata
    np.testing.assert_array_equal(again.vectors, model.vectors)
    np.testing.assert_array_equal(again.gap, model.gap)
    for other in (pickle.loads(pickle.dumps(model)), Model.from_bytes(model.to_bytes())):
        np.testing.assert_array_equal(other.vectors, model.vectors)
        assert other.most_similar("dog.n.01") == model.most_similar("dog.n.01")
    info = model.to_word2vec(tmp_path / "m.txt")
    assert info["renamed"] == 0
    text = Model.load(tmp_path / "m.txt")
    np.testing.assert_array_equal(text.vectors, model.vectors)
    model.to_word2vec(tmp_path / "m.bin", binary=True)
    np.testing.assert_array_equal(Model.load(tmp_path / "m.bin").vectors, model.vectors.astype(np.float32))
    model.export(tmp_path / "m.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), model.vectors)
    assert Model.load(tmp_path / "m.npy").names == model.names
    (tmp_path / "broken").write_bytes(b"\1\0\0\0\0\0\0\0x")
    with pytest.raises(geodisk.Error):
        Model.load(tmp_path / "broken")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Model.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder")


def test_a_model_of_ones_own():
    x = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, -0.5]])
    model = Model(["root", "a", "b"], x, counts=[2, 1, 1])
    np.testing.assert_array_equal(model.vectors, x)
    assert model.counts.tolist() == [2, 1, 1]
    assert model.distance("a", "b") == pytest.approx(Ball(2).distance(x[1], x[2]))
    names, copy = model.to_numpy()
    assert names == ["root", "a", "b"] and copy.flags.writeable
    assert Model(None, x).names == [0, 1, 2]
    wide = Model(["p"], [[1.5, 0.0]], radius=2.0, curvature=0.25)
    assert wide.ball == Ball(2, 2.0, 0.25) and pickle.loads(pickle.dumps(wide)).ball == wide.ball
    for call, text in [(lambda: Model(["a"], x), "expected 3 names"), (lambda: Model(["a", "b", "c"], x * 2), r"row 1 \(b\) is not inside"),
                       (lambda: Model(["a", "a", "b"], x), "a"), (lambda: Model(["a"], [0.5]), r"shape \(n, dim\)")]:
        with pytest.raises(ValueError, match=text):
            call()


def test_questions_against_plain_distances(mammals_model):
    model, ball = mammals_model, Ball(3)
    x, names = model.vectors, model.names
    dog = model.index("dog.n.01")
    d = ball.distance(x[dog], x)
    order = [i for i in np.argsort(d, kind="stable") if i != dog]
    near = model.most_similar("dog.n.01", 5)
    assert [name for name, _ in near] == [names[i] for i in order[:5]]
    np.testing.assert_allclose([value for _, value in near], d[order[:5]], rtol=1e-9)
    assert model.most_similar(row=dog, topn=5) == near
    assert model.most_similar(x[dog], 1)[0][0] == "dog.n.01"
    assert len(model.most_similar("dog.n.01", 10**6)) == len(model) - 1
    ids, distances = model.neighbours(["dog.n.01", "cat.n.01"], 4)
    assert [names[i] for i in ids[0]] == [name for name, _ in near[:4]] and distances.shape == (2, 4)
    radii = model.radii
    parents = model.parents("dog.n.01", 3)
    higher = [i for i in order if radii[i] < radii[dog]]
    assert [p.node for p in parents] == [names[i] for i in higher[:3]]
    weights = np.exp(-d)
    assert parents[0].probability == pytest.approx(weights[higher[0]] / (weights.sum() - weights[dog]), rel=1e-9)
    lower = [i for i in order if radii[i] > radii[dog]]
    assert [name for name, _ in model.children("dog.n.01", 3)] == [names[i] for i in lower[:3]]
    assert model.ancestors("dog.n.01")[0][0] == parents[0].node and len(model.descendants("mammal.n.01", 3)) == 3
    assert model.rank("dog.n.01", near[2][0]) == 3
    half = model.between("dog.n.01", "cat.n.01")
    np.testing.assert_allclose(half, ball.geodesic(x[dog], model["cat.n.01"], 0.5), rtol=1e-9)
    np.testing.assert_allclose(model.mean(["dog.n.01", "cat.n.01"]), half, atol=1e-9)
    assert model.analogy("dog.n.01", "canine.n.02", "cat.n.01", 3)


def test_unknown_names_get_suggestions(mammals_model):
    with pytest.raises(KeyError, match="dog.n.01") as error:
        mammals_model.most_similar("Dog.n.01")
    assert "did you mean" in str(error.value)
    assert "dog.n.01" in mammals_model and "unicorn.n.01" not in mammals_model
    with pytest.raises(ValueError, match="the node is None"):
        mammals_model.index(None)


def test_place(mammals_model):
    more, placed = mammals_model.place([("labradoodle", "dog.n.01"), ("mini_labradoodle", "labradoodle")], threads=1)
    assert [p.node for p in placed] == ["labradoodle", "mini_labradoodle"] and [p.round for p in placed] == [0, 1]
    assert len(more) == len(mammals_model) + 2
    np.testing.assert_array_equal(more.vectors[:-2], mammals_model.vectors)
    assert more.rank("labradoodle", "dog.n.01") <= 5
    with pytest.raises(ValueError, match="island"):
        mammals_model.place([("island", "atoll")])


def test_frame(mammals_model):
    pytest.importorskip("pandas")
    frame = mammals_model.to_pandas()
    assert frame.shape == (len(mammals_model), 4)
    np.testing.assert_array_equal(frame.loc["dog.n.01", ["x0", "x1", "x2"]].to_numpy(float), mammals_model["dog.n.01"])


def test_what_suits_a_network_is_tried():
    grid = geodisk.Graph.generate("grid", rows=6, columns=6, shape="undirected")
    model = geodisk.train(grid, dim=3, threads=1)
    assert model.choice.startswith("a network without hubs: sharpness") and "trial" in model.choice
    assert geodisk.evaluate(model, grid)["map"] > 0.999
    assert np.array_equal(geodisk.train(grid, dim=3, recipe="auto", threads=2).vectors, model.vectors)
    fixed = geodisk.train(grid, dim=3, sharpness=5.0, threads=1)
    assert fixed.options["sharpness"] == 5.0 and "sharpness 5" in fixed.choice


def test_routing_and_precision():
    line = geodisk.Model(["a", "b", "c", "d"], [[0.0], [-5.0], [3.0], [4.0]], space="euclidean")
    figures = geodisk.evaluate(line, [("a", "b"), ("b", "c"), ("c", "d")], ("routing", "precision"))
    assert figures["routing_pairs"] == 12 and figures["routing_success"] == pytest.approx(8 / 12) and figures["routing_stretch"] == 1
    assert figures["precision_at_1"] == pytest.approx(1 / 3) and figures["precision_at_3"] == pytest.approx(1 / 3)


def test_evaluate_against_a_plain_count():
    model = quick()
    x, parents = model.vectors, {u: {v for a, v in TREE.edges.tolist() if a == u} for u in range(len(TREE))}
    ranks = []
    for u, above in parents.items():
        d = Ball(3).distance(x[u], x)
        negatives = [w for w in range(len(TREE)) if w != u and w not in above]
        ranks += [1 + sum(d[w] < d[v] for w in negatives) for v in above]
    figures = geodisk.evaluate(model, TREE, by_node=True)
    assert figures["mean_rank"] == pytest.approx(np.mean(ranks))
    assert figures["by_node"]["mean_rank"].shape == (len(TREE),)
    sampled = geodisk.evaluate(quick(), TREE, sample=20)
    assert sampled["nodes_judged"] == 20 and len(sampled["mean_rank_interval"]) == 2
    assert geodisk.evaluate(model, TREE, definition="gensim")["mean_rank"] >= figures["mean_rank"] + 0.999


def test_comparing_models(mammals, mammals_model):
    same = mammals_model.compare(mammals_model, pairs=10**5)
    assert same["nodes"] == len(mammals) and same["overlap"] == 1 and same["kendall_tau"] == pytest.approx(1) and same["moved_worst"] < 1e-6
    other = geodisk.train(mammals, dim=3, epochs=30, negatives=10, seed=5, threads=1, progress=False)
    unlike = mammals_model.compare(other, sample=200, pairs=10**4)
    assert 0.1 < unlike["overlap"] < 0.95 and unlike["moved_mean"] > 0.1 and unlike["worst"] in mammals_model
    assert unlike["pairs"] == 10**4 and unlike["nodes_judged"] == 200
    x, ball = mammals_model.vectors, Ball(3)
    moved = Model(mammals_model.names[::-1], ball.mobius_add([0.2, 0.1, 0.0], x[:, [1, 0, 2]])[::-1])
    assert Model(mammals_model.names, x).compare(moved, pairs=1000)["moved_mean"] < 1e-3  # deep points: coordinates without gaps
    wide = Model(mammals_model.names, np.random.default_rng(1).uniform(-0.3, 0.3, (len(mammals), 4)))
    unaligned = wide.compare(other, pairs=1000)
    assert unaligned["moved_mean"] is None and unaligned["worst"] is None
    with pytest.raises(ValueError, match="0 nodes in common"):
        other.compare(Model(["x", "y", "z"], np.zeros((3, 3))))
    with pytest.raises(ValueError, match="the model has the node 0, an integer, the other model '0', a string"):
        Model(None, np.zeros((3, 2))).compare(Model(["0", "1", "2"], np.zeros((3, 2))))
    with pytest.raises(TypeError, match="takes a Model"):
        other.compare(mammals)


def test_link_prediction():
    split = TREE.split(test=20, validation=0, seed=1)
    model = geodisk.train(split.train, dim=3, progress=False)
    figures = geodisk.evaluate(model, split.test, ("link-prediction",), train=split.train)
    assert figures["pairs"] == split.test.edge_count and figures["map"] > 0.7  # measured: 0.92
    with pytest.raises(ValueError, match="train"):
        geodisk.evaluate(model, split.test, ("link-prediction",))
    with pytest.raises(ValueError, match="tasks are"):
        geodisk.evaluate(model, split.test, ("reconstruktion",))
    with pytest.raises(ValueError):
        geodisk.evaluate(model, [("no", "such")])


def test_entailment():
    split = TREE.split(protocol="entailment", closure_share=25, validation=10, test=10, seed=1)
    model = geodisk.train(split.train, dim=3, recipe="entailment", progress=False)
    assert model.knows_hierarchy and model.is_a("16", "1")
    ask = {"train": split.train, "validation": split.validation}
    figures = geodisk.evaluate(model, split.test, "entailment", **ask)
    assert figures["entailment_edges"] == split.test.edge_count and figures["half_space_f1"] > 0.9
    assert figures["half_space_f1_interval"][0] <= figures["half_space_f1"] and {"cone_auc", "nickel_kiela_alpha"} <= set(figures)
    assert geodisk.evaluate(model, split.test, "entailment", **ask) == figures
    assert geodisk.evaluate(model, split.test, "entailment", threshold=-100.0, **ask)["half_space_recall"] == 0.0
    given = geodisk.evaluate(model, split.test, "entailment", non_edges=TREE.non_edges(split.test))
    assert given["half_space_f1"] > 0.9
    with pytest.raises(ValueError, match="non-edges cannot be drawn"):
        geodisk.evaluate(model, split.test, "entailment")
    with pytest.warns(UserWarning, match="as if there were no edges"):
        geodisk.evaluate(Model(model.names, model.vectors), split.test, "entailment")


def test_nodes_are_taken_out_and_placed():
    parts = TREE.take_out(leaves=4, inner=2, given="parent", seed=3)
    assert parts.given.edge_count == 6 and len(parts.train) == len(TREE)
    model = geodisk.train(list(parts.train), dim=5, progress=False)
    assert len(model) == len(TREE) - 6
    more, placed = model.place(list(parts.given))
    assert len(placed) == 6 and all(more.is_a(child, parent) for child, parent in parts.given)
    with pytest.raises(ValueError, match="take_out"):
        TREE.split(protocol="nodes")
    with pytest.raises(ValueError, match="leaves have no children"):
        TREE.take_out(leaves=1, given="children")


def test_lexical_entailment(tmp_path, mammals_model):
    (tmp_path / "hyper.txt").write_text("WORD1 WORD2 POS AVG_SCORE\ndog canine N 6.0\ncat feline N 5.5\ncanine dog N 1.0\nunicorn dog N 3\n")
    result = geodisk.lexical_entailment(mammals_model, tmp_path / "hyper.txt")
    assert result["pairs"] == 3 and result["unknown"] == 1 and -1 <= result["spearman"] <= 1
    with pytest.raises(FileNotFoundError):
        geodisk.lexical_entailment(mammals_model, tmp_path / "none.txt")


def test_rank_correlation_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, 200), rng.integers(0, 9, 200)
    got = geodisk.rank_correlation(x, y)
    assert got["kendall_tau"] == pytest.approx(stats.kendalltau(x, y)[0]) and got["spearman"] == pytest.approx(stats.spearmanr(x, y)[0])


def test_plot(tmp_path):
    model = quick()
    model.plot(tmp_path / "disk.svg", TREE, centre="1", highlight=["5"], max_nodes=30, dark=True)
    text = (tmp_path / "disk.svg").read_text()
    assert text.startswith("<?xml") or text.startswith("<svg")
    text = model.plot(graph=TREE, max_nodes=20, renamed={"5": "the fifth", "nobody": "x"}, kind="network")._repr_svg_()
    assert ">the fifth</text>" in text and ">5</text>" not in text and "colours are communities" in text
    assert model.plot(graph=TREE, max_nodes=20, labels=5)._repr_svg_().rstrip().endswith("</svg>")
    if "without cairo" not in geodisk.features:
        model.plot(tmp_path / "disk.png", TREE, size=300, max_nodes=30)
        assert (tmp_path / "disk.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        picture = model.plot(graph=TREE, size=300, max_nodes=30, format="png")
        assert picture._repr_png_() == (tmp_path / "disk.png").read_bytes() and picture._repr_svg_() is None
    for call, kind, text in [(lambda: model.plot(tmp_path / "x.svg", below="nobody"), KeyError, "nobody"),
                             (lambda: model.plot(tmp_path / "x.svg", centre="1x"), KeyError, "1x"),
                             (lambda: model.plot(tmp_path / "x.svg", colour="red"), TypeError, "no option 'colour'; there are path, graph"),
                             (lambda: model.plot(tmp_path / "x.jpeg"), ValueError, "."),
                             (lambda: model.plot(tmp_path / "no" / "x.svg"), OSError, ".")]:
        with pytest.raises(kind, match=text):
            call()


def test_view(tmp_path, monkeypatch):
    model = quick()
    model.view(tmp_path / "page.html", TREE, title="a <tree>")
    text = (tmp_path / "page.html").read_text()
    assert text.startswith("<!DOCTYPE html>") or text.lower().startswith("<!doctype html>")
    page = model.view(graph=TREE, title="a <tree>")
    assert page.text == text and "srcdoc=" in page._repr_html_() and "<script" not in page._repr_html_()
    page.save(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == text
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert opened == [] and page.open() and opened[0].startswith("file://") and opened[0].endswith(".html")
    with pytest.raises(TypeError, match="Model.view has no option 'dark'"):
        model.view(graph=TREE, dark=True)
    with pytest.raises(OSError):
        model.view(tmp_path / "no" / "page.html")


def test_neighbours_on_a_device(mammals_model):
    """The same answers, or the reason why there is no device; auto stays with the processor for few questions."""
    model = mammals_model
    names = list(model.names)[:20]
    expected = model.neighbours(names, 5)
    near = model.neighbours(names, 5, device="auto")
    assert (near[0] == expected[0]).all() and (near[1] == expected[1]).all()
    try:
        near = model.neighbours(names, 5, device="cuda")
    except geodisk.UnsupportedError as error:
        assert "no CUDA device" in str(error)
    else:
        assert (near[0] == expected[0]).all() and (near[1] == expected[1]).all()
        assert model.most_similar(names, 5, device="cuda") == model.most_similar(names, 5)
    with pytest.raises(ValueError, match="device takes"):
        model.neighbours(names, 5, device="gpu")


WITHOUT_DEVICE = """
import warnings
import geodisk
warnings.simplefilter("error")
tree = geodisk.Graph.generate("tree", branching=3, depth=3, shape="closed")
def quick(device):
    return geodisk.train(tree, dim=3, epochs=5, core_epochs=0, negatives=5, progress=False, device=device)
model = quick("cpu")
assert quick("auto").to_bytes() == model.to_bytes()
tasks = ("reconstruction", "loss")
assert geodisk.evaluate(model, tree, tasks, device="auto") == geodisk.evaluate(model, tree, tasks)
for ask in (lambda: quick("cuda"), lambda: geodisk.evaluate(model, tree, tasks, device="cuda"), lambda: model.neighbours(model.names, 3, device="cuda")):
    try:
        ask()
    except geodisk.UnsupportedError as error:
        print(error)
"""


def test_train_and_evaluate_without_a_device():
    """Where the library for devices is not to be found, `cuda` says so, and `auto` is the processor, without a word."""
    environment = {**os.environ, "GEODISK_CUDA": "/nowhere/libgeodisk-cuda.so", "PYTHONPATH": os.path.dirname(os.path.dirname(geodisk.__file__))}
    done = subprocess.run([sys.executable, "-c", WITHOUT_DEVICE], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    said = done.stdout.splitlines()
    assert len(said) == 3
    for line in said:
        assert line.startswith("no CUDA device: libgeodisk-cuda cannot be loaded: /nowhere/libgeodisk-cuda.so"), line


def test_train_and_evaluate_on_a_device():
    """The same bytes and figures, or the reason why there is no device."""
    model = quick()
    for ask, expected in ((lambda: quick(device="cuda").to_bytes(), model.to_bytes()),
                          (lambda: geodisk.evaluate(model, TREE, device="cuda"), geodisk.evaluate(model, TREE))):
        try:
            assert ask() == expected
        except geodisk.UnsupportedError as error:
            assert "no CUDA device" in str(error)
    for ask in (lambda: quick(device="gpu"), lambda: geodisk.evaluate(model, TREE, device="gpu")):
        with pytest.raises(ValueError, match="device takes"):
            ask()
