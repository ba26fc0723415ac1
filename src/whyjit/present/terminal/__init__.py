"""Documents as text for a terminal, at any width, with colour or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.present.document import Document

_NARROWEST = 40
_ASCII = str.maketrans({"█": "#", "▓": "=", "▒": "+", "░": "-", "·": ".", "…": "~", "│": "|"})


def render(document: Document, *, width: int = 80, color: bool = False, unicode: bool = True) -> str:
    """The document as lines of at most `width` cells.

    `color` adds ANSI colours of the reader's own palette; `unicode` off keeps whyjit's own signs to ASCII.
    """
    from whyjit.present.terminal.blocks import Painter

    text = Painter(max(width, _NARROWEST), color=color).document(document)
    return text if unicode else text.translate(_ASCII)


__all__ = ["render"]
