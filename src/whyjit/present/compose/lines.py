"""Where in the user's source the equations of a program come from: a tree of lines and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, Column, Document, Heading, Paragraph, Span, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from whyjit.analyse.lines import LineCount
    from whyjit.model.recording import Unrolled

_ROWS = 40
_SMALL = 0.01
_COLUMNS = (
    Column("equations", "right"),
    Column("own", "right"),
    Column("line"),
    Column("function", priority=2),
    Column("source", priority=1),
)


def by_line(
    root: LineCount,
    source: Mapping[tuple[str, int], str],
    *,
    title: str,
    directory: str = "",
    unrolled: Sequence[Unrolled] = (),
    full: bool = False,
    notes: Iterable[str] = (),
) -> Document:
    """The equations by line, calls and bodies of a line moved in below it; small lines are left out unless `full`."""
    said = f"{units.plural(root.total, 'equation')}, by the line of source they came from"
    blocks: list[Block] = [
        Heading(words(Span(title, "name")), 1),
        Paragraph(as_role(said, "dim")),
        *(Paragraph(as_role(note, "warn")) for note in notes),
        *(Paragraph(words(unrolled_text(loop, root.total, directory))) for loop in unrolled),
        line_table(
            root, source, directory=directory, least=0 if full else root.total * _SMALL, most=0 if full else _ROWS
        ),
    ]
    return Document(title, tuple(blocks))


def line_table(
    root: LineCount, source: Mapping[tuple[str, int], str], *, directory: str, least: float, most: int
) -> Table:
    """The tree as a table, without lines of less than `least` equations and those beyond the first `most` (0: all)."""
    rows: list[TableRow] = []
    left_out = 0
    for depth, node in _walk(root, 0, full=not most):
        if node.total < least or (most and len(rows) >= most):
            left_out += 1
            continue
        text = source.get((node.file, node.line), "").strip()
        place = f"{paths.short(node.file, directory)}:{node.line}" if node.file else "line not known"
        rows.append(
            TableRow((
                as_role(units.count(node.total), "number"),
                as_role(units.count(node.own), "dim") if node.own != node.total else (),
                as_role("  " * depth + place, "path"),
                as_role(last_name(node.function), "dim"),
                as_role(text, "code"),
            ))
        )  # fmt: skip
    note = f"and {units.plural(left_out, 'smaller line')}; --all shows them" if left_out else ""
    return Table(_COLUMNS, tuple(rows), as_role(note, "dim"))


def _walk(node: LineCount, depth: int, *, full: bool) -> Iterator[tuple[int, LineCount]]:
    """The lines below a node; those of packages that only pass a call on are left out unless `full`."""
    for child in node.children:
        passes = not full and not child.own and len(child.children) == 1 and paths.is_installed(child.file)
        if not passes:
            yield depth, child
        yield from _walk(child, depth if passes else depth + 1, full=full)


def last_name(qualname: str) -> str:
    """The last part of a qualified name: that of the function itself, without those it is defined in."""
    return qualname.rpartition("<locals>.")[2]


def unrolled_text(loop: Unrolled, total: int, directory: str) -> str:
    """What a Python loop did to a program, in one sentence."""
    place = f"{paths.short(loop.file, directory)}:{loop.line}"
    times = f"{units.count(loop.times)} times" if loop.even else f"about {units.count(loop.times)} times"
    share = f" of {units.count(total)}" if total and loop.equations <= total else ""
    kind = "the same operations" if loop.alike else "operations whose types or number differ from round to round"
    return (
        f"The Python loop at {place} in {last_name(loop.function)} was unrolled: {kind}, written {times}; "
        f"{units.plural(loop.equations, 'equation')}{share}."
    )
