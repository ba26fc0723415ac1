"""What a jit was made with: its function, its static arguments, its options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

# Fields of JAX's PjitInfo (0.6 to 0.12) that select another program or executable for the same function.
_OPTIONS = (
    ("static_argnums", "static_argnums"),
    ("static_argnames", "static_argnames"),
    ("donate_argnums", "donate_argnums"),
    ("donate_argnames", "donate_argnames"),
    ("device", "device"),
    ("backend", "backend"),
    ("keep_unused", "keep_unused"),
    ("inline", "inline"),
    ("compiler_options_kvs", "compiler_options"),
    ("in_shardings_leaves", "in_shardings"),
    ("out_shardings_leaves", "out_shardings"),
    ("in_layouts_leaves", "in_layouts"),
    ("out_layouts_leaves", "out_layouts"),
)
_UNSPECIFIED = ("UnspecifiedValue", "UNSPECIFIED")
_NOTHING = ((), None, False, (None,))


def statics_of(jit_info: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The positions and names of the static arguments."""
    return tuple(getattr(jit_info, "static_argnums", ()) or ()), tuple(getattr(jit_info, "static_argnames", ()) or ())


def python_signature_of(jit_info: Any) -> Any:
    """The function's `inspect.Signature` as JAX read it, or None."""
    return getattr(jit_info, "fun_signature", None)


def _text(value: Any) -> str:
    if isinstance(value, tuple) and value and all(str(part) in _UNSPECIFIED for part in value):
        return ""
    if value in _NOTHING:
        return ""
    if isinstance(value, tuple) and len(value) == 1:
        return _one(value[0])
    return str(tuple(_one(part) for part in value)) if isinstance(value, tuple) else _one(value)


def _one(value: Any) -> str:
    return f"{value[0]}={value[1]!r}" if isinstance(value, tuple) and len(value) == 2 else str(value)


def options_of(jit_info: Any) -> tuple[tuple[str, str], ...]:
    """The options that were given, by name and text; what was left at its default is left out."""
    values = tuple(getattr(jit_info, field, None) for field, _ in _OPTIONS)
    try:
        return _known_options(values)
    except TypeError:  # something unhashable among them
        return _options(values)


def _options(values: tuple[Any, ...]) -> tuple[tuple[str, str], ...]:
    found = ((name, _text(value)) for (_, name), value in zip(_OPTIONS, values, strict=True))
    return tuple((name, text) for name, text in found if text)


_known_options = functools.lru_cache(maxsize=256)(_options)


def static_options(function: Any, names: Sequence[str]) -> dict[str, Any]:
    """What to give `jax.jit` so that these parameters of a function are static; one that has no keyword, by number."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    numbers = tuple(at for at, one in enumerate(parameters) if one.name in names and one.kind is one.POSITIONAL_ONLY)
    placed = {parameters[at].name for at in numbers}
    found = {"static_argnums": numbers, "static_argnames": tuple(name for name in names if name not in placed)}
    return {option: value for option, value in found.items() if value}


# Those of `jax.jit`'s arguments that another jit of the same function can simply be given.
_ARGUMENTS = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused", "inline")


def arguments_of(jit_info: Any) -> dict[str, Any] | str:
    """What to give `jax.jit` for another jit like this one, or why that is not known, as the end of a sentence."""
    given = {name for name, _ in options_of(jit_info)}
    others = sorted(given - {*_ARGUMENTS, "compiler_options"})
    if jit_info is None or others:
        return f"was made with {', '.join(others)}" if others else "cannot be looked into"
    found = {name: getattr(jit_info, name) for name in _ARGUMENTS if getattr(jit_info, name, None)}
    options = dict(getattr(jit_info, "compiler_options_kvs", ()))
    return {**found, "compiler_options": options} if options else found


def is_jitted(value: Any) -> bool:
    """Whether a value is what `jax.jit` returns."""
    return type(value).__name__ == "PjitFunction"


def function_of(jitted: Any) -> Any:
    """The function inside a jitted one, or None."""
    return getattr(jitted, "_fun", None)


def info_of(jitted: Any) -> Any:
    """What `jax.jit` was called with, as the door receives it, or None."""
    return getattr(jitted, "_jit_info", None)


def completed(jitted: Any) -> Any:
    """A jitted function that came through pickle, with what JAX forgets on the way and needs to lower it.

    Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: its state goes through, and in it `cache_miss`, which closes over
    `fun` and `jit_info`; its attributes `_fun` and `_jit_info`, which `lower` and `trace` read, do not.
    """
    if not is_jitted(jitted) or function_of(jitted) is not None:
        return jitted
    try:
        miss = jitted.__getstate__()["cache_miss"]
        held = inspect.getclosurevars(inspect.unwrap(miss)).nonlocals
        jitted._fun, jitted._jit_info = held["fun"], held["jit_info"]
        return functools.update_wrapper(jitted, held["fun"])
    except (AttributeError, KeyError, TypeError):
        return jitted


def live_entries(jitted: Any) -> int:
    """How many entries the C++ fast path has for a jitted function. More than specializations: see `facts`."""
    try:
        return int(jitted._cache_size())
    except (AttributeError, TypeError):
        return 0
