"""The documents say what Python prints: the code in docs/python.md, docs/gensim.md and the README is run, in order, in one namespace.

A ```python block is run; a ```text block after it is all that it prints. A ```pycon block is a session, checked by doctest.
"""
import contextlib
import doctest
import io
import re

import pytest

from conftest import ROOT

BLOCK = re.compile(r"^```(python|pycon|text)\n(.*?)^```$", re.M | re.S)


def run_document(text, name):
    namespace, printed, counted = {}, None, 0
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            assert not printed, f"{name}: this is printed but not shown: {printed}"
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, name, "exec"), namespace)
            printed = out.getvalue()
        elif kind == "text" and printed is not None:
            assert printed == body
            printed = None
        elif kind == "pycon":
            test = doctest.DocTestParser().get_doctest(body, namespace, name, name, 0)
            report = io.StringIO()
            failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.write, clear_globs=False)
            assert failed == 0, report.getvalue()
            namespace.update(test.globs)
        counted += kind != "text"
    assert not printed and counted, name
    return namespace


@pytest.mark.parametrize("name", ["docs/python.md", "docs/gensim.md", "README.md"])
def test_document(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text()
    run_document(text, name)
    for picture in re.findall(r'plot\("([^"]+)"', text):
        assert (tmp_path / picture).stat().st_size > 1000
