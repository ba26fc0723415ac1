"""Assignments to elements of arrays, as `.at[].set`, which makes a new array."""

from __future__ import annotations

import ast

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.names import around
from whyjit.rewrite.control.site import CannotRewrite, Site

_HEAD = "import jax.numpy as jnp\n\ndef f(x, i):\n"
_OUTSIDE = "an index outside the array is left out, where NumPy would raise an error"

REWRITTEN = (
    Rewritten(
        _HEAD + "    x[i] = 0  # reset\n    return x\n",
        "x[i]",
        _HEAD + "    x = x.at[i].set(0)  # reset\n    return x\n",
    ),
    Rewritten(
        _HEAD + "    x[0, i:] = 1.0\n    return x\n", "x[0, i:]", _HEAD + "    x = x.at[0, i:].set(1.0)\n    return x\n"
    ),
    Rewritten(_HEAD + "    x[0] += i\n    return x\n", "x[0]", _HEAD + "    x = x.at[0].add(i)\n    return x\n"),
    Rewritten(_HEAD + "    x[i] += 1\n    return x\n", "x[i]", _HEAD + "    x = x.at[i].set(x[i] + 1)\n    return x\n"),
    Rewritten(
        _HEAD + "    x[x > i] = 0\n    return x\n", "x[x > i]", _HEAD + "    x = x.at[x > i].set(0)\n    return x\n"
    ),
)
REFUSED = (
    Refused(_HEAD + "    x[i] = 0\n", "x[i]", "read afterwards"),
    Refused(_HEAD + "    x.y[i] = 0\n    return x\n", "x.y[i]", "no name"),
    Refused(_HEAD + "    x[0] = x[1] = i\n    return x\n", "x[0]", "several targets"),
    Refused("def f(i):\n    x[i] = 0\n    return x\n", "x[i]", "not its own"),
    Refused(_HEAD + "    x[i] @= 2\n    return x\n", "x[i]", "@="),
    Refused(_HEAD + "    return x[i]\n", "x[i]", ""),
)
CODE = "in-place"

_UPDATES = {
    cst.AddAssign: ("add", "+"),
    cst.SubtractAssign: ("subtract", "-"),
    cst.MultiplyAssign: ("multiply", "*"),
    cst.DivideAssign: ("divide", "/"),
    cst.PowerAssign: ("power", "**"),
}
# Older versions of JAX have no `.at[].subtract`.
_EVERYWHERE = frozenset({"add", "multiply", "divide", "power"})


def rewrite(site: Site) -> Change | Refusal | None:
    """Rewrite the assignment whose target failed."""
    item = site.node
    if isinstance(item, cst.Call):
        return _masked(site, item)
    if not isinstance(item, cst.Subscript):
        return None
    parent = site.parent(item)
    if not isinstance(parent, (cst.AssignTarget, cst.AugAssign)) or parent.target is not item:
        return None
    try:
        return _assignment(site, item, parent)
    except CannotRewrite as no:
        return Refusal("at-set", str(no))


def _masked(site: Site, call: cst.Call) -> Change | Refusal | None:
    """`x.at[mask].set(value)` with a mask that is traced."""
    func = call.func
    if site.code != "boolean-mask" or not isinstance(func, cst.Attribute) or func.attr.value != "set":
        return None
    item = func.value
    if (
        not isinstance(item, cst.Subscript)
        or not isinstance(item.value, cst.Attribute)
        or item.value.attr.value != "at"
    ):
        return None
    index = item.slice[0].slice
    if (
        len(item.slice) > 1
        or not isinstance(index, cst.Index)
        or len(call.args) != 1
        or call.args[0].keyword is not None
    ):
        return Refusal("at-set", "the index is more than a mask, or .set() has more than a value")
    try:
        function = cst.parse_expression(f"{site.alias('jax.numpy')}.where")
        new = cst.Call(function, [cst.Arg(one) for one in (index.value, call.args[0].value, item.value.value)])
        return Change("at-set", site.changed(call, new), "the assignment by a mask as jnp.where")
    except CannotRewrite as no:
        return Refusal("at-set", str(no))


def _assignment(site: Site, item: cst.Subscript, parent: cst.AssignTarget | cst.AugAssign) -> Change:
    if not isinstance(item.value, cst.Name):
        raise CannotRewrite(f"`{site.one_line(item.value)}` is no name that could be given a new array")
    name = item.value.value
    statement = parent if isinstance(parent, cst.AugAssign) else site.parent(parent)
    if isinstance(statement, cst.Assign) and len(statement.targets) > 1:
        raise CannotRewrite("the assignment has several targets")
    site.keep_comments(statement)
    _check_use(site, name, statement)
    array = site.text(item.value)
    if site.code == "numpy-on-tracer":
        array = f"{site.alias('jax.numpy')}.asarray({array})"
    index = site.text(item).removeprefix(site.text(item.value))
    method, value = _update(site, item, statement, index)
    new = cst.parse_expression(f"{array}.at{index}.{method}({value})")
    target = cst.AssignTarget(cst.Name(name))
    text = site.changed(statement, cst.Assign([target], new))
    return Change("at-set", text, f"the assignment as .at[].{method}", (_OUTSIDE,))


def _update(site: Site, item: cst.Subscript, statement: cst.CSTNode, index: str) -> tuple[str, str]:
    """The method, and what it is called with."""
    if isinstance(statement, cst.Assign):
        return "set", _argument(site, statement.value)
    assert isinstance(statement, cst.AugAssign)  # noqa: S101 - there are two kinds
    update = _UPDATES.get(type(statement.operator))
    if update is None:
        raise CannotRewrite(f"there is no method of .at[] for `{site.text(statement.operator).strip()}`")
    method, sign = update
    # An index that names an element twice counts once in Python, and twice in `.at[].add`.
    if _names_each_once(item) and method in _EVERYWHERE:
        return method, _argument(site, statement.value)
    value = site.one_line(statement.value)
    if not isinstance(statement.value, (cst.Name, cst.Integer, cst.Float, cst.Call, cst.Attribute, cst.Subscript)):
        value = f"({value})"
    assert isinstance(item.value, cst.Name)  # noqa: S101 - seen to before
    return "set", f"{item.value.value}{index} {sign} {value}"


def _argument(site: Site, value: cst.BaseExpression) -> str:
    text = site.one_line(value)
    return f"({text})" if isinstance(value, cst.Tuple) and not value.lpar else text


def _names_each_once(item: cst.Subscript) -> bool:
    for one in item.slice:
        part = one.slice
        if isinstance(part, cst.Index) and not isinstance(part.value, (cst.Integer, cst.UnaryOperation)):
            return False
    return True


def _check_use(site: Site, name: str, statement: cst.CSTNode) -> None:
    function = site.function
    if not isinstance(function, cst.FunctionDef):
        raise CannotRewrite("it stands in no function")
    tree = site.function_tree(function)
    found = next((part for part in site.ancestors(statement) if isinstance(part, cst.SimpleStatementLine)), None)
    node = site.find(statement, ast.stmt)
    assert isinstance(node, ast.stmt) and found is not None  # noqa: S101, PT018
    surroundings = around(tree, node)
    if name not in surroundings.bound:
        raise CannotRewrite(f"{name} is not its own, or not surely bound before: it would be a new name")
    if name not in surroundings.live:
        raise CannotRewrite(f"{name} is not read afterwards: whoever passed it would not see the new array")
