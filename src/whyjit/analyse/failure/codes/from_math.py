"""What `jax.numpy` has for a function of `math`: the name alone is not always enough."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

INTEGER = frozenset({"floor", "ceil", "trunc"})
_RENAMED = {"fabs": "abs", "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
_SPECIAL = {
    "erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln", "factorial": "factorial",
}  # fmt: skip
# What neither `jax.numpy` has nor a line can say.
_UNKNOWN = frozenset({"comb", "perm", "ulp", "fma"})
_TOLERANCES = {"rel_tol": "rtol", "abs_tol": "atol"}
_ARRAY = "none; the result is an array"


def from_math(situation: Situation, name: str, call: ast.Call) -> Remedy | None:
    """A call of `math` as one of `jax.numpy`; None where there is none."""
    jnp = situation.names.jnp
    args = [situation.text(one) for one in call.args]
    if name in _UNKNOWN or not args:
        return None
    if name in _SPECIAL:
        special = f"scipy.special.{_SPECIAL[name]}"
        return Remedy(f"jax.{special}", f"{situation.names.jax}.{special}({', '.join(args)})", _ARRAY)
    if name in INTEGER:
        return Remedy(f"jnp.{name}", f"{jnp}.{name}({', '.join(args)}).astype(int)", _ARRAY)
    if name == "isclose":
        return _isclose(situation, call, args)
    arrays = [_array(jnp, one, text) for one, text in zip(call.args, args, strict=True)]
    written = _written(jnp, name, args, arrays)
    if written is not None:
        return Remedy(*written)
    new = _RENAMED.get(name, name)
    return Remedy(f"jnp.{new}", f"{jnp}.{new}({', '.join(args)})", _ARRAY)


def _isclose(situation: Situation, call: ast.Call, args: list[str]) -> Remedy:
    """`math` has other tolerances, and measures by the larger of the two."""
    jnp = situation.names.jnp
    given = {one.arg: situation.text(one.value) for one in call.keywords if one.arg in _TOLERANCES}
    tolerances = f"rtol={given.get('rel_tol', '1e-09')}, atol={given.get('abs_tol', '0.0')}"
    cost = f"{_ARRAY}; rtol is taken of the second, where math takes it of the larger"
    return Remedy("jnp.isclose", f"{jnp}.isclose({', '.join(args)}, {tolerances})", cost)


def _array(jnp: str, node: ast.expr, text: str) -> str:
    """What holds the elements, as an array."""
    if isinstance(node, ast.GeneratorExp):
        text = f"[{text[1:-1] if text.startswith('(') else text}]"
    return f"{jnp}.asarray({text})"


def _written(jnp: str, name: str, args: list[str], arrays: list[str]) -> tuple[str, str, str] | None:
    """What takes more than another name."""
    if name == "log" and len(args) == 2:
        return "jnp.log", f"({jnp}.log({args[0]}) / {jnp}.log({args[1]}))", _ARRAY
    if name in ("fsum", "prod") and len(args) == 1:
        new = "sum" if name == "fsum" else "prod"
        return f"jnp.{new}", f"{jnp}.{new}({arrays[0]})", _ARRAY
    if name == "hypot" and len(args) != 2:
        return "jnp.linalg.norm", f"{jnp}.linalg.norm({jnp}.asarray([{', '.join(args)}]))", _ARRAY
    if name == "dist" and len(args) == 2:
        return "jnp.linalg.norm", f"{jnp}.linalg.norm({arrays[0]} - {arrays[1]})", _ARRAY
    if name == "sumprod" and len(args) == 2:
        return "jnp.dot", f"{jnp}.dot({arrays[0]}, {arrays[1]})", _ARRAY
    if name == "isqrt":
        cost = f"{_ARRAY}; a root of a float is exact for small numbers only"
        return "jnp.sqrt", f"{jnp}.floor({jnp}.sqrt({args[0]})).astype(int)", cost
    if name == "remainder" and len(args) == 2:
        first, second = (f"({one})" for one in args)
        return "jnp.round", f"({first} - {second} * {jnp}.round({first} / {second}))", _ARRAY
    return None
