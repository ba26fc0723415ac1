"""Stages that stand for several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from whyjit.model.recording import Specialization, Stage


class Sums(list[Stage]):
    """A list of stages in which those of one kind are one: their number, and the mean of their times."""

    def append(self, stage: Stage) -> None:
        """Add a stage to the one of its kind."""
        for at, old in enumerate(self):
            if old.kind == stage.kind:
                self[at] = _both(old, stage)
                return
        super().append(msgspec.structs.replace(stage, detail="", disk=None))


def _both(old: Stage, new: Stage) -> Stage:
    count = old.count + new.count
    return Stage(
        old.kind,
        old.start,
        (old.seconds * old.count + new.seconds * new.count) / count,
        (old.own * old.count + new.own * new.count) / count,
        count=count,
    )


def one_by_one(spec: Specialization) -> Specialization:
    """The specialization with each of its stages by itself, as everything but a file has it."""
    if all(stage.count == 1 for stage in spec.stages):
        return spec
    return msgspec.structs.replace(spec, stages=tuple(_each(spec.stages)))


def _each(stages: Iterable[Stage]) -> Iterator[Stage]:
    for stage in stages:
        single = msgspec.structs.replace(stage, count=1)
        for _ in range(stage.count):
            yield single
