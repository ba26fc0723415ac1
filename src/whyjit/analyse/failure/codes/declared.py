"""How a function is jitted in the user's source, and what is written there to make parameters static."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.rewrite import Aliases, is_jit, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Declared(NamedTuple):
    """A function by its name, and the file in which it may be jitted.

    `line` is where its definition begins, decorators and all; 0 stands for "not known", where the name must do.
    """

    called: str
    line: int
    module: ast.AST | None
    lines: Sequence[str]
    names: Aliases

    @property
    def short(self) -> str:
        """Its own name, without those of classes and functions around it."""
        return self.called.rpartition(".")[2]

    @property
    def definition(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Its definition: the one in that line, or the only one of its name."""
        parts = ast.walk(self.module) if self.module is not None else ()
        found = [part for part in parts if isinstance(part, _FUNCTIONS) and part.name == self.short]
        if self.line:
            found = [part for part in found if _first(part) == self.line]
        return found[0] if len(found) == 1 else None

    def with_static(self, names: Sequence[str] = (), numbers: Sequence[int] = ()) -> str:
        """Its jit with these parameters static: by its decorator, else by the call that jits it."""
        function = self.definition
        for decorator in function.decorator_list if function is not None else ():
            written = one_line(decorator, self.lines)
            place = f"above def {self.short}, in line {decorator.lineno}"
            if is_jit(decorator):
                needs = "" if self.names.partial else ", and import functools"
                partial = self.names.partial or "functools.partial"
                return f"@{partial}({written}, {_options(names, numbers)}) {place}{needs}"
            if isinstance(decorator, ast.Call) and "jit" in written:
                written = ast.unparse(decorator) if decorator.end_lineno != decorator.lineno else written
                return _added(decorator, f"@{written}", *self._as_given(decorator, names, numbers), place)
        call = self._call()
        if call is not None:
            written, place = one_line(call, self.lines), f"in line {call.lineno}"
            if self.short == "<lambda>":
                whole = one_line(call.args[0], self.lines)
                written = written.replace(whole, "<this lambda>", 1)
            return _added(call, written, *self._as_given(call, names, numbers), place)
        name = "<this lambda>" if self.short == "<lambda>" else self.called
        return f"{self.names.jax}.jit({name}, {_options(names, numbers)})"

    def _as_given(
        self, call: ast.Call, names: Sequence[str], numbers: Sequence[int]
    ) -> tuple[list[str], list[int | str]]:
        """Names as numbers where the call has numbers.

        Where both are given JAX takes each for itself: a name does nothing for an argument that is passed by position.
        """
        given = {keyword.arg for keyword in call.keywords}
        if "static_argnums" not in given:
            return list(names), list(numbers)
        places, only = self._parameters(call)
        found: list[int | str] = [*numbers, *(places.get(name, name) for name in names if name not in only)]
        return [name for name in names if name in only or "static_argnames" in given], found

    def _parameters(self, call: ast.Call) -> tuple[dict[str, int], set[str]]:
        """The numbers of the parameters that can be passed by position, and those that can be by keyword only."""
        first = call.args[0] if call.args else None
        function = first if isinstance(first, ast.Lambda) else self.definition
        if function is None:
            return {}, set()
        arguments = function.args
        only = {one.arg for one in arguments.kwonlyargs}
        if isinstance(first, ast.Attribute) and self._is_it(first):  # a method's object may have a number or not
            return {}, only
        return {one.arg: at for at, one in enumerate((*arguments.posonlyargs, *arguments.args))}, only

    def _call(self) -> ast.Call | None:
        """The call that jits the function, where there is one only."""
        parts = ast.walk(self.module) if self.module is not None else ()
        calls = [part for part in parts if isinstance(part, ast.Call) and is_jit(part.func) and part.args]
        found = [call for call in calls if self._is_it(call.args[0])]
        return found[0] if len(found) == 1 else None

    def _is_it(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda):
            return self.short == "<lambda>" and node.lineno == self.line
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        return name == self.short


def _first(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _added(call: ast.Call, written: str, names: Sequence[str], numbers: Sequence[int | str], place: str) -> str:
    """A call with the options it has, and these."""
    given = {keyword.arg for keyword in call.keywords}
    there = [
        f"add {listed} to the {option}"
        for option, listed in (
            ("static_argnums", _numbered(numbers)),
            ("static_argnames", ", ".join(f'"{name}"' for name in names)),
        )
        if listed and option in given
    ]
    if there:
        return f"{' and '.join(there)} {place}"
    before = written[:-1].rstrip().rstrip(",")
    comma = "" if before.endswith("(") else ", "
    return f"{before}{comma}{_options(names, numbers)}) {place}"


def _numbered(numbers: Sequence[int | str]) -> str:
    """Numbers as they are added; where one is not known, its parameter."""
    known = ", ".join(str(one) for one in numbers if isinstance(one, int))
    others = " and ".join(f"the number of {one}" for one in numbers if isinstance(one, str))
    return " and ".join(part for part in (known, others) if part)


def _options(names: Sequence[str], numbers: Sequence[int | str]) -> str:
    """The options as they are written."""
    found: list[str] = []
    if numbers:
        listed = ", ".join(map(str, numbers))
        found.append(f"static_argnums={listed if len(numbers) == 1 else f'({listed})'}")
    if names:
        quoted = ", ".join(f'"{name}"' for name in names)
        found.append(f"static_argnames={quoted if len(names) == 1 else f'({quoted})'}")
    return ", ".join(found)
