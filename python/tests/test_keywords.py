"""Keyword arguments are the fields of the library's structs with its defaults and types; signatures, help and type checkers show them.

A field that was added, removed or given another default fails here, and the failure prints the arguments as they should be.
check_types.py has what type checkers accept and refuse.
"""
import inspect
import keyword
import textwrap
import typing

import pytest

import geodisk
from geodisk import Graph, Model
from geodisk._keywords import DECLARED, UNSET, fields_of
from geodisk._library import _convert, _named_number, enum_words
from geodisk._native import ffi, lib

# Where zeros are not the defaults.
DEFAULTS = {"geodisk_train_options": lib.geodisk_train_defaults, "geodisk_mean_options": lib.geodisk_mean_defaults,
            "geodisk_optim_options": lambda: lib.geodisk_optim_defaults(lib.GEODISK_METHOD_BACKTRACKING)}

# Fields that are set by other arguments: (function, field).
ELSEWHERE = {("Model.plot", "centre_node"), ("Model.plot", "highlights"), ("evaluate", "loss"), ("Graph.write", "node_columns")}
# Arguments of types of their own: any node; a dictionary; a number that has a word in another struct only.
OWN_TYPES = {("Model.plot", "renamed"), ("Model.view", "renamed"), ("Model.plot", "centre"), ("Model.plot", "below"), ("Model.view", "below"), ("Model.place", "negatives")}
CHOICE = {"yes", "no", "auto"}


def defaults_of(struct):
    return DEFAULTS[struct]() if struct in DEFAULTS else ffi.new(struct + " *")[0]


def expected_type(name, ctype):
    """The annotation of a field, as text."""
    if ctype.kind == "enum":
        words = enum_words(ctype)
        return "Optional[bool]" if set(words) == CHOICE else f"Literal{sorted(words, key=words.__getitem__)!r}"
    if ctype.kind == "pointer" or ctype.cname == "char":
        return "Optional[str]"
    if ctype.kind == "struct":
        return "Dict[str, Any]"
    number = {"_Bool": "bool", "double": "float", "float": "float"}.get(ctype.cname, "int")
    words = [word for word in ("auto", "all", "none") if _named_number(name, word) is not None]
    return f"Union[{number}, Literal{words!r}]" if words else number


def fits(hint, name, ctype):
    """Whether an annotation takes what the field takes."""
    parts = set(typing.get_args(hint)) if typing.get_origin(hint) is typing.Union else {hint}
    words = {word for part in parts if typing.get_origin(part) is typing.Literal for word in typing.get_args(part)}
    plain = {part for part in parts if typing.get_origin(part) is not typing.Literal}
    if ctype.kind == "enum":
        known = set(enum_words(ctype))
        return plain == {bool, type(None)} if known == CHOICE else not plain and words == known
    if ctype.kind == "pointer" or ctype.cname == "char":
        return str in plain and type(None) in plain
    if ctype.kind == "struct":
        return True
    number = {"_Bool": bool, "double": float, "float": float}.get(ctype.cname, int)
    return plain == {number} and words == {word for word in ("auto", "all", "none") if _named_number(name, word) is not None}


def value_of(struct, name, ctype):
    value = getattr(defaults_of(struct), name)
    return text(value) if ctype.kind == "pointer" else int(value) if ctype.kind == "enum" else value


def text(pointer):
    return None if pointer == ffi.NULL else ffi.string(pointer)


