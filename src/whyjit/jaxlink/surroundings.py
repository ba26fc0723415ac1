"""JAX's configuration as it was at a recorded call, brought about again in a process of its own."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable
from typing import Any

from whyjit.jaxlink import context


def restore(items: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Set what differs from the recorded configuration. The answer names what could not be set."""
    import jax

    wanted = dict(items)
    now = dict(context.context_items())
    for name, text in wanted.items():
        if now.get(name) != text:
            with contextlib.suppress(Exception):  # not every setting in the keys is one that can be set
                jax.config.update(name, _value(text))
    now = dict(context.context_items())
    return tuple(name for name, text in wanted.items() if name in now and now[name] != text)


def _value(text: str) -> Any:
    if text == "default":
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
