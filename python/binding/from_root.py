"""from_root.py - builds the Python package from the root of the project: setuptools' own hooks, called in the folder python."""
import os
import pathlib

from setuptools import build_meta

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


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
