"""The tables of an export: their columns, and the rows that a recording gives.

`docs/reference/tables.md` is written from here. Every table begins with `process`, which counts the processes from
0; `function` and `number` name a function and a specialization of it within its process. Columns are only ever added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.analyse.paths import relative

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, Report
    from whyjit.model.recording import Row, Stage

Values = tuple[Any, ...]


class Source(NamedTuple):
    """One process of a run: its number in the export, its report, and what a report leaves out."""

    process: int
    report: Report
    rows: Iterable[Row]
    unattributed: tuple[Stage, ...]


class Column(NamedTuple):
    """A column: its name, DuckDB's type of it, and what it holds."""

    name: str
    type: str
    what: str


class Table(NamedTuple):
    """A table: its name, what one row of it is, its columns, and where the rows come from."""

    name: str
    what: str
    columns: tuple[Column, ...]
    rows: Callable[[Source], Iterator[Values]]


_PROCESS = Column("process", "INTEGER", "The process, from 0: the one started by hand, then its children.")
_FUNCTION = Column("function", "INTEGER", "The function, as in `functions`.")
_NUMBER = Column("number", "INTEGER", "The specialization of it, counted from 1.")


def _processes(source: Source) -> Iterator[Values]:
    report = source.report
    environment, totals = report.environment, report.totals
    yield (
        source.process, environment.pid, environment.process_index, environment.started, totals.seconds,
        report.complete, environment.python, environment.jax, environment.jaxlib, environment.platform,
        list(environment.argv), environment.directory,
    )  # fmt: skip


def _functions(source: Source) -> Iterator[Values]:
    directory = source.report.environment.directory
    for report in source.report.functions:
        about = report.function
        yield (
            source.process, about.id, about.name, about.qualname, relative(about.file, directory), about.line,
            about.origin, about.kind, report.calls, report.nested_calls, report.misses, report.traces,
            report.lowerings, report.compiles, report.persistent_cache_hits, report.trace_s, report.trace_own_s,
            report.lower_s, report.compile_s,
        )  # fmt: skip


def _explained(source: Source) -> Iterator[tuple[int, int, Explained]]:
    for report in source.report.functions:
        for explained in report.specializations:
            yield source.process, report.function.id, explained


def _specializations(source: Source) -> Iterator[Values]:
    directory = source.report.environment.directory
    for process, function, explained in _explained(source):
        made = explained.specialization
        site, fingerprint = made.call_site, made.fingerprint
        parent = made.parent or (None, None)
        yield (
            process, function, made.number, made.started, relative(site.file, directory) or None,
            site.line if site.file else None, site.function or None, made.calls, made.nested_calls, made.misses,
            explained.cause.kind, explained.cause.text, explained.compared_with, explained.delta,
            fingerprint.whole if fingerprint else None, fingerprint.equations if fingerprint else None, made.maker,
            parent[0], parent[1], made.operation or None, made.error or None, made.slow_path or None, made.earlier,
        )  # fmt: skip


def _stages(source: Source) -> Iterator[Values]:
    for process, function, explained in _explained(source):
        made = explained.specialization
        for stage in made.stages:
            own = stage.own if stage.kind == "trace" else stage.seconds
            thread = stage.thread or made.thread
            yield process, function, made.number, stage.kind, stage.start, stage.seconds, own, thread
    for stage in source.unattributed:
        yield source.process, None, None, stage.kind, stage.start, stage.seconds, stage.seconds, stage.thread


def _arguments(source: Source) -> Iterator[Values]:
    for process, function, explained in _explained(source):
        made = explained.specialization
        place = 0
        for leaf in made.signature.leaves:
            yield (
                process, function, made.number, place, leaf.path, "array", list(leaf.shape), leaf.dtype,
                leaf.weak_type, leaf.sharding or None, leaf.committed, leaf.holder, None, None,
            )  # fmt: skip
            place += 1
        for static in made.signature.statics:
            yield (
                process, function, made.number, place, static.path, "static", None, None, None, None, None, None,
                static.type, static.text,
            )  # fmt: skip
            place += 1


def _changes(source: Source) -> Iterator[Values]:
    for process, function, explained in _explained(source):
        for place, change in enumerate(explained.cause.changes):
            number = explained.specialization.number
            yield process, function, number, place, change.kind, change.path, change.old, change.new, change.note


def _findings(source: Source) -> Iterator[Values]:
    directory = source.report.environment.directory
    for report in source.report.functions:
        for finding in report.findings:
            place = finding.location
            yield (
                source.process, report.function.id, finding.code, finding.path, finding.text, finding.remedy,
                finding.evidence, finding.saves_s, relative(place.file, directory) if place else None,
                place.line if place else None, finding.wrong,
            )  # fmt: skip


