"""The progress bar: what it shows, and when it keeps quiet."""
import io
import re

import geodisk
from geodisk._progress import Bar, bar_for

TREE = geodisk.Graph.generate("tree", branching=2, depth=4, shape="closed")


def test_line():
    assert Bar.line("training", "edges", 62, 100, "loss 0.81", 12.0) == \
        "training  62% |############        | 0:12<0:07, 5.17 edges/s, loss 0.81"
    assert Bar.line("reading", "edges", 3_000_000, 0, "", 3661.0) == "reading 3 M edges, 1:01:01, 819 edges/s"


def test_bar_is_drawn_on_one_line_and_closed():
    stream = io.StringIO()
    bar = Bar(stream)
    bar.update("training", "edges", 10, 100, "")
    bar.update("training", "edges", 100, 100, "")
    bar.close()
    bar.close()
    text = stream.getvalue()
    assert text.count("\n") == 1 and text.endswith("\n") and len(re.findall("\r", text)) == 2 and "100%" in text


def test_when_it_is_on(capsys):
    assert bar_for(False) is None and bar_for(None) is None and bar_for(True) is not None  # no terminal here
    geodisk.train(TREE, dim=2, epochs=2, negatives=2)
    assert capsys.readouterr().err == ""
    geodisk.train(TREE, dim=2, epochs=2, negatives=2, progress=True)
    assert "training 100%" in capsys.readouterr().err


def test_a_function_instead():
    seen = []
    geodisk.train(TREE, dim=2, epochs=3, negatives=2, progress=seen.append)
    assert [e["done"] for e in seen if e["task"] == "training"] == [TREE.edge_count * i for i in (1, 2, 3)]
    assert seen[0]["unit"] == "edges"
