"""A failing expression in its file: the concrete syntax around it, and the names that the file gives JAX's modules."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, ImportItem
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider, QualifiedNameProvider

Node = TypeVar("Node", bound=cst.CSTNode)
Tree = TypeVar("Tree", bound=ast.AST)

_SCOPES = (cst.FunctionDef, cst.Lambda, cst.ClassDef)
# How a file that does not import a module yet is made to.
_USUAL = {"jax.numpy": "jnp", "jax.lax": "jax.lax", "jax": "jax"}


class Span(NamedTuple):
    """Lines from 1, columns in characters from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


class CannotRewrite(Exception):  # noqa: N818 - it is no error: the answer is no
    """This expression cannot be rewritten; the message says why."""


@dataclass(frozen=True)
class Site:
    """One failing expression. `code` is the failure's code.

    `forced` is a name that stands for the condition in the new text, where both ways are to be tried out.
    """

    wrapper: MetadataWrapper
    node: cst.BaseExpression
    code: str = ""
    forced: str = ""
    _used: dict[str, str] = field(default_factory=dict)

    @property
    def module(self) -> cst.Module:
        """The whole file."""
        return self.wrapper.module

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self.wrapper.resolve(ParentNodeProvider)

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        return self.wrapper.resolve(PositionProvider)

    @cached_property
    def tree(self) -> ast.Module:
        """The same file as Python's own tree, for questions about names."""
        return ast.parse(self.module.code)

    def with_forced(self, name: str) -> Site:
        """The same site, with a name in the place of the condition."""
        return replace(self, forced=name, _used={})

    def ancestors(self, node: cst.CSTNode | None = None) -> list[cst.CSTNode]:
        """The nodes around one, the innermost first."""
        found: list[cst.CSTNode] = []
        current = self._parents.get(node or self.node)
        while current is not None:
            found.append(current)
            current = self._parents.get(current)
        return found

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node right around one."""
        return self._parents[node]

    def text(self, node: cst.CSTNode) -> str:
        """A node's source."""
        return self.module.code_for_node(node)

    def one_line(self, node: cst.BaseExpression) -> str:
        """An expression's source where it has no comment and stands on one line, else the same written anew."""
        text = self.text(node)
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval")) if "\n" in text or "#" in text else text

    def qualified(self, node: cst.CSTNode) -> str:
        """What a name stands for, such as `numpy.sqrt` or `builtins.max`; "" where it is the user's."""
        found = self.wrapper.resolve(QualifiedNameProvider).get(node)
        names = (found() if callable(found) else found) or ()
        known = {name.name for name in names if name.source.name in ("IMPORT", "BUILTIN")}
        return known.pop() if len(known) == 1 and len(names) == 1 else ""

    @property
    def function(self) -> cst.FunctionDef | cst.Lambda | None:
        """The function that the expression stands in."""
        return next((part for part in self.ancestors() if isinstance(part, (cst.FunctionDef, cst.Lambda))), None)

    def function_tree(self, function: cst.FunctionDef) -> ast.FunctionDef:
        """A function as Python's tree has it."""
        return self.find(function, ast.FunctionDef)

    def find(self, node: cst.CSTNode, kind: type[Tree]) -> Tree:
        """The node of Python's tree with the same beginning."""
        start = self._positions[node].start
        line = self.module.code.split("\n")[start.line - 1]
        column = len(line[: start.column].encode())
        for part in ast.walk(self.tree):
            if isinstance(part, kind) and (part.lineno, part.col_offset) == (start.line, column):  # type: ignore[attr-defined]
                return part
        raise CannotRewrite("its place in the file's syntax tree was not found")

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions of the file, by name; where two share one, neither is."""
        found: dict[str, ast.FunctionDef | None] = {}
        for part in ast.walk(self.tree):
            if isinstance(part, ast.FunctionDef):
                found[part.name] = None if part.name in found else part
        return {name: function for name, function in found.items() if function is not None}

    def alias(self, module: str) -> str:
        """How the file calls `jax.numpy`, `jax.lax` or `jax`; where it does not import it, as `changed` will see to."""
        known = imported(self.module)
        name = known.get(module, "")
        if not name and module.startswith("jax.") and "jax" in known:
            name = f"{known['jax']}.{module[4:]}" if module == "jax.lax" else ""
        if not name:
            name = _USUAL[module]
            self._used[module] = name
        root = name.split(".")[0]
        for part in self.ancestors():
            if isinstance(part, cst.FunctionDef) and root in _bound_in(part):
                raise CannotRewrite(f"{root} is a name of its own in {part.name.value}, and hides the module")
            if isinstance(part, cst.Lambda) and root in {one.name.value for one in part.params.params}:
                raise CannotRewrite(f"{root} is a parameter here, and hides the module")
        if self._used.get(module) and root in _bound_names(self.tree):
            raise CannotRewrite(f"{root} is taken by something else in this file, and {module} is not imported")
        return name

    def changed(self, old: cst.CSTNode, new: cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]) -> str:
        """The file's text with one node replaced, and with the imports that `alias` was asked for."""
        module = self.module.visit(_Replace({old: new}))
        for name, shown in self._used.items():
            top = shown.split(".")[0]
            item = ImportItem("jax") if top == "jax" else ImportItem(name, None, shown)
            module = AddImportsVisitor(CodemodContext(), [item]).transform_module(module)
        return module.code

    def with_node(self, old: cst.CSTNode, new: cst.CSTNode) -> str:
        """The file's text with one node replaced."""
        return self.module.visit(_Replace({old: new})).code

    def fresh(self, *wanted: str) -> tuple[str, ...]:
        """Names like those wanted that the file does not use: with the same number behind each where needed."""
        taken = {part.value for part in _names(self.module)}
        number = 1
        while True:
            found = tuple(name if number == 1 else f"{name}_{number}" for name in wanted)
            if not taken & set(found):
                return found
            number += 1

    def keep_comments(self, node: cst.CSTNode) -> None:
        """Raises `CannotRewrite` where a comment stands inside a node that is going to be written anew."""
        if self.comment_in(node):
            raise CannotRewrite("a comment stands inside it, and would be lost")

    def comment_in(self, node: cst.CSTNode) -> bool:
        """Whether a comment stands inside a node."""
        finder = _Comments()
        node.visit(finder)
        return finder.found


