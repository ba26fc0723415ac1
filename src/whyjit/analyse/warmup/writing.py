"""Python expressions for the arguments of a recorded call: the types of arrays, and the values of statics."""

from __future__ import annotations

import ast
import builtins
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.signature import Leaf, Node, Signature, Static

# What the module of the program itself is called in expressions: it may be the one that is running.
PROGRAM = "main_module"

_ZEROS = {"bool": "False", "int": "0", "uint": "0", "float": "0.0", "complex": "0j"}
_CONTAINERS = frozenset({"None", "tuple", "list", "dict"})
_PLAIN = frozenset({"int", "float", "bool", "complex", "str", "bytes", "NoneType", "tuple", "range", "slice"})
_DEVICE = re.compile(r"committed to ([^,]+)")
_MESH = re.compile(r"(P\(.*\)) on mesh \((\w+: \d+(?:, \w+: \d+)*)\) of devices (\d+ to \d+|\d+(?:, \d+)*)")
_AXIS_TYPES = re.compile(r"axis_types=\((\w+(?:, \w+)*),?\)")
_KEYS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
# What the warm-up has imported under a name of its own.
_SHORT = {"numpy": "np", "jax.numpy": "jnp", "jax": "jax"}
_DTYPE = re.compile(r"dtype\('?(\w+)'?\)")
_NUMBER = re.compile(r"(u?int|float|complex)\d+")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*\Z")


class Group(NamedTuple):
    """Something in brackets: `head`, items each behind what names it ("" or `mask=` or `'x': `), `tail`."""

    head: str
    items: tuple[tuple[str, Expr], ...]
    tail: str


Expr = str | Group


class NotWritten(Exception):  # noqa: N818 - an answer more than an error
    """Why an argument cannot be written down."""


class Written(NamedTuple):
    """The arguments of a call as expressions, and the modules they need.

    `given` names the arguments that could not be written, with the reason; the person who warms up passes them.
    """

    args: tuple[Expr, ...]
    kwargs: tuple[tuple[str, Expr], ...]
    modules: frozenset[str]
    given: tuple[tuple[str, str], ...]


def written(signature: Signature, needed: Callable[[str], str], program: str, *, concrete: bool = False) -> Written:
    """The arguments of the call with this signature.

    Arguments:
      signature: what was recorded of the call.
      needed: the name under which an argument is to be given that cannot be written, by its parameter.
      program: the module of the program itself: the classes of its `__main__` are found there.
      concrete: whether arrays must be arrays, as for `equinox.filter_jit`, which takes anything else as static.
    """
    return _Writer(signature, needed, program, "zeros(" if concrete else "array(").call()


