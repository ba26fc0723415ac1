"""Static arguments in the source: which jits of a function name them, and the text without, or with, some of them.

Recognised are `@partial(jax.jit, static_argnames=...)`, `@jax.jit(static_argnames=...)`, `@jax.jit`, and
`jax.jit(f, static_argnums=...)` anywhere in the file. Only the option is edited; everything else stays as it is,
to the space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whyjit.rewrite.jit_places import CannotEdit, Places

if TYPE_CHECKING:
    import libcst

_JIT = frozenset({"jax.jit", "jax.api.jit", "jax._src.api.jit"})
_PARTIAL = "functools.partial"
# Options with a part for each argument that is not static.
_BY_ARGUMENT = frozenset({"in_shardings", "abstracted_axes"})
# Stands for `functools.partial` until it is known how the file imports it.
PARTIAL = "whyjit_partial_here"
_OPTIONS = ("static_argnames", "static_argnums")


@dataclass(frozen=True)
class Edited:
    """A source with its options changed, and the lines where that was."""

    source: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Uneditable:
    """Why the options cannot be changed in the source."""

    reason: str


@dataclass(frozen=True)
class Target:
    """A function: its name, the line of its `def` or first decorator, and its parameters in their order."""

    name: str
    line: int
    parameters: Sequence[str] = field(default=())


def without(source: str, target: Target, names: Sequence[str]) -> Edited | Uneditable:
    """The source in which these parameters of a function are no longer static."""
    return _edit(source, target, lambda editor, call: editor.remove(call, names))


def with_static(source: str, target: Target, names: Sequence[str]) -> Edited | Uneditable:
    """The source in which these parameters of a function are static, too."""
    edited = _edit(source, target, lambda editor, call: editor.add(call, names))
    if isinstance(edited, Edited) and PARTIAL in edited.source:
        return Edited(_with_partial(edited.source), edited.lines)
    return edited


def _edit(source: str, target: Target, change: Any) -> Edited | Uneditable:
    import libcst

    try:
        places = Places(source)
    except libcst.ParserSyntaxError as fault:
        return Uneditable(f"the source cannot be parsed: {fault.message}")
    changes: dict[Any, Any] = {}
    lines: list[int] = []
    try:
        for node, bound in _jits(places, target):
            edited = change(_Editor(target.parameters[bound:], places), node)
            if edited is not None:
                changes[node] = edited
                lines.append(places.line(node))
    except CannotEdit as reason:
        return Uneditable(str(reason))
    if not changes:
        return Uneditable(f"no jax.jit of `{target.name}` in this file names it")

    class Change(libcst.CSTTransformer):
        """Puts the edited nodes in the place of the old ones."""

        def on_leave(self, original_node: libcst.CSTNode, updated_node: Any) -> Any:
            return changes.get(original_node, updated_node)

    return Edited(places.module.visit(Change()).code, tuple(lines))


def _jits(places: Places, target: Target) -> list[tuple[Any, bool]]:
    """The expressions that jit the function: its decorators, and calls that are given it by name.

    With each, whether it is given the function bound to an object, so that its first parameter is taken.
    """
    node = places.function(target.name, target.line)
    decorators = [one.decorator for one in getattr(node, "decorators", ())]
    found = [(one, False) for one in decorators if _is_jit(places, one)]
    for call in places.calls():
        if places.named(call.func) & _JIT and call.args and not places.is_decorator(call):
            meant = places.means(call.args[0].value, node, call)
            if meant:
                found.append((call, meant == "bound"))
    return found


def _is_jit(places: Places, node: Any) -> bool:
    """Whether a decorator is `jax.jit`, `jax.jit(...)` without a function, or `partial(jax.jit, ...)`."""
    import libcst

    if not isinstance(node, libcst.Call):
        return bool(places.named(node) & _JIT)
    if places.named(node.func) & _JIT:
        return all(argument.keyword is not None for argument in node.args)
    return _PARTIAL in places.named(node.func) and bool(node.args) and bool(places.named(node.args[0].value) & _JIT)


class _Editor:
    def __init__(self, parameters: Sequence[str], places: Places) -> None:
        self._parameters = list(parameters)
        self._places = places

    # Removing.

    def remove(self, node: Any, names: Sequence[str]) -> Any:
        """The jit without these names among its static arguments, or None where they are not."""
        import libcst

        if not isinstance(node, libcst.Call):
            return None
        if any(argument.keyword is not None and argument.keyword.value in _BY_ARGUMENT for argument in node.args):
            raise CannotEdit("its in_shardings stand for each argument that is not static, and would have to change")
        kept: list[Any] = []
        changed = False
        for argument in node.args:
            option = argument.keyword.value if argument.keyword is not None else ""
            if option not in _OPTIONS:
                kept.append(argument)
                continue
            value = self._less(argument.value, names)
            changed = changed or value is not argument.value
            if value is not None:
                kept.append(argument.with_changes(value=value))
        if not changed:
            return None
        if len(kept) == 1 and _PARTIAL in self._places.named(node.func):
            return kept[0].value
        if not kept:
            return node.func
        if len(kept) < len(node.args) and node.args[-1] is not kept[-1]:
            kept[-1] = kept[-1].with_changes(
                comma=node.args[-1].comma, whitespace_after_arg=node.args[-1].whitespace_after_arg
            )
        return node.with_changes(args=kept)

    def _less(self, value: Any, names: Sequence[str]) -> Any:
        """The value of an option without these parameters; None if nothing is left; itself if they are not in it."""
        import libcst

        if not isinstance(value, (libcst.Tuple, libcst.List, libcst.Set)):
            return None if self._means(value, names) else value
        kept = [element for element in value.elements if not self._means(element.value, names)]
        if len(kept) == len(value.elements):
            return value
        if not kept:
            return None
        last = kept[-1].with_changes(comma=value.elements[-1].comma)
        if len(kept) == 1 and isinstance(value, libcst.Tuple):
            last = last.with_changes(comma=libcst.Comma())
        return value.with_changes(elements=[*kept[:-1], last])

    def _means(self, value: Any, names: Sequence[str]) -> bool:
        """Whether an element of an option, a name or a number, is one of these parameters."""
        import libcst

        if isinstance(value, (libcst.SimpleString, libcst.ConcatenatedString)):
            return value.evaluated_value in names
        parameters = self._parameters
        number = _number(value)
        if number is None:
            raise CannotEdit("its static arguments are not written out where it is jitted")
        return -len(parameters) <= number < len(parameters) and parameters[number] in names

    # Adding.

    def add(self, node: Any, names: Sequence[str]) -> Any:
        """The jit with these names among its static arguments, too."""
        import libcst

        if not isinstance(node, libcst.Call):
            written = libcst.Module([]).code_for_node(node)
            return libcst.parse_expression(f"{PARTIAL}({written}, {_option(names)})")
        for argument in node.args:
            if argument.keyword is not None and argument.keyword.value == "static_argnames":
                return node.with_deep_changes(argument, value=self._more(argument.value, names))
        added = libcst.ensure_type(libcst.parse_expression(f"f({_option(names)})"), libcst.Call).args[0]
        before = list(node.args)
        if before and isinstance(before[-1].comma, libcst.MaybeSentinel):
            space = libcst.SimpleWhitespace(" ")
            before[-1] = before[-1].with_changes(comma=libcst.Comma(whitespace_after=space))
        return node.with_changes(args=[*before, added])

    def _more(self, value: Any, names: Sequence[str]) -> Any:
        import libcst

        if isinstance(value, (libcst.Tuple, libcst.List)):
            old = [libcst.Module([]).code_for_node(element.value) for element in value.elements]
        elif isinstance(value, (libcst.SimpleString, libcst.ConcatenatedString)):
            old = [libcst.Module([]).code_for_node(value)]
        else:
            raise CannotEdit("its static arguments are not written out where it is jitted")
        return libcst.parse_expression("(" + ", ".join([*old, *(f'"{name}"' for name in names)]) + ")")


def _with_partial(source: str) -> str:
    """A source in which `PARTIAL` stands: written as the file imports it, or with an import of its own."""
    import ast

    tree = ast.parse(source)
    last = 0
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "functools":
                    return source.replace(PARTIAL, f"{alias.asname or alias.name}.partial")
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            for alias in node.names:
                if alias.name == "partial":
                    return source.replace(PARTIAL, alias.asname or alias.name)
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node is tree.body[0]
        if docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            last = node.end_lineno or 0
    lines = source.replace(PARTIAL, "functools.partial").splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    head = 0  # what names the interpreter and the encoding stays first
    while head < len(lines) and lines[head].startswith("#") and head >= last:
        head += 1
    last = max(last, head)
    before = [end] if last else []
    after = [] if last < len(lines) and not lines[last].strip() else ([end] if last else [])
    return "".join([*lines[:last], *before, f"import functools{end}", *after, *lines[last:]])


def _option(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"static_argnames={quoted[0]}" if len(quoted) == 1 else f"static_argnames=({', '.join(quoted)})"


def _number(value: Any) -> int | None:
    import libcst

    if isinstance(value, libcst.UnaryOperation) and isinstance(value.operator, libcst.Minus):
        inner = _number(value.expression)
        return None if inner is None else -inner
    return int(value.value) if isinstance(value, libcst.Integer) else None
