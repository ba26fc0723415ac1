"""Arguments of a live function made static: the function as it runs then against the one that Python runs."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from whyjit.jaxlink import comparing, gradients, jits
from whyjit.model.concrete import ConcreteTrial

Call = tuple[tuple[Any, ...], dict[str, Any]]
# Compiled against run by Python, operation by operation: rounding differs by more than between two compilations.
_LOOSER = 30.0


def try_concrete(
    function: Callable[..., Any], calls: Sequence[Call], statics: Sequence[str], names: Sequence[str]
) -> ConcreteTrial:
    """Run the calls with `names` static, too, and without any jit, and compare. Nothing of its faults is raised."""
    import jax

    parameters = list(inspect.signature(function).parameters)
    values = [[_value(call, parameters, name) for name in names] for call in calls]
    shown = tuple(dict.fromkeys(", ".join(map(repr, each)) for each in values))
    unhashable = tuple(dict.fromkeys(repr(value) for each in values for value in each if not _hashable(value)))
    if unhashable:
        return ConcreteTrial(values=shown, unhashable=unhashable)
    count = [0]

    @functools.wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        return function(*args, **kwargs)

    jitted = jax.jit(counted, **jits.static_options(counted, (*statics, *names)))
    outputs, found, began = "", "none", time.perf_counter()
    results: list[Any] = []
    try:
        for args, kwargs in calls:
            results.append(jax.block_until_ready(jitted(*args, **kwargs)))
    except Exception as raised:
        return ConcreteTrial(failed=f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}", values=shown)
    seconds, traces = time.perf_counter() - began, count[0]
    for (args, kwargs), result in zip(calls, results, strict=True):
        try:
            with jax.disable_jit():
                expected = function(*args, **kwargs)
        except Exception as raised:
            return ConcreteTrial(failed=f"without jit it fails, too: {type(raised).__name__}", values=shown)
        outputs = outputs or comparing.difference(_arrays(expected), result, _LOOSER, weak=False)
    if not outputs:
        found = _gradients(jitted, function, calls[0], frozenset(names))
    return ConcreteTrial("", shown, (), outputs, found, traces, seconds, len(calls))


def _gradients(jitted: Any, function: Callable[..., Any], call: Call, leave: frozenset[str]) -> str:
    import jax

    args, kwargs = call
    try:
        with jax.disable_jit():
            old = gradients.gradient(function, args, kwargs, leave)
    except Exception:
        return "none"
    if old is None:
        return "none"
    try:
        new = gradients.gradient(jitted, args, kwargs, leave)
    except Exception as raised:
        return f"lost: {type(raised).__name__}"
    return comparing.difference(old, new, _LOOSER)


def _value(call: Call, parameters: list[str], name: str) -> Any:
    args, kwargs = call
    at = parameters.index(name)
    return args[at] if at < len(args) else kwargs.get(name)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _arrays(result: Any) -> Any:
    """What Python returns as numbers, a jitted function returns as arrays."""
    import jax

    return jax.tree_util.tree_map(jax.numpy.asarray, result)
