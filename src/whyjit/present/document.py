"""The neutral document between analysis and output: what is said, without how it looks.

`compose` makes documents; a renderer is one function `render(document) -> str`. Nothing here knows about terminals,
HTML or Markdown, and no text is escaped yet: each renderer makes its own medium safe.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Role = Literal["plain", "strong", "name", "path", "code", "quoted", "number", "dim", "good", "warn", "bad", "arrow"]
Severity = Literal["good", "info", "warn", "bad"]
Tone = Literal["plain", "dim", "added", "removed", "changed"]


class Span(msgspec.Struct, frozen=True):
    """A run of text in one role.

    "quoted" is code within prose; an "arrow" points to what to do, or from old to new. `page` is the code of the
    finding whose page the span points to.
    """

    text: str
    role: Role = "plain"
    page: str = ""


Text = tuple[Span, ...]


class Heading(msgspec.Struct, frozen=True, tag=True):
    """A heading; level 1 is the document's own."""

    text: Text
    level: int = 2


class Paragraph(msgspec.Struct, frozen=True, tag=True):
    """A paragraph of running text, moved in by `indent` steps."""

    text: Text
    indent: int = 0


class Column(msgspec.Struct, frozen=True):
    """A column of a table.

    `priority` 0 is never dropped; where there is no room the column with the highest priority goes first.
    `wrap` lets its cells take several lines instead of being cut.
    """

    title: str
    align: Literal["left", "right"] = "left"
    priority: int = 0
    wrap: bool = False


class TableRow(msgspec.Struct, frozen=True):
    """A row of a table, the lines that belong below it, and the columns in which its cell is marked as changed."""

    cells: tuple[Text, ...]
    details: tuple[Text, ...] = ()
    changed: tuple[int, ...] = ()


class Table(msgspec.Struct, frozen=True, tag=True):
    """Rows under columns. Rows with details read as entries: the row, then its lines. `note` stands below them all."""

    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    note: Text = ()


class Mark(msgspec.Struct, frozen=True):
    """A stretch of a code line, `start` and `end` counted from 0; `under` draws a line of carets below it."""

    start: int
    end: int
    role: Role = "code"
    under: bool = False
    label: str = ""


class CodeLine(msgspec.Struct, frozen=True):
    """A line of code, with its number where it has one and a short note at its end."""

    text: str
    number: int | None = None
    marks: tuple[Mark, ...] = ()
    tone: Tone = "plain"
    note: str = ""


def note_line(line: CodeLine) -> CodeLine:
    """The note of a line as a comment above it, moved in as far."""
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    return CodeLine(f"{indent}# {line.note}", tone="dim")


class Code(msgspec.Struct, frozen=True, tag=True):
    """Lines of code. With `beside`, notes are where lines came from: beside them where there is room, else above."""

    lines: tuple[CodeLine, ...]
    title: Text = ()
    beside: bool = False


class Pair(msgspec.Struct, frozen=True):
    """A line of the left text beside a line of the right one; `skipped` equal lines are left out before it."""

    left: CodeLine | None
    right: CodeLine | None
    same: bool = False
    skipped: int = 0


class Difference(msgspec.Struct, frozen=True, tag=True):
    """Two texts side by side, aligned. `trailing` equal lines are left out at the end."""

    left: Text
    right: Text
    pairs: tuple[Pair, ...]
    trailing: int = 0


class KeyValues(msgspec.Struct, frozen=True, tag=True):
    """Names with their values."""

    items: tuple[tuple[Text, Text], ...]


class Callout(msgspec.Struct, frozen=True, tag=True):
    """Something that must be seen, with further lines below it."""

    severity: Severity
    text: Text
    details: tuple[Text, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """One part of a share: a label, its seconds, and the role that colours it."""

    label: str
    seconds: float
    role: Role


class Share(msgspec.Struct, frozen=True, tag=True):
    """How a total of seconds divides into parts; what no part takes is the rest."""

    parts: tuple[Part, ...]
    total: float


class Listing(msgspec.Struct, frozen=True, tag=True):
    """A list of items."""

    items: tuple[Text, ...]
    ordered: bool = False


Block = Heading | Paragraph | Table | Code | Difference | KeyValues | Callout | Share | Listing


class Document(msgspec.Struct, frozen=True):
    """A title for media that want one, and the blocks in order."""

    title: str
    blocks: tuple[Block, ...]
