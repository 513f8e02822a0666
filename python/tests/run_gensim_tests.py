"""run_gensim_tests.py - gensim's own tests of PoincareModel, with geodisk.gensim in the place of gensim.models.poincare.

The tests are those of the installed gensim; their data come from $GENSIM_TEST_DATA, by default from the folder shared/gensim beside the
checkout. Exit code 77 where there is no gensim or no data; 1 if a test fails or fewer than 39 pass.
"""
import importlib.util
import os
import pathlib
import sys
import unittest

import geodisk.gensim

ENOUGH = 39
SKIPPED = 77


def main():
    if importlib.util.find_spec("gensim") is None or importlib.util.find_spec("gensim.test") is None:
        print("skipped: gensim with its tests is not installed")
        return SKIPPED
    beside = pathlib.Path(__file__).resolve().parents[3] / "shared" / "gensim"
    data = pathlib.Path(os.environ.get("GENSIM_TEST_DATA", beside))
    if not (data / "poincare_hypernyms.tsv").exists():
        print(f"skipped: gensim's test data are not in {data}; `apt-get source gensim` brings them in gensim/test/test_data, and "
              "GENSIM_TEST_DATA names that folder")
        return SKIPPED

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
    return 0 if result.wasSuccessful() and passed >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
