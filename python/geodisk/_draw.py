"""Models as pictures and as pages to walk around in."""
from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._graph import Graph, name_bytes
from ._library import PathLike, Session, fill, new_options, path_bytes
from ._native import ffi, lib
from ._progress import Progress

_CENTRES = ("origin", "root", "barycenter")


class Picture:
    """A picture in memory, which a notebook shows as it is."""

    def __init__(self, data: bytes, format: str) -> None:  # noqa: A002
        self.data = data
        self.format = format

    def _repr_svg_(self) -> Optional[str]:
        return self.data.decode("utf-8") if self.format == "svg" else None

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.format == "png" else None

    def save(self, path: PathLike) -> None:
        with open(path, "wb") as file:
            file.write(self.data)

    def __repr__(self) -> str:
        return f"<geodisk.Picture: {self.format}, {len(self.data)} bytes>"


class Page:
    """A page in memory: a notebook shows it in a frame, `open` in the browser."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return f'<iframe style="width: 100%; height: 640px; border: 0" srcdoc="{html.escape(self.text)}"></iframe>'

    def save(self, path: PathLike) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def open(self) -> str:
        """Writes the page to a temporary file, opens it in the browser, and returns its path."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.text)
        webbrowser.open("file://" + file.name)
        return file.name

    def __repr__(self) -> str:
        return f"<geodisk.Page: {len(self.text.encode())} bytes>"


def _fields(ctype: str) -> List[str]:
    return [name for name, _ in ffi.typeof(ctype).fields]


def _split(options: Dict[str, Any], what: str, pictures: str) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Which options are the scene's and which are the picture's."""
    scene, picture = set(_fields("geodisk_scene_options")), set(_fields(pictures))
    unknown = sorted(set(options) - scene - picture)
    if unknown:
        raise TypeError(f"{what} has no option {unknown[0]!r}; there are {', '.join(sorted(scene | picture))}")
    return {k: v for k, v in options.items() if k in scene}, {k: v for k, v in options.items() if k in picture}


def _scene(s: Session, model: Any, graph: Any, options: Dict[str, Any], what: str) -> Any:
    graph = graph if graph is None or isinstance(graph, Graph) else Graph(graph)
    renamed = options.pop("renamed", {})
    chosen, alive = new_options("geodisk_scene_options", options, what)
    for field, texts in (("renamed_names", list(renamed)), ("renamed_texts", list(renamed.values()))):
        kept = [ffi.new("char[]", name_bytes(text)) for text in texts]
        listed = ffi.new("char *[]", kept)
        alive += [kept, listed]
        setattr(chosen, field, listed)
    chosen.renamed = len(renamed)
    out = ffi.new("geodisk_scene **")
    status = lib.geodisk_scene_create(s.context, model._model, ffi.NULL if graph is None else graph._graph, chosen, out)
    return s.own(status, out, lib.geodisk_scene_destroy)


def _choose(picture: Dict[str, Any], highlight: Union[str, Sequence[str]]) -> Tuple[Any, List[Any]]:
    """The picture's options; a centre that is no word is a node's name."""
    chosen = ffi.new("geodisk_picture_options *")
    centre = picture.pop("centre", None)
    if centre is not None:
        known = centre in _CENTRES
        picture["centre"] = centre if known else "node"
        if not known:
            picture["centre_node"] = centre
    alive = fill(chosen, picture, "plot")
    names = [highlight] if isinstance(highlight, str) else list(highlight)
    if names:
        texts = [ffi.new("char[]", name_bytes(name)) for name in names]
        listed = ffi.new("char *[]", texts)
        alive += [texts, listed]
        chosen.highlight, chosen.highlights = listed, len(names)
    return chosen, alive


def plot(model: Any, path: Optional[PathLike], graph: Any, highlight: Union[str, Sequence[str]], threads: Optional[int], progress: Progress,
         options: Dict[str, Any]) -> Optional[Picture]:
    """Model.plot"""
    scene_options, picture_options = _split(options, "plot", "geodisk_picture_options")
    with Session(threads, progress) as s:
        scene = _scene(s, model, graph, scene_options, "plot")
        if path is not None:
            chosen, alive = _choose(picture_options, highlight)
            s.check(lib.geodisk_picture_write(s.context, scene, path_bytes(path), chosen, ffi.NULL))
            return None
        kind = str(picture_options.pop("format", "svg")).lower()
        with tempfile.TemporaryDirectory() as folder:
            file_name = os.path.join(folder, "picture." + kind)
            chosen, alive = _choose({**picture_options, "format": kind}, highlight)
            s.check(lib.geodisk_picture_write(s.context, scene, path_bytes(file_name), chosen, ffi.NULL))
            with open(file_name, "rb") as file:
                return Picture(file.read(), kind)


def view(model: Any, path: Optional[PathLike], graph: Any, threads: Optional[int], progress: Progress,
         options: Dict[str, Any]) -> Optional[Page]:
    """Model.view"""
    scene_options, page_options = _split(options, "view", "geodisk_page_options")
    chosen, alive = new_options("geodisk_page_options", page_options, "view")
    with Session(threads, progress) as s:
        scene = _scene(s, model, graph, {"scale": 1.0, **scene_options}, "view")  # the page shortens deep models itself
        if path is not None:
            s.check(lib.geodisk_scene_write_page(s.context, scene, path_bytes(path), chosen, ffi.NULL))
            return None
        with tempfile.TemporaryDirectory() as folder:
            file_name = os.path.join(folder, "page.html")
            s.check(lib.geodisk_scene_write_page(s.context, scene, path_bytes(file_name), chosen, ffi.NULL))
            with open(file_name, encoding="utf-8", newline="") as file:
                return Page(file.read())
