"""setup.py - builds geodisk._native by CMake, the library inside it, and makes a wheel of the package."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    raise SystemExit("geodisk needs the Python module wheel to be built (on Debian: apt-get install python3-wheel)") from None

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    if not (ROOT / "CMakeLists.txt").exists():
        raise SystemExit("geodisk is built from a checkout of the whole project: pip install . (or ./python) in it")
    text = (ROOT / "include" / "geodisk" / "base.h").read_text("utf-8")
    return re.search(r'#define GEODISK_VERSION\s+"([^"]+)"', text)[1]


def missing():
    """What a build needs and this machine has not got: (what, Debian's package)."""
    compilers = [os.environ["CC"].split()[0]] if os.environ.get("CC", "").strip() else ["cc", "gcc", "clang"]
    found = {
        ("CMake", "cmake"): shutil.which("cmake"),
        ("a C compiler" + (f" ({compilers[0]}, as CC says)" if len(compilers) == 1 else ""), "gcc"): any(map(shutil.which, compilers)),
        ("ninja or make", "ninja-build"): shutil.which("ninja") or shutil.which("make"),
        ("Python's headers", "python3-dev"): (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists(),
        ("the Python module cffi", "python3-cffi"): importlib.util.find_spec("cffi"),
    }
    return [need for need, there in found.items() if not there]


class BuildByCMake(build_ext):
    """One target of the project's own CMakeLists.txt; static, so that the wheel holds everything."""

    def build_extension(self, extension):
        needs = missing()
        if needs:
            raise SystemExit(f"geodisk is built from C, and this machine lacks {', '.join(what for what, _ in needs)}.\n"
                             f"On Debian: apt-get install {' '.join(package for _, package in needs)}")
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
                   "-DGEODISK_BUILD_CLI=OFF", "-DGEODISK_BUILD_TESTS=OFF", "-DGEODISK_BUILD_CUDA=OFF",
                   "-DGEODISK_BUILD_PYTHON=ON",
                   f"-DGEODISK_PYTHON={sys.executable}", *os.environ.get("CMAKE_ARGS", "").split()]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *generator, *options], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "geodisk_native", "--parallel", str(os.cpu_count() or 1)], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "python" / "geodisk" / "_native.abi3.so", target)


class AnyPython(bdist_wheel):
    """The compiled part keeps to Python's stable interface, so that one wheel serves every version."""

    def finalize_options(self):
        self.py_limited_api = "cp39"
        super().finalize_options()


setup(version=version(), ext_modules=[Extension("geodisk._native", sources=[], py_limited_api=True)],
      cmdclass={"build_ext": BuildByCMake, "bdist_wheel": AnyPython}, options={"build": {"build_base": str(ROOT / "build" / "wheel")}})
