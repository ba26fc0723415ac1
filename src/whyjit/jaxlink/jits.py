"""What a jit was made with: its function, its static arguments, its options."""

from __future__ import annotations

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
    found = ((name, _text(getattr(jit_info, field, None))) for field, name in _OPTIONS)
    return tuple((name, text) for name, text in found if text)


def is_jitted(value: Any) -> bool:
    """Whether a value is what `jax.jit` returns."""
    return type(value).__name__ == "PjitFunction"


def function_of(jitted: Any) -> Any:
    """The function inside a jitted one, or None."""
    return getattr(jitted, "_fun", None)


def info_of(jitted: Any) -> Any:
    """What `jax.jit` was called with, as the door receives it, or None."""
    return getattr(jitted, "_jit_info", None)


def live_entries(jitted: Any) -> int:
    """How many entries the C++ fast path has for a jitted function. More than specializations: see `facts`."""
    try:
        return int(jitted._cache_size())
    except (AttributeError, TypeError):
        return 0
