"""Models as pictures and as pages to walk around in."""
from __future__ import annotations

import html
import tempfile
import webbrowser
from typing import Any, Dict, List, Optional, Tuple

from ._graph import Graph
from ._keywords import fields_of
from ._library import PathLike, Session, enum_words, fill, new_options, text_of
from ._memory import Target, in_memory, write_to
from ._names import name_bytes, text_and_kind
from ._native import ffi, lib
from ._progress import Progress

_CENTRES = set(enum_words(ffi.typeof("geodisk_picture_centre"))) - {"node"}


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


def _split(options: Dict[str, Any], picture: str) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Which options are the scene's and which are the picture's."""
    scene = fields_of("geodisk_scene_options")
    return {k: v for k, v in options.items() if k in scene}, {k: v for k, v in options.items() if k in fields_of(picture)}


def _text(model: Any, node: Any) -> str:
    """What the library calls a node of the model."""
    return text_of(lib.geodisk_model_name(model._model, model.index(node)))


def _scene(s: Session, model: Any, graph: Any, options: Dict[str, Any], what: str) -> Any:
    options = dict(options)
    renamed = dict(options.pop("renamed", None) or {})
    if options.get("below") is not None:
        options["below"] = _text(model, options["below"])
    chosen, alive = new_options("geodisk_scene_options", options, what)
    for field, texts in (("renamed_names", [text_and_kind(node)[0] for node in renamed]), ("renamed_texts", list(renamed.values()))):
        kept = [ffi.new("char[]", name_bytes(text)) for text in texts]
        listed = ffi.new("char *[]", kept)
        alive += [kept, listed]
        setattr(chosen, field, listed)
    chosen.renamed = len(renamed)
    return s.make("scene", lib.geodisk_scene_create, model._model, ffi.NULL if graph is None else graph._graph, chosen)


def _choose(model: Any, picture: Dict[str, Any], highlight: Any) -> Tuple[Any, List[Any]]:
    """The picture's options; a centre that is no word is a node's name."""
    chosen = ffi.new("geodisk_picture_options *")
    centre = picture.pop("centre", None)
    if centre is not None:
        known = isinstance(centre, str) and centre in _CENTRES
        picture["centre"] = centre if known else "node"
        if not known:
            picture["centre_node"] = _text(model, centre)
    alive = fill(chosen, picture, "plot")
    names = list(highlight) if isinstance(highlight, (list, tuple, set, frozenset)) and highlight not in model else [highlight]
    if names:
        texts = [ffi.new("char[]", name_bytes(_text(model, name))) for name in names]
        listed = ffi.new("char *[]", texts)
        alive += [texts, listed]
        chosen.highlight, chosen.highlights = listed, len(names)
    return chosen, alive


def plot(model: Any, path: Optional[Target], graph: Optional[Graph], highlight: Any, threads: Optional[int], progress: Progress,
         options: Dict[str, Any]) -> Optional[Picture]:
    """Model.plot"""
    scene_options, picture_options = _split(options, "geodisk_picture_options")
    if path is None or hasattr(path, "write"):  # no end of a path tells it
        picture_options = {"format": "svg", **picture_options}
    kind = str(picture_options.get("format", "")).lower()
    chosen, alive = _choose(model, picture_options, highlight)
    with Session(threads, progress) as s:
        scene = _scene(s, model, graph, scene_options, "plot")

        def write(place: bytes) -> None:
            s.check(lib.geodisk_picture_write(s.context, scene, place, chosen, ffi.NULL))

        if path is None:
            return Picture(in_memory(s, write), kind)
        write_to(s, path, write)
        return None


def view(model: Any, path: Optional[Target], graph: Optional[Graph], threads: Optional[int], progress: Progress,
         options: Dict[str, Any]) -> Optional[Page]:
    """Model.view"""
    scene_options, page_options = _split(options, "geodisk_page_options")
    chosen, alive = new_options("geodisk_page_options", page_options, "view")
    with Session(threads, progress) as s:
        scene = _scene(s, model, graph, {"scale": 1.0, **scene_options}, "view")  # the page shortens deep models itself

        def write(place: bytes) -> None:
            s.check(lib.geodisk_scene_write_page(s.context, scene, place, chosen, ffi.NULL))

        if path is None:
            return Page(in_memory(s, write).decode("utf-8"))
        write_to(s, path, write)
        return None
