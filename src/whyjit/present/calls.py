"""What pictures need of the ledger's rows, of which there may be a million: one look at each, and few kept.

A row in brief is its position, its function, how many equal calls it stands for, and its moment.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from whyjit.present.compose.ledger import Numbered, Window

if TYPE_CHECKING:
    from whyjit.model.recording import Row

Brief = tuple[int, int, int, float]
RowsAt = Callable[[Sequence[int]], Iterable["Row"]]

BINS = 240


class _Seen:
    """One function's rows so far: the first and the last of them by position and number of the call."""

    __slots__ = ("bin", "call", "count", "head", "tail", "total")

    def __init__(self, limit: int) -> None:
        self.head: list[tuple[int, int]] = []
        self.tail: deque[tuple[int, int]] = deque(maxlen=limit // 2)
        self.bin = self.count = self.total = 0
        self.call = 1


class Calls(NamedTuple):
    """The number of calls in each stretch of the run, and the functions' rows to be shown."""

    density: tuple[float, ...] = (0.0,) * BINS
    seen: dict[int, _Seen] = {}  # noqa: RUF012 - never written to
    rows_at: RowsAt = lambda _: ()

    def window(self, function: int, limit: int) -> Window:
        """The first and the last rows of a function, no more than `limit` in all."""
        seen = self.seen.get(function)
        if seen is None:
            return Window((), (), 0)
        known = [*seen.head, *seen.tail]
        if len(known) <= limit:
            head, tail = known, []
        else:
            head, tail = known[: limit - limit // 2], known[len(known) - limit // 2 :]
        rows = {row.order: row for row in self.rows_at([position for position, _ in (*head, *tail)])}
        first, last = (
            tuple(Numbered(call, rows[position]) for position, call in part if position in rows)
            for part in (head, tail)
        )
        return Window(first, last, seen.total - len(first) - len(last))


def take(briefs: Iterable[Brief], rows_at: RowsAt, seconds: float, limit: int) -> Calls:
    """Look at every row once.

    The calls of a row lie between its moment and that of the function's next row; they are spread evenly there.

    Arguments:
      briefs: all rows in their order.
      rows_at: gives the rows at some positions.
      seconds: the length of the run.
      limit: how many rows of a function are kept at most.
    """
    bins = [0.0] * BINS
    scale = BINS / seconds
    functions: dict[int, _Seen] = {}
    room = limit - limit // 2
    for position, function, count, moment in briefs:
        place = int(moment * scale)
        place = 0 if place < 0 else BINS - 1 if place >= BINS else place
        seen = functions.get(function)
        if seen is None:
            seen = functions[function] = _Seen(limit)
        elif seen.count == 1 or place <= seen.bin:
            bins[seen.bin] += seen.count
        else:
            _spread(bins, seen, place)
        (seen.head if seen.total < room else seen.tail).append((position, seen.call))
        seen.bin, seen.count = place, count
        seen.call += count
        seen.total += 1
    for seen in functions.values():
        _spread(bins, seen, BINS - 1 if seen.count > 1 else seen.bin)
    return Calls(tuple(bins), functions, rows_at)


def _spread(bins: list[float], seen: _Seen, last: int) -> None:
    share = seen.count / (last - seen.bin + 1)
    for place in range(seen.bin, last + 1):
        bins[place] += share
