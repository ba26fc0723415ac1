"""Which functions of two recordings are the same function, although the source was edited between them.

Lines move with every edit, so nothing here goes by line numbers, except to tell apart what nothing else does. The
steps, the surest first, each for what the ones before have left:

1. the same origin, file and qualified name;
2. that name in a file which was renamed: it is in one recording only, and so is the one that shares most names with it;
3. that name and the same parameters in another file, where there is one such function in either recording.

Functions that share origin, file and name (two lambdas of one body) are told apart by their parameters and programs,
then by their parameters alone and, where there are as many before as after, by their lines. What then still cannot be
told apart is counted together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.paths import short

if TYPE_CHECKING:
    from whyjit.model.comparison import Match
    from whyjit.model.finding import FunctionReport

Key = tuple[object, ...]


class Matched(NamedTuple):
    """Functions that are the same, before and after; what is on one side only was not matched."""

    before: tuple[FunctionReport, ...]
    after: tuple[FunctionReport, ...]
    match: Match


class _Known(NamedTuple):
    report: FunctionReport
    origin: str
    file: str
    name: str
    parameters: tuple[str, ...]

    @property
    def identity(self) -> Key:
        return (self.origin, self.file, self.name)


def matched(
    before: Sequence[FunctionReport], after: Sequence[FunctionReport], directories: tuple[str, str]
) -> list[Matched]:
    """The functions of two recordings, matched. `directories` are the folders that their programs ran in."""
    left = [_known(report, directories[0]) for report in before]
    right = [_known(report, directories[1]) for report in after]
    files = {one.file for one in left}, {one.file for one in right}
    found: list[Matched] = []
    left, right = _by(left, right, lambda one: one.identity, "name", found)
    renamed = _renamed_files(
        [one for one in left if one.file not in files[1]], [one for one in right if one.file not in files[0]]
    )
    left, right = _by(
        left, right, lambda one: (one.origin, renamed.get(one.file, one.file), one.name), "renamed-file", found
    )
    left, right = _moved(left, right, found)
    found += [Matched((one.report,), (), "none") for one in left]
    found += [Matched((), (one.report,), "none") for one in right]
    return found


def _known(report: FunctionReport, directory: str) -> _Known:
    """What names a function across edits. Operations called one by one are named by the function they are called in."""
    about = report.function
    form = report.specializations[0].specialization.signature.form if report.specializations else None
    parameters = tuple(name for name, _ in form.parameters) if form else ()
    if about.origin == "eager":
        parameters = tuple(sorted({each.specialization.operation for each in report.specializations}))
    return _Known(report, about.origin, short(about.file, directory), about.qualname or about.name, parameters)


def _by(
    left: list[_Known],
    right: list[_Known],
    key_before: Callable[[_Known], Key],
    match: Match,
    found: list[Matched],
) -> tuple[list[_Known], list[_Known]]:
    """Match those before with those after that their keys name; returns what is left over on both sides."""
    before, after = _grouped(left, key_before), _grouped(right, lambda one: one.identity)
    for key in before.keys() & after.keys():
        _pair(before.pop(key), after.pop(key), match, found)
    return _rest(before), _rest(after)


def _pair(left: list[_Known], right: list[_Known], match: Match, found: list[Matched]) -> None:
    """Match functions that share a name; those that cannot be told apart together."""
    for tell in (_program, _parameters, _line):
        if len(left) == len(right) == 1 or (tell is _line and len(left) != len(right)):
            break
        before, after = _grouped(left, tell), _grouped(right, tell)
        for key in before.keys() & after.keys():
            if len(before[key]) == len(after[key]) == 1:
                (one,), (other,) = before[key], after[key]
                found.append(Matched((one.report,), (other.report,), match))
                left.remove(one)
                right.remove(other)
    if not left or not right:
        found += [Matched((one.report,), (), "none") for one in left]
        found += [Matched((), (one.report,), "none") for one in right]
        return
    alone = len(left) == len(right) == 1
    reports = tuple(one.report for one in left), tuple(one.report for one in right)
    found.append(Matched(*reports, match if alone else "together"))


def _program(one: _Known) -> Key:
    """The parameters, and the program that was staged first; what has none is like nothing else."""
    made = one.report.specializations[0].specialization if one.report.specializations else None
    program = made.fingerprint.whole if made and made.fingerprint else id(one.report)
    return (one.parameters, program)


def _parameters(one: _Known) -> Key:
    return (one.parameters,)


def _line(one: _Known) -> Key:
    return (one.parameters, one.report.function.line)


def _renamed_files(left: Iterable[_Known], right: Iterable[_Known]) -> dict[str, str]:
    """The files that are gone, with the new one that shares most names with each; none where two share as many."""
    before, after = _names(left), _names(right)
    new_of = {file: _best(names, after) for file, names in before.items()}
    old_of = {file: _best(names, before) for file, names in after.items()}
    return {old: new for old, new in new_of.items() if new is not None and old_of[new] == old}


def _names(functions: Iterable[_Known]) -> dict[str, set[Key]]:
    found: dict[str, set[Key]] = {}
    for one in functions:
        found.setdefault(one.file, set()).add((one.origin, one.name))
    return found


def _best(names: set[Key], others: dict[str, set[Key]]) -> str | None:
    shared = sorted(((len(names & those), file) for file, those in others.items()), reverse=True)
    if not shared or not shared[0][0] or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return None
    return shared[0][1]


def _moved(left: list[_Known], right: list[_Known], found: list[Matched]) -> tuple[list[_Known], list[_Known]]:
    """Match what has one name and the same parameters in another file, where either side has one such function."""

    def apart(one: _Known) -> Key:
        return (one.origin, one.name, one.parameters)

    before, after = _grouped(left, apart), _grouped(right, apart)
    for key in before.keys() & after.keys():
        if len(before[key]) == len(after[key]) == 1 and key[0] != "eager":
            (one,), (other,) = before.pop(key), after.pop(key)
            found.append(Matched((one.report,), (other.report,), "moved"))
    return _rest(before), _rest(after)


def _rest(groups: dict[Key, list[_Known]]) -> list[_Known]:
    return [one for group in groups.values() for one in group]


def _grouped(functions: Iterable[_Known], key: Callable[[_Known], Key]) -> dict[Key, list[_Known]]:
    groups: dict[Key, list[_Known]] = {}
    for one in functions:
        groups.setdefault(key(one), []).append(one)
    return groups
