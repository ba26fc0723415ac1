"""In a process of its own: functions that were made anew, told apart, and given their decorators again."""

from __future__ import annotations

import ast
import functools
import re
import types
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from whyjit.rewrite.loading import CannotLoad, functions_in

if TYPE_CHECKING:
    from whyjit.model.arguments import KeptCall
    from whyjit.rewrite.subject import Subject

_JIT = re.compile(r"\b\w*jit\b")
_SHOWN = 40


def one_function(module: types.ModuleType, subject: Subject, calls: Sequence[KeptCall], *, moved: bool = False) -> Any:
    """The function of all these calls, which are those of one function object. Raises `CannotLoad`."""
    functions = functions_in(module, subject, calls, moved=moved)
    return first_of_each(functions, [range(len(functions))])[0]


def groups_of(makers: Sequence[int]) -> list[list[int]]:
    """The places of the calls of each function object, numbered by `makers`, in the order of their first calls."""
    groups: dict[int, list[int]] = {}
    for at, maker in enumerate(makers):
        groups.setdefault(maker, []).append(at)
    return list(groups.values())


def first_of_each(functions: Sequence[Any], groups: Sequence[Sequence[int]]) -> list[Any]:
    """The function of each group of calls. Raises `CannotLoad` where it carried other things at a later call."""
    for group in groups:
        for at in group:
            if functions[at] is not functions[group[0]]:
                raise CannotLoad(changed(functions[group[0]], functions[at]))
    return [functions[group[0]] for group in groups]


def changed(before: Any, after: Any) -> str:
    """That a function closes over something else at a later call than at an earlier one."""
    name = getattr(after, "__name__", "it")
    return (
        f"what `{name}` closes over changed between the recorded calls{_which(before, after)}: traced less often, it"
        " would go on with the old value"
    )


def label(functions: Sequence[Any], one: Any) -> str:
    """What tells a function from others made of the same code, as the end of a sentence; "" if nothing short does."""
    contents = [dict(_contents(function)) for function in functions]
    told = [
        f"`{name}` = {_text(value)}"
        for name, value in _contents(one)
        if _text(value) and len({_text(other.get(name)) for other in contents}) > 1
    ]
    return f", made with {' and '.join(told[:3])}" if told else ""


def _which(one: Any, other: Any) -> str:
    before, after = dict(_contents(one)), dict(_contents(other))
    for name, value in before.items():
        old, new = _text(value), _text(after.get(name))
        if old != new and old and new:
            return f" (`{name}` from {old} to {new})"
    names = [name for name in before if not isinstance(before[name], (types.FunctionType, types.ModuleType))]
    return f" (`{names[0]}`)" if len(names) == 1 else ""


def _contents(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function closes over, by name."""
    function = plain(function)
    code = getattr(function, "__code__", None)
    for name, cell in zip(getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def _text(value: Any) -> str:
    if not isinstance(value, (int, float, complex, str, bool, type(None), tuple)):
        return ""
    text = repr(value)
    return text if len(text) <= _SHOWN else ""


def plain(function: Any) -> Any:
    """The function of the source: below wrappers, partials, and what binds it to an object."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            return function


def decorated(module: types.ModuleType, function: Any) -> Any:
    """A nested function with its decorators from the jit upwards, as the module's text has them now.

    None where it has no such decorator, or where one of them needs a variable of the function around it that this one
    does not close over.
    """
    code = getattr(plain(function), "__code__", None)
    if code is None:
        return None
    tree = ast.parse(module.__dict__["__whyjit_source__"])
    found = _definition(tree, code)
    if found is None:
        return None
    node, around = found
    decorators = node.decorator_list
    jit = next((at for at, one in reversed(list(enumerate(decorators))) if _JIT.search(ast.unparse(one))), None)
    if jit is None:
        return None
    names = {**module.__dict__, **dict(_contents(function))}
    try:
        for imported in (
            part for outer in around for part in outer.body if isinstance(part, (ast.Import, ast.ImportFrom))
        ):
            exec(compile(ast.Module([imported], []), code.co_filename, "exec", dont_inherit=True), names)  # noqa: S102 - the program's own
        for decorator in reversed(decorators[: jit + 1]):
            expression = compile(ast.Expression(decorator), code.co_filename, "eval", dont_inherit=True)
            function = eval(expression, names)(function)  # noqa: S307 - likewise
    except NameError:
        return None
    return function


_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def _definition(tree: ast.AST, code: types.CodeType) -> tuple[_Definition, list[_Definition]] | None:
    """The definition that a piece of code was made from, and those around it."""
    waiting: list[tuple[ast.AST, list[_Definition]]] = [(tree, [])]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if node.name == code.co_name and first == code.co_firstlineno:
                return node, around
            around = [*around, node]
        waiting += [(part, around) for part in ast.iter_child_nodes(node)]
    return None
