"""from_root.py - builds the Python package from the root of the project: setuptools' own hooks, called in the folder python; and the
source distribution, which is the whole project, for a wheel is built by its CMakeLists.txt."""
import gzip
import io
import os
import pathlib
import subprocess
import tarfile
import tempfile

from setuptools import build_meta

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent


def _hook(name):
    """A hook of setuptools; pip hands over folders, which may be relative to where it is."""

    def call(*arguments, **keywords):
        arguments = [os.path.abspath(value) if isinstance(value, str) else value for value in arguments]
        keywords = {key: os.path.abspath(value) if isinstance(value, str) else value for key, value in keywords.items()}
        before = os.getcwd()
        os.chdir(PACKAGE)
        try:
            return getattr(build_meta, name)(*arguments, **keywords)
        finally:
            os.chdir(before)

    return call


build_wheel = _hook("build_wheel")
get_requires_for_build_wheel = _hook("get_requires_for_build_wheel")
prepare_metadata_for_build_wheel = _hook("prepare_metadata_for_build_wheel")


def _source_files():
    """What git knows of, or everything of an unpacked tarball, but Debian's own files and what a build leaves."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
        paths = [pathlib.PurePath(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]
    else:
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    left_out = {"build", "debian", "out", "PKG-INFO", ".gitattributes", ".gitignore"}
    return sorted(str(path) for path in paths if path.parts[0] not in left_out)


def build_sdist(sdist_directory, config_settings=None):
    """geodisk-VERSION.tar.gz with PKG-INFO; the same bytes for the same files and SOURCE_DATE_EPOCH."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = prepare_metadata_for_build_wheel(scratch)
        metadata = (pathlib.Path(scratch) / folder / "METADATA").read_bytes()
    name = folder[: -len(".dist-info")]

    def put(archive, path, data, mode):
        entry = tarfile.TarInfo(f"{name}/{path}")
        entry.size, entry.mtime, entry.mode = len(data), moment, mode
        archive.addfile(entry, io.BytesIO(data))

    target = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    with open(target, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=moment) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            put(archive, "PKG-INFO", metadata, 0o644)
            for path in _source_files():
                mode = 0o755 if os.access(ROOT / path, os.X_OK) else 0o644
                put(archive, path, (ROOT / path).read_bytes(), mode)
    return target.name


get_requires_for_build_sdist = _hook("get_requires_for_build_sdist")
