"""What to do about one new specialization, by the kind of its cause, where no finding has said more.

After a warm-up there is one more way out: to make the call a part of the warm-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.model.finding import Cause

_BY_KIND = {
    "shape": "pad {path} to a size that is compiled already",
    "dtype": "convert {path} to one dtype where it enters the program",
    "weak_type": "give {path} a fixed dtype where it is made: jnp.asarray(value, dtype) in place of a Python number",
    "static": "pass {path} as an array if it is data; keep it static if it is configuration of few values",
    "static_identity": "pass the same {path} object again, or give it an __eq__ and __hash__ by value",
    "structure": "give {path} one structure in every call",
    "call_form": "pass {path} the same way in every call",
    "function": "make and jit the function once, outside the loop, and pass what changes as an argument",
    "context": "call it under one configuration",
    "sharding": "put {path} in one place before every call: jax.device_put(value, sharding)",
    "jit_options": "make the jit once, and call that one",
    "cleared": "do not clear JAX's caches while the function is in use",
    "retry_after_error": "do not try a call again that failed while it was traced",
    "first": "a first call has to be traced and compiled: allow for it where the function is meant to be there",
    "unknown": "see what was recorded of it with: whyjit why",
}
_AFTER_WARM_UP = {
    "shape": "pad {path} to a size that is compiled already, or make this size part of the warm-up",
    "static": "pass {path} as an array if it is data; if it is configuration, warm up each value that occurs",
    "context": "enter the same configuration in the warm-up as here",
    "sharding": "put {path} where it was in the warm-up: jax.device_put(value, sharding) before the call",
    "cleared": "do not clear JAX's caches after the warm-up",
    "first": "call it in the warm-up",
    "unknown": "call it in the warm-up with the very same arguments",
}


def remedy_of(cause: Cause, *, warm: bool = False) -> str:
    """One sentence, without a full stop. `warm` tells that a warm-up is over in which the call was not."""
    texts = {**_BY_KIND, **_AFTER_WARM_UP} if warm else _BY_KIND
    text = texts.get(cause.kind, texts["unknown"])
    path = next((change.path for change in cause.changes if change.kind == cause.kind and change.path), None)
    return text.format(path=f"`{path}`" if path else "it")
