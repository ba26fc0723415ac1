"""The truly nearest earlier specialization: fewest changed factors, the most recent on ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whyjit.analyse.factors import PARTS, factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.factors import Factor
    from whyjit.model.recording import Capture, Specialization


_ABSENT = 0


class Nearest:
    """Answers for a list of specializations in order of number.

    Only factors that vary at all are compared, as rows of integers, so that ten thousand specializations of one
    function take seconds and not hours.
    """

    def __init__(self, specs: Sequence[Specialization]) -> None:
        carried: dict[int, tuple[Capture, ...]] = {}  # a function object counts with what it carried at first
        tables = [factors(spec, carried.setdefault(spec.maker, spec.captures)) for spec in specs]
        varying = _varying(tables)
        self._rows = np.zeros((len(specs), max(1, len(varying))), dtype=np.int32)
        for column, factor in enumerate(varying):
            numbers: dict[Any, int] = {None: _ABSENT}
            for row, table in enumerate(tables):
                self._rows[row, column] = numbers.setdefault(table.get(factor), len(numbers))
        # A leaf that only one side has is told by the keys of its container, and is not one more difference.
        inside = [kind in PARTS for kind, _ in varying] or [False]
        self._inside = np.array(inside) & (self._rows == _ABSENT).any(axis=0) if len(specs) else np.array(inside)
        operations: dict[str, int] = {}
        self._groups = np.array([operations.setdefault(s.operation, len(operations)) for s in specs], dtype=np.int32)

    def before(self, at: int) -> int | None:
        """The index of the nearest specialization before index `at`, or None where there is none to compare with."""
        eligible = np.flatnonzero(self._groups[:at] == self._groups[at])
        if not len(eligible):
            return None
        rows, own = self._rows[eligible], self._rows[at]
        different = rows != own
        if self._inside.any():
            different &= ~(self._inside & ((rows == _ABSENT) | (own == _ABSENT)))
        distances = np.count_nonzero(different, axis=1)
        best = len(distances) - 1 - int(np.argmin(distances[::-1]))
        return int(eligible[best])


def _varying(tables: list[dict[Factor, Any]]) -> list[Factor]:
    """Factors that do not have one value throughout."""
    if not tables:
        return []
    first, seen = tables[0], dict.fromkeys(tables[0], True)
    for table in tables[1:]:
        for factor, value in table.items():
            if factor not in first or first[factor] != value:
                seen[factor] = False
        if len(table) != len(first) or any(factor not in table for factor in first):
            for factor in first.keys() - table.keys():
                seen[factor] = False
    return [factor for factor, constant in seen.items() if not constant]
