"""Where in the user's source the equations of a program come from, counted, as a tree of lines and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.program import Program


class LineCount(msgspec.Struct):
    """A line with the equations it gave: `own` by itself, `total` with the calls and bodies it led to, `children`.

    `file` is "" for equations whose line is not known.
    """

    file: str
    line: int
    function: str
    own: int = 0
    total: int = 0
    children: tuple[LineCount, ...] = ()


class _Node:
    __slots__ = ("children", "key", "own")

    def __init__(self, key: tuple[str, int, str]) -> None:
        self.key = key
        self.own = 0
        self.children: dict[tuple[str, int, str], _Node] = {}

    def child(self, key: tuple[str, int, str]) -> _Node:
        found = self.children.get(key)
        if found is None:
            found = self.children[key] = _Node(key)
        return found


def by_line(program: Program) -> LineCount:
    """The equations of a program, those of the programs inside it included, by line; the largest come first.

    The root stands for the program. Under a line stand the lines of the functions it called while it was traced, and
    those of the bodies of its loops and branches. Equations of a body whose line is not known, as JAX's own bodies
    have them, are its line's.
    """
    root = _Node(("", 0, ""))
    _count(program, root, root.child(("", 0, "")))
    return _frozen(root)


def _count(program: Program, under: _Node, unknown: _Node) -> None:
    nodes: list[_Node] = []
    for place in program.places:
        parent = nodes[place.caller] if place.caller >= 0 else under
        nodes.append(parent.child((place.file, place.line, place.function)))
    for equation in program.equations:
        if equation.place >= 0:
            node = nodes[equation.place]
        elif equation.file:  # recorded before places were
            node = under.child((equation.file, equation.line, ""))
        else:
            node = unknown
        node.own += 1
        for _, inner in equation.programs:
            _count(inner, node, node)


def _frozen(node: _Node) -> LineCount:
    below = [made for child in node.children.values() if (made := _frozen(child)).total]
    children = tuple(sorted(below, key=lambda child: -child.total))
    return LineCount(*node.key, node.own, node.own + sum(child.total for child in children), children)


def largest(root: LineCount) -> Iterator[LineCount]:
    """All lines below a root, by the equations they gave themselves, the most first."""
    every = [node for node in _walk(root) if node.own and node.file]
    yield from sorted(every, key=lambda node: -node.own)


def _walk(node: LineCount) -> Iterator[LineCount]:
    for child in node.children:
        yield child
        yield from _walk(child)