@pytest.mark.parametrize("function,structs", DECLARED, ids=lambda value: getattr(value, "__qualname__", ""))
def test_signatures_are_the_structs(function, structs):
    parameters, hints = inspect.signature(function).parameters, typing.get_type_hints(function)
    problems, lines = [], []
    for struct in structs:
        for name, field in ffi.typeof(struct).fields:
            where, ctype = (function.__qualname__, name), field.type
            if name not in fields_of(struct) or where in ELSEWHERE or keyword.iskeyword(name):
                continue
            default = value_of(struct, name, ctype)
            shown = {v: k for k, v in enum_words(ctype).items()}[default] if ctype.kind == "enum" else default
            shown = {_named_number(name, word): word for word in ("auto", "all", "none")}.get(default, shown) if ctype.kind == "primitive" else shown
            lines.append(f"    {name}: {expected_type(name, ctype)} = {shown!r},")
            if name not in parameters:
                problems.append(f"{struct}.{name} is no argument")
                continue
            if where not in OWN_TYPES and not fits(hints[name], name, ctype):
                problems.append(f"{name}: its type {hints[name]} is not {expected_type(name, ctype)}")
            given = parameters[name].default
            if given is inspect.Parameter.empty or ctype.kind == "struct" or (where in OWN_TYPES and not given):
                continue
            converted = None if given is None and ctype.kind == "pointer" else _convert(ctype, name, given, "", [])
            if converted != default:
                problems.append(f"{name}: its default {given!r} is not the library's, {shown!r}")
    assert not problems, "\n".join([f"{function.__qualname__}: " + "; ".join(problems), "as the library has them:", *lines])


def test_no_argument_is_left_from_a_field_that_is_gone():
    """What is no field must be among the arguments that the package itself understands."""
    own = {"graph", "objective", "distances", "stress", "recipe", "start", "output", "checkpoint_every", "resume", "on_epoch", "threads", "progress"}
    assert set(inspect.signature(geodisk.train).parameters) - fields_of("geodisk_train_options") == own


def test_signatures_show_defaults_and_types():
    signature = inspect.signature(geodisk.train)
    assert signature.parameters["dim"].default == lib.geodisk_train_defaults().dim
    assert signature.parameters["epochs"].default == "auto" and signature.parameters["negatives"].default == lib.geodisk_train_defaults().negatives
    assert "lr: 'float' = " in str(signature) or "lr: float = " in str(signature)
    assert "UNSET" not in str(signature)
    import pydoc

    assert "negatives: " in pydoc.render_doc(geodisk.train) and "separator: " in pydoc.render_doc(Graph.read)
    for function, _ in DECLARED:
        assert not [p for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD], function
        assert function.__doc__, function


@pytest.mark.parametrize("call,text", [
    (lambda: geodisk.train([("a", "b")], epoch=3), "train has no option 'epoch'; did you mean epochs?"),
    (lambda: geodisk.train([("a", "b")], learning=3), "train has no option 'learning'; there are graph, dim, objective"),
    (lambda: geodisk.train([("a", "b")], negative=3), "did you mean negatives?"),
    (lambda: Graph.generate("tree", branchings=3), "Graph.generate has no option 'branchings'; did you mean branching?"),
    (lambda: Graph([("a", "b")]).closure(max_edge=3), "Graph.closure has no option 'max_edge'; did you mean max_edges?"),
    (lambda: Graph([("a", "b")]).write("x", seperator=","), "did you mean separator?"),
    (lambda: Model.load("x", fromat="tsv"), "did you mean format?"),
    (lambda: Model(None, [[0.0, 0.0]]).plot(labells=3), "Model.plot has no option 'labells'; did you mean labels?"),
    (lambda: Model(None, [[0.0, 0.0]]).view(titel="x"), "Model.view has no option 'titel'; did you mean title?"),
    (lambda: geodisk.evaluate(Model(None, [[0.0, 0.0]]), [(0, 1)], direct=True), "did you mean directed?"),
])
def test_a_wrong_name_gets_the_right_one(call, text):
    with pytest.raises(TypeError) as error:
        call()
    assert text in str(error.value)


