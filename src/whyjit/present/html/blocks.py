"""Documents as HTML: the same blocks that the terminal shows, with every piece of text escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from whyjit.present import units
from whyjit.present.clean import clean
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
)
from whyjit.present.html.code import code_html, difference_html

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.present.document import Column, Span, Text

_CODE = {"code", "quoted"}
_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|min|h|%|B|kB|MB|GB|TB)\b|%)")


class Painter:
    """Paints blocks. `pages` are the codes whose pages can be linked to."""

    def __init__(self, pages: Iterable[str] = ()) -> None:
        self._pages = frozenset(pages)

    def blocks(self, blocks: Iterable[Block]) -> Markup:
        """Blocks, one after the other."""
        return Markup("\n").join(self.block(block) for block in blocks)

    def block(self, block: Block) -> Markup:
        """One block."""
        match block:
            case Heading():
                return Markup("<h{0}>{1}</h{0}>").format(min(block.level + 1, 6), self.inline(block.text))
            case Paragraph():
                return Markup('<p class="indent{}">{}</p>').format(min(block.indent, 3), self.inline(block.text))
            case Callout():
                return self._callout(block)
            case Table():
                return self._table(block)
            case Code():
                return code_html(block, self.inline(block.title))
            case Difference():
                return difference_html(block, self.inline(block.left), self.inline(block.right))
            case KeyValues():
                pairs = ((self.inline(key), self.inline(value)) for key, value in block.items)
                items = Markup("").join(Markup("<dt>{}</dt><dd>{}</dd>").format(key, value) for key, value in pairs)
                return Markup('<dl class="values">{}</dl>').format(items)
            case Share():
                return share(block)
            case Listing():
                items = Markup("").join(Markup("<li>{}</li>").format(self.inline(item)) for item in block.items)
                return Markup("<{0}>{1}</{0}>").format("ol" if block.ordered else "ul", items)

    def inline(self, text: Text) -> Markup:
        """A text, each span in its role."""
        return Markup("").join(map(self._span, text))

    def _span(self, span: Span) -> Markup:
        if span.role == "arrow":
            return Markup('<span class="arrow">→</span>')
        shown = escape(_UNIT.sub("\u00a0", clean(span.text)))
        if span.page:
            shown = Markup('<span class="chip {}">{}</span>').format(span.role, shown)
            linked = span.page in self._pages
            return Markup('<a href="#page-{}">{}</a>').format(span.page, shown) if linked else shown
        if span.role == "plain":
            return shown
        if span.role == "path":  # it may be broken after each of its folders
            shown = shown.replace("/", Markup("/<wbr>"))
        tag = "code" if span.role in _CODE else "span"
        return Markup('<{0} class="{1}">{2}</{0}>').format(tag, span.role, shown)

    def _callout(self, block: Callout) -> Markup:
        details = Markup("").join(Markup("<p>{}</p>").format(self.inline(detail)) for detail in block.details)
        text = self.inline(block.text)
        return Markup('<div class="callout {}"><p class="lead">{}</p>{}</div>').format(block.severity, text, details)

    def _table(self, table: Table) -> Markup:
        filled = [at for at in range(len(table.columns)) if any(row.cells[at] for row in table.rows)]
        head = Markup("").join(_head(table.columns[at]) for at in filled)
        titles = clean(", ".join(table.columns[at].title for at in filled if table.columns[at].title))
        rows: list[Markup] = []
        for row in table.rows:
            cells = (
                Markup('<td class="{}">{}{}</td>').format(_place(table.columns[at]), _step(cell), self.inline(cell))
                for at, cell in ((at, row.cells[at]) for at in filled)
            )
            rows.append(Markup("<tr>{}</tr>").format(Markup("").join(cells)))
            if row.details:
                lines = Markup("").join(Markup("<p>{}</p>").format(self.inline(detail)) for detail in row.details)
                rows.append(Markup('<tr class="details"><td colspan="{}">{}</td></tr>').format(len(filled), lines))
        note = Markup('<p class="dim">{}</p>').format(self.inline(table.note)) if table.note else Markup("")
        return Markup(
            '<div class="scroll" tabindex="0" role="region" aria-label="table: {}"><table>'
            "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>{}"
        ).format(titles, head, Markup("").join(rows), note)


def _head(column: Column) -> Markup:
    """The head of a column; one without a title heads nothing."""
    if not column.title:
        return Markup('<td class="{}"></td>').format(_place(column))
    return Markup('<th scope="col" class="{}">{}</th>').format(_place(column), clean(column.title))


def _step(cell: Text) -> Markup:
    """How far the text of a cell is moved in: it is a row of a tree."""
    text = cell[0].text if cell else ""
    spaces = len(text) - len(text.lstrip(" "))
    return Markup('<i class="step" style="width:{}em"></i>').format(f"{0.6 * spaces:g}") if spaces else Markup("")


def _place(column: Column) -> str:
    """The classes of a column's cells: a minor one is left out where there is no room."""
    return f"{column.align} minor" if column.priority > 1 else column.align


def share(block: Share) -> Markup:
    """A bar of parts, and what each is."""
    bars: list[Markup] = []
    keys: list[Markup] = []
    for part in block.parts:
        label = clean(part.label)
        width = f"{100 * part.seconds / block.total:.2f}" if block.total else "0"
        bars.append(Markup('<i class="fill-{}" style="width:{}%"></i>').format(label, width))
        amount, percent = units.seconds(part.seconds), units.share(part.seconds, block.total)
        keys.append(
            Markup('<li><i class="fill-{0}"></i>{0} <b>{1}</b> <span class="dim">{2}</span></li>').format(
                label, amount, percent
            )
        )
    rest = block.total - sum(part.seconds for part in block.parts)
    if rest > 0:
        keys.append(Markup('<li><i class="fill-rest"></i>program <b>{}</b></li>').format(units.seconds(rest)))
    return Markup(
        '<div class="share"><div class="bar" aria-hidden="true">{}</div><ul class="keys">{}</ul></div>'
    ).format(Markup("").join(bars), Markup("").join(keys))
