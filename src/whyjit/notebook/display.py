"""What values of the public API show of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyjit.notebook.formats import Shown


class Display:
    """A value that prints as the command of its name does, and is HTML where a notebook takes it."""

    __slots__ = ()

    def _shown(self) -> Shown:
        """What is shown."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows where it shows text."""
        self._shown()._repr_pretty_(printer, cycle)
