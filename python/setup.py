"""setup.py - builds geodisk._native by CMake, the library inside it, and makes a wheel of the package."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    if not (ROOT / "CMakeLists.txt").exists():
        raise SystemExit("geodisk is built from a checkout of the whole project: pip install ./python")
    text = (ROOT / "include" / "geodisk" / "base.h").read_text("utf-8")
    return re.search(r'#define GEODISK_VERSION\s+"([^"]+)"', text)[1]


class BuildByCMake(build_ext):
    """One target of the project's own CMakeLists.txt; static, so that the wheel holds everything."""

    def build_extension(self, extension):
        if not shutil.which("cmake"):
            raise SystemExit("geodisk is built by CMake, which is not installed (on Debian: apt-get install cmake)")
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
                   "-DGEODISK_BUILD_CLI=OFF", "-DGEODISK_BUILD_TESTS=OFF", "-DGEODISK_BUILD_BENCH=OFF", "-DGEODISK_BUILD_PYTHON=ON",
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
