"""Which static argument cannot be hashed, and which part of it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.results import function_source
from whyjit.analyse.failure.rewrite import is_jit, one_line
from whyjit.model.scene import Callee

if TYPE_CHECKING:
    from whyjit.analyse.failure.locate import Located
    from whyjit.model.scene import Field, Scene

_OBJECT = re.compile(
    r"hash an object of type <class '(?P<type>[^']+)'>, (?P<text>.*?)\. The error was:\s*(?P<why>.*)", re.DOTALL
)
_UNHASHABLE = re.compile(r"unhashable type: '?(?:[\w.]*\.)?(?P<type>\w+)'?")
_ARRAY_FIELD = re.compile(r"(\w+)=[\[({]*(?:Array|array)\(")
# A field that holds a display, in the text of a dataclass.
_FIELDS = {
    "list": re.compile(r"(\w+)=\["),
    "dict": re.compile(r"(\w+)=\{"),
    "set": re.compile(r"(\w+)=\{"),
}
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
}


class Unhashable(NamedTuple):
    """A static argument without a hash: its parameter, the expression passed, the part without one, and both types.

    Of an object of a dataclass `arrays` are the fields that hold arrays, `displays` those that hold lists and the like.
    """

    function: str
    parameter: str
    passed: str
    node: ast.expr | None
    part: str
    type_name: str
    part_type: str
    arrays: tuple[str, ...] = ()
    displays: tuple[str, ...] = ()


class Told(NamedTuple):
    """What JAX's message tells: the object's type and text, and the type of the part that has no hash."""

    type_name: str
    text: str
    part_type: str


def told_by(message: str) -> Told:
    """What the message tells; "" where it does not."""
    match = _OBJECT.search(message)
    inner = _UNHASHABLE.search(message)
    part = inner["type"] if inner is not None else ""
    if match is None:
        return Told("", "", part)
    return Told(match["type"].rpartition(".")[2], match["text"], part)


def unhashable_static(scene: Scene, located: Located | None) -> Unhashable | None:
    """The static argument that JAX could not hash, where the call names a jitted function that can be read."""
    if located is None or not isinstance(located.node, ast.Call):
        return None
    call = located.node
    callee = scene.callee(0, call.func) or _jitted_here(scene, call.func)
    if callee is None:
        return None
    told = told_by(scene.message)
    passed = [(name, node) for name, node in _passed(call, callee) if name in callee.static]
    chosen = _choose(scene, passed, told)
    if chosen is None:
        return None
    name, node = chosen
    field = scene.unhashable(0, node)
    return Unhashable(
        callee.name,
        name,
        one_line(node, located.lines),
        node,
        _part(field, told, node),
        told.type_name or _type_of(scene, node),
        field.type_name if field is not None else told.part_type,
        tuple(dict.fromkeys(_ARRAY_FIELD.findall(told.text))),
        tuple(name for fields in _FIELDS.values() for name in fields.findall(told.text)),
    )


def _jitted_here(scene: Scene, node: ast.expr) -> Callee | None:
    """The function in `jax.jit(f, static_argnums=1)`, where it is called at once."""
    if not (isinstance(node, ast.Call) and node.args and is_jit(node.func)):
        return None
    source = function_source(scene, 0, node.args[0])
    if source is None or isinstance(node.args[0], ast.Call):
        return None
    arguments = source.node.args
    places = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if isinstance(node.args[0], ast.Attribute) and places[:1] == ["self"]:
        seen = scene.see(0, node.args[0].value)
        places = places[1:] if seen is None or seen.kind not in ("type", "module") else places
    static: set[str] = set()
    for keyword in node.keywords:
        given = _literal(keyword.value) if keyword.arg in ("static_argnums", "static_argnames") else ()
        for one in given:
            if isinstance(one, str):
                static.add(one)
            elif isinstance(one, int) and -len(places) <= one < len(places):
                static.add(places[one])
    parameters = (*places, *(one.arg for one in arguments.kwonlyargs))
    name = "<lambda>" if isinstance(source.node, ast.Lambda) else source.node.name
    return Callee(name, parameters, tuple(one for one in parameters if one in static))


def _literal(node: ast.expr) -> tuple[object, ...]:
    try:
        value: object = ast.literal_eval(node)
    except ValueError:
        return ()
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _passed(call: ast.Call, callee: Callee) -> list[tuple[str, ast.expr]]:
    """Each parameter with the expression that was passed for it; a method's object is its first."""
    parameters = list(callee.parameters)
    found: list[tuple[str, ast.expr]] = []
    if callee.bound and parameters:  # `net(x)` is a call of the method `__call__` of net
        found.append((parameters.pop(0), call.func.value if isinstance(call.func, ast.Attribute) else call.func))
    if not any(isinstance(one, ast.Starred) for one in call.args):
        found.extend(zip(parameters, call.args, strict=False))
    found.extend((one.arg, one.value) for one in call.keywords if one.arg is not None)
    return found


def _choose(scene: Scene, passed: list[tuple[str, ast.expr]], told: Told) -> tuple[str, ast.expr] | None:
    if len(passed) == 1:
        return passed[0]
    certain = [one for one in passed if scene.unhashable(0, one[1]) is not None or type(one[1]) in _DISPLAYS]
    if len(certain) == 1:
        return certain[0]
    same = [one for one in certain or passed if told.type_name and _type_of(scene, one[1]) == told.type_name]
    return same[0] if len(same) == 1 else None


def _type_of(scene: Scene, node: ast.expr) -> str:
    display = _DISPLAYS.get(type(node))
    if display is not None:
        return display
    seen = scene.see(0, node)
    if seen is not None:
        return seen.type_name
    if isinstance(node, ast.Call):
        return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return ""


def _part(field: Field | None, told: Told, node: ast.expr) -> str:
    """The path of the part that has no hash, below the argument; "" where the argument itself has none.

    `[...]` is a part whose path the message does not tell.
    """
    if field is not None:
        return field.path
    inside = bool(told.type_name and told.part_type) and told.part_type != told.type_name
    if inside:
        named = _FIELDS.get(told.part_type, _ARRAY_FIELD).findall(told.text)
        if len(named) == 1 or (named and told.part_type not in _FIELDS):
            return f".{named[0]}"
    if isinstance(node, (ast.Tuple, ast.Call)):
        parts = node.elts if isinstance(node, ast.Tuple) else node.args
        at = next((at for at, part in enumerate(parts) if _DISPLAYS.get(type(part)) == told.part_type), None)
        if at is not None and isinstance(node, ast.Tuple):
            return f"[{at}]"
    return "[...]" if inside else ""
