"""What JAX's tracing cache holds for a function: the abstract arguments that it was traced for before.

Evidence, on 0.10.2 and 0.12.0.1: `partial_eval.trace_to_jaxpr` is a weak cache. Its `cache_keys()` are, for each entry,
a weak reference to the function, the tracing context, and the positional arguments of the staging; the first of these
gives the arguments and keywords of the call by `unflatten()`, static values among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whyjit.jaxlink.missing import Missing


class Traced(NamedTuple):
    """One entry. `here` tells that its tracing context is the present one."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    here: bool


def traced_for(function: Any) -> list[Traced] | Missing:
    """The entries for this very function object."""
    try:
        from jax._src import config, pjit
        from jax._src.interpreters import partial_eval

        if hasattr(pjit, "_create_pjit_jaxpr"):
            return Missing("before JAX 0.10 the keys of its tracing cache are where nobody else can read them")
        keys = partial_eval.trace_to_jaxpr.cache_keys()
        context = config.trace_context()
    except (ImportError, AttributeError) as fault:
        return Missing(f"JAX's tracing cache cannot be asked: {fault}")
    found: list[Traced] = []
    for reference, made_in, arguments, *_ in keys:
        if reference() is not function:
            continue
        try:
            args, kwargs = arguments[0].unflatten()
        except Exception as fault:
            return Missing(f"an entry of JAX's tracing cache cannot be read: {fault}")
        found.append(Traced(tuple(args), dict(kwargs), made_in == context))
    return found
