"""What is missing for a build is said by the names of Debian's packages."""
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

pytest.importorskip("wheel")


def build(tmp_path, programs, **environment):
    """Runs setup.py where only some programs are to be found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in programs:
        (folder / name).symlink_to(shutil.which(name) or "/bin/true")
    env = {k: v for k, v in os.environ.items() if k not in ("CC", "PYTHONPATH")}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-temp", str(tmp_path / "temp"), "--build-lib", str(tmp_path / "lib")]
    done = subprocess.run(command, cwd=ROOT / "python", env={**env, "PATH": str(folder), **environment}, text=True, capture_output=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize("programs,environment,what,packages", [
    (["cc", "ninja"], {}, "lacks CMake.", "apt-get install cmake"),
    (["cmake", "ninja"], {}, "lacks a C compiler.", "apt-get install gcc"),
    (["cmake", "cc", "ninja"], {"CC": "nonesuch -O1"}, "lacks a C compiler (nonesuch, as CC says).", "apt-get install gcc"),
    (["cmake", "cc"], {}, "lacks ninja or make.", "apt-get install ninja-build"),
    ([], {}, "lacks CMake, a C compiler, ninja or make.", "apt-get install cmake gcc ninja-build"),
])
def test_what_is_missing_is_named(tmp_path, programs, environment, what, packages):
    code, text = build(tmp_path, programs, **environment)
    assert code != 0 and what in text and packages in text
    assert not (tmp_path / "temp").exists() and "Traceback" not in text
