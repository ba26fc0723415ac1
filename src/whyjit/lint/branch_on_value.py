"""A Python condition on what a function of JAX's computes from a traced argument: it cannot be traced."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from whyjit.lint.reading import Module, Place, own_parts

CODE = "branch-on-value"
# Functions whose result depends on values, and not on shapes and types alone.
_VALUES = frozenset({
    "any", "all", "sum", "prod", "mean", "max", "min", "abs", "absolute", "isnan", "isinf", "isfinite", "allclose",
    "array_equal", "isclose", "dot", "vdot", "sqrt", "exp", "log", "median", "std", "var", "argmax", "argmin",
    "count_nonzero", "trace", "linalg.norm", "linalg.det",
})  # fmt: skip

_HEAD = "import functools, jax, jax.numpy as jnp\n\n"
_JIT = _HEAD + "@jax.jit\n"

HAZARDS = (
    (_JIT + "def f(x):\n    if jnp.any(x > 0):\n        x = -x\n    return x\n", 5),
    (_JIT + "def f(x, t):\n    if x * 2 > t:\n        x = -x\n    return x\n", 5),
    (_JIT + "def f(x, best):\n    loss = jnp.sum(x**2)\n    if loss < best:\n        return x\n    return -x\n", 6),
    (_JIT + "def f(x):\n    assert jnp.isfinite(x).all()\n    return x\n", 5),
    (
        _HEAD
        + "@functools.partial(jax.jit, static_argnames='k')\ndef f(x, k):\n    return x if jnp.sum(x) > k else -x\n",
        5,
    ),
)
FINE = (
    _HEAD + "def f(x):\n    if jnp.any(x > 0):\n        x = -x\n    return x\n",
    _JIT + "def f(x):\n    if jnp.sum(x.shape[0]) > 3:\n        x = -x\n    return x\n",
    _JIT + "def f(x):\n    if jnp.ndim(x) > 1:\n        x = -x\n    return x\n",
    _JIT + "def f(x, n):\n    n = 3\n    if jnp.abs(n) > 1:\n        x = -x\n    return x\n",
    _JIT + "def f(x, n=3):\n    return x if n > 1 else -x\n",
    _JIT + "def f(x, mode):\n    return x if mode == 'sum' else -x\n",
    _JIT + "def f(x):\n    n = x.shape[0]\n    return x if n > 1 else -x\n",
    _JIT + "def f(x):\n    x = len(x)\n    return 1 if x > 1 else 2\n",
    _JIT + "def f(x, y=None):\n    if y is not None:\n        x = x + y\n    return x\n",
    _JIT + "def f(x):\n    try:\n        if jnp.any(x):\n            x = -x\n    except E:\n        return x\n",
    _JIT + "def f(x):\n    def host(y):\n        return y if jnp.any(y) else -y\n    return host\n",
    _JIT + "def f(x, mode):\n    n = 0\n    if mode == 'a':\n        n = x * 2\n    return 1 if n > 3 else 2\n",
    _JIT + "def f(x, n):\n    return [x if n > 3 else -x for n in (1, 5)]\n",
    _JIT + "def f(x):\n    if not isinstance(x, jax.core.Tracer):\n        assert jnp.all(x > 0)\n    return x\n",
    _JIT + "def f(x):\n    n = 3\n    n = x * (1 if n > 0 else 2)\n    return n\n",
    _JIT + "@with_settings\ndef f(x):\n    return x if jnp.sum(x) > 0 else -x\n",
    _HEAD + "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, n, /, y):\n    return x if n > 0 else y\n",
    _HEAD + "@functools.partial(jax.jit, static_argnums=0)\ndef f(n, x):\n    return x if jnp.abs(n) > 1 else -x\n",
)  # fmt: skip


_TODO: dict[type[ast.AST], tuple[str, str]] = {
    ast.While: ("loop-on-value", "loop with jax.lax.while_loop, or with jax.lax.scan where its gradient is needed"),
    ast.Assert: (CODE, "check it with jax.experimental.checkify, or outside"),
}
_ELSE = (CODE, "choose with jax.lax.cond or jnp.where")
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_COMPARED = (*_ORDERED, ast.Eq, ast.NotEq)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_GUARDS = frozenset({"isinstance", "Tracer", "is_concrete"})


def find(module: Module) -> Iterator[Place]:
    """Each such condition."""
    for function in module.jitted:
        yield from _Body(module, function.node.name).block(function.node.body, set(function.traced))


class _Body:
    """The body of a jitted function, followed as the source goes on: `traced` are the names that surely are."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name

    def block(self, statements: Sequence[ast.stmt], traced: set[str]) -> Iterator[Place]:
        """The places in some statements; what they make of `traced` is left there."""
        for statement in statements:
            yield from self.statement(statement, traced)

    def statement(self, node: ast.stmt, traced: set[str]) -> Iterator[Place]:
        """The places in one, its expressions before what it assigns, and every branch by itself."""
        if isinstance(node, (ast.Try, ast.TryStar)) or (isinstance(node, ast.If) and _is_guard(node.test)):
            traced -= _assigned(own_parts(node))  # an error there may be caught on purpose, or never be reached
            return
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            yield from self._condition(node, node.test, frozenset(traced))
        for part in own_parts([node]):
            if isinstance(part, ast.IfExp) and self._is_asked_here(part, node):
                yield from self._condition(part, part.test, frozenset(traced))
        blocks = _blocks(node)
        if not blocks:
            self._follow(node, traced)
            return
        traced -= _assigned(part for part in own_parts([node]) if self._statement_of(part) is node)
        ends: list[set[str]] = []
        for block in blocks:
            ends.append(set(traced))
            yield from self.block(block, ends[-1])
        traced.intersection_update(*ends)

    def _is_asked_here(self, node: ast.AST, statement: ast.stmt) -> bool:
        """Whether an expression belongs to a statement, outside comprehensions, whose names are their own."""
        for around in self.module.ancestors(node):
            if isinstance(around, ast.stmt):
                return around is statement
            if isinstance(around, _COMPREHENSIONS) or (isinstance(around, ast.IfExp) and _is_guard(around.test)):
                return False
        return False

    def _statement_of(self, node: ast.AST) -> ast.AST | None:
        """The statement to which an expression belongs."""
        return next((one for one in self.module.ancestors(node) if isinstance(one, ast.stmt)), None)

    def _condition(self, node: ast.AST, test: ast.expr, traced: frozenset[str]) -> Iterator[Place]:
        asked = self._asked(test, traced)
        if asked is not None:
            text = f"`{self.module.text(asked)}` is not known while `{self.name}` is traced"
            code, todo = _TODO.get(type(node), _ELSE)
            yield self.module.place(asked, code, f"{text}: {todo}")

    def _follow(self, node: ast.stmt, traced: set[str]) -> None:
        """What an assignment makes of names: traced, if its value surely is."""
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                known = frozenset(traced)
                if self._is_value(value, known) or self._is_traced(value, known):
                    traced.add(name)
                    return
            case ast.AugAssign(target=ast.Name(id=name)) if name in traced:
                return
            case _:
                pass
        traced -= _assigned(own_parts([node]))

    def _asked(self, test: ast.expr, traced: frozenset[str]) -> ast.expr | None:
        """The first part of a condition that Python surely asks for its truth, and that depends on a traced value."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self._asked(inner, traced)
            case ast.BoolOp(values=[first, *_]):
                return self._asked(first, traced)  # the others may never be reached
            case ast.Compare(left=left, ops=[first, *_], comparators=[right, *_]):
                if not isinstance(first, _COMPARED):
                    return None
                # `==` may compare what is no array, such as a text; `<` may not.
                ordered = isinstance(first, _ORDERED)
                known = (
                    self._is_value(side, traced) or (ordered and self._is_traced(side, traced))
                    for side in (left, right)
                )
                return test if any(known) else None
            case _:
                return test if self._is_value(test, traced) else None

    def _is_value(self, node: ast.expr, traced: frozenset[str]) -> bool:
        """Whether it is a call of a function of `jax.numpy` whose first argument is, or is made of, a traced value."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="any" | "all"), args=[], keywords=[]):
                return self._is_value(owner, traced) or self._is_traced(owner, traced)
            case ast.Call(func=called, args=[first, *_]):
                package, _, name = self.module.name(called).partition("jax.numpy.")
                known = not package and name in _VALUES
                return known and (self._is_traced(first, traced) or self._is_value(first, traced))
            case _:
                return False

    def _is_traced(self, node: ast.expr, traced: frozenset[str]) -> bool:
        """Whether an expression is a traced name, or arithmetic and comparisons of one."""
        match node:
            case ast.Name(id=name):
                return name in traced
            case ast.BinOp(left=left, right=right):
                return self._is_traced(left, traced) or self._is_traced(right, traced)
            case ast.UnaryOp(op=op, operand=inner):
                return not isinstance(op, ast.Not) and self._is_traced(inner, traced)
            case ast.Compare(left=left, ops=ops, comparators=[right, *_]) if all(
                isinstance(op, _COMPARED) for op in ops
            ):
                return self._is_traced(left, traced) or self._is_traced(right, traced)
            case _:
                return False


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a statement, of which one or none is run, or one again and again."""
    match node:
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            return [body, orelse]
        case ast.With(body=body):
            return [body]
        case ast.Match(cases=cases):
            return [one.body for one in cases] + [[]]
        case _:
            return []


def _is_guard(test: ast.expr) -> bool:
    """Whether a condition asks what kind of value it has, such as whether it is a tracer."""
    names = (part.id if isinstance(part, ast.Name) else getattr(part, "attr", "") for part in ast.walk(test))
    return any(name in _GUARDS for name in names)


def _assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that some nodes bind."""
    return {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
