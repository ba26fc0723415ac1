"""The answer of a contact with JAX that this version does not have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """Something this JAX does not offer, and why whyjit believes so."""

    reason: str
