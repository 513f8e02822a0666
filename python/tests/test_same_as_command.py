"""What is not given is decided by the library: the command and Python, told the same, write the same bytes."""
import json
import os
import subprocess

import pytest

import geodisk
from conftest import ROOT

CARNIVORES = "carnivores.tsv"  # a closed hierarchy of 366 nodes: what the settings of all mammals are chosen by, in a tenth of their time


def command(*words, folder):
    done = subprocess.run([os.environ["GEODISK"], *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if "GEODISK" not in os.environ:
        pytest.skip("GEODISK does not name the command")
    place = tmp_path_factory.mktemp("same")
    pairs = [line.split("\t") for line in (ROOT / "data" / "mammals.tsv").read_text().splitlines()]
    beasts = {a for a, b in pairs if b == "carnivore.n.01"} | {"carnivore.n.01"}
    (place / CARNIVORES).write_text("".join(f"{a}\t{b}\n" for a, b in pairs if a in beasts and b in beasts))
    command("graph", "generate", "tree", "--branching", 2, "--depth", 4, "-o", "tree.tsv", "--quiet", folder=place)
    command("train", CARNIVORES, "-o", "start.st", "--dim", 3, "--epochs", 4, "--seed", 5, "--quiet", folder=place)
    command("train", CARNIVORES, "-o", "flat.st", "--dim", 3, "--epochs", 4, "--space", "euclidean", "--quiet", folder=place)
    return place


CASES = [
    ("epochs", ["--epochs", 6], {"epochs": 6}),
    ("rate", ["--epochs", 6, "--lr", 0.3, "--dim", 4], {"epochs": 6, "lr": 0.3, "dim": 4}),
    ("edges", ["--epochs", 3, "--units", "edge", "--precision", "float"], {"epochs": 3, "units": "edge", "precision": "float"}),
    ("flat", ["--epochs", 5, "--space", "euclidean"], {"epochs": 5, "space": "euclidean"}),
    ("paper", ["--recipe", "paper", "--epochs", 1, "--dim", 2], {"recipe": "paper", "epochs": 1, "dim": 2}),
    ("entailment", ["--recipe", "entailment", "--dim", 2], {"recipe": "entailment", "dim": 2}),
    ("placed", ["--epochs", 0, "--dim", 2], {"epochs": "none", "dim": 2}),
]


@pytest.mark.parametrize("words, options", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_training(folder, words, options):
    command("train", CARNIVORES, "-o", "command.st", "--quiet", *words, folder=folder)
    geodisk.train(folder / CARNIVORES, output=folder / "python.st", progress=False, **options)
    assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()


@pytest.mark.parametrize("start", ["start.st", "flat.st"])
def test_from_a_model(folder, start):
    """Its dim and space hold; a recipe keeps them."""
    for words, options in (([], {}), (["--recipe", "gensim"], {"recipe": "gensim"})):
        command("train", CARNIVORES, "-o", "command.st", "--init", start, "--epochs", 2, "--quiet", *words, folder=folder)
        begun = geodisk.Model.load(folder / start)
        geodisk.train(folder / CARNIVORES, start=begun, epochs=2, output=folder / "python.st", progress=False, **options)
        assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()
        assert geodisk.Model.load(folder / "command.st").dim == 3


def test_going_on(folder):
    """What the checkpoint has holds, its seed too."""
    command("train", CARNIVORES, "-o", "command.st", "--resume", "start.st", "--epochs", 7, "--quiet", folder=folder)
    geodisk.train(folder / CARNIVORES, resume=folder / "start.st", epochs=7, output=folder / "python.st", progress=False)
    assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()
    assert geodisk.Model.load(folder / "command.st").options["seed"] == 5


def test_chosen_settings(folder):
    command("train", "tree.tsv", "-o", "command.st", "--dim", 2, "--quiet", folder=folder)
    geodisk.train(folder / "tree.tsv", dim=2, output=folder / "python.st", progress=False)
    assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()


@pytest.mark.parametrize("words, options", [([], {}), (["--dim", 2, "--stress", "squared"], {"dim": 2, "stress": "squared"}),
                                            (["--space", "euclidean", "--epochs", 0], {"space": "euclidean", "epochs": "none"})])
def test_distances(folder, words, options):
    command("train", "tree.tsv", "-o", "command.st", "--objective", "distances", "--quiet", *words, folder=folder)
    geodisk.train(folder / "tree.tsv", objective="distances", output=folder / "python.st", progress=False, **options)
    assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()


def test_placing(folder):
    (folder / "new.tsv").write_text("labradoodle.n.01\tdog.n.01\n")
    command("place", "start.st", "new.tsv", "-o", "command.st", "--quiet", folder=folder)
    geodisk.Model.load(folder / "start.st").place(folder / "new.tsv")[0].save(folder / "python.st")
    assert (folder / "command.st").read_bytes() == (folder / "python.st").read_bytes()


@pytest.mark.filterwarnings("ignore:.*which flatters")
def test_figures(folder):
    tasks = ["reconstruction", "loss", "kendall", "distortion", "precision", "routing", "entailment"]
    told = json.loads(command("eval", "start.st", CARNIVORES, "--json", "--tasks", ",".join(tasks), folder=folder))
    figures = geodisk.evaluate(geodisk.Model.load(folder / "start.st"), folder / CARNIVORES, tasks)
    for name, value in figures.items():
        assert told[name] == (pytest.approx(list(value), abs=0) if isinstance(value, tuple) else value), name
