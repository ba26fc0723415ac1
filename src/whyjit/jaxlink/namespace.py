"""The names that an expression may use besides the program's own."""

from __future__ import annotations

from typing import Any


def names() -> dict[str, Any]:
    """`jax` and `jnp`."""
    import jax
    from jax import numpy

    return {"jax": jax, "jnp": numpy}
