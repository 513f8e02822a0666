"""check_install.py BUILD FOLDER - the package installs by pip into a virtual environment, from python/ and from a wheel of the source
distribution, which is made from the root, without network, and by CMake; all work.

pip builds the library anew, without optimisation and vector code to save time. Exit code 77 where venv, pip, setuptools or wheel are not installed.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parents[1]
SKIPPED = 77

QUICK = "-DCMAKE_BUILD_TYPE=None -DGEODISK_SIMD=OFF"
OPTIONS = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
SDIST = """
import sys
sys.path.insert(0, sys.argv[1])
import from_root
print(from_root.build_sdist(sys.argv[2]), end="")
"""
LOOK = """
import pathlib, geodisk, geodisk.gensim
print(pathlib.Path(geodisk.__file__).resolve())
assert geodisk.Ball(2).distance([0, 0], [0.5, 0]) > 1.09
"""


def run(*command, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    command = [str(word) for word in command]
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/", env={**env, **environment}).stdout


def make_sdist(folder):
    """The source distribution; the same bytes again, whatever the folder and the moment."""
    names = []
    for name in ("sdist", "again"):
        (folder / name).mkdir()
        said = run(sys.executable, "-B", "-c", SDIST, ROOT / "python" / "binding", folder / name, SOURCE_DATE_EPOCH="1700000000")
        names.append(folder / name / said.splitlines()[-1])
    assert names[0].read_bytes() == names[1].read_bytes()
    return names[0]


def check_pip(folder):
    env = folder / "env"
    run(sys.executable, "-m", "venv", "--system-site-packages", env)
    pip = env / "bin" / "pip"
    run(pip, "install", *OPTIONS, ROOT / "python", CMAKE_ARGS=QUICK, CCACHE_BASEDIR=str(ROOT))
    run(pip, "uninstall", "-y", "geodisk")
    run(pip, "wheel", *OPTIONS, "--wheel-dir", folder / "wheel", make_sdist(folder), CMAKE_ARGS=QUICK,
        CCACHE_BASEDIR=tempfile.gettempdir())  # where pip unpacks it: where there is ccache, it knows the sources again
    run(pip, "install", *OPTIONS, next((folder / "wheel").glob("geodisk-*.whl")))
    place = run(env / "bin" / "python", "-c", LOOK)
    assert str(env.resolve()) in place, place
    libraries = run("ldd", next(env.glob("lib/*/site-packages/geodisk/_native*.so")))
    assert "libgeodisk" not in libraries, libraries  # it is inside
    print(run(env / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / "test_ball_arrays.py", TESTS / "test_progress_bar.py"))


def check_cmake(build, folder):
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    run("cmake", "--install", build, "--prefix", prefix, "--component", "python")
    site = next(prefix.glob("lib*/python3*/*-packages"))
    place = run(sys.executable, "-c", LOOK, PYTHONPATH=str(site))
    assert str(prefix.resolve()) in place, place


def main():
    build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    missing = [name for name in ("venv", "ensurepip", "pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: not installed:", *missing)
        return SKIPPED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    check_cmake(build, folder)
    check_pip(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
