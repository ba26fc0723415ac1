"""The run over time: nested bars of traces, lowerings and compiles for each thread, and how densely calls were made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from whyjit.model.finding import Report
from whyjit.model.recording import Stage
from whyjit.present import units
from whyjit.present.clean import clean

_DEEPEST = 3
_NEAR = 0.001
_VISIBLE = 0.004
_THREADS = 8
_NOUNS = {"trace": "trace", "lower": "lowering", "compile": "compile", "cache_load": "load"}
_BARS = 1200
_FINER = 10


class Bar(msgspec.Struct, frozen=True):
    """One stretch of work, in shares of the whole run; `top` and `height` are shares of its level.

    `function` is the id of its function, 0 for several.
    """

    kind: str
    start: float
    width: float
    depth: int
    top: float
    height: float
    title: str
    function: int


class Lane(msgspec.Struct, frozen=True):
    """The work of one thread."""

    name: str
    bars: tuple[Bar, ...]
    depth: int


class Timeline(msgspec.Struct, frozen=True):
    """All lanes; `calls` is the number of calls in each stretch of the run.

    `ticks` are moments with their labels; those between them, for who looks closer, are marked.
    """

    seconds: float
    lanes: tuple[Lane, ...]
    calls: tuple[float, ...]
    ticks: tuple[tuple[float, str, bool], ...]
    hidden_threads: int = 0
    hidden_bars: int = 0


class _Span(NamedTuple):
    start: float
    end: float
    kind: str
    function: int
    name: str
    number: int


def timeline(report: Report, calls: Sequence[float], seconds: float) -> Timeline:
    """The timeline of a report; `calls` is the density of calls, see `calls.take`."""
    threads: dict[int, list[_Span]] = {}
    for function in report.functions:
        about = function.function
        for explained in function.specializations:
            made = explained.specialization
            for stage in made.stages:
                span = _Span(stage.start, stage.start + stage.seconds, stage.kind, about.id, about.name, made.number)
                threads.setdefault(stage.thread or made.thread, []).append(span)
    busiest = sorted(threads, key=lambda thread: -sum(span.end - span.start for span in threads[thread]))[:_THREADS]
    lanes = [_lane(number, threads[thread], seconds) for number, thread in enumerate(sorted(busiest), 1)]
    lanes, hidden = _longest(lanes)
    return Timeline(seconds, tuple(lanes), tuple(calls), tuple(_ticks(seconds)), len(threads) - len(busiest), hidden)


def _longest(lanes: Sequence[Lane]) -> tuple[list[Lane], int]:
    """The lanes with no more bars than a page can bear, the longest ones, and how many are left out."""
    widths = sorted((bar.width for lane in lanes for bar in lane.bars), reverse=True)
    if len(widths) <= _BARS:
        return list(lanes), 0
    least = widths[_BARS]
    kept: list[Lane] = []
    left = _BARS
    for lane in lanes:
        bars = tuple(bar for bar in lane.bars if bar.width >= least)[:left]
        left -= len(bars)
        kept.append(msgspec.structs.replace(lane, bars=bars))
    return kept, len(widths) - (_BARS - left)


def whole(report: Report) -> float:
    """The length of the run: what the recording says, or up to the end of its last work."""
    return max([report.totals.seconds, *(stage.start + stage.seconds for stage in _stages(report))], default=0.0) or 1.0


def _stages(report: Report) -> Iterable[Stage]:
    for function in report.functions:
        for explained in function.specializations:
            yield from explained.specialization.stages


def _lane(number: int, spans: list[_Span], seconds: float) -> Lane:
    """Bars by how deep they are nested; short ones that lie close together share one stretch."""
    spans.sort(key=lambda span: (span.start, -span.end))
    levels: dict[int, list[list[_Span]]] = {}
    open_ends: list[float] = []
    for span in spans:
        while open_ends and open_ends[-1] <= span.start + 1e-9:
            open_ends.pop()
        depth = min(len(open_ends), _DEEPEST)
        open_ends.append(span.end)
        clusters = levels.setdefault(depth, [])
        if clusters and _belongs(clusters[-1], span, seconds):
            clusters[-1].append(span)
        else:
            clusters.append([span])
    bars = [bar for depth in sorted(levels) for cluster in levels[depth] for bar in _bars(cluster, depth, seconds)]
    return Lane(f"thread {number}", tuple(bars), 1 + max(levels, default=0))


def _belongs(cluster: Sequence[_Span], span: _Span, seconds: float) -> bool:
    """Whether a span is too short, and too near to the ones before it, to be seen as a bar of its own."""
    before = cluster[-1]
    return (
        span.start - before.end < _NEAR * seconds
        and max(before.end - before.start, span.end - span.start) < _VISIBLE * seconds
        and span.end - cluster[0].start < _VISIBLE * seconds
    )


def _bars(cluster: Sequence[_Span], depth: int, seconds: float) -> Iterable[Bar]:
    """One bar for a single span; for several a bar for each kind, as high as its part of the stretch."""
    start, end = cluster[0].start, max(span.end for span in cluster)
    width = max((end - start) / seconds, _NEAR)
    top = 0.0
    for kind in _NOUNS:
        own = [span for span in cluster if span.kind == kind]
        if own:
            height = 1.0 if len(cluster) == 1 else sum(span.end - span.start for span in own) / (end - start)
            functions = {span.function for span in own}
            function = functions.pop() if len(functions) == 1 else 0
            yield Bar(kind, start / seconds, width, depth, top, min(height, 1.0 - top), _title(kind, own), function)
            top += height


def _title(kind: str, spans: Sequence[_Span]) -> str:
    spent = units.seconds(sum(span.end - span.start for span in spans))
    moment = units.seconds(spans[0].start)
    if len(spans) == 1:
        return f"{_NOUNS[kind]} of {clean(spans[0].name)}, specialization {spans[0].number}: {spent} at {moment}"
    names = list(dict.fromkeys(clean(span.name) for span in spans))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{units.plural(len(spans), _NOUNS[kind])} of {names[0]}{more}: {spent} from {moment}"


def _ticks(seconds: float) -> Iterable[tuple[float, str, bool]]:
    step = 10 ** math.floor(math.log10(seconds / 4))
    step = next(step * factor for factor in (1, 2, 5, 10) if seconds / (step * factor) <= 8)
    for number in range(int(seconds * 1.0001 / step * _FINER) + 1):
        at = round(number * step / _FINER, 10)
        yield at / seconds, f"{at:g} s", bool(number % _FINER)
