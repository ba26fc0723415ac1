"""Which rules are for which failure, in the order in which their rewrites are tried."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from whyjit.rewrite.control import at_set, cond, jnp_function, logical, mask_reduce, where
from whyjit.rewrite.control.change import Change, Refusal
from whyjit.rewrite.control.site import Site

Rule = Callable[[Site], Change | Refusal | None]

MODULES = (cond, where, logical, at_set, jnp_function, mask_reduce)

# An assignment to an element of a JAX array raises no error of tracing: it fails with or without jit.
IN_PLACE = "in-place"
# `lax.cond` before `jnp.where`: it computes one branch, and the gradient of the other cannot get in.
_RULES: dict[str, tuple[Rule, ...]] = {
    "branch-on-value": (cond.rewrite, where.rewrite, logical.rewrite, jnp_function.rewrite),
    "concrete-needed": (jnp_function.rewrite,),
    "numpy-on-tracer": (jnp_function.rewrite, at_set.rewrite),
    "boolean-mask": (mask_reduce.rewrite, functools.partial(mask_reduce.rewrite, whole=True), at_set.rewrite),
    IN_PLACE: (at_set.rewrite,),
}
CODES = frozenset(_RULES)


class Found(NamedTuple):
    """What the rules make of a site: changes, best first, each with its rule, and the reasons of those that refuse."""

    changes: tuple[tuple[Change, Rule], ...]
    refusals: tuple[Refusal, ...]


def changes(site: Site) -> Found:
    """Everything that can be made of a failing expression."""
    changes: list[tuple[Change, Rule]] = []
    refusals: list[Refusal] = []
    for rule in _RULES.get(site.code, ()):
        found = rule(site)
        if isinstance(found, Change):
            if all(found.text != other.text for other, _ in changes):
                changes.append((found, rule))
        elif found is not None and found not in refusals:
            refusals.append(found)
    return Found(tuple(changes), tuple(refusals))
