"""Everything a remedy may draw on: the failing expression, how it is used, what it came from, the user's names."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whyjit.analyse.failure.recognise import is_ambiguous
from whyjit.analyse.failure.rewrite import one_line, traced_condition

if TYPE_CHECKING:
    from whyjit.analyse.failure.locate import Located
    from whyjit.analyse.failure.recognise import Family
    from whyjit.analyse.failure.rewrite import Aliases
    from whyjit.analyse.failure.use import Use
    from whyjit.model.failure import Argument, Nature
    from whyjit.model.scene import Origin, Scene, Seen


@dataclass(frozen=True, slots=True)
class Situation:
    """One failure, as far as it is known before its remedies are chosen."""

    code: str
    family: Family
    scene: Scene
    located: Located
    use: Use
    names: Aliases
    origin: Origin | None
    value: Seen | None
    nature: Nature
    evidence: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file."""
        return self.located.lines

    @property
    def expression(self) -> str:
        """The failing expression on one line."""
        return one_line(self.located.node, self.lines)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the outermost function that the value came from."""
        return self.origin.arguments if self.origin is not None else ()

    def text(self, node: ast.AST) -> str:
        """A node's source on one line."""
        return one_line(node, self.lines)

    @property
    def given(self) -> str:
        """The parts of the failing expression that the value came from: those of its type, where there are such."""
        parts = self.scene.traced_parts(0, self.located.node)
        scalars = [part for part, seen in parts if seen.scalar]
        wanted = self.value.type if self.value is not None else ""
        same = [part for part, seen in parts if wanted and seen.type == wanted]
        return ", ".join(self.text(part) for part in (same or scalars or [part for part, _ in parts])[:3])

    def see(self, node: ast.expr) -> Seen | None:
        """What an expression of the failing line is."""
        return self.scene.see(0, node)

    def is_traced(self, node: ast.expr) -> bool:
        """Whether an expression of the failing line holds traced values."""
        return bool(self.scene.traced_parts(0, node))

    def is_list(self, node: ast.expr) -> bool:
        """Whether an expression of the failing line is seen to be a list, a tuple or their like, and no array."""
        seen = self.see(node)
        return seen is not None and seen.kind == "container"

    @property
    def function_name(self) -> str:
        """The name of the function that the failing line stands in."""
        return str(getattr(self.located.function, "name", ""))

    @property
    def condition(self) -> ast.expr:
        """The whole condition that the failing expression decides, which may be larger than the expression."""
        test = getattr(self.conditional, "test", None)
        return test if isinstance(test, ast.expr) else self.located.node

    @property
    def conditional(self) -> ast.If | ast.While | ast.IfExp | ast.Assert | None:
        """The `if`, `while`, conditional expression or `assert` that the expression decides."""
        current: ast.AST = self.located.node
        for parent in reversed(self.located.ancestors):
            if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
                return parent if parent.test is current else None
            if not isinstance(parent, (ast.BoolOp, ast.NamedExpr, ast.UnaryOp)):
                return None
            current = parent
        return None

    @property
    def array_condition(self) -> str:
        """The whole condition as array code: one bool where a loop needs one."""
        node = self.located.node
        condition = traced_condition(self.condition, self.lines, self.names, self.is_list)
        if self.family == "bool" and not self.located.truth and isinstance(node, ast.Compare) and len(node.ops) == 1:
            own = self.expression
            if own in condition and not isinstance(node.ops[0], (ast.In, ast.NotIn)):  # its `==` asks for truth itself
                condition = condition.replace(own, f"<{own}, part by part>")
        one = is_ambiguous(self.scene.error, self.family) and isinstance(self.conditional, ast.While)
        return f"{self.names.jnp}.any({condition})" if one else condition

    def above(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """The ancestors of a node that stands above the failing expression."""
        ancestors = self.located.ancestors
        return ancestors[: ancestors.index(node)] if node in ancestors else ancestors

    @property
    def configurable(self) -> tuple[Argument, ...]:
        """The arguments that could be made static: scalars that are a whole parameter of a jitted function."""
        if self.origin is None or self.origin.transformation != "jit" or self.nature == "data":
            return ()
        arguments = self.origin.arguments
        whole = all(argument.scalar and argument.path.isidentifier() for argument in arguments)
        return arguments if whole else ()
