"""train(objective="distances"): what was given is found again; what is no distance is refused by its place."""
import numpy as np
import pytest

import geodisk


def scaled_errors(distances, found):
    pairs = np.triu_indices(len(distances), 1)
    ratio = found[pairs] / distances[pairs]
    return np.abs(ratio / np.median(ratio) - 1)


def test_a_tree_is_kept():
    model = geodisk.train([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b")], 2, objective="distances", epochs=40, progress=False)
    ways = np.array([[0, 1, 1, 2, 2], [1, 0, 2, 1, 1], [1, 2, 0, 3, 3], [2, 1, 3, 0, 2], [2, 1, 3, 2, 0]], float)
    order = [model.names.index(name) for name in "abcde"]
    found = np.array([[model.distance(model.names[i], model.names[j]) for j in order] for i in order])
    assert scaled_errors(ways, found).mean() < 0.02
    assert model.names == geodisk.Graph([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b")]).names


def test_a_matrix_in_flat_space_and_a_file(tmp_path):
    x = np.random.default_rng(3).normal(size=(12, 2))
    d = np.linalg.norm(x[:, None] - x[None], axis=2)
    model = geodisk.train(distances=d, dim=2, space="euclidean", epochs=300, output=tmp_path / "m.safetensors", progress=False)
    assert model.space == "euclidean" and model.names == list(range(12))
    found = np.linalg.norm(model.vectors[:, None] - model.vectors[None], axis=2)
    assert scaled_errors(d, found).max() < 1e-3
    assert np.array_equal(geodisk.Model.load(tmp_path / "m.safetensors").vectors, model.vectors)


def test_names_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1, 2], [1, 0, 1], [2, 1, 0]], index=["x", "y", "z"], columns=["x", "y", "z"])
    assert geodisk.train(distances=frame, dim=2, epochs=20, progress=False).names == ["x", "y", "z"]


@pytest.mark.parametrize("matrix, text", [
    ([[0, 1], [2, 0]], "row 0, column 1: 1.0 is not the same both ways"),
    ([[0, -1], [-1, 0]], "row 0, column 1: -1.0 is no distance"),
    ([[0, np.nan], [np.nan, 0]], "row 0, column 1: nan is no distance"),
    ([[1, 1], [1, 0]], "row 0, column 0: 1.0 is on the diagonal"),
    ([[0, 1, 2], [1, 0, 1]], "expected a square"),
])
def test_what_is_no_distance(matrix, text):
    with pytest.raises(ValueError, match=text.replace("(", r"\(")):
        geodisk.train(distances=np.array(matrix, float), dim=2)


def test_what_does_not_go_together():
    square = np.array([[0.0, 1.0], [1.0, 0.0]])
    for options, text in (({"resume": "x"}, "resume"), ({"lr": 0.1}, "lr"), ({"recipe": "paper"}, "recipe")):
        with pytest.raises(ValueError, match=f"does not take {text}"):
            geodisk.train(distances=square, dim=2, **options)
    with pytest.raises(ValueError, match="give one of them"):
        geodisk.train([("a", "b")], 2, distances=square)
    with pytest.raises(ValueError, match="give one of them"):
        geodisk.train(objective="distances")
    with pytest.raises(TypeError, match="say what to embed"):
        geodisk.train()
    with pytest.raises(ValueError, match="neighbours or distances"):
        geodisk.train([("a", "b")], 2, objective="order")
