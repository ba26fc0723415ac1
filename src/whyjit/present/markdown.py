"""Documents as Markdown, for pull requests and job summaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.clean import clean, clean_code
from whyjit.present.document import (
    Block,
    Callout,
    Code,
    Difference,
    Heading,
    KeyValues,
    Listing,
    Paragraph,
    Share,
    Table,
    note_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.present.document import CodeLine, Document, Span, Text

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~@])")
_BLOCK_START = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s|$)")
_BAR = re.compile(r"(?<!\\)\|")
_SIGNS = {"good": "note", "info": "note", "warn": "warning", "bad": "caution"}


def render(document: Document) -> str:
    """The document as GitHub's Markdown."""
    pieces = ["\n".join(_block(block)) for block in document.blocks]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * (block.level + 1)} {_text(block.text)}"
        case Paragraph():
            yield _line(block.text)
        case Callout():
            yield from _callout(block)
        case Table():
            yield from _table(block)
        case Code():
            yield from _code(block)
        case Difference():
            yield from _difference(block)
        case KeyValues():
            yield from ("| | |", "|---|---|", *(f"| {_cell(key)} | {_cell(value)} |" for key, value in block.items))
        case Share():
            yield ", ".join(f"{_escape(part.label)} {units.seconds(part.seconds)}" for part in block.parts)
        case Listing():
            yield from (f"{f'{at}.' if block.ordered else '-'} {_line(item)}" for at, item in enumerate(block.items, 1))


def _callout(block: Callout) -> Iterator[str]:
    yield f"> [!{_SIGNS[block.severity].upper()}]"
    yield f"> {_line(block.text)}"
    for detail in block.details:
        yield ">"
        yield f"> {_line(detail)}"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", clean(text)).replace("&", "&amp;")


def _literal(text: str) -> str:
    """Text as code, with a fence longer than any run of backticks in it."""
    shown = clean(text)
    runs = [len(run) for run in re.findall("`+", shown)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _span(span: Span) -> str:
    if span.role == "arrow":
        return "→"
    if span.page:
        return f"**{_escape(span.text)}**"
    if span.role in {"code", "quoted", "name", "path"} and span.text.strip():
        return _literal(span.text)
    shown = _escape(span.text)
    return f"**{shown}**" if span.role in {"strong", "bad"} and shown == shown.strip() else shown


def _text(text: Text) -> str:
    return "".join(map(_span, text))


def _cell(text: Text) -> str:
    """Text in a table, where a bar would end the cell, in code too."""
    return _BAR.sub(r"\\|", _text(text))


def _line(text: Text) -> str:
    """Text that begins a line, where a dash or a number would make a list of it."""
    return _BLOCK_START.sub(r"\1\\\2", _text(text))


def _table(table: Table) -> Iterator[str]:
    filled = [place for place in range(len(table.columns)) if any(row.cells[place] for row in table.rows)]
    columns = [table.columns[place] for place in filled]
    yield "| " + " | ".join(_escape(column.title) for column in columns) + " |"
    yield "|" + "|".join("--:" if column.align == "right" else "---" for column in columns) + "|"
    for row in table.rows:
        yield "| " + " | ".join(_cell(row.cells[place]) for place in filled) + " |"
    for row in table.rows:
        if row.details:
            lead = next((row.cells[place] for place in filled if table.columns[place].align == "left"), ())
            yield ""
            yield f"- {_text(lead)}"
            for detail in row.details:
                yield f"  - {_line(detail)}"
    if table.note:
        yield ""
        yield _line(table.note)


def _code(code: Code) -> Iterator[str]:
    if code.title:
        yield _line(code.title)
        yield ""
    lines: list[str] = []
    for line in code.lines:
        if code.beside and line.note:
            lines.append(clean_code(note_line(line).text)[0])
        text, places = clean_code(line.text)
        lead = f"{line.number:>4} | " if line.number is not None else ""
        lines.append(lead + text + (f"  # {clean(line.note)}" if line.note and not code.beside else ""))
        for mark in line.marks:
            if mark.under:
                start, end = places[min(mark.start, len(places) - 1)], places[min(mark.end, len(places) - 1)]
                lines.append(" " * (len(lead) + start) + "^" * max(end - start, 1) + f" {clean(mark.label)}".rstrip())
    yield from _fenced(lines, "text")


def _difference(block: Difference) -> Iterator[str]:
    lines = [f"--- {_plain(block.left)}", f"+++ {_plain(block.right)}"]
    for pair in block.pairs:
        if pair.skipped:
            lines.append(f"@@ {units.plural(pair.skipped, 'equal line')} @@")
        if pair.same and pair.right is not None:
            lines.append(f"  {_shown(pair.right)}")
            continue
        lines += [f"- {_shown(pair.left)}"] if pair.left is not None else []
        lines += [f"+ {_shown(pair.right)}"] if pair.right is not None else []
    if block.trailing:
        lines.append(f"@@ {units.plural(block.trailing, 'equal line')} @@")
    yield from _fenced(lines, "diff")


def _plain(text: Text) -> str:
    return "".join(clean(span.text) for span in text)


def _shown(line: CodeLine) -> str:
    return clean_code(line.text)[0]


def _fenced(lines: list[str], language: str) -> Iterator[str]:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + language
    yield from lines
    yield fence
