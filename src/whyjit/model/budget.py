"""Budgets: what a run may cost, what it cost more than that, and what could not be judged."""

from __future__ import annotations

import msgspec

from whyjit.model.source import Location


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is allowed; None allows everything.

    `max_compile_s` is in seconds of XLA's compiler and of loading executables. A needless retrace is one whose program
    is that of an earlier specialization, letter for letter. After its call number `warm_after_call`, a function must
    not be traced or compiled any more.
    """

    max_traces: int | None = None
    max_compiles: int | None = None
    max_compile_s: float | None = None
    max_needless_retraces: int | None = None
    warm_after_call: int | None = None


class Budget(msgspec.Struct, frozen=True):
    """Limits of a whole run, and of each function whose name or qualified name fits a pattern, by pattern."""

    totals: Limits = Limits()
    functions: tuple[tuple[str, Limits], ...] = ()


class Known(msgspec.Struct, frozen=True):
    """A function in a baseline: its file and qualified name, and what it cost then."""

    name: str
    traces: int
    compiles: int
    needless_retraces: int = 0


class Breach(msgspec.Struct, frozen=True):
    """A limit that was exceeded.

    `limit` is its name, `where` the pattern or baseline it comes from ("" for the totals of a run). `number` is the
    specialization that broke it and `call_site` the call that brought it about, as far as that is known. `process`
    names the process that it was in, where several were held to the limit.
    """

    limit: str
    where: str
    function: str
    allowed: float
    found: float
    text: str
    remedy: str = ""
    cause: str = ""
    number: int | None = None
    call_site: Location | None = None
    function_site: Location | None = None
    process: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """What came of a check. `unjudged` says in sentences what could not be decided, `notes` what else is worth saying.

    `checked` counts the limits that were compared.
    """

    breaches: tuple[Breach, ...] = ()
    unjudged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    checked: int = 0

    @property
    def kept(self) -> bool:
        """Whether no limit was exceeded."""
        return not self.breaches