def open_site(text: str, span: Span, code: str = "") -> Site | None:
    """The expression with exactly this span; None where there is none, or the text has no valid syntax."""
    try:
        wrapper = MetadataWrapper(cst.parse_module(text))
    except cst.ParserSyntaxError:
        return None
    best: cst.BaseExpression | None = None
    for node, place in wrapper.resolve(PositionProvider).items():
        where = Span(place.start.line, place.start.column, place.end.line, place.end.column)
        if isinstance(node, cst.BaseExpression) and where == span:
            best = node
            break
    return None if best is None else Site(wrapper, best, code)


def span_of(text: str, expression: str) -> Span:
    """Where an expression first stands in a text, for examples and tests."""
    at = text.index(expression)
    before = text[:at]
    line, column = before.count("\n") + 1, at - (before.rfind("\n") + 1)
    inside = expression.rpartition("\n")
    return Span(line, column, line + expression.count("\n"), len(inside[2]) + (0 if inside[1] else column))


def imported(module: cst.Module) -> dict[str, str]:
    """The names under which a file imports JAX's modules, at its top level: full name to name."""
    found: dict[str, str] = {}
    for part in ast.walk(ast.Module(_top(ast.parse(module.code).body), [])):
        if isinstance(part, ast.Import):
            for alias in part.names:
                if alias.asname:
                    found.setdefault(alias.name, alias.asname)
                elif alias.name == "jax" or alias.name.startswith("jax."):
                    found.setdefault("jax", "jax")
                    found.setdefault(alias.name, alias.name)
        elif isinstance(part, ast.ImportFrom) and not part.level:
            for alias in part.names:
                found.setdefault(f"{part.module}.{alias.name}", alias.asname or alias.name)
    return found


def _top(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The imports that are made when a file is: those in its `try` and `if` too, but not in functions."""
    found: list[ast.stmt] = []
    for part in statements:
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            found.append(part)
        elif isinstance(part, ast.Try):
            found += _top(part.body)
    return found


def _names(module: cst.Module) -> list[cst.Name]:
    collector = _Names()
    module.visit(collector)
    return collector.found


def _bound_in(function: cst.FunctionDef) -> set[str]:
    from whyjit.rewrite.control.names import writes

    tree = ast.parse(cst.Module([function.with_changes(decorators=(), leading_lines=())]).code).body[0]
    assert isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))  # noqa: S101
    arguments = tree.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {one.arg for one in every if one is not None} | set(writes(tree.body))


def _bound_names(tree: ast.Module) -> frozenset[str]:
    from whyjit.rewrite.control.names import writes

    return writes(tree.body)


class _Replace(cst.CSTTransformer):
    """Replaces nodes by identity."""

    def __init__(self, wanted: Mapping[cst.CSTNode, cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]]) -> None:
        super().__init__()
        self._wanted = wanted

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node not in self._wanted

    def on_leave(self, original_node: Node, updated_node: Node) -> Node:
        return cast("Node", self._wanted.get(original_node, updated_node))


class _Names(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.Name] = []

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802 - as libcst has it
        self.found.append(node)


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Comment(self, node: cst.Comment) -> None:  # noqa: N802 - as libcst has it
        del node
        self.found = True
