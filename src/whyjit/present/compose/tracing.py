"""What went on in a trace: what the body does only then, where its seconds went, and which lines gave its equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.lines import by_line, largest
from whyjit.analyse.tracetime import by_seconds, slowest, traced_s
from whyjit.present import paths, units
from whyjit.present.compose.lines import last_name, unrolled_text
from whyjit.present.compose.words import as_role, listed, words
from whyjit.present.document import Block, Column, Heading, Listing, Paragraph, Span, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whyjit.analyse.lines import LineCount
    from whyjit.analyse.tracetime import LineTime, Traces
    from whyjit.analyse.tracetime import Span as Traced
    from whyjit.model.finding import FunctionReport
    from whyjit.model.program import Program
    from whyjit.model.recording import RunsOnce, Unrolled
    from whyjit.present.document import Text

    ProgramOf = Callable[[str], Program | None]
    SourceOf = Callable[[str, int], str]

PAGE = "runs-once"
_SPANS = 14
_LINES = 6
_LEAST = 0.01
_PLACES = 3
_FEW = 50

_DOES = {
    "print": "prints",
    "log": "logs",
    "input": "asks for input",
    "file": "opens a file",
    "change": "changes something outside",
    "random": "draws random numbers outside JAX",
    "clock": "reads the clock",
    "environment": "reads the environment",
}
_SPENT = (
    Column("seconds", "right"),
    Column("own", "right"),
    Column("times", "right", priority=2),
    Column("what"),
    Column("where", priority=1),
)
_STOOD = (
    Column("seconds", "right"),
    Column("own", "right"),
    Column("line"),
    Column("function", priority=2),
    Column("source", priority=1),
)
_GAVE = (Column("equations", "right"), Column("line"), Column("function", priority=1), Column("source"))


def slowest_trace(
    function: FunctionReport, traces: Traces, program_of: ProgramOf, source_of: SourceOf, directory: str
) -> list[Block]:
    """What there is to say of the trace of a function that took longest.

    `program_of` gives a staged program by its key, `source_of` the text of a source line.
    """
    spec = slowest(function)
    if spec is None:
        return []
    title = f"{function.function.name}@{spec.number}"
    blocks = spent(traces.tree(spec), title, directory)
    blocks += stood(by_seconds(spec.samples), traced_s(spec), source_of, title, directory)
    program = program_of(spec.program) if spec.program else None
    if program is not None:
        blocks += gave(by_line(program), spec.unrolled, source_of, title, directory)
    return blocks


def told_once(once: Sequence[RunsOnce]) -> list[RunsOnce]:
    """The steps that a reader is told of: not what is merely read."""
    return [each for each in once if each.kind in _DOES]


def runs_once(once: Sequence[RunsOnce], directory: str) -> list[Block]:
    """What the body does only while it is traced, as far as its code says; nothing where it does nothing like that."""
    done = told_once(once)
    baked = [each for each in once if each.kind == "read"]
    blocks: list[Block] = []
    if done:
        groups: dict[tuple[str, str], list[RunsOnce]] = {}
        for each in done:
            groups.setdefault((each.kind, each.text), []).append(each)
        items = [
            words(f"{_DOES[kind]}: ", Span(text, "quoted"), " at ", _places(members, directory))
            for (kind, text), members in groups.items()
        ]
        blocks += [
            Heading(words(Span("Runs only while it is traced", "plain"), Span(f"  {PAGE}", "dim")), 2),
            Paragraph(
                as_role(
                    "Found in its code. What the trace came to happened once for each trace; calls of the compiled "
                    "program do not repeat it, and what it gave is a constant of the program.",
                    "dim",
                )
            ),
            Listing(tuple(items)),
        ]
    if baked:
        names = listed(list(dict.fromkeys(f"`{each.text}`" for each in baked)), 8)
        blocks.append(
            Paragraph(words(*_quoted("Read from outside while tracing, and constant in the program since: ", names)))
        )
    return blocks


def _quoted(lead: str, names: str) -> Iterator[Span]:
    yield Span(lead, "dim")
    for at, piece in enumerate(names.split("`")):
        if piece:
            yield Span(piece, "quoted" if at % 2 else "dim")


def _places(members: Sequence[RunsOnce], directory: str) -> Text:
    places = list(dict.fromkeys(paths.place(each.location, directory) for each in members))
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return words(Span(", ".join(places[:_PLACES]), "path"), more)


def spent(tree: Traced, title: str, directory: str) -> list[Block]:
    """Where the seconds of a trace went; nothing where nothing was traced or staged inside it."""
    if not tree.children:
        return []
    rows: list[TableRow] = []
    left_out = 0
    for depth, span in _spans(tree, 0):
        if depth and (span.seconds < _LEAST * tree.seconds or len(rows) >= _SPANS):
            left_out += 1
            continue
        kind = as_role("" if span.kind == "jit" else f"{span.kind} ", "dim")
        where = f"{paths.short(span.file, directory)}:{span.line}" if span.file else ""
        rows.append(
            TableRow((
                as_role(units.seconds(span.seconds), "number"),
                as_role(units.seconds(span.own), "number"),
                as_role(units.count(span.count) if span.count > 1 else "", "number"),
                words("  " * depth, kind, Span(span.name, "name")),
                as_role(where, "path"),
            ))
        )  # fmt: skip
    if len(rows) == 1:
        return []
    note = "measured; own is without what is listed below it"
    if left_out:
        note += f"; {units.plural(left_out, 'smaller part')} left out"
    return [
        Heading(words("Where the trace of ", Span(title, "name"), " spent its time"), 2),
        Table(_SPENT, tuple(rows), as_role(note, "dim")),
    ]


def stood(root: LineTime, seconds: float, source_of: SourceOf, title: str, directory: str) -> list[Block]:
    """The lines at which a slow trace of so many seconds stood; nothing where less than half of it was looked at."""
    if not root.children or root.total < seconds / 2:
        return []
    rows: list[TableRow] = []
    left_out = 0
    for depth, node in _lines(root, 0):
        if node.total < 2 * _LEAST * root.total or len(rows) >= _SPANS:
            left_out += 1
            continue
        rows.append(
            TableRow((
                as_role(units.seconds(node.total), "number"),
                as_role(units.seconds(node.own), "number"),
                as_role(f"{'  ' * depth}{paths.short(node.file, directory)}:{node.line}", "path"),
                as_role(last_name(node.function), "dim"),
                as_role(source_of(node.file, node.line).strip(), "code"),
            ))
        )  # fmt: skip
    looked = f"sampled over {units.seconds(root.total)} of {units.seconds(seconds)}"
    note = f"{looked}; own is what no call of the user's code took"
    if left_out:
        note += f"; {units.plural(left_out, 'smaller line')} left out"
    return [
        Heading(words("At which lines the trace of ", Span(title, "name"), " stood"), 2),
        Table(_STOOD, tuple(rows), as_role(note, "dim")),
    ]


def _lines(node: LineTime, depth: int) -> Iterator[tuple[int, LineTime]]:
    for child in node.children:
        yield depth, child
        yield from _lines(child, depth + 1)


def _spans(span: Traced, depth: int) -> Iterator[tuple[int, Traced]]:
    yield depth, span
    for child in span.children:
        yield from _spans(child, depth + 1)


def gave(
    root: LineCount,
    unrolled: Sequence[Unrolled],
    source_of: SourceOf,
    title: str,
    directory: str,
) -> list[Block]:
    """Which lines gave most equations of a program, and the loops that were unrolled; nothing for a small program."""
    if root.total < _FEW and not unrolled:
        return []
    rows = [
        TableRow((
            as_role(units.count(node.own), "number"),
            as_role(f"{paths.short(node.file, directory)}:{node.line}", "path"),
            as_role(last_name(node.function), "dim"),
            as_role(source_of(node.file, node.line).strip(), "code"),
        ))
        for node in _first(root)
    ]  # fmt: skip
    note = f"counted, not timed; the whole tree: whyjit show {title} --by-line"
    return [
        Heading(words("Which lines gave the equations of ", Span(title, "name")), 2),
        *(Paragraph(words(unrolled_text(loop, root.total, directory))) for loop in unrolled),
        Table(_GAVE, tuple(rows), as_role(note, "dim")),
    ]


def _first(root: LineCount) -> list[LineCount]:
    """The lines with most equations, those of one line that several calls led to summed."""
    found: dict[tuple[str, int, str], int] = {}
    kept: dict[tuple[str, int, str], LineCount] = {}
    for node in largest(root):
        key = (node.file, node.line, node.function)
        found[key] = found.get(key, 0) + node.own
        kept.setdefault(key, node)
    keys = sorted(found, key=lambda key: -found[key])[:_LINES]
    return [type(kept[key])(*key, own=found[key], total=found[key]) for key in keys]
