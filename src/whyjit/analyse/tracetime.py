"""Where the seconds of one trace went: the function itself, the bodies staged in it, the jitted functions inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from whyjit.model.source import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Sample, Specialization


class Span(msgspec.Struct):
    """A part of a trace, measured. `kind` is "jit", or what JAX staged a body for: "scan", "cond", "custom_jvp".

    `count` is how often it was staged there, `seconds` how long all that took, `own` what of it no child took.
    """

    kind: str
    name: str
    file: str
    line: int
    count: int
    seconds: float
    own: float
    children: tuple[Span, ...] = ()


class LineTime(msgspec.Struct):
    """A line with the seconds it took, `own` by itself, `total` with the calls it made; `children` are their lines."""

    file: str
    line: int
    function: str
    own: float
    total: float
    children: tuple[LineTime, ...] = ()


def by_seconds(samples: Sequence[Sample]) -> LineTime:
    """Where a slow trace stood while it was looked at, as a tree of lines and calls; the root stands for all of it."""
    return _line_time(Location("", 0, ""), [(sample.seconds, sample.places) for sample in samples])


def _line_time(place: Location, stacks: Sequence[tuple[float, tuple[Location, ...]]]) -> LineTime:
    below: dict[Location, list[tuple[float, tuple[Location, ...]]]] = {}
    own = 0.0
    for seconds, places in stacks:
        if places:
            below.setdefault(places[0], []).append((seconds, places[1:]))
        else:
            own += seconds
    children = sorted((_line_time(first, rest) for first, rest in below.items()), key=lambda node: -node.total)
    total = own + sum(child.total for child in children)
    return LineTime(place.file, place.line, place.function, own, total, tuple(children))


def traced_s(spec: Specialization) -> float:
    """Seconds of a specialization's traces, with what was traced inside them."""
    return sum(stage.seconds for stage in spec.stages if stage.kind == "trace")


def slowest(function: FunctionReport) -> Specialization | None:
    """The specialization of a function that took longest to trace."""
    traced = [each.specialization for each in function.specializations]
    return max((spec for spec in traced if traced_s(spec) > 0), key=traced_s, default=None)


class Traces:
    """All traces of a recording, for the tree of each: any function may have been traced inside another."""

    def __init__(self, functions: Iterable[FunctionReport]) -> None:
        self._about = {each.function.id: each for each in functions}
        self._inside: dict[tuple[int, int], list[Specialization]] = {}
        for report in self._about.values():
            for each in report.specializations:
                if each.specialization.parent is not None:
                    self._inside.setdefault(each.specialization.parent, []).append(each.specialization)

    def tree(self, spec: Specialization) -> Span:
        """The tree of one specialization's trace."""
        return _tree(spec, self._about, self._inside, frozenset())


def _tree(
    spec: Specialization,
    about: dict[int, FunctionReport],
    inside: dict[tuple[int, int], list[Specialization]],
    above: frozenset[tuple[int, int]],
) -> Span:
    key = (spec.function, spec.number)
    function = about[spec.function].function
    seconds = traced_s(spec)
    own = sum(stage.own for stage in spec.stages if stage.kind == "trace") - sum(body.own for body in spec.bodies)
    nested = [each for each in inside.get(key, ()) if (each.function, each.number) not in above]

    def children(within: int) -> tuple[Span, ...]:
        bodies = [
            Span(body.purpose, body.name, body.file, body.line, body.count, body.seconds, body.own, children(at))
            for at, body in enumerate(spec.bodies)
            if body.parent == within and body.count
        ]
        # Which body a function was traced in is not known where there were too many to tell apart.
        jits = [
            _tree(each, about, inside, above | {key})
            for each in nested
            if each.within == within or (within == -1 and each.within >= len(spec.bodies))
        ]
        return tuple(sorted(_merged([*bodies, *jits]), key=lambda span: -span.seconds))

    return Span("jit", function.name, function.file, function.line, 1, seconds, max(0.0, own), children(-1))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans of one function or body, made one."""
    found: dict[tuple[str, str, str, int], Span] = {}
    for span in spans:
        key = (span.kind, span.name, span.file, span.line)
        known = found.get(key)
        if known is None:
            found[key] = span
            continue
        found[key] = Span(
            *key,
            known.count + span.count,
            known.seconds + span.seconds,
            known.own + span.own,
            tuple(sorted(_merged([*known.children, *span.children]), key=lambda each: -each.seconds)),
        )
    return list(found.values())
