"""An original and a rewritten function run side by side, in a process that is there to try them.

The original is run op by op, with `jax.disable_jit()`: what fails while it is traced runs well on concrete arrays, so
there is always something to compare with.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from whyjit.jaxlink import comparing, folding, jits
from whyjit.jaxlink.nodes import Graph, is_extended
from whyjit.jaxlink.rows import by_rows


class Arguments(NamedTuple):
    """The arguments of one call. Those that are not static are arrays, as they are while a function is traced."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@contextlib.contextmanager
def configured(context: Sequence[tuple[str, str]]) -> Generator[None]:
    """The recorded settings that decide what is computed: 64-bit types, and the precision of products."""
    import jax

    known = dict(context)
    wanted: dict[str, Any] = {}
    if "jax_enable_x64" in known:
        wanted["jax_enable_x64"] = known["jax_enable_x64"] == "True"
    precision = known.get("jax_default_matmul_precision", "None").strip("'\"")
    if precision != "None":
        wanted["jax_default_matmul_precision"] = precision
    before = {name: getattr(jax.config, name) for name in wanted}
    for name, value in wanted.items():
        jax.config.update(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


def as_arrays(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], statics: Sequence[str]) -> Arguments:
    """The arguments with every number and NumPy array outside the static parameters as an array of JAX's."""
    import inspect

    import jax

    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []

    def leaf(value: Any) -> Any:
        if isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)):
            return jax.numpy.asarray(value)
        return value

    def whole(name: str, value: Any) -> Any:
        return value if name in statics else jax.tree_util.tree_map(leaf, value)

    places = [names[at] if at < len(names) else "" for at in range(len(args))]
    return Arguments(
        tuple(whole(name, value) for name, value in zip(places, args, strict=True)),
        {name: whole(name, value) for name, value in kwargs.items()},
    )


def op_by_op(function: Callable[..., Any], call: Arguments) -> Any:
    """The result of running a function on concrete arrays, each operation by itself, and row by row under `vmap`."""
    import jax

    with jax.disable_jit(), by_rows():
        return function(*call.args, **call.kwargs)


def jitted(function: Callable[..., Any], statics: Sequence[str]) -> Callable[..., Any]:
    """The function, compiled when it is called, and traced anew: what it reads may have changed since JAX traced it."""
    import functools

    import jax

    @functools.wraps(function)
    def anew(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    compiled: Callable[..., Any] = jax.jit(anew, **jits.static_options(anew, statics))
    return compiled


def difference(old: Any, new: Any) -> str:
    """What differs between two results beyond rounding; "" if nothing does.

    A Python number counts as the array that a compiled program gives in its place. Weak types are told by `weakness`.
    Classes count as the same where their names are: each version of a module makes its own.
    """
    import jax

    old, new = _strong(old), _strong(new)
    before, after = (str(jax.tree_util.tree_structure(one)) for one in (old, new))
    if before != after:
        return f"the structure of the result changes from {before} to {after}"
    return comparing.difference(jax.tree_util.tree_leaves(old), jax.tree_util.tree_leaves(new))


def weakness(old: Any, new: Any) -> str:
    """Whether results differ in weak types alone, in a few words; "" if they do not."""
    import jax

    def weak(result: Any) -> list[bool]:
        return [
            bool(getattr(getattr(jax.numpy.asarray(leaf), "aval", None), "weak_type", False))
            for leaf in jax.tree_util.tree_leaves(result)
            if not is_extended(getattr(leaf, "dtype", None))
        ]

    return "" if weak(old) == weak(new) else "the result is weakly typed in one of both only"


def _strong(result: Any) -> Any:
    import jax

    def leaf(value: Any) -> Any:
        if is_extended(getattr(value, "dtype", None)):
            return value
        return jax.numpy.asarray(np.asarray(jax.numpy.asarray(value)))

    return jax.tree_util.tree_map(leaf, result)


def has_effects(function: Callable[..., Any], call: Arguments, statics: Sequence[str]) -> bool:
    """Whether the staged program does more than compute, such as printing."""
    return bool(_staged(function, call, statics).effects)


def _staged(function: Callable[..., Any], call: Arguments, statics: Sequence[str]) -> Any:
    return jitted(function, statics).trace(*call.args, **call.kwargs).jaxpr  # type: ignore[attr-defined]


class Version(NamedTuple):
    """One version of a function, and a call of it. Each has arguments of its own: its module makes its own classes."""

    function: Callable[..., Any]
    call: Arguments


def same_program(old: Version, new: Version, statics: Sequence[str]) -> bool:
    """Whether two versions are staged to the same program, once all that is known is computed. May raise."""
    graph = Graph()
    first, second = (folding.put(graph, _staged(*one, statics), {}) for one in (old, new))
    return first.roots == second.roots and not first.effects and not second.effects


PERTURBED = ("a little changed", "with turned signs")


def perturbed(call: Arguments) -> list[Arguments]:
    """Arguments near the recorded ones and away from them, as `PERTURBED` names them."""

    def nearby(host: Any) -> Any:
        return host * (1 + 0.03 * np.cos(np.arange(host.size).reshape(host.shape))) + 1e-3

    def turned(host: Any) -> Any:
        return -0.7 * host

    return [changed(call, nearby), changed(call, turned)]


def changed(call: Arguments, change: Callable[[Any], Any]) -> Arguments:
    """The arguments with each float array changed on the host; its type stays."""
    import jax

    def leaf(value: Any) -> Any:
        if not isinstance(value, jax.Array) or is_extended(value.dtype):
            return value
        if not jax.numpy.issubdtype(value.dtype, jax.numpy.floating):
            return value
        host = np.asarray(change(np.asarray(value, np.float64)))
        made = jax.numpy.asarray(host.astype(value.dtype))
        if getattr(value.aval, "weak_type", False) and value.shape == ():
            weak = jax.numpy.asarray(float(host))
            made = weak if weak.dtype == value.dtype else made
        return made

    args, kwargs = jax.tree_util.tree_map(leaf, (call.args, call.kwargs))
    return Arguments(args, kwargs)


def truth(value: bool) -> Any:
    """A condition that is known: true or false, as an array."""
    import jax

    return jax.numpy.asarray(value)


def stored(array: Any, index: Any, value: Any) -> Any:
    """What `array[index] = value` means: on an array of JAX's the same as on a copy of NumPy's, else as it is."""
    import jax

    if not isinstance(array, jax.Array):
        array[index] = value
        return array
    index = jax.tree_util.tree_map(lambda part: np.asarray(part) if isinstance(part, jax.Array) else part, index)
    copy = np.array(array)
    copy[index] = np.asarray(value)
    return jax.numpy.asarray(copy)


def timed(function: Callable[..., Any], calls: Sequence[Arguments], statics: Sequence[str]) -> tuple[int, float]:
    """How often a function is traced over all calls, and the seconds of the calls, compiling included."""
    import functools

    import jax

    traces = 0

    @functools.wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal traces
        traces += 1
        return function(*args, **kwargs)

    compiled = jitted(counted, statics)
    started = time.perf_counter()
    for call in calls:
        jax.block_until_ready(compiled(*call.args, **call.kwargs))
    return traces, time.perf_counter() - started
