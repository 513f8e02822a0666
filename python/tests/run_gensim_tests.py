"""run_gensim_tests.py - gensim's own tests of PoincareModel, with geodisk.gensim in the place of gensim.models.poincare.

The tests are those of the installed gensim (Debian: python3-gensim), which comes without their data. These are looked for in
$GENSIM_TEST_DATA and in the folder shared/gensim beside the checkout; `apt-get source gensim` brings them in gensim/test/test_data. Where
they are nowhere, pairs of WordNet's mammals take the place of gensim's pairs, and only those tests are left out, by name, whose figures
are of gensim's own vectors. Exit code 77 where there is no gensim; 1 if a test fails or fewer pass than should.
"""
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

import geodisk.gensim

ENOUGH, ENOUGH_WITHOUT_VECTORS = 39, 20
SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
KNOWN = [("kangaroo.n.01", "marsupial.n.01"), ("kangaroo.n.01", "metatherian.n.01"), ("kangaroo.n.01", "mammal.n.01"),
         ("gib.n.02", "cat.n.01"), ("striped_skunk.n.01", "mammal.n.01")]  # the nodes that gensim's tests name and count
CZECH = [("tímto", "budeš"), ("budeme", "byli")]


def write_data(folder):
    """What gensim's tests read but its vectors: five pairs of WordNet's mammals, 90 more of them, and two Czech words in two encodings."""
    mammals = [tuple(line.split("\t")) for line in (ROOT / "data" / "mammals.tsv").read_text("utf-8").splitlines()]
    assert set(KNOWN) <= set(mammals)
    others = [pair for pair in mammals[::70] if pair not in KNOWN]

    def write(name, pairs, encoding="utf-8"):
        (folder / name).write_text("".join(f"{child}\t{parent}\n" for child, parent in pairs), encoding)

    write("poincare_hypernyms.tsv", KNOWN)
    write("poincare_hypernyms_large.tsv", KNOWN + others)
    write("poincare_utf8.tsv", CZECH)
    write("poincare_cp852.tsv", CZECH, "cp852")


def main():
    if importlib.util.find_spec("gensim") is None or importlib.util.find_spec("gensim.test") is None:
        print("skipped: gensim with its tests is not installed")
        return SKIPPED
    beside = ROOT.parent / "shared" / "gensim"
    data = pathlib.Path(os.environ.get("GENSIM_TEST_DATA", beside))
    if (data / "poincare_hypernyms.tsv").exists():
        return run_tests(data, ENOUGH)
    print(f"gensim's test data are not in {data} (GENSIM_TEST_DATA names another folder): going on with WordNet's mammals instead")
    with tempfile.TemporaryDirectory() as folder:
        write_data(pathlib.Path(folder))
        return run_tests(pathlib.Path(folder), ENOUGH_WITHOUT_VECTORS)


def run_tests(data, enough):
    sys.modules["gensim.models.poincare"] = geodisk.gensim
    import gensim.test.utils

    def datapath(name):
        if not (data / name).exists():
            raise unittest.SkipTest(f"{name} is not among the test data")
        return str(data / name)

    gensim.test.utils.datapath = datapath
    import gensim.test.test_poincare as tests

    assert tests.PoincareModel is geodisk.gensim.PoincareModel
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(tests))
    passed = result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    print(f"{passed} of {result.testsRun} pass, {len(result.skipped)} are skipped")
    return 0 if result.wasSuccessful() and passed >= enough else 1


if __name__ == "__main__":
    sys.exit(main())
