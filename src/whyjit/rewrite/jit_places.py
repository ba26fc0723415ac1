"""Which function a name means in a source, where it is handed to `jax.jit`.

Two factories may each have a `step` of their own: the one that is jitted is found by the scope of its name, not by how
it is spelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import libcst

Meant = Literal["", "plain", "bound"]


class CannotEdit(Exception):  # noqa: N818 - an answer more than an error
    """Why an option cannot be edited."""


class Places:
    """A parsed source with what its names mean. Raises `libcst.ParserSyntaxError`."""

    def __init__(self, source: str) -> None:
        import libcst
        from libcst import metadata

        wrapper = metadata.MetadataWrapper(libcst.parse_module(source))
        self.module = wrapper.module
        self._positions: Any = wrapper.resolve(metadata.PositionProvider)
        self._qualified: Any = wrapper.resolve(metadata.QualifiedNameProvider)
        self._parents: Any = wrapper.resolve(metadata.ParentNodeProvider)
        self._scopes: Any = wrapper.resolve(metadata.ScopeProvider)

    def line(self, node: libcst.CSTNode) -> int:
        """The line that a node begins in."""
        return int(self._positions[node].start.line)

    def named(self, node: libcst.CSTNode) -> set[str]:
        """The qualified names that an expression may have, as its imports say."""
        found = self._qualified.get(node, ())
        return {one.name for one in (found() if callable(found) else found)}

    def calls(self) -> Iterator[Any]:
        """All calls of the source."""
        import libcst
        from libcst import matchers

        return (node for node in matchers.findall(self.module, matchers.Call()) if isinstance(node, libcst.Call))

    def is_decorator(self, call: libcst.CSTNode) -> bool:
        """Whether a call stands behind an @."""
        import libcst

        return isinstance(self._parents[call], libcst.Decorator)

    def function(self, name: str, line: int) -> Any:
        """The function of that name whose `def`, `lambda` or first decorator begins in a line. Raises `CannotEdit`."""
        from libcst import matchers

        if name == "<lambda>":
            found = [node for node in matchers.findall(self.module, matchers.Lambda()) if self.line(node) == line]
            if len(found) > 1:
                raise CannotEdit(f"line {line} has {len(found)} lambdas, which its recording does not tell apart")
        else:
            named: Any = matchers.findall(self.module, matchers.FunctionDef(name=matchers.Name(name)))
            found = [node for node in named if line in self._starts(node)]
        if len(found) != 1:
            raise CannotEdit(f"`{name}` is not found in line {line}")
        return found[0]

    def _starts(self, node: Any) -> set[int]:
        return {self._positions[node].start.line, *(self.line(one) for one in node.decorators)}

    def means(self, expression: Any, function: Any, call: Any) -> Meant:
        """Whether an expression that is handed to a call is the function: "" if not, "bound" as an object's method.

        Raises `CannotEdit` where it may be the function and may be another one.
        """
        import libcst

        if expression is function:
            return "plain"
        if isinstance(expression, libcst.Name):
            return "plain" if self._is_name_of(expression, function, call) else ""
        if isinstance(expression, libcst.Attribute) and isinstance(function, libcst.FunctionDef):
            return self._method(expression, function)
        return ""

    def _is_name_of(self, name: Any, function: Any, call: Any) -> bool:
        from libcst import metadata

        scope = self._scopes.get(name)
        if scope is None:
            return False
        found: list[Any] = [one for one in scope[name.value] if isinstance(one, metadata.Assignment)]
        mine = [one for one in found if self._is_definition(one.node, function)]
        # `step = jax.jit(step)` gives the name away to what the call returns.
        others = [one for one in found if one not in mine and not self._is_within(call, self._statement(one.node))]
        if mine and others:
            raise CannotEdit(f"`{name.value}` may be another function in line {self.line(call)}, where it is jitted")
        return bool(mine)

    def _is_definition(self, node: Any, function: Any) -> bool:
        """Whether what binds a name is the function's `def`, or the assignment of its `lambda`."""
        if node is function:
            return True
        statement = self._statement(node)
        return getattr(statement, "value", None) is function

    def _statement(self, node: Any) -> Any:
        """The assignment that a bound name belongs to; the node itself where there is none."""
        import libcst

        up = node
        while up is not None and not isinstance(up, (libcst.BaseSmallStatement, libcst.BaseCompoundStatement)):
            up = self._parents.get(up)
        return node if up is None else up

    def _is_within(self, node: Any, outer: Any) -> bool:
        import libcst

        if not isinstance(outer, (libcst.Assign, libcst.AnnAssign, libcst.NamedExpr)):
            return False
        while node is not None and node is not outer:
            node = self._parents.get(node)
        return node is outer

    def _method(self, expression: Any, function: Any) -> Meant:
        """What `self.step`, `Model.step` or `model.step` is, where `step` is a method of a class in the source."""
        import libcst

        owner = self._class_around(function)
        base = expression.value
        if owner is None or expression.attr.value != function.name.value or not isinstance(base, libcst.Name):
            return ""
        static = any("staticmethod" in name for one in function.decorators for name in self.named(one.decorator))
        kept: Meant = "plain" if static else "bound"
        if base.value == owner.name.value:
            return "plain"
        if base.value in ("self", "cls") and self._class_around(expression) is owner:
            return kept
        return kept if self._is_instance(base, owner) else ""

    def _is_instance(self, name: Any, owner: Any) -> bool:
        """Whether a name is only ever bound to what a call of the class returns."""
        import libcst
        from libcst import metadata

        scope = self._scopes.get(name)
        bound = [] if scope is None else [one for one in scope[name.value] if isinstance(one, metadata.Assignment)]
        made = [getattr(self._statement(one.node), "value", None) for one in bound]
        return bool(made) and all(
            isinstance(value, libcst.Call)
            and isinstance(value.func, libcst.Name)
            and value.func.value == owner.name.value
            for value in made
        )

    def _class_around(self, node: Any) -> Any:
        """The innermost class that a node stands in, through the functions within."""
        import libcst

        node = self._parents.get(node)
        while node is not None and not isinstance(node, libcst.ClassDef):
            node = self._parents.get(node)
        return node
