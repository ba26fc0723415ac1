"""How wide each column of a table may be, and which columns must go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.present.document import Column

GAP = 2
_WRAPPED = 18
_LEFT = 14
_SMALLEST = 4


def fit(columns: Sequence[Column], natural: Sequence[int], room: int) -> list[int]:
    """A width for each column, 0 for those that are dropped; together they fill no more than `room`.

    `natural` is the width of each column's longest cell. Columns go in the order of their priority, the highest
    first; then cells that wrap give way before cells that would be cut.
    """
    least = [_least(column, width) for column, width in zip(columns, natural, strict=True)]
    kept = [place for place, width in enumerate(natural) if width]
    while _total(kept, least) > room:
        droppable = [place for place in kept if columns[place].priority > 0]
        if not droppable:
            break
        kept.remove(max(droppable, key=lambda place: (columns[place].priority, place)))
    dropped = [place for place, width in enumerate(natural) if width and place not in kept]
    for place in sorted(dropped, key=lambda place: columns[place].priority):
        if _total([*kept, place], least) <= room:  # a narrow column may fit where a wide one did not
            kept = sorted([*kept, place])
    widths = {place: least[place] for place in kept}
    spare = room - _total(kept, least)
    for wrap in (False, True):
        for place in kept:
            if columns[place].wrap is wrap and spare > 0:
                more = min(spare, natural[place] - widths[place])
                widths[place] += more
                spare -= more
    while spare < 0 and widths and max(widths.values()) > _SMALLEST:
        widest = max(widths, key=lambda place: widths[place])
        widths[widest] -= 1
        spare += 1
    return [widths.get(place, 0) for place in range(len(columns))]


def _least(column: Column, natural: int) -> int:
    if column.wrap:
        return min(natural, max(_WRAPPED, len(column.title)))
    if column.align == "left":
        return min(natural, max(_LEFT, len(column.title)))
    return natural


def _total(kept: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[place] for place in kept) + GAP * max(0, len(kept) - 1)
