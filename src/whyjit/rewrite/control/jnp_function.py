"""Functions of NumPy, `math` and Python itself that need numbers, as the functions of `jax.numpy` that do not."""

from __future__ import annotations

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.site import CannotRewrite, Site

# Those of `numpy` that `jax.numpy` has under the same name, with the same meaning.
_SAME = frozenset({
    "abs", "absolute", "add", "all", "allclose", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
    "arctanh", "argmax", "argmin", "argsort", "around", "array", "asarray", "average", "cbrt", "ceil", "clip",
    "concatenate", "conj", "convolve", "copysign", "correlate", "cos", "cosh", "cov", "cross", "cumprod", "cumsum",
    "deg2rad", "degrees", "diag", "diff", "divide", "dot", "einsum", "equal", "exp", "exp2", "expand_dims", "expm1",
    "fabs", "flip", "floor", "floor_divide", "fmax", "fmin", "fmod", "greater", "greater_equal", "heaviside", "hstack",
    "hypot", "inner", "interp", "isclose", "isfinite", "isinf", "isnan", "kron", "less", "less_equal", "log", "log10",
    "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "max", "maximum", "mean", "median", "min", "minimum", "mod", "moveaxis", "multiply", "nan_to_num", "nanmax",
    "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "negative", "not_equal", "ones_like", "outer", "percentile",
    "polyval", "positive", "power", "prod", "ptp", "quantile", "rad2deg", "radians", "ravel", "reciprocal", "remainder",
    "reshape", "roll", "rot90", "round", "searchsorted", "sign", "sin", "sinc", "sinh", "sort", "sqrt", "square",
    "squeeze", "stack", "std", "subtract", "sum", "swapaxes", "take", "tan", "tanh", "tensordot", "tile", "trace",
    "transpose", "tril", "triu", "true_divide", "trunc", "var", "vdot", "vstack", "where", "zeros_like", "full_like",
    "linalg.norm", "linalg.det", "linalg.inv", "linalg.solve", "linalg.eigvalsh", "linalg.slogdet", "linalg.pinv",
    "linalg.cholesky", "fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.fft2", "fft.ifft2",
})  # fmt: skip
_MATH = {
    **{name: name for name in (
        "sqrt", "exp", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot",
        "isnan", "isinf", "isfinite", "degrees", "radians", "copysign", "cbrt", "exp2", "log", "fmod",
    )},
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "fabs": "abs", "pow": "power",
}  # fmt: skip
_PAIRED = {"max": "maximum", "min": "minimum"}
_NUMBERS = {
    "int": "int() takes the gradient away and rounds towards zero: x.astype(int) where that is meant",
    "float": "float() takes the gradient away: leave it out, or write jax.lax.stop_gradient where that is meant",
    "bool": "bool() asks for a truth value: leave it out, and choose by jax.lax.cond",
    "complex": "complex() asks for a number: x.astype(complex) where that is meant",
}
_METHODS = ("item", "tolist", "__float__", "__int__")
_HEAD = "import math\nimport numpy as np\nimport jax.numpy as jnp\n\ndef f(x, t):\n"

REWRITTEN = (
    Rewritten(_HEAD + "    return np.sqrt(t) * x\n", "np.sqrt(t)", _HEAD + "    return jnp.sqrt(t) * x\n"),
    Rewritten(
        _HEAD + "    return math.atan2(\n        t,  # up\n        1.0,\n    )\n",
        "math.atan2(\n        t,  # up\n        1.0,\n    )",
        _HEAD + "    return jnp.arctan2(\n        t,  # up\n        1.0,\n    )\n",
    ),
    Rewritten(_HEAD + "    return x * max(t, 1.0)\n", "max(t, 1.0)", _HEAD + "    return x * jnp.maximum(t, 1.0)\n"),
    Rewritten(
        _HEAD + "    return min(t, 1.0, x)\n",
        "min(t, 1.0, x)",
        _HEAD + "    return jnp.minimum(jnp.minimum(t, 1.0), x)\n",
    ),
    Rewritten(_HEAD + "    return any(x > t)\n", "any(x > t)", _HEAD + "    return jnp.any(x > t)\n"),
    Rewritten(
        "from math import exp as e\n\ndef f(t):\n    return e(t)\n",
        "e(t)",
        "from math import exp as e\nimport jax.numpy as jnp\n\ndef f(t):\n    return jnp.exp(t)\n",
    ),
    Rewritten(_HEAD + "    return table[t]\n", "table[t]", _HEAD + "    return jnp.asarray(table)[t]\n"),
)
REFUSED = (
    Refused(_HEAD + "    return x * int(t)\n", "int(t)", "takes the gradient away"),
    Refused(_HEAD + "    return x / x.max().item()\n", "x.max().item()", "takes the gradient away"),
    Refused(_HEAD + "    return max(x)\n", "max(x)", "one argument"),
    Refused(_HEAD + "    return max(x, key=abs)\n", "max(x, key=abs)", "keyword"),
    Refused(_HEAD + "    return all(a > 0 for a in x)\n", "all(a > 0 for a in x)", "one after the other"),
    Refused(_HEAD + "    return np.random.normal(t)\n", "np.random.normal(t)", "no function of jax.numpy"),
    Refused(_HEAD + "    return math.floor(t)\n", "math.floor(t)", "no function of jax.numpy"),
    Refused(_HEAD + "    return math.log(t, 2)\n", "math.log(t, 2)", "base"),
    Refused("def max(a, b):\n    return a\n\ndef f(t):\n    return max(t, 1)\n", "max(t, 1)", ""),
)
CODE = "numpy-on-tracer"