def _failures(source: Source) -> Iterator[Values]:
    directory = source.report.environment.directory
    for failure in source.report.failures:
        yield (
            source.process, failure.error, failure.code, failure.function, relative(failure.file, directory),
            failure.line, failure.expression, list(failure.arguments), failure.text,
        )  # fmt: skip


def _calls(source: Source) -> Iterator[Values]:
    directory = source.report.environment.directory
    for row in source.rows:
        site = row.call_site
        yield (
            source.process, row.order, row.function, row.specialization, row.event, row.count, row.moment,
            relative(site.file, directory) or None, site.line if site.file else None, row.traces, row.compiles,
            row.nested,
        )  # fmt: skip


def _gaps(source: Source) -> Iterator[Values]:
    for gap in source.report.gaps:
        yield source.process, gap.what, gap.reason


TABLES = (
    Table("processes", "One process of the run.", (
        _PROCESS,
        Column("pid", "BIGINT", "Its number in the operating system."),
        Column("process_index", "INTEGER", "Its index in JAX."),
        Column("started", "DOUBLE", "When recording began, in seconds since 1970."),
        Column("seconds", "DOUBLE", "How long it was recorded."),
        Column("complete", "BOOLEAN", "False when the recording ended before the program did."),
        Column("python", "VARCHAR", "Python's version."),
        Column("jax", "VARCHAR", "JAX's version."),
        Column("jaxlib", "VARCHAR", "jaxlib's version."),
        Column("platform", "VARCHAR", "JAX's platform."),
        Column("argv", "VARCHAR[]", "The command."),
        Column("directory", "VARCHAR", "Where it ran; files below it are relative to it."),
    ), _processes),
    Table("functions", "One function: all function objects that share one code object.", (
        _PROCESS,
        Column("function", "INTEGER", "Its number in the process."),
        Column("name", "VARCHAR", "Its name."),
        Column("qualname", "VARCHAR", "Its qualified name."),
        Column("file", "VARCHAR", "Where it is defined."),
        Column("line", "INTEGER", "And in which line."),
        Column("origin", "VARCHAR", "`user`, `library`, or `eager` for operations called one by one."),
        Column("kind", "VARCHAR", "What it is made as, such as `function` or `lambda`."),
        Column("calls", "BIGINT", "Calls outside any trace."),
        Column("nested_calls", "BIGINT", "Calls inside the trace of another function."),
        Column("misses", "BIGINT", "Calls that left JAX's fast path."),
        Column("traces", "INTEGER", "How often its Python body ran."),
        Column("lowerings", "INTEGER", "How often it was lowered."),
        Column("compiles", "INTEGER", "How often XLA compiled it."),
        Column("persistent_cache_hits", "INTEGER", "Executables that came from the persistent cache."),
        Column("trace_s", "DOUBLE", "Seconds of tracing, with jitted functions inside."),
        Column("trace_own_s", "DOUBLE", "Seconds of tracing, without those."),
        Column("lower_s", "DOUBLE", "Seconds of lowering."),
        Column("compile_s", "DOUBLE", "Seconds of compiling, and of loading executables."),
    ), _functions),
    Table("specializations", "One entry that JAX made for a function, or tried to make.", (
        _PROCESS, _FUNCTION, _NUMBER,
        Column("started", "DOUBLE", "When, in seconds since recording began."),
        Column("file", "VARCHAR", "The call that made it."),
        Column("line", "INTEGER", "And its line."),
        Column("called_in", "VARCHAR", "The function that the call stands in."),
        Column("calls", "BIGINT", "Calls of it outside any trace."),
        Column("nested_calls", "BIGINT", "Calls of it inside one."),
        Column("misses", "BIGINT", "Calls of it that left the fast path."),
        Column("cause", "VARCHAR", "The kind of the most telling change, such as `shape`; `first` for the first."),
        Column("why", "VARCHAR", "The cause in a sentence."),
        Column("compared_with", "INTEGER", "The earlier specialization it is nearest to."),
        Column("delta", "VARCHAR",
               "What that changed in the program: `identical`, `literals`, `shapes`, `dtypes`, `structure`."),
        Column("fingerprint", "VARCHAR", "A digest of the program, equal for equal programs."),
        Column("equations", "INTEGER", "The program's length."),
        Column("maker", "INTEGER", "The function object, counted from 1."),
        Column("parent_function", "INTEGER", "The function whose trace it was part of."),
        Column("parent_number", "INTEGER", "And its specialization."),
        Column("operation", "VARCHAR", "The operation, for those called one by one."),
        Column("error", "VARCHAR", "The error that its trace ended with."),
        Column("slow_path", "VARCHAR", "What keeps its calls off the fast path."),
        Column("earlier", "BOOLEAN", "Whether it existed before recording began."),
    ), _specializations),
    Table("stages", "One trace, lowering, compile, or load from the persistent cache.", (
        _PROCESS,
        Column("function", "INTEGER", "The function; empty for work that belongs to none that was seen."),
        Column("number", "INTEGER", "The specialization of it."),
        Column("kind", "VARCHAR", "`trace`, `lower`, `compile` or `cache_load`."),
        Column("start", "DOUBLE", "When it began, in seconds since recording began."),
        Column("seconds", "DOUBLE", "How long it took."),
        Column("own_s", "DOUBLE", "And without the jitted functions traced inside: these may be added up."),
        Column("thread", "BIGINT", "The thread."),
    ), _stages),
    Table("arguments", "One array leaf or static value of a specialization's arguments.", (
        _PROCESS, _FUNCTION, _NUMBER,
        Column("position", "INTEGER", "Its place among them."),
        Column("path", "VARCHAR", "The parameter and the path in it, such as `batch['x']`."),
        Column("role", "VARCHAR", "`array` or `static`."),
        Column("shape", "BIGINT[]", "An array's shape."),
        Column("dtype", "VARCHAR", "An array's element type."),
        Column("weak_type", "BOOLEAN", "Whether that is weak."),
        Column("sharding", "VARCHAR", "An array's sharding, where it is not the default."),
        Column("committed", "BOOLEAN", "Whether an array is committed to its devices."),
        Column("holder", "VARCHAR", "What was passed: `jax`, `numpy`, `python` or `abstract`."),
        Column("type", "VARCHAR", "A static value's type."),
        Column("value", "VARCHAR", "A static value, as text."),
    ), _arguments),
    Table("changes", "One factor in which a specialization differs from the one it is compared with.", (
        _PROCESS, _FUNCTION, _NUMBER,
        Column("position", "INTEGER", "Its place: the most telling change has 0."),
        Column("kind", "VARCHAR", "The kind of change."),
        Column("path", "VARCHAR", "What changed, where it can be named."),
        Column("old", "VARCHAR", "What it was."),
        Column("new", "VARCHAR", "What it is."),
        Column("note", "VARCHAR", "What more is known."),
    ), _changes),
    Table("findings", "One problem of a function.", (
        _PROCESS, _FUNCTION,
        Column("code", "VARCHAR", "Its code; `whyjit explain CODE` prints its page."),
        Column("path", "VARCHAR", "What it is about."),
        Column("text", "VARCHAR", "What was seen."),
        Column("remedy", "VARCHAR", "What to do."),
        Column("evidence", "VARCHAR", "`PROVEN`, `TESTED` or `SUGGESTED`."),
        Column("saves_s", "DOUBLE", "The seconds that the remedy would have saved."),
        Column("file", "VARCHAR", "Where, if that is a line."),
        Column("line", "INTEGER", "And which."),
        Column("wrong", "BOOLEAN", "Whether results may be wrong."),
    ), _findings),
    Table("failures", "One error of tracing.", (
        _PROCESS,
        Column("error", "VARCHAR", "The exception's class."),
        Column("code", "VARCHAR", "Its code."),
        Column("function", "VARCHAR", "The name of the function it arose in."),
        Column("file", "VARCHAR", "Where."),
        Column("line", "INTEGER", "And in which line."),
        Column("expression", "VARCHAR", "What failed."),
        Column("arguments", "VARCHAR[]", "The arguments that it came from."),
        Column("text", "VARCHAR", "What happened."),
    ), _failures),
    Table("calls", "One row of the call ledger: equal consecutive calls of a function.", (
        _PROCESS,
        Column("position", "BIGINT", "Its place among all rows of the process."),
        _FUNCTION, _NUMBER,
        Column("event", "VARCHAR", "`new` (traced or compiled), `miss` (left the fast path) or `hit`."),
        Column("count", "BIGINT", "How many calls it stands for."),
        Column("moment", "DOUBLE", "When the first was made, in seconds since recording began."),
        Column("file", "VARCHAR", "Where it was made."),
        Column("line", "INTEGER", "And in which line."),
        Column("traces", "INTEGER", "The function's traces by then."),
        Column("compiles", "INTEGER", "The function's compiles by then."),
        Column("nested", "BOOLEAN", "Whether it was made inside a trace."),
    ), _calls),
    Table("gaps", "One thing that could not be observed.", (
        _PROCESS,
        Column("what", "VARCHAR", "What."),
        Column("reason", "VARCHAR", "Why."),
    ), _gaps),
)  # fmt: skip
