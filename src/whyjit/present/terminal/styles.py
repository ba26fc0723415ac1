"""Spans as rich text: a style for each role, from the sixteen colours that follow the reader's theme."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text as RichText

from whyjit.present.clean import clean

if TYPE_CHECKING:
    from whyjit.present.document import Role, Text, Tone

STYLES: dict[Role, str] = {
    "plain": "",
    "strong": "bold",
    "name": "bold",
    "path": "cyan",
    "code": "magenta",
    "quoted": "magenta",
    "number": "",
    "dim": "dim",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
    "arrow": "dim",
}
TONES: dict[Tone, str] = {"plain": "", "dim": "dim", "added": "green", "removed": "red", "changed": ""}


# Stands for a space at which no line may end. Rich ends lines at every kind of space.
GLUE = "\ue000"
_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|min|h|%|B|kB|MB|GB|TB)\b|%)")


def glued(text: str) -> str:
    """The text with all its spaces made to hold together."""
    return text.replace(" ", GLUE)


def rich(text: Text, base: str = "") -> RichText:
    """The text with its styles; code within prose keeps its backticks, with which it can be read without colour."""
    result = RichText(style=base, end="")
    for span in text:
        shown = _UNIT.sub(GLUE, clean(span.text))
        result.append(f"`{shown}`" if span.role == "quoted" else shown, STYLES[span.role])
    return result


def plain(text: Text) -> str:
    """The text without styles."""
    return rich(text).plain.replace(GLUE, " ")
