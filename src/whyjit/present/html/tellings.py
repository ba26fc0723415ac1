"""What a function's view tells of its tracing: what runs only then, and where the seconds of the slowest trace went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from whyjit.analyse.tracetime import Traces
from whyjit.present.compose.tracing import PAGE, runs_once, slowest_trace
from whyjit.present.document import Heading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markupsafe import Markup

    from whyjit.model.finding import FunctionReport
    from whyjit.present.compose.tracing import ProgramOf, SourceOf
    from whyjit.present.document import Block
    from whyjit.present.html.blocks import Painter


def _topmost(block: Block) -> Block:
    """Headings of the view itself, with the codes in them as links to their pages."""
    if not isinstance(block, Heading):
        return block
    text = tuple(replace(span, page=PAGE, role="plain") if span.text.strip() == PAGE else span for span in block.text)
    return Heading(text, 1)


class Told:
    """Tells of each function's tracing until the page has enough of it."""

    def __init__(
        self,
        functions: Iterable[FunctionReport],
        painter: Painter,
        program_of: ProgramOf,
        source_of: SourceOf,
        directory: str,
        budget: int,
    ) -> None:
        self._traces = Traces(functions)
        self._painter = painter
        self._program_of = program_of
        self._source_of = source_of
        self._directory = directory
        self._left = budget

    def of(self, function: FunctionReport) -> Iterator[tuple[str, Markup]]:
        """The parts of a function's view by their names; none when there is nothing to tell or the page is full."""
        if self._left <= 0 or function.function.origin != "user":
            return
        trace = slowest_trace(function, self._traces, self._program_of, self._source_of, self._directory)
        for name, blocks in (("once", runs_once(function.function.once, self._directory)), ("trace", trace)):
            made = self._painter.blocks(map(_topmost, blocks))
            self._left -= len(made)
            yield name, made
