"""`and`, `or`, `not`, chained comparisons and `in` of traced values, as functions of `jax.numpy`."""

from __future__ import annotations

import ast

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.effects import obstacle
from whyjit.rewrite.control.site import CannotRewrite, Site

_CALLS = frozenset({
    "any", "all", "isnan", "isfinite", "isinf", "isclose", "allclose", "array_equal", "logical_and", "logical_or",
    "logical_not", "logical_xor", "isin", "bool_",
})  # fmt: skip
_GUARDS = frozenset({"isinstance", "issubclass", "hasattr", "len", "callable"})
_SIDES = "both sides are computed, whatever the left one says"

REWRITTEN = (
    Rewritten(
        "import jax.numpy as jnp\n\ndef f(a, b):\n    return a > 0 and b > 0\n",
        "a > 0",
        "import jax.numpy as jnp\n\ndef f(a, b):\n    return jnp.logical_and(a > 0, b > 0)\n",
    ),
    Rewritten(
        "import jax.numpy as np\n\ndef f(a):\n    ok = not a > 0  # note\n    return ok\n",
        "a > 0",
        "import jax.numpy as np\n\ndef f(a):\n    ok = np.logical_not(a > 0)  # note\n    return ok\n",
    ),
    Rewritten(
        "import jax.numpy as jnp\n\ndef f(a):\n    return 0 < a < 3\n",
        "0 < a < 3",
        "import jax.numpy as jnp\n\ndef f(a):\n    return jnp.logical_and(0 < a, a < 3)\n",
    ),
)
REFUSED = (
    Refused("def f(t):\n    return t or 1.0\n", "t or 1.0", "is no condition"),
    Refused("def f(m, t):\n    return m is not None and t > 0\n", "t > 0", "only where"),
    Refused("def f(a):\n    return 0 < g(a) < 3\n", "0 < g(a) < 3", "twice"),
    Refused("def f(a):\n    return (b := a > 0) and b\n", "b := a > 0", ":="),
)


def rewrite(site: Site) -> Change | Refusal | None:
    """Rewrite the outermost `and`, `or`, `not` or chained comparison that the expression is a part of."""
    outer: cst.BaseExpression | None = site.node if is_logical(site.node) else None
    for part in site.ancestors():
        if not is_logical(part):
            break
        outer = part  # type: ignore[assignment]
    if outer is None:
        return None
    if isinstance(outer, cst.BooleanOperation):
        for operand in _operands(outer):
            if not _is_condition(site, operand):
                return Refusal(
                    "logical",
                    f"`{site.one_line(operand)}` is no condition: `and` and `or` give one of their operands as it is",
                )
    try:
        new = traced(site, outer)
        return Change("logical", site.changed(outer, new), "and, or, not as functions of jax.numpy", (_SIDES,))
    except CannotRewrite as no:
        return Refusal("logical", str(no))


def traced(site: Site, test: cst.BaseExpression) -> cst.BaseExpression:
    """A condition as one of arrays. Raises `CannotRewrite` where that would mean something else."""
    if is_logical(test):
        site.keep_comments(test)
    if isinstance(test, cst.BooleanOperation):
        for operand in _operands(test)[:-1]:
            if _is_guard(site, operand):
                raise CannotRewrite(f"the right side makes sense only where `{site.one_line(operand)}` holds")
        left, right = traced(site, test.left), traced(site, test.right)
        reason = obstacle([ast.parse(f"({site.text(test)}\n)", mode="eval")], site.functions)
        if reason:
            raise CannotRewrite(f"the condition {reason}")
        name = "logical_and" if isinstance(test.operator, cst.And) else "logical_or"
        return _call(f"{site.alias('jax.numpy')}.{name}", left, right)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _call(f"{site.alias('jax.numpy')}.logical_not", traced(site, test.expression))
    if isinstance(test, cst.Comparison) and len(test.comparisons) > 1:
        return _chain(site, test)
    if isinstance(test, cst.Comparison) and isinstance(test.comparisons[0].operator, (cst.In, cst.NotIn)):
        raise CannotRewrite("`in` compares with each element in turn; write it with jnp.isin")
    return _bare(test)


def condition(site: Site, test: cst.BaseExpression) -> cst.BaseExpression:
    """The condition of a branch for the new text: as one of arrays, or the name that stands for it.

    Raises `CannotRewrite` where Python asks for more than a truth value.
    """
    reason = obstacle([ast.parse(f"({site.text(test)}\n)", mode="eval")], site.functions)
    if reason:
        raise CannotRewrite(f"the condition {reason}")
    return cst.Name(site.forced) if site.forced else traced(site, test)


def _chain(site: Site, test: cst.Comparison) -> cst.BaseExpression:
    """`a < b < c` as `logical_and(a < b, b < c)`."""
    operands = [test.left, *(one.comparator for one in test.comparisons)]
    for middle in operands[1:-1]:
        if any(isinstance(part, ast.Call) for part in ast.walk(ast.parse(f"({site.text(middle)}\n)"))):
            raise CannotRewrite(f"`{site.one_line(middle)}` would be computed twice; give it a name first")
    found: cst.BaseExpression | None = None
    for left, one in zip(operands, test.comparisons, strict=False):
        if isinstance(one.operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)):
            raise CannotRewrite("a chain with `in` or `is` is no comparison of arrays")
        pair = cst.Comparison(left.deep_clone(), [one.deep_clone()])
        found = pair if found is None else _call(f"{site.alias('jax.numpy')}.logical_and", found, pair)
    assert found is not None  # noqa: S101
    return found


def is_logical(node: cst.CSTNode) -> bool:
    """Whether it is `and`, `or`, `not` or a chained comparison."""
    if isinstance(node, cst.BooleanOperation):
        return True
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return True
    return isinstance(node, cst.Comparison) and len(node.comparisons) > 1


def _operands(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(node, cst.BooleanOperation):
        return [*_operands(node.left), *_operands(node.right)]
    return [node]


def _is_condition(site: Site, node: cst.BaseExpression) -> bool:
    """Whether an operand surely is a truth value, so that `a and b` is one, too."""
    if isinstance(node, cst.Comparison) or is_logical(node):
        return True
    if isinstance(node, cst.Name):
        return node.value in ("True", "False")
    if isinstance(node, cst.Call):
        return site.text(node.func).rpartition(".")[2] in _CALLS
    return False


def _is_guard(site: Site, node: cst.BaseExpression) -> bool:
    """Whether a condition protects what stands to the right of it from failing."""
    for part in ast.walk(ast.parse(f"({site.text(node)}\n)", mode="eval")):
        if isinstance(part, ast.Compare) and any(isinstance(one, (ast.Is, ast.IsNot)) for one in part.ops):
            return True
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in _GUARDS:
            return True
    return False


def _call(function: str, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(cst.parse_expression(function), [cst.Arg(one) for one in arguments])


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression without parentheses of its own, which an argument does not need."""
    if getattr(node, "lpar", ()) and not isinstance(node, (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)):
        return node.with_changes(lpar=(), rpar=())
    return node
