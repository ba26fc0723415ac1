"""A word while it happens: a function that is compiled again and again to the same program.

It is said once for a function, so that nobody waits an hour to learn it. The program's fingerprint is the evidence: the
same program but for literals, made several times, is needless whatever the cause; the report at the end names that.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from whyjit.model.durations import duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.observe.ledger import SpecState

_TIMES = 5


class LiveWord:
    """Counts programs by function, and says so when one has been made `_TIMES` times."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._made: dict[int, dict[str, list[str]]] = {}
        self._seconds: dict[int, float] = {}
        self._said: set[int] = set()

    def made(self, spec: SpecState) -> None:
        """A program was traced; its fingerprint is known now."""
        function, fingerprint = spec.function, spec.fingerprint
        if fingerprint is None or function.id in self._said or function.identity.origin != "user":
            return
        spent = self._seconds.get(function.id, 0.0) + sum(stage.own for stage in spec.stages)
        self._seconds[function.id] = spent
        alike = self._made.setdefault(function.id, {}).setdefault(fingerprint.literals, [])
        alike.append(fingerprint.whole)
        if len(alike) < _TIMES:
            return
        program = "one program" if len(set(alike)) == 1 else "one program but for its literals"
        self._said.add(function.id)
        del self._made[function.id]
        identity = function.identity
        place = f"{PurePath(identity.file).name}:{identity.line}"
        self._say(
            f"whyjit: `{identity.name}` ({place}) has been traced {_TIMES} times for {program},"
            f" {duration(spent)} so far, last from line {spec.call_site.line};"
            " the summary will say why"
        )
