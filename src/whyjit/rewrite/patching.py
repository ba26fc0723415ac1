"""Patches of source files: unified diffs made, merged, applied and taken back.

A patch is a unified diff with `a/` and `b/` before a path, as git and patch(1) read it. Everything here is text: files
are read and written by `sources`. Applying is exact. There is no fuzz, since a patch is only ever applied to the very
text it was made from.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from whyjit.errors import WhyjitError

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = "\\ No newline at end of file"


class PatchError(WhyjitError):
    """A patch that is no unified diff, or does not fit the text."""


class Replacement(NamedTuple):
    """Lines `start` to `stop` (counted from 0, without the last) of a text become `lines`, which keep their ends."""

    start: int
    stop: int
    old: tuple[str, ...]
    lines: tuple[str, ...]


def diff(path: str, before: str, after: str) -> str:
    """The unified diff that turns one text into another; "" where they are equal. `path` has forward slashes."""
    if before == after:
        return ""
    found: list[str] = []
    for line in difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}"):
        if line.endswith("\n"):
            found.append(line)
        else:
            found.append(f"{line}\n{_NO_NEWLINE}\n")
    return "".join(found)


def path_of(patch: str) -> str:
    """The file that a patch of one file changes."""
    named = [line[6:].rstrip("\r\n") for line in patch.splitlines(keepends=True)[:2] if line.startswith("+++ b/")]
    if not named:
        raise PatchError("this is no unified diff of one file: it has no line that begins with +++ b/")
    return named[0]


def replacements(patch: str) -> list[Replacement]:
    """What a patch of one file does, line by line, without the lines around it."""
    found: list[Replacement] = []
    old: list[str] = []
    new: list[str] = []
    at = begun = 0
    for kind, text in _marked(patch):
        if kind in "@ ":
            if old or new:
                found.append(Replacement(begun, at, tuple(old), tuple(new)))
                old, new = [], []
            at = int(text) if kind == "@" else at + 1
            continue
        if not old and not new:
            begun = at
        if kind == "-":
            old.append(text)
            at += 1
        else:
            new.append(text)
    if old or new:
        found.append(Replacement(begun, at, tuple(old), tuple(new)))
    return found


def apply(patch: str, text: str) -> str:
    """The text after a patch. Raises `PatchError` where a line that the patch takes away or keeps is another one."""
    lines = _lines(text)
    _check(patch, lines)
    return _replaced(lines, replacements(patch))


def reverse(patch: str, text: str) -> str:
    """The text before a patch, from the text after it."""
    return apply(reversed_patch(patch), text)


def reversed_patch(patch: str) -> str:
    """The patch that takes a patch back."""
    path = path_of(patch)
    turned: list[str] = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    removed: list[str] = []
    added: list[str] = []

    def flush() -> None:
        turned.extend(removed)
        turned.extend(added)
        removed.clear()
        added.clear()

    for line in _body(patch):
        if line.startswith("@@"):
            flush()
            match = _HUNK.match(line)
            assert match is not None  # noqa: S101 - `_body` has seen to it
            old, new = _range(match[1], match[2]), _range(match[3], match[4])
            turned.append(f"@@ -{new} +{old} @@\n")
            last = None
        elif line.startswith("\\"):
            (last or turned).append(line)
        elif line.startswith(" "):
            flush()
            turned.append(line)
            last = turned
        else:
            last = added if line.startswith("-") else removed
            last.append(("+" if line.startswith("-") else "-") + line[1:])
    flush()
    return "".join(turned)


def is_applied(patch: str, text: str) -> bool:
    """Whether a text is the one after a patch."""
    try:
        reverse(patch, text)
    except PatchError:
        return False
    return True


class Merged(NamedTuple):
    """Several patches of one text as one: the text after them, and those left out since they overlap an earlier one."""

    text: str
    left_out: tuple[int, ...]


def merge(patches: Sequence[str], text: str) -> Merged:
    """Apply several patches, each made from this same text.

    What two of them do alike, such as adding an import, is done once. A patch that touches a line that an earlier one
    has changed is left out whole: it must be made anew from the changed text.
    """
    lines = _lines(text)
    taken: list[Replacement] = []
    left_out: list[int] = []
    for number, patch in enumerate(patches):
        _check(patch, lines)
        wanted = replacements(patch)
        if any(_collide(one, other) for one in wanted for other in taken if one != other):
            left_out.append(number)
            continue
        taken += [one for one in wanted if one not in taken]
    return Merged(_replaced(lines, taken), tuple(left_out))


def _collide(one: Replacement, other: Replacement) -> bool:
    """Whether both change a line, or both add lines at one place."""
    if one.start == other.start:
        return True
    first, second = sorted((one, other))
    return second.start < first.stop


def _replaced(lines: list[str], wanted: Iterable[Replacement]) -> str:
    done = list(lines)
    for one in sorted(wanted, reverse=True):
        done[one.start : one.stop] = one.lines
    return "".join(done)


def _check(patch: str, lines: Sequence[str]) -> None:
    """Each line that the patch keeps or takes away must be there."""
    at = 0
    for kind, text in _marked(patch):
        if kind == "@":
            at = int(text)
        elif kind in "- ":
            if at >= len(lines) or lines[at] != text:
                raise PatchError(
                    f"the patch does not fit {path_of(patch)}: line {at + 1} is not what it was; make the patch anew"
                )
            at += 1


def _marked(patch: str) -> list[tuple[str, str]]:
    """The lines of a patch by their mark; a hunk's head as "@" and the index of its first old line."""
    found: list[tuple[str, str]] = []
    for line in _body(patch):
        if line.startswith("@@"):
            match = _HUNK.match(line)
            assert match is not None  # noqa: S101 - `_body` has seen to it
            # With no old lines the number is that of the line before.
            found.append(("@", str(int(match[1]) - (match[2] != "0"))))
        elif line.startswith("\\"):
            kind, text = found.pop()
            found.append((kind, text.removesuffix("\n")))
        else:
            found.append((line[0], line[1:]))
    return found


def _body(patch: str) -> list[str]:
    """The lines after the two that name the file."""
    path_of(patch)
    body = _lines(patch)[2:]
    if not body or not _HUNK.match(body[0]):
        raise PatchError("this is no unified diff: no @@ follows the names of the files")
    for line in body:
        if line[0] not in " +-\\" and not _HUNK.match(line):
            raise PatchError(f"this is no unified diff of one file: {line.rstrip()!r} is no line of one")
    return body


def _range(start: str, count: str | None) -> str:
    return start if count is None else f"{start},{count}"


def _lines(text: str) -> list[str]:
    """The lines with their ends. Only a newline ends a line: a form feed or U+2028 does not, for Python as for git."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
