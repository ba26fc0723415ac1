"""The roles of a function's inputs."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from whyjit.model.roles import Metadata
from whyjit.present import paths, units
from whyjit.present.compose.words import DELTAS, as_role, cut, listed, words
from whyjit.present.document import (
    Block,
    Callout,
    Column,
    Document,
    Heading,
    Paragraph,
    Role,
    Span,
    Table,
    TableRow,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.roles import RoleLine, Roles, RuntimeValue, StaticRole

_REACHES = {
    "nothing": "",
    "decision": "a Python decision",
    "shape": "a shape",
    "python": "a Python number or a NumPy function",
    "unknown": "not known",
}
# More containers or statics than this inside one argument are told in one row.
_FEW = 4
_SIGNS = {"+": "only with {new}", "-": "only with {old}", "~": "differs"}


def roles(roles: Roles, *, directory: str = "") -> Document:
    """Every input in its role, and the arrays that are closed over."""
    where = f"{paths.short(roles.file, directory)}:{roles.line}" if roles.file else ""
    title = words("inputs of ", Span(roles.function, "name"), *((" (", Span(where, "path"), ")") if where else ()))
    blocks: list[Block] = [Heading(title, 1)]
    blocks += [Paragraph(words(Span(note, "dim"))) for note in roles.notes]
    if roles.error:
        blocks.append(Callout("bad", words("It cannot be traced: ", cut(roles.error, 300))))
    blocks.append(Heading(words("Runtime values: their contents are data, their types decide the program")))
    blocks.append(_values(roles, directory) if roles.values else Paragraph(words("none")))
    if roles.metadata:
        blocks.append(Heading(words("Metadata: the containers of the arguments decide the program, too")))
        rows = tuple(TableRow((as_role(one.path, "name"), as_role(one.text, "code"))) for one in _containers(roles))
        blocks.append(Table((Column("container"), Column("is", wrap=True)), rows))
    blocks.append(Heading(words("Static configuration: each value is a program of its own")))
    blocks.append(_statics(roles, directory) if roles.statics else Paragraph(words("none")))
    if roles.constants:
        blocks.append(Heading(words("Constants: arrays it closes over")))
        rows = tuple(
            TableRow(
                (
                    as_role(one.name or "(no name)", "name"),
                    as_role(one.aval, "code"),
                    as_role(units.nbytes(one.nbytes), "number"),
                )
            )
            for one in roles.constants
        )
        blocks.append(Table((Column("array"), Column("type"), Column("size", "right")), rows))
    return Document(f"inputs of {roles.function}", tuple(blocks))


def _values(roles: Roles, directory: str) -> Table:
    columns = (Column("value"), Column("type"), Column("in the program"), Column("asked for while tracing", wrap=True))
    return Table(columns, tuple(_value(value, directory) for value in roles.values))


def _value(value: RuntimeValue, directory: str) -> TableRow:
    use: Text = {
        True: words("used"),
        False: words(Span("not used", "warn")),
        None: words(Span("not known", "dim")),
    }[value.used]
    why = value.why.replace(f"{directory}/", "") if directory else value.why
    reach: Text = words(Span("no", "dim"))
    if value.reaches != "nothing":
        role: Role = "dim" if value.reaches == "unknown" else "bad"
        reach = words(Span(_REACHES[value.reaches], role), f": {cut(why, 120)}" if why else "")
    return TableRow((as_role(value.path, "name"), as_role(value.type, "code"), use, reach))


def _statics(roles: Roles, directory: str) -> Table:
    columns = (Column("static"), Column("value"), Column("what depends on it", wrap=True))
    rows = (
        _static(together[0], directory) if len(together) == 1 else _many(together)
        for together in _together(roles.statics)
    )
    return Table(columns, tuple(rows))


def _root(path: str) -> str:
    """The argument that a leaf path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _containers(roles: Roles) -> list[Metadata]:
    """The containers; of an argument with many, the outermost with a count of those inside."""
    found: list[Metadata] = []
    for _, group in itertools.groupby(roles.metadata, lambda one: _root(one.path)):
        inside = list(group)
        if len(inside) <= _FEW:
            found += inside
        else:
            found.append(Metadata(inside[0].path, f"{inside[0].text}; {len(inside) - 1} more containers inside"))
    return found


def _together(statics: Sequence[StaticRole]) -> list[list[StaticRole]]:
    """The statics, those inside one argument together where nothing is known of them and there are many."""
    groups: dict[tuple[str, str], list[StaticRole]] = {}
    for static in statics:
        root = _root(static.path)
        known = static.delta is not None or root == static.path
        groups.setdefault((static.path if known else root, "" if known else static.why), []).append(static)
    return [part for group in groups.values() for part in ([group] if len(group) > _FEW else [[one] for one in group])]


def _many(statics: list[StaticRole]) -> TableRow:
    names = listed([f"{one.path} = {cut(one.value, 20)}" for one in statics], _FEW)
    told = words(Span("not known", "dim"), f": {statics[0].why}" if statics[0].why else "")
    name = f"{len(statics)} inside {_root(statics[0].path)}"
    return TableRow((as_role(name, "name"), (), told), (words(Span(names, "dim")),))


def _static(static: StaticRole, directory: str) -> TableRow:
    if static.delta is None:
        told = words(Span("not known", "dim"), f": {static.why}" if static.why else "")
    else:
        guess = ", a guess" if static.guess else ""
        verb = "nothing" if static.delta == "identical" else DELTAS[static.delta]
        note = f" ({static.why})" if static.why else ""
        told = words(
            Span(verb, "warn" if static.delta == "identical" else "strong"), f" with {cut(static.tried)}{guess}{note}"
        )
    return TableRow(
        (as_role(static.path, "name"), as_role(cut(static.value), "code"), told),
        tuple(_line(line, static, directory) for line in static.lines),
    )


def _line(line: RoleLine, static: StaticRole, directory: str) -> Text:
    place = f"{paths.short(line.file, directory)}:{line.line}" if line.file else "(no source line)"
    when = _SIGNS[line.sign].format(old=cut(static.value, 30), new=cut(static.tried, 30))
    counts = listed(list(dict.fromkeys(line.operations)), 4)
    source = words(": ", Span(cut(line.source, 80), "quoted")) if line.source else ()
    return words(Span(place, "path"), source, Span(f" ({when}: {counts})", "dim"))