class _Writer:
    def __init__(self, signature: Signature, needed: Callable[[str], str], program: str, array: str) -> None:
        self._signature = signature
        self._array = array
        self._needed = needed
        self._root = ""
        self._program = program
        self._nodes: dict[str, Node] = {node.path: node for node in signature.nodes}
        self._leaves: dict[str, Leaf] = {leaf.path: leaf for leaf in signature.leaves}
        self._statics: dict[str, Static] = {static.path: static for static in signature.statics}
        self._modules: set[str] = set()
        self._given: list[tuple[str, str]] = []

    def call(self) -> Written:
        args: list[Expr] = []
        kwargs: list[tuple[str, Expr]] = []
        for name, form in self._signature.form.parameters:
            if form == "positional":
                args.append(self._argument(name))
            elif form == "keyword":
                kwargs.append((_keyword(name), self._argument(name)))
        args += [self._argument(path) for path in self._rest()]
        return Written(tuple(args), tuple(kwargs), frozenset(self._modules), tuple(self._given))

    def _rest(self) -> list[str]:
        """The paths of what `*args` takes up: its node has a name that is no parameter's."""
        names = {name for name, _ in self._signature.form.parameters}
        first = self._signature.nodes[0] if self._signature.nodes else None
        if first is None or first.path in names or first.container != "tuple" or "[" in first.path:
            return []
        return [first.path + key for key in first.keys]

    def _argument(self, path: str) -> Expr:
        modules, self._root = set(self._modules), path
        try:
            return self._value(path)
        except NotWritten as reason:
            self._modules = modules
            name = self._needed(path)
            self._given.append((name, str(reason)))
            return Group("need(given, ", (("", _literal(repr(name))),), ")")

    def _value(self, path: str) -> Expr:
        if path in self._statics:
            return self._static(self._statics[path])
        if path in self._leaves:
            return _leaf(self._leaves[path], self._array)
        node = self._nodes.get(path)
        if node is None:
            raise NotWritten("it was not recorded whole")
        if node.container not in _CONTAINERS:
            verb = "is" if path == self._root else "holds"
            raise NotWritten(f"it {verb} {'an' if node.container[0] in 'AEIOU' else 'a'} {node.container}")
        items = [self._value(path + key) for key in node.keys]
        if node.container == "None":
            return "None"
        if node.container == "tuple":
            return Group("(", tuple(("", item) for item in items), ")")
        if node.container == "list":
            return Group("[", tuple(("", item) for item in items), "]")
        names = [_literal(key[1:-1]) for key in node.keys]
        return Group("{", tuple((f"{name}: ", item) for name, item in zip(names, items, strict=True)), "}")

    def _static(self, static: Static) -> Expr:
        if _DTYPE.fullmatch(static.text) and static.type.startswith("numpy."):
            return _dtype(static.text)
        if static.text.endswith("…") or "…" in static.note or "<" in static.text.partition("(")[0]:
            raise NotWritten(f"its value {static.text} is known only in part")
        if static.type in _PLAIN:
            return _literal(static.text)
        if static.type == "type":
            return self._class(static.text)
        if static.identity:
            raise NotWritten(f"its value {static.text} is compared by identity")
        return self._object(static)

    def _class(self, text: str) -> str:
        """A class, by the module that it says it is from; without one it is a built-in, or the program's own."""
        module, _, name = text.rpartition(".")
        if not module and text in vars(builtins):
            return text
        if any(part[:1].isupper() for part in module.split(".")):
            raise NotWritten(f"its value {text} is a class inside another one")
        return self._named(module, name)

    def _object(self, static: Static) -> Expr:
        """A member of an enum, a number of NumPy's, or an object of plain fields that its class takes by keyword."""
        try:
            tree = ast.parse(static.text, mode="eval").body
        except SyntaxError:
            raise NotWritten(f"its value {static.text} is no expression") from None
        name = ast.unparse(tree.func if isinstance(tree, ast.Call) else tree)
        inside = name if isinstance(tree, ast.Call) else name.rpartition(".")[0]
        if not _DOTTED.match(name) or not isinstance(tree, (ast.Call, ast.Attribute)):
            raise NotWritten(f"its value {static.text} has no name to import")
        if static.type != inside.rpartition(".")[2] and not f".{static.type}".endswith(f".{inside}"):
            if isinstance(tree, ast.Attribute):  # the type of a class is another class
                return self._class(static.text)
            raise NotWritten(f"its value {static.text} is no expression")
        module = static.type.removesuffix(inside).removesuffix(".") if static.type.endswith(inside) else ""
        if isinstance(tree, ast.Call) and tree.args and not static.type.startswith("numpy."):
            raise NotWritten(f"its value {static.text} is no expression")
        return self._made(tree, module)

    def _made(self, tree: ast.expr, module: str) -> Expr:
        """A plain value, or what is made by names of a module: an object's parts are of the module that it is of."""
        text = ast.unparse(tree)
        if _DTYPE.fullmatch(text):
            return _dtype(text)
        if isinstance(tree, ast.Attribute):
            return self._class(text) if text.startswith(("jax.", "numpy.")) else self._named(module, text)
        if isinstance(tree, ast.Call) and _NUMBER.fullmatch(ast.unparse(tree.func)):
            module = "numpy"
        if isinstance(tree, ast.Call) and _DOTTED.match(ast.unparse(tree.func)):
            items = [("", self._made(argument, module)) for argument in tree.args]
            items += [(f"{keyword.arg}=", self._made(keyword.value, module)) for keyword in tree.keywords]
            return Group(f"{self._named(module, ast.unparse(tree.func))}(", tuple(items), ")")
        if isinstance(tree, ast.Tuple) and any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(tree)):
            return Group("(", tuple(("", self._made(item, module)) for item in tree.elts), ")")
        try:
            return _shown(tree)
        except ValueError:
            raise NotWritten(f"its part {text} is not plain") from None

    def _named(self, module: str, name: str) -> str:
        home = module or self._program
        if not home or not _DOTTED.match(home):
            raise NotWritten(f"`{name}` has no module to import it from")
        if home in _SHORT:
            return f"{_SHORT[home]}.{name}"
        self._modules.add(home)
        return f"{PROGRAM if home == self._program else home}.{name}"


