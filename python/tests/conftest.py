"""What the tests share: mammals once for all, folders for files."""
import pathlib
import sys

import pytest

import geodisk

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(scope="session")
def mammals():
    return geodisk.Graph(ROOT / "data" / "mammals.tsv")


@pytest.fixture(scope="session")
def mammals_model(mammals):
    return geodisk.train(mammals, dim=3, epochs=30, placement="tree", core_epochs=0, negatives=10, threads=1, progress=False)
