"""What the page knows of each line of the ranking and of each function, as data for the page to show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from whyjit.present import paths, units
from whyjit.present.clean import clean
from whyjit.present.compose.failures import blocks_of
from whyjit.present.compose.heading import findings, no_findings
from whyjit.present.compose.ledger import ledger_of
from whyjit.present.compose.matrix import Sides, constants, matrix, sides_of
from whyjit.present.compose.words import as_role
from whyjit.present.document import KeyValues, Table
from whyjit.present.html.grids import Pool, grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whyjit.model.failure import Failure
    from whyjit.model.finding import FunctionReport, Report
    from whyjit.present.calls import Calls
    from whyjit.present.compose.ranking import Ranked
    from whyjit.present.html.blocks import Painter

    Failures = Mapping[int, Sequence[Failure]]

_NAMES = 4
_CONSTANTS = 40
_FAILURES = 5
ROWS = 1000
_ROWS_IN_ALL = 6000

COLUMNS = (
    (
        "lost",
        "right",
        "Seconds of tracing, lowering and compiling; a line counts the library functions traced inside it",
    ),
    ("function", "left", ""),
    ("calls", "right", "Calls outside any trace"),
    ("traces", "right", "How often the Python body ran"),
    ("lowerings", "right", ""),
    ("compiles", "right", ""),
    ("needless", "right", "How many seconds the findings would save"),
    ("findings", "left", ""),
)


def failures_of(report: Report) -> dict[int, list[Failure]]:
    """The errors by the id of the function whose trace ended with them; those that fit several are left out."""
    found: dict[int, list[Failure]] = {}
    for failure in report.failures:
        ended = [
            each.function.id
            for each in report.functions
            if each.function.name == failure.function
            and any(made.specialization.error == failure.error for made in each.specializations)
        ]
        if len(ended) == 1:
            found.setdefault(ended[0], []).append(failure)
    return found


def ranking(lines: Sequence[Ranked], directory: str, failures: Failures) -> list[dict[str, Any]]:
    """The ranked lines: what each cell shows, and the value it sorts by."""
    most = max((line.lost_s for line in lines), default=0.0) or 1.0
    return [_line(line, directory, most, failures) for line in lines]


def _line(line: Ranked, directory: str, most: float, failures: Failures) -> dict[str, Any]:
    first = line.functions[0].function
    if line.kind == "function":
        where = f"{paths.short(first.file, directory)}:{first.line}" if first.file else ""
        module = paths.short(first.file, directory)
    else:
        where = paths.place(line.sites[0], directory) if line.sites else ""
        module = paths.short(line.sites[0].file, directory) if line.sites else ""
    nested = f"{units.count(line.nested_calls)} nested" if line.nested_calls and not line.calls else ""
    names = [[_name(each), each.function.id] for each in line.functions[:_NAMES]]
    more = len(line.functions) - _NAMES
    failed = [failure.code for each in line.functions for failure in failures.get(each.function.id, ())]
    codes = list(dict.fromkeys([*failed, *(finding.code for finding in line.findings)]))
    return {
        "kind": line.kind,
        "names": names,
        "more": f"and {more} more" if more > 0 else "",
        "lead": {"function": "", "library": "library", "eager": "op by op"}[line.kind],
        "where": clean(where),
        "module": clean(module),
        "share": round(line.lost_s / most, 4),
        "urgent": line.urgent,
        "codes": codes,
        "wrong": [*failed, *(finding.code for finding in line.findings if finding.wrong)],
        "texts": [
            units.seconds(line.lost_s),
            "",
            nested or units.count(line.calls),
            units.count(line.traces),
            units.count(line.lowerings),
            units.count(line.compiles),
            units.seconds(line.saves_s) if line.saves_s else "",
            "",
        ],
        "sort": [
            line.lost_s,
            clean(line.names[0]),
            line.calls or line.nested_calls,
            line.traces,
            line.lowerings,
            line.compiles,
            line.saves_s,
            codes[0] if codes else "~",
        ],
    }


def _name(function: FunctionReport) -> str:
    """A function's name; for a line of the user's that calls JAX's operations, these."""
    operations = [explained.specialization.operation for explained in function.specializations]
    named = list(dict.fromkeys(operation for operation in operations if operation))
    if not named:
        return clean(function.function.name)
    return clean(f"{named[0]} +{len(named) - 1}" if len(named) > 1 else named[0])


