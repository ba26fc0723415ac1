"""The magics `%whyjit` and `%%whyjit`."""

from __future__ import annotations

import ast
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.errors import WhyjitError
from whyjit.notebook import formats
from whyjit.notebook.cells import cell_numbers, named, source

if TYPE_CHECKING:
    from whyjit.notebook.sessions import Notebook


class Magics:
    """Reports of a notebook, and of single cells. `shell` is IPython's."""

    def __init__(self, shell: Any, notebook: Notebook) -> None:
        self._shell = shell
        self._notebook = notebook

    def line(self, line: str) -> None:
        """Report what this notebook traced and compiled so far, and why.

        %whyjit             the report so far
        %whyjit FUNCTION    each specialization of a function, with its cause
        %whyjit -o FILE     the whole report, as an HTML file
        %whyjit off         stop recording
        %whyjit on          record again, from now on
        """
        words = _words(line)
        try:
            match words:
                case []:
                    self._report()
                case ["on" | "off" as word]:
                    self._switch(word)
                case ["-o" | "--output", file]:
                    self._write(Path(file))
                case [name] if not name.startswith("-"):
                    self._why(name)
                case _:
                    raise _usage(f"%whyjit does not know {line!r}; use: %whyjit [FUNCTION | -o FILE | on | off]")
        except WhyjitError as fault:
            raise _usage(fault.message) from None

    def cell(self, line: str, cell: str) -> None:
        """Run the cell, and report what it traced and compiled, and why.

        %%whyjit            the report is shown below the cell
        %%whyjit NAME       and the recording is kept in a variable, for whyjit.compare(before, after)
        """
        __tracebackhide__ = True
        from whyjit.api import record

        words = _words(line)
        if len(words) > 1 or not all(word.isidentifier() for word in words):
            raise _usage(f"%%whyjit takes the name of one variable, not {line!r}")
        if self._shell.should_run_async(cell, transformed_cell=self._shell.transform_cell(cell)):
            raise _usage("a cell that awaits cannot be run by %%whyjit; write in it: with whyjit.record() as recorded:")
        steps = self._compiled(cell, f"# %%whyjit {line}")
        with record() as recorded:
            for step in steps:
                exec(step, self._shell.user_global_ns, self._shell.user_ns)  # noqa: S102 - it is the user's cell
        for word in words:
            self._shell.user_ns[word] = recorded
        _display(recorded)

    def _report(self) -> None:
        from whyjit.api import load
        from whyjit.whole_runs import beside

        run = self._notebook.flushed()
        # It goes on, so that it could not be complete.
        report = msgspec.structs.replace(load(run).explained(), complete=True)
        _display(formats.report(report, where=_short(run), command="%whyjit", together=beside(run)))

    def _why(self, name: str) -> None:
        from whyjit.analyse.tracetime import Traces
        from whyjit.api import load
        from whyjit.cli import functions
        from whyjit.present.compose.tracing import slowest_trace
        from whyjit.store import reader

        run = self._notebook.flushed()
        report = named(load(run).explained())
        found = functions.find(report, name)
        directory = report.environment.directory
        traces = Traces(report.functions)
        trace = slowest_trace(found, traces, lambda key: named(reader.program(run, key)), source, directory)
        _display(formats.function(found, directory, trace))

    def _switch(self, word: str) -> None:
        if word == "on":
            self._notebook.on()
            if not self._notebook.recording:  # it has said why
                return
        else:
            self._notebook.off()
        run = self._notebook.run
        sys.stdout.write(f"whyjit: recording is {word}{f'; see {_short(run)}' if run else ''}\n")

    def _write(self, file: Path) -> None:
        from whyjit.analyse.explain import explain
        from whyjit.cli import common, pages
        from whyjit.present import html
        from whyjit.store import contents, reader
        from whyjit.whole_runs import beside

        run = self._notebook.flushed()
        recording = reader.main_file(run)
        page = html.render(
            msgspec.structs.replace(named(explain(contents.load(recording))), complete=True),
            ledger=contents.ledger(recording),
            rows_at=lambda places: map(named, contents.rows_at(recording, places)),
            program_of=lambda key: named(contents.program(recording, key)),
            source_of=source,
            page_of=pages.markdown,
            together=beside(run),
        )
        common.write_file(file, page)
        sys.stdout.write(f"whyjit: the report is in {file}\n")

    def _compiled(self, cell: str, first: str) -> list[Any]:
        """The cell's code, as IPython would run it: a last expression is shown. `first` stands for the magic's line."""
        shell = self._shell
        source = f"{first}\n{shell.transform_cell(cell)}"
        # The cell as a whole was the last one that IPython compiled, and this is the same cell.
        number = max(cell_numbers().values(), default=shell.execution_count)
        file = shell.compile.cache(source, number, cell)
        tree = shell.transform_ast(shell.compile.ast_parse(source, file))
        last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
        steps = [shell.compile(tree, file, "exec")] if tree.body else []
        return [*steps, *(shell.compile(ast.Interactive([each]), file, "single") for each in last)]


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as fault:
        raise _usage(f"{line!r} cannot be read: {fault}") from None


def _usage(message: str) -> Exception:
    """What IPython shows as one line, without a traceback."""
    from IPython.core.error import UsageError

    return UsageError(message)  # type: ignore[no-untyped-call, unused-ignore]


def _display(shown: Any) -> None:
    from IPython.display import display

    display(shown)  # type: ignore[no-untyped-call, unused-ignore]


def _short(run: Path) -> str:
    """The run's folder as a person would write it here."""
    return str(run.relative_to(Path.cwd()) if run.is_relative_to(Path.cwd()) else run)
