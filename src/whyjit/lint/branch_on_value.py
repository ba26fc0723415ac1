"""A Python condition on what a function of JAX's computes from a traced argument: it cannot be traced."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from whyjit.lint.reading import Jitted, Module, Place, own_parts, parts

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
    (_JIT + "def f(x):\n    while not jnp.all(x < 1):\n        x = x / 2\n    return x\n", 5),
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
    _JIT + "def f(x, y=None):\n    if y is not None:\n        x = x + y\n    return x\n",
    _JIT + "def f(x):\n    try:\n        if jnp.any(x):\n            return 1\n    except Exception:\n        return x\n",
    _HEAD.replace("jax.numpy", "numpy") + "@jax.jit\ndef f(x):\n    def host(y):\n        return 1 if jnp.any(y) else 0\n"
    "    return jax.pure_callback(host, x, x)\n",
    _HEAD + "@functools.partial(jax.jit, static_argnums=(0,))\ndef f(n, x):\n    return x if jnp.abs(n) > 1 else -x\n",
)  # fmt: skip


def find(module: Module) -> Iterator[Place]:
    """Each such condition."""
    for function in module.jitted:
        rebound: set[str] = set()  # before the condition, in the order of the source
        for part in own_parts(function.node):
            if isinstance(part, (cst.AssignTarget, cst.AugAssign, cst.For, cst.NamedExpr, cst.AnnAssign)):
                rebound |= {one.value for one in parts(part.target) if isinstance(one, cst.Name)}
            if isinstance(part, (cst.If, cst.IfExp, cst.While, cst.Assert)) and not _is_tried(module, part):
                asked = _asked(module, part.test, function.traced - rebound)
                if asked is not None:
                    yield module.place(asked, CODE, _message(module, asked, function))


def _is_tried(module: Module, node: cst.CSTNode) -> bool:
    """Whether its error may be caught on purpose."""
    return any(isinstance(part, (cst.Try, cst.TryStar)) for part in module.ancestors(node))


def _message(module: Module, asked: cst.CSTNode, function: Jitted) -> str:
    text = module.text(asked)
    return f"`{text}` is not known while `{function.node.name.value}` is traced: choose with jax.lax.cond or jnp.where"


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
        return test if any(_is_value(module, side, traced) for side in sides) else None
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
