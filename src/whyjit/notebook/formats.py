"""What cells show: the documents of the report, as HTML where the front end takes it and as text elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.notebook.cells import named, source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whyjit.analyse.processes import Together
    from whyjit.model.comparison import Comparison
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Finding, FunctionReport, Report
    from whyjit.model.program import Equation, Program
    from whyjit.present.document import Block, Document


class Shown:
    """A document that a cell shows. `whole` is a longer one, folded below it."""

    def __init__(self, document: Document, whole: Document | None = None) -> None:
        self.document = document
        self.whole = whole

    def __str__(self) -> str:
        from whyjit.present import terminal

        return terminal.render(self.document, width=100)

    def _repr_html_(self) -> str:
        from whyjit.present.html import fragment

        return fragment(self.document, self.whole)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(str(self).rstrip("\n"))


def report(made: Report, where: str = "", command: str = "", together: Together | None = None) -> Shown:
    """A recording: its summary, and below it everything. `command` shows more of a function."""
    from whyjit.present import compose

    made = named(made)
    return Shown(
        compose.summary(made, where=where, command=command, together=together),
        compose.report(made, where=where, together=together),
    )


def function(made: FunctionReport, directory: str = "", trace: Sequence[Block] = ()) -> Shown:
    """One function: each specialization with its cause, and what there is to say of its slowest trace."""
    from whyjit.present import compose

    return Shown(compose.why(named(made), directory=directory, trace=trace))


def finding(made: Finding) -> Shown:
    """One finding."""
    from whyjit.present.compose.heading import callout
    from whyjit.present.document import Document

    return Shown(Document(made.code, (callout(named(made)),)))


def failure(made: Failure) -> Shown:
    """An error, explained."""
    from whyjit.present import compose

    return Shown(compose.failure(named(made)))


def program(made: Program) -> Shown:
    """A staged program with the source lines it came from."""
    from whyjit.present import compose

    made = named(made)
    lines = {(each.file, each.line): source(each.file, each.line) for each in _equations(made) if each.file}
    return Shown(compose.program(made, {place: text for place, text in lines.items() if text}, title="program"))


def comparison(made: Comparison) -> Shown:
    """Two recordings beside each other."""
    from whyjit.present import compose

    return Shown(compose.compare(named(made)))


def _equations(made: Program) -> list[Equation]:
    found: list[Equation] = []
    for equation in made.equations:
        found.append(equation)
        for _, inner in equation.programs:
            found += _equations(inner)
    return found


_TYPES: dict[tuple[str, str], Callable[[Any], Shown]] = {
    ("whyjit.model.finding", "Report"): report,
    ("whyjit.model.finding", "FunctionReport"): function,
    ("whyjit.model.finding", "Finding"): finding,
    ("whyjit.model.failure", "Failure"): failure,
    ("whyjit.model.program", "Program"): program,
    ("whyjit.model.comparison", "Comparison"): comparison,
    ("whyjit.present.document", "Document"): Shown,
}


def register(ipython: Any) -> None:
    """Have IPython show the values of `whyjit.model`, which know nothing of how they look, as the report shows them."""
    formatters = ipython.display_formatter.formatters
    for (module, name), shown in _TYPES.items():
        formatters["text/html"].for_type_by_name(module, name, lambda made, shown=shown: shown(made)._repr_html_())
        formatters["text/plain"].for_type_by_name(
            module, name, lambda made, printer, cycle, shown=shown: shown(made)._repr_pretty_(printer, cycle)
        )
