"""Choices between two cheap values, as `jnp.where`.

`jnp.where` computes both values, so it is only for values that cost nothing, and the gradient check decides: the
gradient of the value that is not taken must not be infinite, as that of `sqrt` at 0 is. `lax.cond` goes before it.
"""

from __future__ import annotations

import ast

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.cond import decision
from whyjit.rewrite.control.decision import decided, is_asked_of_call
from whyjit.rewrite.control.site import CannotRewrite, Site

_HEAD = "import jax.numpy as jnp\n\ndef f(x, t):\n"
_CHEAP = (
    ast.Expression, ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.BinOp, ast.expr_context, ast.USub, ast.UAdd,
    ast.Add, ast.Sub, ast.Mult,
)  # fmt: skip
_MOST_PARTS = 8

REWRITTEN = (
    Rewritten(
        _HEAD + "    return x * (2 if t > 2 else 1.5)\n",
        "t > 2",
        _HEAD + "    return x * jnp.where(t > 2, 2, 1.5)\n",
    ),
    Rewritten(
        _HEAD + "    k = 1\n    if t > 2:\n        k = 2.5\n    return x * k\n",
        "t > 2",
        _HEAD + "    k = 1\n    k = jnp.where(t > 2, 2.5, k)\n    return x * k\n",
    ),
)
REFUSED = (
    Refused(_HEAD + "    return jnp.sqrt(t) if t > 2 else t\n", "t > 2", "both"),
    Refused(_HEAD + "    return (x, t) if t > 2 else (t, x)\n", "t > 2", "both"),
    Refused(
        _HEAD + "    if t > 2:\n        x = x * 2\n        x = x + 1\n    return x\n", "t > 2", "more than a value"
    ),
    Refused(_HEAD + "    while t > 2:\n        t = t - 1\n    return t\n", "t > 2", ""),
)


def rewrite(site: Site) -> Change | Refusal | None:
    """Rewrite the choice that the expression decides."""
    owner = decided(site)
    if is_asked_of_call(site) or not isinstance(owner, (cst.If, cst.IfExp)):
        return None
    try:
        return Change("where", decision(site, owner, _where), "the choice as jnp.where", branches=True)
    except CannotRewrite as no:
        return Refusal("where", str(no))


def _where(site: Site, test: cst.BaseExpression, true: cst.BaseExpression, false: cst.BaseExpression) -> cst.Call:
    for value in (true, false):
        parts = list(ast.walk(ast.parse(f"({site.text(value)}\n)", mode="eval")))
        if len(parts) > 2 * _MOST_PARTS or not all(isinstance(part, _CHEAP) for part in parts):
            raise CannotRewrite(f"jnp.where would compute both, and `{site.one_line(value)}` is not cheap")
    function = cst.parse_expression(f"{site.alias('jax.numpy')}.where")
    return cst.Call(function, [cst.Arg(one.with_changes(lpar=(), rpar=())) for one in (test, true, false)])
