"""Operations that JAX recorded, as steps in the user's source."""

from __future__ import annotations

import ast
import linecache
import textwrap
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import source
from whyjit.jaxlink.missing import Missing
from whyjit.jaxlink.tracers import made_by
from whyjit.model.failure import Step
from whyjit.model.scene import Span
from whyjit.observe.places import kind_of_file
from whyjit.observe.stack import WHYJIT

if TYPE_CHECKING:
    from whyjit.jaxlink.source import Site
    from whyjit.jaxlink.tracers import Made

_TEXT = 120


def most(kept: int) -> int:
    """How many operations are looked at, where `kept` steps are wanted: several may be one step."""
    return 4 * kept


def of_operations(operations: list[Any], kept: int) -> list[Step]:
    """The operations as steps; those that one expression made are one step. A long list loses its middle unread."""
    if len(operations) > most(kept):
        operations = operations[: most(kept) // 2] + operations[-most(kept) // 2 :]
    found: list[Step] = []
    last: Site | None = None
    for made in map(made_by, operations):
        site = site_of(made)
        if site is None:
            continue
        step = step_of(made.operation, site)
        if site == last:
            found[-1] = Step(_joined(found[-1].operation, made.operation), *_rest(step))
            continue
        last = site
        found.append(step)
    return found


def _rest(step: Step) -> tuple[str, str, int, str]:
    return step.source, step.file, step.line, step.function


def _joined(first: str, second: str) -> str:
    parts = first.split(", ")
    return first if second in parts or len(parts) > 3 else f"{first}, {second}"


def shortened(steps: list[Step], kept: int) -> tuple[Step, ...]:
    """The steps, without the middle where there are more than `kept`."""
    if len(steps) <= kept:
        return tuple(steps)
    half = kept // 2
    return (*steps[:half], *steps[-half:])


def site_of(made: Made) -> Site | None:
    """The user's line that called an operation: the innermost frame that is the user's own, else the innermost."""
    found = source.sites(made.source_info)
    if isinstance(found, Missing):
        return None
    outside = [site for site in found if not site.file.startswith(WHYJIT)]
    site = next((site for site in outside if kind_of_file(site.file) == "user"), outside[0] if outside else None)
    return None if site is None else _iterated(site)


def _iterated(site: Site) -> Site:
    """What a `for` goes over: Python 3.11 gives the step to its next element the whole statement."""
    first = linecache.getline(site.file, site.line) if site.column >= 0 else ""
    if not first.encode()[site.column :].startswith(b"for "):
        return site
    further = [linecache.getline(site.file, number) for number in range(site.line + 1, site.end_line + 1)]
    whole = textwrap.dedent("".join([first, *further]))
    try:
        loop = ast.parse(whole).body[0]
    except (SyntaxError, ValueError, RecursionError, SystemError):
        return site
    if not isinstance(loop, ast.For):
        return site
    taken = len(first) - len(whole.partition("\n")[0]) - 1  # the columns that all lines begin with
    node, above = loop.iter, site.line - 1
    end = node.end_lineno or node.lineno
    return site._replace(
        line=above + node.lineno, column=taken + node.col_offset,
        end_line=above + end, end_column=taken + (node.end_col_offset or 0),
    )  # fmt: skip


def step_of(operation: str, site: Site) -> Step:
    """One operation as a step."""
    return Step(operation, text_at(site), site.file, site.line, site.function)


def text_at(site: Site) -> str:
    """The source of an expression, on one line; the whole line where columns are unknown."""
    lines = [linecache.getline(site.file, number) for number in range(site.line, max(site.line, site.end_line) + 1)]
    if not any(lines):
        return ""
    if site.column >= 0 and site.end_column >= 0:
        encoded = [line.encode() for line in lines]
        encoded[-1] = encoded[-1][: site.end_column]
        encoded[0] = encoded[0][site.column :]
        lines = [part.decode(errors="replace") for part in encoded]
    text = " ".join(line.strip() for line in lines).strip()
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def span_of(site: Site) -> Span | None:
    """The stretch of source of a site."""
    if site.column < 0 or site.end_column < 0:
        return None
    return Span(site.line, site.end_line, site.column, site.end_column)