@pytest.mark.parametrize("options,name", [
    ({"dim": "2"}, "dim"), ({"dim": 2.5}, "dim"), ({"dim": None}, "dim"), ({"lr": "a"}, "lr"), ({"lr": [1]}, "lr"), ({"epochs": "many"}, "epochs"),
    ({"seed": -1}, "seed"), ({"threads": "2"}, "threads"), ({"update": 7}, "update"), ({"start": "m"}, "start"), ({"on_epoch": 3}, "on_epoch"),
    ({"checkpoint_every": "x"}, "checkpoint_every"), ({"checkpoint_every": 5}, "checkpoint_every needs output"), ({"negatives": "some"}, "negatives"),
    ({"recipe": "paper\0"}, "NUL"), ({"output": "a\0b"}, "NUL"),
])
def test_a_wrong_value_names_its_argument(options, name):
    with pytest.raises((TypeError, ValueError), match=name):
        geodisk.train([("a", "b"), ("c", "b")], progress=False, **options)


def test_means_begin_where_they_are_told():
    x = [[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]]
    _, from_origin = geodisk.mean(x, method="gradient", full=True)
    middle, near = geodisk.mean(x, method="gradient", start=geodisk.mean(x), full=True)
    assert near["iterations"] < from_origin["iterations"]
    with pytest.raises(ValueError, match=r"start: expected an array of shape \(2,\)"):
        geodisk.mean(x, start=[0.0])
    with pytest.raises(TypeError, match="mean has no option 'iteration'; did you mean iterations?"):
        geodisk.mean(x, iteration=3)
    with pytest.raises(TypeError, match="minimize: schedule has no option 'rat'; did you mean rate?"):
        geodisk.minimize(lambda d: (0.0, d), x, [[0, 1]], schedule={"rat": 1})


def test_what_is_given_goes_before_the_recipe_and_the_rest_does_not():
    graph = Graph.generate("tree", branching=2, depth=3)
    plain = geodisk.train(graph, recipe="paper", epochs=1, progress=False).options
    default = inspect.signature(geodisk.train).parameters["units"].default
    assert plain["units"] != default  # the recipe's
    assert geodisk.train(graph, recipe="paper", epochs=1, units=default, progress=False).options["units"] == default
    assert geodisk.train(graph, 3, epochs=1, progress=False).dim == 3
    with pytest.raises(TypeError):
        geodisk.train(graph, 3, dim=3)


def test_start_and_resume_have_their_dimension(tmp_path):
    graph = Graph.generate("tree", branching=2, depth=3)
    first = geodisk.train(graph, dim=3, epochs=2, progress=False, output=tmp_path / "m", negatives=3)
    assert geodisk.train(graph, start=first, epochs=1, progress=False).dim == 3
    flat = geodisk.train(graph, dim=4, space="euclidean", epochs=1, progress=False)
    assert geodisk.train(graph, start=flat, epochs=1, progress=False).space == "euclidean"
    with pytest.raises(ValueError, match="dim"):
        geodisk.train(graph, start=first, dim=5, epochs=1, progress=False)
    assert geodisk.train(graph, resume=tmp_path / "m", epochs=3, progress=False).dim == 3
    assert geodisk.train(graph, resume=tmp_path / "m", dim=3, epochs=3, progress=False).dim == 3
    with pytest.raises(ValueError, match="dim"):
        geodisk.train(graph, resume=tmp_path / "m", dim=10, progress=False)
    with pytest.raises(ValueError, match="negatives"):
        geodisk.train(graph, resume=tmp_path / "m", negatives=4, progress=False)
    for options in ({"start": first}, {"recipe": "paper"}):
        with pytest.raises(ValueError, match="resume goes on with what its file has"):
            geodisk.train(graph, resume=tmp_path / "m", progress=False, **options)


def test_completion_in_a_notebook_shows_the_options():
    """IPython and jedi read signatures: those of the function as it stands there."""
    names = textwrap.dedent(str(inspect.signature(Model.plot)))
    for option in ("centre", "labels", "dark", "max_nodes"):
        assert option in names
    assert UNSET is not None and repr(UNSET) == "UNSET"