def rewrite(site: Site) -> Change | Refusal | None:
    """Rewrite the call, or the item of a NumPy array, that failed."""
    try:
        if isinstance(site.node, cst.Subscript) and site.code == "numpy-on-tracer":
            return _item(site, site.node)
        return _call(site, site.node) if isinstance(site.node, cst.Call) else None
    except CannotRewrite as no:
        return Refusal("jnp-function", str(no))


def _call(site: Site, call: cst.Call) -> Change | Refusal | None:
    name = site.qualified(call.func)
    module, _, function = name.partition(".")
    if module == "builtins":
        return _builtin(site, call, function)
    if module == "numpy" and function in _SAME:
        return _renamed(site, call, function)
    if module == "math" and function in _MATH:
        if function == "log" and len(call.args) > 1:
            raise CannotRewrite("jnp.log takes no base: divide by the logarithm of the base")
        return _renamed(site, call, _MATH[function])
    if module in ("numpy", "math"):
        raise CannotRewrite(f"{name} has no function of jax.numpy that is known to do the same")
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS:
        method = call.func.attr.value
        raise CannotRewrite(f".{method}() takes the gradient away: leave it out where the value may stay an array")
    return None


def _renamed(site: Site, call: cst.Call, function: str) -> Change:
    new = cst.parse_expression(f"{site.alias('jax.numpy')}.{function}")
    text = site.changed(call, call.with_changes(func=new))
    return Change("jnp-function", text, f"{site.text(call.func)} as jnp.{function}")


def _builtin(site: Site, call: cst.Call, function: str) -> Change | Refusal | None:
    if function in _NUMBERS:
        return Refusal("jnp-function", _NUMBERS[function])
    if function in ("any", "all") and len(call.args) == 1:
        if isinstance(call.args[0].value, (cst.GeneratorExp, cst.ListComp, cst.List, cst.Tuple)):
            raise CannotRewrite(f"{function}() asks its elements one after the other: stack them, then jnp.{function}")
        return _renamed(site, call, function)
    if function not in _PAIRED:
        return None
    if any(one.keyword is not None or one.star for one in call.args):
        raise CannotRewrite(f"{function}() has keyword or starred arguments")
    if len(call.args) == 1:
        raise CannotRewrite(f"{function}() of one argument goes through it: jnp.{function} where it is an array")
    jnp = cst.parse_expression(f"{site.alias('jax.numpy')}.{_PAIRED[function]}")
    if len(call.args) > 2:
        site.keep_comments(call)
    new: cst.BaseExpression = call.args[0].value
    for one in call.args[1:]:
        new = call.with_changes(func=jnp.deep_clone(), args=[cst.Arg(new), cst.Arg(one.value)])
    if len(call.args) == 2:
        new = call.with_changes(func=jnp)
    note = f"where both are equal, jnp.{_PAIRED[function]} gives each half of the gradient, and a NaN always wins"
    what = f"{function}() as jnp.{_PAIRED[function]}"
    return Change("jnp-function", site.changed(call, new), what, (note,), ties=True)


def _item(site: Site, item: cst.Subscript) -> Change | None:
    parent = site.parent(item)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.Del)):
        return None
    array = cst.Call(cst.parse_expression(f"{site.alias('jax.numpy')}.asarray"), [cst.Arg(item.value)])
    note = "the array becomes a constant of the program, and an index outside it is moved to its edge"
    return Change("jnp-function", site.changed(item, item.with_changes(value=array)), "the table as an array", (note,))
