"""Tensors of torch itself, where it is installed: in by the array interface, out by arrays."""
import os

import numpy as np
import pytest

import geodisk
from geodisk import Ball, Graph, Model

if "libasan" in os.environ.get("LD_PRELOAD", ""):
    pytest.skip("torch ends the process when the address sanitizer is preloaded", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not here (Debian: python3-torch)")

X = [[0.1, 0.2], [0.3, -0.4]]
Y = [[0.5, 0.0], [0.0, 0.5]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_ball_takes_tensors(dtype):
    ball = Ball(2)
    x, y = torch.tensor(X, dtype=getattr(torch, dtype)), torch.tensor(Y, dtype=getattr(torch, dtype))
    for name in ("distance", "exp", "log", "mobius_add"):
        got = getattr(ball, name)(x, y)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, getattr(ball, name)(x.numpy(), y.numpy()))
    np.testing.assert_array_equal(ball.distance(x.t(), y), ball.distance(x.numpy().T, y.numpy()))  # strides


def test_models_graphs_and_means():
    x = torch.tensor(X)
    model = Model(["a", "b"], x)
    x[:] = 0.9  # the model has its own
    assert torch.equal(torch.tensor(model.vectors), torch.tensor(X))
    assert model.most_similar(torch.tensor([0.3, -0.39]), 1)[0][0] == "b"
    graph = Graph(torch.tensor([[1, 0], [2, 0], [3, 1]]))
    assert graph.names == [1, 0, 2, 3] and graph.children(0) == [1, 2]
    weighted = Graph.from_arrays(torch.tensor([1, 2]), torch.tensor([0, 0]), torch.tensor([0.5, 2.0]))
    assert weighted.weights.tolist() == [0.5, 2.0]
    np.testing.assert_allclose(geodisk.mean(torch.tensor(X, dtype=torch.float64)), geodisk.mean(np.array(X)))


def test_what_numpy_cannot_see_says_so():
    with pytest.raises(RuntimeError, match="detach"):
        Ball(2).distance(torch.tensor(X, requires_grad=True), torch.tensor(Y))
    with pytest.raises(ValueError, match="square|shape|expected"):
        Ball(2).distance(torch.rand(2, 3), torch.tensor(Y))
