"""The `if` or conditional expression that a failing expression decides."""

from __future__ import annotations

import libcst as cst

from whyjit.rewrite.control.site import Site


def decided(site: Site) -> cst.CSTNode | None:
    """The `if`, conditional expression, `while`, `assert` or comprehension filter whose condition the expression is.

    It may be a part of that condition, under `and`, `or`, `not` and comparisons. None where it decides nothing.
    """
    current: cst.CSTNode = site.node
    for parent in site.ancestors():
        if isinstance(parent, (cst.If, cst.IfExp, cst.While, cst.Assert, cst.CompIf)):
            return parent if parent.test is current else None
        if not isinstance(parent, (cst.BooleanOperation, cst.UnaryOperation, cst.NamedExpr)):
            return None
        if isinstance(parent, cst.UnaryOperation) and not isinstance(parent.operator, cst.Not):
            return None
        current = parent
    return None


def is_asked_of_call(site: Site) -> bool:
    """Whether it was a function of Python's own that asked, such as `max` or `any`, and no statement."""
    return isinstance(site.node, cst.Call) and site.qualified(site.node.func).removeprefix("builtins.") in (
        "max",
        "min",
        "any",
        "all",
        "bool",
        "sorted",
    )
