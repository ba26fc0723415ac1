"""What an observer hands to a store, a piece at a time."""

from __future__ import annotations

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.recording import Environment, Function, Gap, Row, Specialization, Stage, StaleRead


class Batch(msgspec.Struct, frozen=True):
    """Everything that is new since the last batch.

    Functions, specializations and stale reads replace earlier ones with the same key (the function's id; function and
    number; function, number and path); rows, failures, gaps, and unattributed stages are added. `programs` are content
    keys with the compressed program. `rows` may hold rows that a later batch replaces: same `order`, larger count.
    `final` marks the last batch of a recording that ended in good order.
    """

    environment: Environment
    functions: tuple[Function, ...] = ()
    specializations: tuple[Specialization, ...] = ()
    rows: tuple[Row, ...] = ()
    failures: tuple[Failure, ...] = ()
    gaps: tuple[Gap, ...] = ()
    stale: tuple[StaleRead, ...] = ()
    unattributed: tuple[Stage, ...] = ()
    programs: tuple[tuple[str, bytes], ...] = ()
    seconds: float = 0.0
    final: bool = False
