"""Taking a function through JAX's stages on purpose: for experiments, in a process that whyjit started for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whyjit.jaxlink.missing import Missing

# Settings that decide programs; a process apart gets those of the process that asked.
_SETTINGS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_enable_custom_prng",
    "jax_legacy_prng_key",
)


def settings() -> dict[str, Any]:
    """JAX's settings that decide programs, as they are in this process."""
    import jax

    found = {name: getattr(jax.config, name, None) for name in _SETTINGS}
    return {name: value for name, value in found.items() if isinstance(value, (bool, str))}


def configure(values: Mapping[str, Any]) -> None:
    """Put such settings in force, as far as this JAX knows them."""
    import jax

    for name, value in values.items():
        if hasattr(jax.config, name) and getattr(jax.config, name) != value:
            jax.config.update(name, value)


def forget() -> None:
    """Empty JAX's caches: what importing a program traced must not answer for the experiment."""
    import jax

    jax.clear_caches()


def is_jitted(function: Any) -> bool:
    """Whether a callable is the work of `jax.jit`."""
    return callable(getattr(function, "trace", None)) and callable(getattr(function, "lower", None))


def is_lowerable(function: Any) -> bool:
    """Whether a callable can be lowered, as the jits of other packages can."""
    return callable(getattr(function, "lower", None))


def jitted(function: Callable[..., Any], static_argnames: Sequence[str]) -> Any:
    """The function under `jax.jit`."""
    import jax

    return jax.jit(function, static_argnames=tuple(static_argnames)) if static_argnames else jax.jit(function)


def stage(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, compile: bool) -> None:  # noqa: A002
    """Trace a call of something jitted, and compile it if asked; nothing of it is executed."""
    if not compile:
        (function.trace if is_jitted(function) else function.lower)(*args, **kwargs)
        return
    # `lower` of a jitted function traces by the same cache as `trace`.
    function.lower(*args, **kwargs).compile()


def under_vmap(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """(the call, jitted, over a new leading axis of every array leaf; those leaves with an axis of 2): to be staged."""
    import jax

    call, leaves = over_arrays(function, args, kwargs)
    grown = tuple(jax.ShapeDtypeStruct((2, *leaf.shape), leaf.dtype) for leaf in leaves)
    return jax.jit(jax.vmap(call)), grown


def under_grad(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """(the jitted gradient of the sum of all floating outputs by every floating leaf, the leaves): to be staged."""
    import jax

    call, leaves = over_arrays(function, args, kwargs)

    def total(*values: Any) -> Any:
        floats = [out.sum() for out in call(*values) if jax.numpy.issubdtype(out.dtype, jax.numpy.floating)]
        return sum(floats[1:], floats[0]) if floats else 0.0

    places = tuple(at for at, leaf in enumerate(leaves) if is_floating(leaf))
    return jax.jit(jax.grad(total, argnums=places)), leaves


def over_arrays(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The call as a function from its array leaves to its array outputs, and these leaves."""
    import jax

    from whyjit.jaxlink.abstract import is_abstract

    leaves, tree = jax.tree_util.tree_flatten((args, dict(kwargs)))
    places = [at for at, leaf in enumerate(leaves) if is_abstract(leaf)]

    def call(*values: Any) -> Any:
        whole = list(leaves)
        for at, value in zip(places, values, strict=True):
            whole[at] = value
        positional, named = jax.tree_util.tree_unflatten(tree, whole)
        outputs = jax.tree_util.tree_leaves(function(*positional, **named))
        return [out for out in outputs if isinstance(out, jax.Array)]

    return call, tuple(leaves[at] for at in places)


def inputs_of(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The staged program of a call as a function of its array leaves, in the order in which JAX flattens them."""
    import jax

    call, leaves = over_arrays(function, args, kwargs)
    return jax.make_jaxpr(call)(*leaves)


def is_floating(leaf: Any) -> bool:
    """Whether an abstract leaf holds floating-point numbers."""
    import jax

    return isinstance(leaf, jax.ShapeDtypeStruct) and bool(jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating))


def exports(function: Any, sized: Callable[[Any], tuple[tuple[Any, ...], dict[str, Any]]]) -> Missing | None:
    """Whether a jitted call exports with a symbolic size; `sized(symbol)` gives the arguments with it in place.

    Its success proves nothing by itself: a comparison of a symbolic size with a number is answered without a word.
    """
    try:
        import jax
        from jax import export

        (symbol,) = export.symbolic_shape("n", constraints=["n >= 1"])
        positional, named = sized(symbol)
        if type(function).__name__ == "PjitFunction":
            export.export(function)(*positional, **named)
        else:  # a wrapper's own jit cannot be exported, but its call can
            call, leaves = over_arrays(function, positional, named)
            export.export(jax.jit(call))(*leaves)
    except Exception as fault:
        lines = str(fault).strip().splitlines()
        return Missing(f"{type(fault).__name__}: {lines[0] if lines else ''}".rstrip(": "))
    return None


def signature_of(function: Any) -> inspect.Signature | None:
    """The Python signature of a callable, or None where it has none that can be read."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def versions() -> tuple[str, str]:
    """The version of JAX, and the platform it works on by default."""
    import jax

    return jax.__version__, jax.default_backend()
