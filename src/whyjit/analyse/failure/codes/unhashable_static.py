"""`unhashable-static`: a static argument has no hash."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.rewrite import one_line
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.failure.statics import Unhashable

PAGE = Page(
    code="unhashable-static",
    title="A static argument cannot be hashed",
    what="A list, a dict, a set, an array, or an object holding one was passed for a static argument.",
    why=(
        "JAX keeps one program for each value of the static arguments, in a table that looks values up by hash and "
        "equality. A value that can change in place has no hash."
    ),
    todo=(
        "Pass a tuple for a list, `tuple(sorted(d.items()))` or a frozen dataclass for a dict, and declare "
        "configuration classes `@dataclass(frozen=True)`. An array is data: take it out of `static_argnums`. An object "
        "that holds both is a pytree whose numbers are leaves and whose configuration is static metadata "
        "(`jax.tree_util.register_dataclass`)."
    ),
    ignore="Never: the call did not happen. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import functools

import jax
import jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="shape")
def blank(value, shape):
    return jnp.full(shape, value)

blank(1.0, shape=[2, 3])
"""),
    after=Example(
        """
import functools

import jax
import jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="shape")
def blank(value, shape):
    return jnp.full(shape, value)

blank(1.0, shape=(2, 3))
""",
        shows=False,
    ),
)
FAILS = Fails("ValueError", "blank(1.0, shape=[2, 3])", ("shape",))

_ARRAYS = frozenset(
    {"ndarray", "ArrayImpl", "Array", "DynamicJaxprTracer", "BatchTracer", "JVPTracer", "LinearizeTracer"}
)
_TRACERS = frozenset({"DynamicJaxprTracer", "BatchTracer", "JVPTracer", "LinearizeTracer"})


def is_array(type_name: str) -> bool:
    """Whether a type's name is that of an array or a tracer."""
    return type_name in _ARRAYS


def is_tracer(type_name: str) -> bool:
    """Whether a type's name is that of a tracer."""
    return type_name in _TRACERS


def remedies(found: Unhashable, lines: Sequence[str]) -> list[Remedy]:
    """The ways out, the fittest first."""
    whole = found.part == ""
    kind = found.part_type or found.type_name
    path = f"{found.parameter}{found.part}"
    if kind in _TRACERS:
        return [_numpy(path), _dynamic(found)]
    if is_array(kind):
        return [_dynamic(found)] if whole else [_split(found, path), *_frozen_with(found, path)]
    if kind == "list":
        text = _tuple_text(found, lines) if whole else f"a tuple for {path}"
        return [Remedy("tuple", text, "none; one trace and one compile for each distinct value")]
    if kind == "dict":
        return _for_dict(found, path)
    if kind in ("set", "bytearray"):
        new = "frozenset" if kind == "set" else "bytes"
        return [Remedy(new, f"{new}({found.passed})" if whole else f"{new} for {path}", "none")]
    if whole and found.arrays:
        return [_registered(found, path)]
    return _for_object(kind, path, found.displays if whole else ())


def _tuple_text(found: Unhashable, lines: Sequence[str]) -> str:
    node = found.node
    if isinstance(node, ast.List):
        inner = ", ".join(one_line(part, lines) for part in node.elts)
        return f"{found.parameter}=({inner}{',' if len(node.elts) == 1 else ''})"
    return f"{found.parameter}=tuple({found.passed})"


def _for_dict(found: Unhashable, path: str) -> list[Remedy]:
    cost = "none; rebuild it inside with dict(...); one trace and one compile for each distinct value"
    holds_array = "array(" in found.passed or "jnp." in found.passed or "np." in found.passed
    options = [
        Remedy("tuple", f"{path}=tuple(sorted({found.passed}.items()))", cost),
        Remedy(
            "frozen dataclass",
            f"a @dataclass(frozen=True) with the keys of {path} as fields",
            "one trace and one compile for each distinct value",
        ),
    ]
    return [_split(found, path), *options] if holds_array else options


def _registered(found: Unhashable, path: str) -> Remedy:
    """An object that holds arrays: frozen, it has no hash either."""
    names = ", ".join(f"{path}.{name}" for name in found.arrays)
    return Remedy(
        "register_dataclass",
        f"@jax.tree_util.register_dataclass above @dataclass class {found.type_name}, and {path} no longer static",
        f"{names} traced; a field that is configuration takes field(metadata=dict(static=True))",
    )


def _for_object(kind: str, path: str, displays: Sequence[str] = ()) -> list[Remedy]:
    names = " and ".join(dict.fromkeys(displays))
    also = f"; and give it a tuple for {names}, since what can change in place has no hash" if names else ""
    return [
        Remedy(
            "frozen dataclass",
            f"declare {kind} with @dataclass(frozen=True), which gives it __hash__ and __eq__ by its fields{also}",
            "its fields cannot be set afterwards; they must be hashable too",
        ),
        Remedy(
            "__hash__",
            f"define __hash__ and __eq__ in {kind} over what decides the program",
            f"a change of {path} that neither sees would go unnoticed",
        ),
    ]


def _dynamic(found: Unhashable) -> Remedy:
    return Remedy(
        "ordinary argument",
        f"take {found.parameter} out of static_argnums/static_argnames of {found.function}: an array is data",
        "none; its values are then traced, so they cannot decide a shape",
    )


def _numpy(path: str) -> Remedy:
    return Remedy(
        "NumPy",
        f"compute {path} with NumPy or Python, outside any trace: inside one, jax.numpy gives traced values",
        "none",
    )


def _split(found: Unhashable, path: str) -> Remedy:
    return Remedy(
        "split",
        f"pass the array in {path} as an ordinary argument, and only the rest of {found.parameter} as static",
        "one more argument",
    )


def _frozen_with(found: Unhashable, path: str) -> list[Remedy]:
    name = found.part.lstrip(".")
    fields = f'data_fields=["{name}"], meta_fields=[...]'
    registered = f"jax.tree_util.register_dataclass({found.type_name}, {fields})"
    text = f"{registered}, and {found.parameter} no longer static"
    return [Remedy("register_dataclass", text, f"{path} is then traced")] if found.part.startswith(".") else []
