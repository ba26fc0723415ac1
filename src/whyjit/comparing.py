"""`whyjit.compare(before, after)`: what changed between two recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyjit.notebook.display import Display

if TYPE_CHECKING:
    from whyjit.api import Recorded
    from whyjit.model.comparison import Comparison
    from whyjit.model.finding import Report
    from whyjit.notebook.formats import Shown
    from whyjit.present.document import Document


class Compared(Display):
    """Two recordings beside each other: text when printed, a table in a notebook, and `report()` as plain data.

    `comparison` holds the same as values: functions with their counts before and after, causes, findings and errors.
    """

    def __init__(self, comparison: Comparison, before: str, after: str) -> None:
        self.comparison = comparison
        self._names = before, after

    def report(self) -> dict[str, Any]:
        """What `whyjit compare --format json` prints, as a dict."""
        from whyjit.present.comparison_json import comparison_dict

        return comparison_dict(self.comparison)

    def document(self) -> Document:
        """What is shown, as a neutral document."""
        from whyjit.notebook.cells import named
        from whyjit.present import compose

        return compose.compare(named(self.comparison), before=self._names[0], after=self._names[1])

    def _shown(self) -> Shown:
        from whyjit.notebook.formats import Shown

        return Shown(self.document())


def compare(before: str | Path | Recorded | Report, after: str | Path | Recorded | Report) -> Compared:
    """Compare two recordings: what tracing and compiling cost, by function and cause, and which findings are gone.

        before = whyjit.load("runs/before")
        print(whyjit.compare(before, "runs/after"))

    Functions are matched by name and file, not by line, and also where a file was renamed. A run's folder stands for
    all of its processes, counted together; a file, and what `record()` or `load()` gave, for one.

    Arguments:
      before: a run's folder, a folder of runs (its newest is meant), a recording's file, or what `record()` or `load()`
        gave.
      after: likewise.

    Raises:
      WhyjitError: there is no readable recording there; the message says why.
    """
    from whyjit.analyse.compare import compare as compare_reports

    (old, old_name, before_count), (new, new_name, after_count) = _report(before), _report(after)
    return Compared(compare_reports(old, new, (before_count, after_count)), old_name, new_name)


def _report(what: str | Path | Recorded | Report) -> tuple[Report, str, int]:
    """The analysed recording, where it is kept, if it is, and how many processes it is of."""
    from whyjit.api import Recorded

    if isinstance(what, str | Path):
        from whyjit.whole_runs import whole_run

        found = whole_run(Path(what))
        count = len(found.reports)
        return found.reports[0] if count == 1 else found.merged().report, str(found.run), count
    if isinstance(what, Recorded):
        return what.explained(), "" if what.path is None else str(what.path), 1
    return what, "", 1
