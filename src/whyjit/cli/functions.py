"""The function that a person means by `FUNCTION`, `file.py:FUNCTION`, or `FUNCTION@2`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from whyjit.errors import WhyjitError
from whyjit.model.finding import Explained, FunctionReport, Report

_NUMBERS = re.compile(r"(?P<name>.+)@(?P<first>\d+)(?:\.\.(?P<last>\d+))?")


class Wanted(NamedTuple):
    """A function's name with the numbers of one or two of its specializations, as far as they were given."""

    name: str
    first: int | None = None
    last: int | None = None


def parse(text: str) -> Wanted:
    """Take `FUNCTION`, `FUNCTION@N` or `FUNCTION@N..M` apart."""
    match = _NUMBERS.fullmatch(text)
    if match is None:
        return Wanted(text)
    last = match["last"]
    return Wanted(match["name"], int(match["first"]), int(last) if last else None)


def find(report: Report, name: str) -> FunctionReport:
    """The one function of that name: its name, the end of its qualname, or either behind `file.py:`.

    Of several, the user's own goes before libraries'; whatever is left is asked about.
    """
    found = [function for function in report.functions if _matches(function, name)]
    own = [function for function in found if function.function.origin == "user"]
    found = own or found
    if not found:
        raise WhyjitError(_unknown(report.functions, name))
    if len(found) > 1:
        each = ", ".join(sorted({_place(function) for function in found}))
        raise WhyjitError(f"{len(found)} functions are called {name}; name one by its place: {each}")
    return found[0]


def specialization(function: FunctionReport, number: int) -> Explained:
    """A function's specialization by its number."""
    for explained in function.specializations:
        if explained.specialization.number == number:
            return explained
    numbers = [explained.specialization.number for explained in function.specializations]
    known = f"it has {min(numbers)} to {max(numbers)}" if numbers else "none of it was seen"
    raise WhyjitError(f"{function.function.name} has no specialization {number}; {known}")


def _matches(function: FunctionReport, name: str) -> bool:
    if name == function.function.name:  # that of operations called one by one is a place: train.py:12
        return True
    file, _, rest = name.rpartition(":")
    if file:
        here = function.function.file
        if not (here == file or here.endswith("/" + file)):
            return False
        if rest.isdigit():
            return function.function.line == int(rest)
    known = function.function
    return rest in {known.name, known.qualname} or known.qualname.endswith("." + rest)


def _place(function: FunctionReport) -> str:
    known = function.function
    return f"{known.file.rsplit('/', 1)[-1]}:{known.line}"


def _unknown(functions: Sequence[FunctionReport], name: str) -> str:
    names = sorted({function.function.name for function in functions})
    if not names:
        return f"no function {name} in this run: it recorded no jitted function at all"
    wanted = name.rpartition(":")[2].rpartition(".")[2]
    near = difflib.get_close_matches(wanted, names, 5, 0.5)
    near += [known for known in names if wanted.lower() in known.lower() and known not in near]
    if near:
        return f"no function {name} in this run; did you mean {', '.join(near[:5])}?"
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"no function {name} in this run; it has {shown}"
