"""Numbers for values that many rows share, and the new ones among them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)


class Numbers(Generic[Value]):
    """Gives each distinct value a number from 1, and keeps those that are not stored yet."""

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}
        self._new: list[tuple[int, Value]] = []

    def of(self, value: Value) -> int:
        """The value's number."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._numbers) + 1
            self._new.append((number, value))
        return number

    def new(self) -> list[tuple[int, Value]]:
        """Number and value of those that are not stored yet."""
        return self._new

    def stored(self) -> None:
        """Note that the new ones are stored now."""
        self._new = []