def inside(functions: Iterable[FunctionReport], directory: str) -> list[dict[str, Any]]:
    """Lines for library functions that were only traced inside others, whose lines count their time, too."""
    lines: list[dict[str, Any]] = []
    for function in functions:
        about = function.function
        counts = [function.nested_calls, function.traces, function.lowerings, function.compiles]
        where = clean(paths.short(about.file, directory))
        lines.append({
            "kind": "inside",
            "names": [[clean(about.name), about.id]],
            "more": "",
            "lead": "inside others",
            "where": f"{where}:{about.line}",
            "module": where,
            "share": 0,
            "urgent": False,
            "codes": [],
            "wrong": [],
            "texts": [
                units.seconds(function.lost_s),
                "",
                f"{units.count(function.nested_calls)} nested",
                *map(units.count, counts[1:]),
                "",
                "",
            ],
            "sort": [function.lost_s, clean(about.name), *counts, 0, "~"],
        })  # fmt: skip
    return lines


class Views:
    """Makes the view of each function; the pool of cells and the room for ledger rows are shared by all."""

    def __init__(self, painter: Painter, directory: str, calls: Calls) -> None:
        self.pool = Pool()
        self._painter = painter
        self._directory = directory
        self._calls = calls
        self._rows_left = _ROWS_IN_ALL

    def view(
        self, function: FunctionReport, failures: Sequence[Failure], parts: Iterable[tuple[str, Markup]]
    ) -> tuple[dict[str, Any], Markup]:
        """A function's view as data, and what of it is HTML already: errors, findings, and `parts` by their names."""
        about = function.function
        sides = sides_of(function)
        table = matrix(function, self._directory, sides)
        data: dict[str, Any] = {
            "name": clean(about.name),
            "qualname": clean(about.qualname) if about.qualname != about.name else "",
            "where": clean(f"{paths.short(about.file, self._directory)}:{about.line}") if about.file else "",
            "kind": {"user": "", "library": "library code", "eager": "an operation of JAX, called op by op"}[
                about.origin
            ],
            "counts": _counts(function),
            "constants": self._constants(sides),
            "matrix": grid(table, self.pool, f"specializations of {clean(about.name)}"),
            "ledger": self._ledger(function),
        }
        calm = no_findings(function) if about.origin == "user" and not failures else []
        told = [*findings(function), *calm]
        errors = Markup("").join(self._failure(failure) for failure in failures[:_FAILURES])
        pieces = [("failures", errors), ("findings", self._painter.blocks(told)), *parts]
        html = Markup("").join(Markup('<div class="{}">{}</div>').format(name, made) for name, made in pieces if made)
        return data, html

    def _failure(self, failure: Failure) -> Markup:
        blocks = blocks_of(failure, directory=self._directory, level=2)
        return Markup('<article class="failure">{}</article>').format(self._painter.blocks(blocks))

    def _constants(self, sides: Sides) -> list[list[int]]:
        """Names and values that are the same in all specializations, as numbers of cells."""
        items = [item for block in constants(sides.factors) if isinstance(block, KeyValues) for item in block.items]
        more = len(items) - _CONSTANTS
        shown = [*items[:_CONSTANTS], *([(as_role(f"and {more} more", "dim"), ())] if more > 0 else [])]
        return [[self.pool.add(part) for part in item] for item in shown]

    def _ledger(self, function: FunctionReport) -> dict[str, Any] | None:
        limit = min(ROWS, self._rows_left)
        if limit < 2:
            return None
        document = ledger_of(function, self._calls.window(function.function.id, limit), directory=self._directory)
        table = next((block for block in document.blocks if isinstance(block, Table)), None)
        if table is None:
            return None
        self._rows_left -= len(table.rows)
        return grid(table, self.pool, f"calls of {clean(function.function.name)}")


def _counts(function: FunctionReport) -> list[list[str]]:
    """Number and noun of each count, and of each kind of time."""
    counted = [
        (units.count(function.calls), "call" if function.calls == 1 else "calls"),
        (units.count(function.nested_calls), "nested") if function.nested_calls else None,
        (units.count(function.traces), "trace" if function.traces == 1 else "traces"),
        (units.count(function.lowerings), "lowering" if function.lowerings == 1 else "lowerings"),
        (units.count(function.compiles), "compile" if function.compiles == 1 else "compiles"),
        (units.count(function.persistent_cache_hits), "from the persistent cache")
        if function.persistent_cache_hits
        else None,
        (units.seconds(function.trace_own_s), "tracing"),
        (units.seconds(function.lower_s), "lowering"),
        (units.seconds(function.compile_s), "compiling"),
    ]
    return [list(pair) for pair in counted if pair is not None]
