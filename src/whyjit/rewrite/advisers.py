"""The kinds of advice, and what each of them is given to work with.

A kind is a module with `propose(context) -> Iterable[Advice]`. It is imported when advice is asked for, and one that
fails is reported as a note in the place of its advice: the others go on.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from whyjit.experiment.apart import Outcome, run_apart
from whyjit.rewrite.kept import KeptArguments
from whyjit.store import reader, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from whyjit.model.advice import Advice
    from whyjit.model.finding import FunctionReport, Report
    from whyjit.model.program import Program
    from whyjit.model.recording import Row

# In the order in which they are asked.
ADVISERS = (
    "whyjit.rewrite.statics.propose",
    "whyjit.rewrite.statics.concrete",
    "whyjit.rewrite.buckets.propose",
    "whyjit.rewrite.control.propose",
)


@dataclass(frozen=True)
class Limits:
    """What verification may use.

    Arguments:
      seconds: time of one process that tries something.
      memory_mb: megabytes of memory of such a process.
      calls: how many recorded calls are run by both versions; programs are compared for more.
      specializations: how many recorded specializations of a function are looked at.
    """

    seconds: float = 120.0
    memory_mb: int = 4096
    calls: int = 6
    specializations: int = 256

    def run(self, task: str, payload: bytes) -> Outcome:
        """Run a task ("module:function", bytes to bytes) in a process of its own within these limits."""
        return run_apart(task, payload, timeout_s=self.seconds, memory_mb=self.memory_mb)


@dataclass(frozen=True)
class Context:
    """One recorded run while advice on it is looked for.

    `file` is the recording, where rows and programs are. `directory` is the folder that paths in patches start from.
    """

    report: Report
    file: Path
    directory: Path
    limits: Limits = field(default_factory=Limits)
    only: str = ""

    @cached_property
    def kept(self) -> KeptArguments:
        """The arguments kept with the run."""
        return KeptArguments(self.file)

    @cached_property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each source file as it was when the recording ended, by its path, as far as it was noted."""
        return dict(sources.read(self.file))

    @property
    def run(self) -> Path:
        """The run's folder."""
        return self.file.parent

    def functions(self) -> Iterator[FunctionReport]:
        """The user's functions that advice is wanted on, in order of the time lost on them."""
        for function in self.report.functions:
            if function.function.origin == "user" and self.only in {"", function.function.name}:
                yield function

    def rows(self, function: int) -> Iterator[Row]:
        """The ledger rows of a function, by its id."""
        return reader.rows(self.file, function)

    def program(self, key: str) -> Program | None:
        """A staged program by its key (`Specialization.program`), where it was kept."""
        return reader.program(self.file, key)


@dataclass(frozen=True)
class Advised:
    """The advice, largest saving first, and what went wrong while looking for it, a line for each."""

    items: tuple[Advice, ...]
    faults: tuple[str, ...] = ()


def advise(context: Context, advisers: Iterable[str] = ADVISERS) -> Advised:
    """All advice on a run, in order of the seconds it would save."""
    items: list[Advice] = []
    faults: list[str] = []
    for name in advisers:
        try:
            propose = _propose(name)
            if propose is not None:
                items += propose(context)
        except Exception as fault:  # noqa: BLE001 - one kind of advice must not take the others with it
            reason = " ".join(f"{type(fault).__name__}: {fault}".split())
            faults.append(f"{' '.join(name.split('.')[2:])}: no advice of this kind ({reason})")
    return Advised(tuple(sorted(items, key=lambda item: -item.saved)), tuple(faults))


def _propose(name: str) -> Callable[[Context], Iterable[Advice]] | None:
    if importlib.util.find_spec(name.rpartition(".")[0]) is None or importlib.util.find_spec(name) is None:
        return None
    propose: Callable[[Context], Iterable[Advice]] = importlib.import_module(name).propose
    return propose
