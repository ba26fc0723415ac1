"""A trace or a compile that JAX is about to make, described before it happens."""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.recording import Function, Specialization
from whyjit.model.source import Location


class Attempt(msgspec.Struct, frozen=True):
    """What JAX is about to do, and what was known of the function until then.

    `stage` is what comes next: a "trace" (with whatever follows it), or a "compile" of a program traced before.
    `specialization` is the one that would be made, None where the call behind the work is not known. `known` are the
    specializations of the function that were seen, the same one among them if it is not new; `cached` is what JAX's
    tracing cache holds for it, with the numbers -1, -2, ...: where its arrays lay is not known of these. `body` names
    control flow called outside a jit, such as "scan", whose body would be traced. `name` is JAX's own name of the
    program.
    """

    stage: Literal["trace", "compile"]
    name: str
    function: Function | None = None
    specialization: Specialization | None = None
    known: tuple[Specialization, ...] = ()
    cached: tuple[Specialization, ...] = ()
    call_site: Location = Location("", 0, "")
    body: str = ""