def _dtype(text: str) -> str:
    """The dtype that its `repr` tells of; those of `ml_dtypes` have no quotes in theirs."""
    return _DTYPE.sub(r'jnp.dtype("\1")', text)


def _shown(node: ast.expr) -> str:
    return _literal(repr(ast.literal_eval(node)))


def _literal(text: str) -> str:
    """A plain value as it is written, with double quotes as formatters have them."""
    if text in ("nan", "inf", "-inf"):
        return f'float("{text}")'
    if re.match(r"(range|slice)\(", text):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise NotWritten(f"its value {text} is no plain one") from None
    if isinstance(value, str) and '"' not in value and "\\" not in repr(value):
        return f'"{value}"'
    if isinstance(value, tuple):
        inner = [_literal(repr(item)) for item in value]
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
    return repr(value)


def _keyword(name: str) -> str:
    """The keyword of a parameter; one that `**kwargs` takes up is named as its item."""
    _, bracket, key = name.partition("[")
    return str(ast.literal_eval(key[:-1])) if bracket else name


def _leaf(leaf: Leaf, array: str) -> Expr:
    if leaf.holder == "other":
        raise NotWritten("it is nothing that JAX takes")
    if leaf.memory or leaf.layout:
        raise NotWritten(f"it lies in a memory or layout of its own ({leaf.memory or leaf.layout})")
    stem = leaf.dtype.rstrip("0123456789")
    if leaf.holder == "python" and stem in _ZEROS:
        return _ZEROS[stem]
    if leaf.dtype.startswith("key<"):
        kind = _KEYS.get(leaf.dtype[4:-1])
        if kind is None or leaf.sharding or array == "zeros(":
            raise NotWritten(f"it is an array of {leaf.dtype}")
        return Group("keys(", (("", f'"{kind}"'), *(("", str(size)) for size in leaf.shape)), ")")
    items: list[tuple[str, Expr]] = [("", f'"{leaf.dtype}"'), *(("", str(size)) for size in leaf.shape)]
    if leaf.weak_type and array == "zeros(":
        raise NotWritten("it is an array of a weak type")
    if leaf.weak_type:
        items.append(("weak=", "True"))
    device = _DEVICE.fullmatch(leaf.sharding)
    if device is not None and not leaf.mesh:
        items.append(("device=", f'"{device[1]}"'))
    elif leaf.sharding:
        items.append(("sharding=", _sharding(leaf)))
    return Group(array, tuple(items), ")")


def _sharding(leaf: Leaf) -> Expr:
    """How an array lies over a mesh: the spec, and the mesh's axes, devices and kinds of axes."""
    found, kinds = _MESH.fullmatch(leaf.sharding), _AXIS_TYPES.search(leaf.mesh)
    if found is None or kinds is None:
        raise NotWritten(f"it is sharded: {leaf.sharding}")
    spec, axes, devices = found.groups()
    try:
        parts = [_shown(part) for part in ast.parse(spec, mode="eval").body.args]  # type: ignore[attr-defined]
    except (ValueError, SyntaxError):
        raise NotWritten(f"it is sharded: {leaf.sharding}") from None
    names = [f'"{axis.partition(":")[0]}"' for axis in axes.split(", ")]
    sizes = [axis.partition(": ")[2] for axis in axes.split(", ")]
    first, _, last = devices.partition(" to ")
    numbers = list(map(str, range(int(first), int(last) + 1))) if last else devices.split(", ")
    types = [f'"{kind}"' for kind in kinds[1].split(", ")]
    each = (parts, names, sizes, numbers, types)
    return Group("sharded(", tuple(("", Group("(", tuple(("", item) for item in items), ")")) for items in each), ")")
