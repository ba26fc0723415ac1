"""Puts a failure together: places, arguments, chain, and the one-paragraph message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure import words
from whyjit.analyse.failure.locate import characters
from whyjit.model.failure import Failure, SourceLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.failure.locate import Located
    from whyjit.model.failure import Argument, Leak, Mismatch, Nature, Remedy
    from whyjit.model.scene import Origin, Point, Scene

_AROUND = 1
_MOST = 12


class Draft(NamedTuple):
    """What every failure shares: the scene, the innermost point, the expression, and what was asked for.

    `direct` tells that it was asked of the expression's own value, not of something inside it; `within` that the
    expression calls a jitted function whose own code cannot be shown, and that it failed in there.
    """

    scene: Scene
    point: Point | None
    located: Located | None
    asked: str
    direct: bool = False
    within: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file."""
        return self.located.lines if self.located is not None else ()

    def finish(
        self,
        code: str,
        *,
        origin: Origin | None = None,
        arguments: Sequence[Argument] = (),
        called: str = "",
        function: str = "",
        nature: Nature = "unknown",
        evidence: str = "",
        remedies: Sequence[Remedy] = (),
        leak: Leak | None = None,
        mismatches: tuple[Mismatch, ...] = (),
        notes: tuple[str, ...] = (),
        detail: tuple[str, str, str, str] | None = None,
        subject: str = "",
    ) -> Failure:
        """The failure, with everything that is known."""
        found = tuple(origin.arguments) if origin is not None else tuple(arguments)
        called = called or (origin.called if origin is not None else "")
        expression, columns, end = self._expression()
        point = self.point
        failure = Failure(
            error=self.scene.error,
            code=code,
            function=function or (point.function if point is not None else ""),
            file=point.file if point is not None else "",
            line=self._first_line(),
            end_line=end[0],
            columns=columns,
            end_column=end[1],
            expression=expression,
            source_lines=self._source_lines(end[0]),
            asked=self.asked,
            called=called,
            arguments=tuple(one.path for one in found),
            argument_types=tuple(one.type for one in found),
            inner_arguments=origin.inner if origin is not None else (),
            chain=origin.chain if origin is not None else (),
            operations=origin.operations if origin is not None else 0,
            nature=nature,
            nature_evidence=evidence,
            remedies=tuple(remedies),
            leak=leak,
            mismatches=mismatches,
            notes=(*self._notes(origin), *notes),
            given=tuple(one.given for one in found if one.given is not None),
        )
        return words.with_text(failure, detail, subject, direct=self.direct, within=self.within)

    def _first_line(self) -> int:
        if self.located is not None:
            return self.located.node.lineno
        return self.point.line if self.point is not None else 0

    def _expression(self) -> tuple[str, tuple[int, int] | None, tuple[int, int]]:
        if self.located is None:
            line = self.point.line if self.point is not None else 0
            return "", None, (line, 0)
        node, lines = self.located.node, self.located.lines
        end_line = node.end_lineno or node.lineno
        start = characters(lines, node.lineno, node.col_offset)
        end = characters(lines, end_line, node.end_col_offset or 0)
        first_end = end if end_line == node.lineno else len(lines[node.lineno - 1].rstrip("\r\n"))
        return self.located.text, (start, first_end), (end_line, end)

    def _source_lines(self, last: int) -> tuple[SourceLine, ...]:
        if self.point is None:
            return ()
        lines = self.scene.lines(self.point.file)
        first = self._first_line()
        last = min(max(last, first), first + _MOST)
        numbers = range(max(1, first - _AROUND), min(len(lines), last + _AROUND) + 1)
        return tuple(SourceLine(number, lines[number - 1].rstrip("\r\n")) for number in numbers)

    def _notes(self, origin: Origin | None) -> tuple[str, ...]:
        notes: list[str] = []
        if self.point is None:
            notes.append("no line of your own code is on the stack")
        elif self.located is None:
            source = self.scene.lines(self.point.file)
            notes.append(
                "which expression of this line it was is not known"
                if source
                else f"the source of {self.point.file} cannot be read"
            )
        inside = self.scene.raised_in
        if inside is not None:
            package = inside.file.replace("\\", "/").rpartition("-packages/")[2]
            if package.split("/")[0] not in ("numpy", "scipy"):  # what it calls itself stands in the expression
                notes.append(f"raised in {inside.function} ({package}:{inside.line}), which this line called")
        return (*notes, *(origin.notes if origin is not None else ()))
