"""A Python condition on what a function of JAX's computes from a traced argument: it cannot be traced."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from whyjit.lint.reading import Module, Place, own_parts, parts

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
    _HEAD + "@functools.partial(jax.jit, static_argnums=0)\ndef f(n, x):\n    return x if jnp.abs(n) > 1 else -x\n",
)  # fmt: skip


def find(module: Module) -> Iterator[Place]:
    """Each such condition."""
    for function in module.jitted:
        traced = set(function.traced)  # as the source goes on
        for part in own_parts(function.node):
            if isinstance(part, (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr, cst.With)):
                _follow(module, part, traced)
            if isinstance(part, (cst.If, cst.IfExp, cst.While, cst.Assert)) and not _is_tried(module, part):
                asked = _asked(module, part.test, frozenset(traced))
                if asked is not None:
                    text = f"`{module.text(asked)}` is not known while `{function.node.name.value}` is traced"
                    code, todo = _TODO.get(type(part), (CODE, "choose with jax.lax.cond or jnp.where"))
                    yield module.place(asked, code, f"{text}: {todo}")


_TODO: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.While: ("loop-on-value", "loop with jax.lax.while_loop, or with jax.lax.scan where its gradient is needed"),
    cst.Assert: (CODE, "check it with jax.experimental.checkify, or outside"),
}


def _follow(module: Module, part: cst.CSTNode, traced: set[str]) -> None:
    """What an assignment makes of names: traced, if its value surely is."""
    if isinstance(part, cst.Assign) and len(part.targets) == 1 and isinstance(part.targets[0].target, cst.Name):
        known = frozenset(traced)
        if _is_value(module, part.value, known) or _is_traced(module, part.value, known):
            traced.add(part.targets[0].target.value)
            return
    if isinstance(part, cst.AugAssign) and isinstance(part.target, cst.Name) and part.target.value in traced:
        return
    bound: list[cst.CSTNode] = [one.target for one in part.targets] if isinstance(part, cst.Assign) else []
    bound += [part.target] if isinstance(part, (cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr)) else []
    bound += [one.asname.name for one in part.items if one.asname] if isinstance(part, cst.With) else []
    for target in bound:
        traced -= {one.value for one in parts(target) if isinstance(one, cst.Name)}


def _is_tried(module: Module, node: cst.CSTNode) -> bool:
    """Whether its error may be caught on purpose."""
    return any(isinstance(part, (cst.Try, cst.TryStar)) for part in module.ancestors(node))


def _asked(module: Module, test: cst.BaseExpression, traced: frozenset[str]) -> cst.BaseExpression | None:
    """The first part of a condition that Python surely asks for its truth, and that depends on a traced value."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _asked(module, test.expression, traced)
    if isinstance(test, cst.BooleanOperation):
        return _asked(module, test.left, traced)  # the right side may never be reached
    if isinstance(test, cst.Comparison):
        if any(not isinstance(one.operator, _ORDER) for one in test.comparisons[:1]):
            return None
        sides = [test.left, test.comparisons[0].comparator]
        # `==` may compare what is no array, such as a text; `<` may not.
        ordered = isinstance(test.comparisons[0].operator, _ORDER[:4])
        sure = [_is_value(module, side, traced) or (ordered and _is_traced(module, side, traced)) for side in sides]
        return test if any(sure) else None
    return test if _is_value(module, test, traced) else None


_ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def _is_value(module: Module, node: cst.BaseExpression, traced: frozenset[str]) -> bool:
    """Whether it is a call of a function of `jax.numpy` whose first argument is, or is computed from, a parameter."""
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("any", "all") and not node.args:
        return _is_value(module, node.func.value, traced) or _is_traced(module, node.func.value, traced)
    name = module.name(node.func)
    if not name.startswith("jax.numpy.") or name.removeprefix("jax.numpy.") not in _VALUES or not node.args:
        return False
    return _is_traced(module, node.args[0].value, traced) or _is_value(module, node.args[0].value, traced)


def _is_traced(module: Module, node: cst.BaseExpression, traced: frozenset[str]) -> bool:
    """Whether an expression is a parameter, or arithmetic and comparisons of one."""
    if isinstance(node, cst.Name):
        return node.value in traced
    if isinstance(node, cst.BinaryOperation):
        return _is_traced(module, node.left, traced) or _is_traced(module, node.right, traced)
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.operator, cst.Not) and _is_traced(module, node.expression, traced)
    if isinstance(node, cst.Comparison) and all(isinstance(one.operator, _ORDER) for one in node.comparisons):
        return _is_traced(module, node.left, traced) or _is_traced(module, node.comparisons[0].comparator, traced)
    return False
