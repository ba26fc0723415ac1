"""All processes of a run: analysed each by itself, or as rows beside each other.

A run's folder holds a recording for each process. A report is of one of them, and says what the others did.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from whyjit.analyse.merging import Merged
    from whyjit.analyse.processes import Together
    from whyjit.model.finding import Report
    from whyjit.store.errors import StoreError

_ANALYSED = 16
_COUNTED = 256


class WholeRun(NamedTuple):
    """The analyses of a run's processes, the one that stands for the run first, with the files they were made from."""

    run: Path
    files: tuple[Path, ...]
    reports: tuple[Report, ...]
    unreadable: tuple[StoreError, ...]

    def merged(self) -> Merged:
        """All of them as one report."""
        from whyjit.analyse.merging import merged

        return merged(self.reports)


def whole_run(path: Path) -> WholeRun:
    """Every process of the run in a folder, or of the newest run in a folder of runs; of a file, that process alone.

    Raises:
      whyjit.store.errors.StoreError: there is no readable recording; the message says why.
    """
    from whyjit.analyse.explain import explain
    from whyjit.store import contents, reader
    from whyjit.store.earlier import earlier_recordings
    from whyjit.store.errors import StoreError
    from whyjit.store.runs import files

    run = reader.find_run(path)
    main = reader.main_file(run)
    found: list[tuple[Path, Report]] = []
    unreadable: list[StoreError] = []
    for file in [main, *(each for each in files(run) if each != main)]:
        try:
            recording = contents.load(file)
        except StoreError as fault:
            if file == main:
                raise
            unreadable.append(fault)
        else:
            found.append((file, explain(recording, earlier_recordings(run, recording))))
    found[1:] = sorted(found[1:], key=_place)
    return WholeRun(run, tuple(file for file, _ in found), tuple(report for _, report in found), tuple(unreadable))


def _place(one: tuple[Path, Report]) -> tuple[int, float, str]:
    environment = one[1].environment
    return environment.process_index, environment.started, one[0].name


def beside(path: Path) -> Together | None:
    """The processes of a run beside each other; None where there is one. Of few each is analysed, of many none read."""
    from whyjit.analyse.processes import Together, together
    from whyjit.store import reader
    from whyjit.store.errors import StoreError
    from whyjit.store.many import Recordings
    from whyjit.store.runs import files

    try:
        run = reader.find_run(path)
        count = len(files(run))
    except StoreError:  # nothing has been written yet
        return None
    if count < 2:
        return None
    if count > _COUNTED:
        return Together((), None, unread=count)
    recordings = Recordings(str(run))
    found = together(recordings, analysed=count <= _ANALYSED)
    return Together(found.rows, found.divergence, unread=len(recordings.unreadable))
