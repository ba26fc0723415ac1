"""Makes text from a user's program harmless: no control characters, no half characters.

Names, reprs and paths may hold anything. Escape sequences would drive the terminal, line breaks would tear tables,
marks that turn the writing direction would show code in another order than it has, and lone surrogates cannot be
encoded.
"""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
    "|[\U000e0000-\U000e0fff]",
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\x1b"}


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _NAMED:
        return _NAMED[character]
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def clean(text: str) -> str:
    """The text on one line, with everything that does not simply print written as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return _HARMFUL.sub(_escape, text)


def encodable(text: str) -> str:
    """The text with lone surrogates written as escapes, so that it can be stored as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub(_escape, text)


_TAB = 4


def clean_code(text: str) -> tuple[str, list[int]]:
    """A line of code made harmless, and where each of its characters, and its end, went to.

    A tab becomes spaces. The places let marks stay under what they mark.
    """
    if text.isascii() and text.isprintable():
        return text, list(range(len(text) + 1))
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for character in text.rstrip("\r\n"):
        piece = " " * (_TAB - at % _TAB) if character == "\t" else clean(character)
        pieces.append(piece)
        places.append(at)
        at += len(piece)
    places += [at] * (len(text) + 1 - len(places))
    return "".join(pieces), places
