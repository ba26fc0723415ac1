"""Reductions of what a mask keeps, as reductions with `where=`."""

from __future__ import annotations

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.site import CannotRewrite, Site

_PLAIN = frozenset({"sum", "prod", "mean", "any", "all", "std", "var"})
_EXTREME = {"max": "-{jnp}.inf", "min": "{jnp}.inf"}
_WHOLE = {"max": "{jnp}.iinfo({array}.dtype).min", "min": "{jnp}.iinfo({array}.dtype).max"}
_HEAD = "import jax.numpy as jnp\n\ndef f(x, t):\n"

REWRITTEN = (
    Rewritten(_HEAD + "    return x[x > t].sum()\n", "x[x > t]", _HEAD + "    return x.sum(where=x > t)\n"),
    Rewritten(_HEAD + "    return jnp.mean(x[x > t])\n", "x[x > t]", _HEAD + "    return jnp.mean(x, where=x > t)\n"),
    Rewritten(
        _HEAD + "    return x[~jnp.isnan(x)].max()\n",
        "x[~jnp.isnan(x)]",
        _HEAD + "    return x.max(where=~jnp.isnan(x), initial=-jnp.inf)\n",
    ),
)
REFUSED = (
    Refused(_HEAD + "    return x[x > t]\n", "x[x > t]", "as many elements"),
    Refused(_HEAD + "    return jnp.sort(x[x > t])\n", "x[x > t]", "as many elements"),
    Refused(_HEAD + "    return x[x > t].sum(where=x > 1)\n", "x[x > t]", "where="),
    Refused(_HEAD + "    return x[x > t, 0].sum()\n", "x[x > t, 0]", "more than a mask"),
    Refused(_HEAD + "    return x[x > t].sum(axis=0)\n", "x[x > t]", "axis"),
)
CODE = "boolean-mask"


def rewrite(site: Site, *, whole: bool = False) -> Change | Refusal | None:
    """Rewrite the reduction around a masked array. `whole` is for maxima and minima of whole numbers."""
    if site.code != "boolean-mask":
        return None
    item = site.node
    if not isinstance(item, cst.Subscript):
        return None
    parent = site.parent(item)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign)):
        return None
    try:
        return _reduction(site, item, whole=whole)
    except CannotRewrite as no:
        return Refusal("mask-reduce", str(no))


def _reduction(site: Site, item: cst.Subscript, *, whole: bool) -> Change:
    mask = _mask_of(item)
    if isinstance(item.value, cst.Attribute) and item.value.attr.value == "at":
        raise CannotRewrite("x.at[mask] with a mask: jnp.where(mask, new, x) does the same")
    call, name, as_method = _around(site, item)
    if name not in _PLAIN and name not in _EXTREME:
        raise CannotRewrite("it gives as many elements as the mask has true ones: jnp.where, or jnp.nonzero with size=")
    given = {one.keyword.value for one in call.args if one.keyword is not None}
    if given & {"where", "initial"}:
        raise CannotRewrite("the reduction has a where= or initial= already")
    if "axis" in given or len(call.args) > (0 if as_method else 1):
        raise CannotRewrite("a masked array has one axis less than the mask: write axis= for the array itself")
    arguments = [_keyword("where", mask)]
    notes: tuple[str, ...] = ()
    if name in _EXTREME:
        jnp, array = site.alias("jax.numpy"), site.one_line(item.value)
        start = (_WHOLE if whole else _EXTREME)[name].format(jnp=jnp, array=array)
        arguments.append(_keyword("initial", cst.parse_expression(start)))
        notes = (f"where the mask keeps nothing it gives {start}; Python raised an error",)
    if as_method:
        func = cst.ensure_type(call.func, cst.Attribute)
        new = call.with_changes(func=func.with_changes(value=item.value), args=[*call.args, *arguments])
    else:
        first = call.args[0].with_changes(value=item.value, comma=cst.MaybeSentinel.DEFAULT)
        new = call.with_changes(args=[first, *call.args[1:], *arguments])
    return Change("mask-reduce", site.changed(call, new), f"the {name} of what a mask keeps, with where=", notes)


def _mask_of(item: cst.Subscript) -> cst.BaseExpression:
    element = item.slice[0].slice
    if len(item.slice) != 1 or not isinstance(element, cst.Index):
        raise CannotRewrite("the index is more than a mask")
    return element.value


def _around(site: Site, item: cst.Subscript) -> tuple[cst.Call, str, bool]:
    """The reduction that takes the masked array: its call, its name, and whether it is a method."""
    parents = site.ancestors(item)
    if len(parents) > 1 and isinstance(parents[0], cst.Attribute) and isinstance(parents[1], cst.Call):
        return parents[1], parents[0].attr.value, True
    if len(parents) > 1 and isinstance(parents[0], cst.Arg) and isinstance(parents[1], cst.Call):
        call = parents[1]
        module, _, name = site.qualified(call.func).rpartition(".")
        if module in ("jax.numpy", "numpy") and call.args[0] is parents[0]:
            return call, name, False
    raise CannotRewrite("it gives as many elements as the mask has true ones: jnp.where, or jnp.nonzero with size=")


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, keyword=cst.Name(name), equal=equal)
