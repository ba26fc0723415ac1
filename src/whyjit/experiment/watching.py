"""In the process of an experiment: a call of the function, watched by whyjit's own observer."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from whyjit.analyse.failure.judge import judge
from whyjit.experiment.apart_child import place_of
from whyjit.experiment.opened import Opened
from whyjit.model.batch import Batch
from whyjit.model.probe import ArmError
from whyjit.model.program import Program
from whyjit.model.recording import Recording, Specialization
from whyjit.observe.failures import causes, explain, failure_of
from whyjit.observe.functions import identify
from whyjit.observe.observer import Observer
from whyjit.store import programs

_LONGEST = 400


@dataclass(frozen=True)
class Work:
    """What JAX did for the function in one call: the new specialization, if there is one, and its program."""

    traced: bool
    compiled: bool
    specialization: Specialization | None = None


class Watch:
    """Watches what JAX does, and tells for each call what was new for one function."""

    def __init__(self, opened: Opened) -> None:
        self._identity = identify(opened.function)
        self._kept: dict[str, bytes] = {}
        self._observer = Observer(self._take, calls=False, judge=judge)
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}

    def __enter__(self) -> Self:
        self._observer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._observer.stop()

    def _take(self, batch: Batch) -> None:
        self._kept.update(batch.programs)

    def work(self) -> Work:
        """What was done for the function since the last time this was asked."""
        recording = self._observer.snapshot()
        own = self._functions(recording)
        new: Specialization | None = None
        traced = compiled = False
        for spec in recording.specializations:
            if spec.function not in own:
                continue
            key = (spec.function, spec.number)
            traces = sum(stage.kind == "trace" for stage in spec.stages)
            compiles = sum(stage.kind in ("compile", "cache_load") for stage in spec.stages)
            was = self._seen.get(key, (0, 0))
            traced |= traces > was[0]
            compiled |= compiles > was[1]
            if key not in self._seen or traces > was[0]:
                new = spec
            self._seen[key] = (traces, compiles)
        return Work(traced, compiled, new)

    def _functions(self, recording: Recording) -> set[int]:
        """The function under experiment among the recorded ones: by its source, else whatever was called outermost."""
        mine = self._identity
        found = {
            function.id
            for function in recording.functions
            if mine.file and (function.file, function.line, function.name) == (mine.file, mine.line, mine.name)
        }
        return found or {spec.function for spec in recording.specializations if spec.parent is None}

    def program(self, specialization: Specialization | None) -> Program | None:
        """The program of a specialization; to be asked for after the watch."""
        if specialization is None or specialization.program not in self._kept:
            return None
        return programs.decode(self._kept[specialization.program])


def error_of(raised: BaseException) -> ArmError:
    """An exception as an arm tells it."""
    failure = next((found for one in causes(raised) if (found := failure_of(one)) is not None), None)
    if failure is None:
        failure = explain(raised, judge)
    file, line = (failure.file, failure.line) if failure is not None and failure.file else place_of(raised)
    return ArmError(type(raised).__name__, _first_sentence(raised), file, line, failure)


def _first_sentence(raised: BaseException) -> str:
    """The first line of a message, with the next one where it announces it."""
    try:
        lines = [line.strip() for line in str(raised).splitlines() if line.strip()]
    except Exception:  # noqa: BLE001 - an exception may fail to say what it is
        lines = []
    text = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
