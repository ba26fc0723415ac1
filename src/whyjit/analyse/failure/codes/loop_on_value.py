"""`loop-on-value`: Python was to loop as often as a traced value says."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import REVERSE, Fails, static
from whyjit.analyse.failure.codes.loops import carried_names, collects, makes_objects, recomputed
from whyjit.analyse.failure.rewrite import shortened
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="loop-on-value",
    title="A Python loop is controlled by a traced value",
    what="A `while` condition or the bound of a `range` needed a Python value of something that JAX is tracing.",
    why=(
        "A Python loop runs while the function is traced: its body is written into the program once per step. How many "
        "steps there are must be known then, and a traced value has no value yet."
    ),
    todo=(
        "Put the loop into the program: `lax.fori_loop` for a counted loop, `lax.while_loop` for a condition, "
        "`lax.scan` over a fixed maximum (with a mask) where gradients by reverse mode are needed. If the count takes "
        "few values, make it static: the body is unrolled, and each count costs a trace and a compile."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def settle(x, steps):
    for _ in range(steps):
        x = x * 0.5
    return x

settle(jnp.float32(3.0), 4)
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def settle(x, steps):
    return jax.lax.fori_loop(0, steps, lambda _, x: x * 0.5, x)

settle(jnp.float32(3.0), 4)
""",
        shows=False,
    ),
)
FAILS = Fails("TracerIntegerConversionError", "range(steps)", ("steps",))


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    if "while" in (situation.use.kind, situation.use.inside):
        fixed = [] if recomputed(situation.conditional, situation.condition) else static(situation)
        return [_while(situation), _scan(situation, "<most rounds>"), *fixed]
    bound = _bounds(situation)[1]
    loop = _counted(situation) if _comprehension(situation) is None else _mapped(situation)
    masked = _scan(situation, bound)
    fixed = static(situation)
    if fixed and makes_objects(_loop(situation)):  # layers are made while tracing: in a traced loop they would leak
        return fixed
    if fixed and collects(_loop(situation)):  # what a traced loop puts into a list leaks
        return [*fixed, masked]
    return [loop, *fixed, masked]


def _bounds(situation: Situation) -> tuple[str, str]:
    node = situation.located.node
    args = [situation.text(one) for one in node.args] if isinstance(node, ast.Call) else []
    if len(args) >= 2:
        return args[0], args[1]
    return "0", args[0] if args else situation.expression


def _step(situation: Situation) -> str | None:
    node = situation.located.node
    args = node.args if isinstance(node, ast.Call) else []
    return situation.text(args[2]) if len(args) > 2 else None


def _comprehension(situation: Situation) -> ast.ListComp | ast.SetComp | ast.GeneratorExp | None:
    for part in reversed(situation.located.ancestors):
        if isinstance(part, (ast.For, ast.stmt)):
            return None
        if isinstance(part, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return part
    return None


def _mapped(situation: Situation) -> Remedy:
    """A comprehension over a traced range: one result for each number up to the largest."""
    owner = _comprehension(situation)
    bound = _bounds(situation)[1]
    names = situation.names
    target = situation.text(owner.generators[0].target) if owner is not None else "i"
    element = situation.text(owner.elt) if owner is not None else "..."
    mapped = f"{names.jax}.vmap(lambda {target}: {element})({names.jnp}.arange(<largest {bound}>))"
    text = f"{mapped}, masked where {target} >= {bound}"
    return Remedy("jax.vmap", text, "computes the largest number of elements")


def _loop(situation: Situation) -> ast.For | None:
    return next((part for part in reversed(situation.located.ancestors) if isinstance(part, ast.For)), None)


def _counted(situation: Situation) -> Remedy:
    lower, upper = _bounds(situation)
    lax = situation.names.lax
    step = _step(situation)
    owner = _loop(situation)
    over = owner is not None and owner.iter is situation.located.node and isinstance(owner.target, ast.Name)
    index = situation.text(owner.target) if owner is not None and over else "i"
    carried = carried_names(owner, situation.located.function)
    single = _single(owner, situation)
    if single is not None and carried == [single[0]] and step is None and over:
        name, value = single
        text = shortened(f"{name} = {lax}.fori_loop({lower}, {upper}, lambda {index}, {name}: {value}, {name})")
        if text is not None:
            return Remedy("lax.fori_loop", text, REVERSE)
    names = ", ".join(carried) or "carry"
    group = f"({names})" if len(carried) > 1 else names
    given = "carry" if len(carried) > 1 else names
    number, first = index, "..."
    if step is not None:
        start = "" if lower == "0" else f"{lower} + "
        gone = upper if lower == "0" else f"({upper} - {lower})"
        number, first = "round", f"{index} = {start}round * {step}; ..."
        upper, lower = f"({gone} + {step} - 1) // {step}", "0"
    elif owner is not None and not over and isinstance(owner.iter, ast.Call):  # enumerate(range(n)), zip(xs, range(n))
        first = f"<{situation.text(owner.target)} of round {index}>; ..."
    body = f"def body({number}, {given}): {first}; return {group}"
    text = f"{names} = {lax}.fori_loop({lower}, {upper}, body, {group})  # {body}"
    return Remedy("lax.fori_loop", text, REVERSE)


def _while(situation: Situation) -> Remedy:
    lax = situation.names.lax
    owner = situation.conditional
    condition = situation.array_condition
    carried = carried_names(owner, situation.located.function)
    single = _single(owner, situation)
    text = None
    if single is not None and len(carried) == 1:
        name, value = single
        text = shortened(f"{name} = {lax}.while_loop(lambda {name}: {condition}, lambda {name}: {value}, {name})")
    if text is None:
        names = ", ".join(carried) or "carry"
        group = f"({names})" if len(carried) > 1 else names
        text = f"{names} = {lax}.while_loop(cond, body, {group})  # cond: {condition}; body returns the new {group}"
    return Remedy("lax.while_loop", text, REVERSE)


def _scan(situation: Situation, bound: str) -> Remedy:
    lax = situation.names.lax
    length = "<most rounds>" if situation.nature != "data" or bound.startswith("<") else bound
    keep = f"its number is below {bound}" if not bound.startswith("<") else situation.array_condition
    jnp = situation.names.jnp
    return Remedy(
        "lax.scan",
        f"{lax}.scan over {jnp}.arange({length}), keeping the old carry with {jnp}.where unless {keep}",
        "always runs the most rounds; has gradients by reverse mode",
    )


def _single(owner: ast.AST | None, situation: Situation) -> tuple[str, str] | None:
    """The name and the new value, where the body is one assignment."""
    body: list[ast.stmt] = getattr(owner, "body", [])
    if len(body) != 1:
        return None
    only = body[0]
    if isinstance(only, ast.Assign) and len(only.targets) == 1 and isinstance(only.targets[0], ast.Name):
        return only.targets[0].id, situation.text(only.value)
    if isinstance(only, ast.AugAssign) and isinstance(only.target, ast.Name):
        operator = ast.unparse(ast.BinOp(ast.Name("a"), only.op, ast.Name("b")))[1:-1].strip()
        return only.target.id, f"{only.target.id} {operator} {situation.text(only.value)}"
    return None
