"""What `whyjit advise` concludes: a change of the program, the evidence for it, and what it would save."""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.finding import Evidence
from whyjit.model.source import Location

AdviceKind = Literal[
    "make-dynamic",
    "drop-static",
    "make-static",
    "bucket",
    "cond",
    "where",
    "logical",
    "at-set",
    "jnp-function",
    "mask-reduce",
]


class Effort(msgspec.Struct, frozen=True):
    """What the recorded calls cost: Python body runs, and seconds of tracing, lowering and compiling."""

    traces: int
    seconds: float


class Advice(msgspec.Struct, frozen=True):
    """One change of one function group.

    `why` says what the evidence is, or why there is no more of it. `after` is measured where the change was tried and
    None where it was not. `patch` is a unified diff against the file as it was when recorded, and `source_digest`
    the SHA-256 of that file's bytes. `tested` are the values, or sizes, that the evidence covers, as text. `code` is
    what to write by hand where no patch can be offered.
    """

    function: str
    path: str | None
    kind: AdviceKind
    evidence: Evidence
    why: str
    before: Effort
    after: Effort | None = None
    patch: str | None = None
    tested: tuple[str, ...] = ()
    location: Location | None = None
    source_digest: str = ""
    code: str = ""

    @property
    def saved(self) -> float:
        """Seconds that it would save; where it was not tried, those that could be saved at most."""
        return max(0.0, self.before.seconds - (self.after.seconds if self.after is not None else 0.0))
