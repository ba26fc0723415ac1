"""The source with `whyjit.bucketed` around a jitted function: above its decorator, or around the call of jit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def call_text(axes: Mapping[str, Sequence[int]], sizes: Sequence[int]) -> str:
    """The wrapper's arguments as they are written: `axis={"tokens": 0}, sizes=(64, 256)`."""
    each = ", ".join(
        f"{_quoted(name)}: {found[0] if len(found) == 1 else tuple(found)}" for name, found in axes.items()
    )
    ends = "," if len(sizes) == 1 else ""
    return f"axis={{{each}}}, sizes=({', '.join(map(str, sizes))}{ends})"


def _quoted(name: str) -> str:
    return f'"{name}"' if '"' not in name else repr(name)


def bucketed(source: str, qualname: str, axes: Mapping[str, Sequence[int]], sizes: Sequence[int]) -> str | None:
    """The changed source, or None where no single jit of that function is found in it."""
    tree = cst.parse_module(source)
    for wrap in (_Decorate, _Wrap):
        change = wrap(qualname, call_text(axes, sizes))
        changed = tree.visit(change)
        if change.places == 1:
            return _with_import(changed).code
        if change.places > 1:
            return None
    return None


def _with_import(tree: cst.Module) -> cst.Module:
    context = CodemodContext()
    AddImportsVisitor.add_needed_import(context, "whyjit")
    return AddImportsVisitor(context).transform_module(tree)


class _Named(cst.CSTTransformer):
    """Counts the places it changes, and knows the qualified name of where it is."""

    def __init__(self, qualname: str, arguments: str) -> None:
        self.places = 0
        self._wanted = qualname
        self._arguments = arguments
        self._inside: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802 - libcst finds it by this name
        self._inside.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:  # noqa: N802
        del original_node
        self._inside.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        self._inside += [node.name.value, "<locals>"]

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        del original_node
        del self._inside[-2:]
        return updated_node


class _Decorate(_Named):
    """Puts the decorator above the one that jits the function."""

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        here = ".".join([*self._inside[:-2], original_node.name.value])
        updated_node = super().leave_FunctionDef(original_node, updated_node)
        if here != self._wanted:
            return updated_node
        for at, decorator in enumerate(updated_node.decorators):
            if _jits(decorator.decorator):
                self.places += 1
                made = cst.Decorator(
                    cst.parse_expression(f"whyjit.bucketed({self._arguments})"), leading_lines=decorator.leading_lines
                )
                under = decorator.with_changes(leading_lines=())
                decorators = [*updated_node.decorators[:at], made, under, *updated_node.decorators[at + 1 :]]
                return updated_node.with_changes(decorators=decorators)
        return updated_node


class _Wrap(_Named):
    """Puts the wrapper around `jit(f)` at the top level of the module."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        first = original_node.args[0] if original_node.args else None
        if (
            self._inside
            or first is None
            or first.keyword is not None
            or first.star
            or not _jits(original_node.func)
            or cst.Module([]).code_for_node(first.value) != self._wanted
        ):
            return updated_node
        self.places += 1
        inner = cst.Module([]).code_for_node(updated_node)
        return cst.parse_expression(f"whyjit.bucketed({inner}, {self._arguments})")


def _jits(node: cst.BaseExpression) -> bool:
    """Whether an expression is a jit, or a call or partial of one: `jax.jit`, `jit(...)`, `partial(jax.jit, ...)`."""
    if isinstance(node, cst.Call):
        return _jits(node.func) or any(_jits(argument.value) for argument in node.args[:1])
    if isinstance(node, cst.Attribute):
        node = node.attr
    return isinstance(node, cst.Name) and node.value in ("jit", "filter_jit")
