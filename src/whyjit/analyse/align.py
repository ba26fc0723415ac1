"""Two staged programs aligned equation by equation, with what differs in each pair.

An alignment keeps the order of both programs and pairs equations that came of the same work. Ends that are alike come
off first. Then the n-th equation of a kind on one line is paired with the n-th of that kind on that line, as far as
such pairs do not cross (the longest increasing run of them); what lies between two such anchors is small, and is
aligned by Needleman and Wunsch's method. Inner programs of paired equations are aligned in the same way.

Variables have no names of their own: inputs correspond by place, and outputs of paired equations to each other. An
operand differs where it is not what corresponds.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal, NamedTuple

from whyjit.model import program as model
from whyjit.model.program import Equation, Operand, Program

Differs = Literal["literal", "size", "type", "parameter", "operand", "primitive"]

_NUMBER = re.compile(r"\d+")
# Beyond this many cells a stretch without anchors is aligned by its primitives' order alone.
_CELLS = 90_000
_NEVER = -1


class Row(NamedTuple):
    """Two equations that correspond, or one that has no counterpart.

    `differs` says in which ways the two are not alike; `operands` are the places of those operands that do not
    correspond; `programs` are the inner programs, aligned.
    """

    left: Equation | None
    right: Equation | None
    differs: tuple[Differs, ...] = ()
    operands: tuple[int, ...] = ()
    programs: tuple[Aligned, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both are there and nothing differs, inside them neither."""
        paired = self.left is not None and self.right is not None
        return paired and not self.differs and all(inner.same for inner in self.programs)


class Aligned(NamedTuple):
    """Two programs: `name` is that of the parameter that holds them.

    `heads` tells whether the types of inputs and constants agree, `outputs` which places of the outputs do not.
    """

    name: str
    left: Program
    right: Program
    rows: tuple[Row, ...]
    heads: bool = True
    outputs: tuple[int, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the programs are the same but for the names of their variables."""
        return self.heads and not self.outputs and all(row.same for row in self.rows)


class Counts(NamedTuple):
    """How many equations differ and how; each equation counts once in `changed`, and in each way that it differs."""

    changed: int
    added: int
    removed: int
    ways: tuple[tuple[Differs, int], ...]


def align(left: Program, right: Program, name: str = "program") -> Aligned:
    """Align two programs."""
    return _Aligner().align(left, right, name)


def counts(aligned: Aligned) -> Counts:
    """What differs, summed over a program and those inside it."""
    changed = added = removed = 0
    ways: dict[Differs, int] = {}
    for row in _every(aligned):
        if row.left is None:
            added += 1
        elif row.right is None:
            removed += 1
        elif row.differs:
            changed += 1
            for way in row.differs:
                ways[way] = ways.get(way, 0) + 1
    return Counts(changed, added, removed, tuple(sorted(ways.items(), key=lambda item: -item[1])))


def _every(aligned: Aligned) -> Iterator[Row]:
    for row in aligned.rows:
        yield row
        for inner in row.programs:
            yield from _every(inner)


class _Aligner:
    """One alignment; inner programs that are shared by several equations are aligned once for each pairing."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], Aligned] = {}
        self._shapes: dict[int, Hashable] = {}

    def align(self, left: Program, right: Program, name: str) -> Aligned:
        key = (id(left), id(right), name)
        if key not in self._known:
            self._known[key] = self._align(left, right, name)
        return self._known[key]

    def _align(self, left: Program, right: Program, name: str) -> Aligned:
        pairs = _Pairing(left.equations, right.equations, self._kind).pairs()
        relation = _Relation(left, right)
        rows = tuple(self._row(*pair, left, right, relation) for pair in pairs)
        outputs = [
            at for at, pair in enumerate(zip(left.outputs, right.outputs, strict=False)) if relation.differs(*pair)
        ]
        ends = sorted((len(left.outputs), len(right.outputs)))
        outputs.extend(range(*ends))
        heads = (left.inputs, left.constants) == (right.inputs, right.constants)
        return Aligned(name, left, right, rows, heads, tuple(outputs))

    def _row(self, i: int | None, j: int | None, left: Program, right: Program, relation: _Relation) -> Row:
        old = None if i is None else left.equations[i]
        new = None if j is None else right.equations[j]
        if old is None or new is None:
            return Row(old, new)
        differs, operands = _compare(old, new, relation)
        relation.pair(old, new)
        inner: list[Aligned] = []
        if old.programs or new.programs:
            others = dict(new.programs)
            inner = [self.align(each, others[name], name) for name, each in old.programs if name in others]
            if [name for name, _ in old.programs] != [name for name, _ in new.programs]:
                differs.add("parameter")
        return Row(old, new, tuple(way for way in _WAYS if way in differs), operands, tuple(inner))

    def _kind(self, equation: Equation) -> Hashable:
        """What an equation computes, without sizes, types and literals; with what the programs inside it compute."""
        if not equation.programs:
            return (equation.primitive, _skeleton(equation.params), len(equation.inputs), len(equation.outputs))
        return (
            *(equation.primitive, _skeleton(equation.params), len(equation.inputs)),
            *(self._shape(inner) for _, inner in equation.programs),
        )

    def _shape(self, program: Program) -> Hashable:
        found = self._shapes.get(id(program))
        if found is None:
            found = self._shapes[id(program)] = hash(tuple(self._kind(equation) for equation in program.equations))
        return found


_WAYS: tuple[Differs, ...] = ("primitive", "literal", "size", "type", "parameter", "operand")


@functools.lru_cache(maxsize=20000)
def _skeleton(params: tuple[tuple[str, str], ...]) -> Hashable:
    return tuple((name, "" if name in _TYPES else _NUMBER.sub("_", text)) for name, text in params)


_TYPES = frozenset({"new_dtype", "preferred_element_type", "dtype", "weak_type", "index_dtype", "out_dtype", "dtypes"})
_SIZES = frozenset({
    *("shape", "new_sizes", "sizes", "limit_indices", "start_indices", "slice_sizes", "length", "dimension_size"),
    *("padding_config", "window_dimensions", "fft_lengths", "num", "k", "operand_shape", "update_shape", "strides"),
    *("padding", "lhs_shape", "rhs_shape", "out_shape", "jaxpr_length"),
})  # fmt: skip


class _Relation:
    """Which variables of two programs correspond. Of inputs whose number differs, nothing is said."""

    def __init__(self, left: Program, right: Program) -> None:
        ends = len(left.inputs) + len(left.constants), len(right.inputs) + len(right.constants)
        sure = (len(left.inputs), len(left.constants)) == (len(right.inputs), len(right.constants))
        self._forth = {at: at for at in range(ends[0])} if sure else {}
        self._back = dict(self._forth)
        self._unsure = (0, 0) if sure else ends

    def pair(self, old: Equation, new: Equation) -> None:
        for a, b in zip(old.outputs, new.outputs, strict=False):
            self._forth[a] = b
            self._back[b] = a

    def differs(self, a: Operand, b: Operand) -> bool:
        """Whether two operands do not correspond; of literals, whether they are not equal."""
        if isinstance(a, model.Literal) or isinstance(b, model.Literal):
            return a != b
        if a.number < self._unsure[0] and b.number < self._unsure[1]:
            return False
        return self._forth.get(a.number) != b.number or self._back.get(b.number) != a.number


def _compare(old: Equation, new: Equation, relation: _Relation) -> tuple[set[Differs], tuple[int, ...]]:
    """In which ways two equations differ, and at which places of their operands."""
    found: set[Differs] = set()
    operands: list[int] = []
    if old.primitive != new.primitive:
        found.add("primitive")
    if old.avals != new.avals:
        if len(old.avals) != len(new.avals):
            found.add("operand")
        for a, b in zip(old.avals, new.avals, strict=False):
            found |= _types_differ(a, b)
    if old.params != new.params:
        a_params, b_params = dict(old.params), dict(new.params)
        for name in a_params.keys() | b_params.keys():
            if a_params.get(name) != b_params.get(name):
                found.add("size" if name in _SIZES else "type" if name in _TYPES else "parameter")
    if len(old.inputs) != len(new.inputs):
        found.add("operand")
    for at, (one, other) in enumerate(zip(old.inputs, new.inputs, strict=False)):
        if not relation.differs(one, other):
            continue
        operands.append(at)
        if isinstance(one, model.Literal) and isinstance(other, model.Literal):
            found |= _types_differ(one.aval, other.aval)
            if one.value != other.value:
                found.add("literal")
        else:
            found.add("operand")
    return found, tuple(operands)


def _types_differ(a: str, b: str) -> set[Differs]:
    if a == b:
        return set()
    (element_a, _, shape_a), (element_b, _, shape_b) = a.partition("["), b.partition("[")
    found: set[Differs] = set()
    if element_a != element_b or shape_a.partition("]")[2] != shape_b.partition("]")[2]:
        found.add("type")
    if shape_a.partition("]")[0] != shape_b.partition("]")[0]:
        found.add("size")
    return found


class _Pairing:
    """The order-keeping pairing of two sequences of equations."""

    def __init__(
        self, left: Sequence[Equation], right: Sequence[Equation], kind: Callable[[Equation], Hashable]
    ) -> None:
        self._left, self._right = left, right
        kinds: dict[Hashable, int] = {}
        self._a = [kinds.setdefault(kind(equation), len(kinds)) for equation in left]
        self._b = [kinds.setdefault(kind(equation), len(kinds)) for equation in right]

    def pairs(self) -> Iterator[tuple[int | None, int | None]]:
        """Pairs of places, in order; None where there is no counterpart."""
        n, m = len(self._a), len(self._b)
        start = 0
        while start < min(n, m) and self._alike(start, start):
            start += 1
        end = 0
        while end < min(n, m) - start and self._alike(n - 1 - end, m - 1 - end):
            end += 1
        yield from zip(range(start), range(start), strict=True)
        yield from self._between(start, n - end, start, m - end, 0)
        yield from zip(range(n - end, n), range(m - end, m), strict=True)

    def _alike(self, i: int, j: int) -> bool:
        return self._a[i] == self._b[j] and self._left[i].line == self._right[j].line

    def _between(self, i1: int, i2: int, j1: int, j2: int, level: int) -> Iterator[tuple[int | None, int | None]]:
        """The pairs of a stretch. Each level asks less of an anchor."""
        if i1 == i2 or j1 == j2:
            yield from ((i, None) for i in range(i1, i2))
            yield from ((None, j) for j in range(j1, j2))
            return
        small = (i2 - i1) * (j2 - j1) <= _CELLS
        if level == len(_ANCHORS) or (small and level > 0) or (i2 - i1) * (j2 - j1) <= 64:
            if small:
                yield from self._best(i1, i2, j1, j2)
            else:
                yield from ((i, None) for i in range(i1, i2))
                yield from ((None, j) for j in range(j1, j2))
            return
        for i, j in [*self._anchors(i1, i2, j1, j2, level), (i2, j2)]:
            yield from self._between(i1, i, j1, j, level + 1)
            if i < i2:
                yield i, j
            i1, j1 = i + 1, j + 1

    def _anchors(self, i1: int, i2: int, j1: int, j2: int, level: int) -> list[tuple[int, int]]:
        """Pairs of the n-th of a kind with the n-th of that kind, as many as do not cross."""
        key = _ANCHORS[level]
        places: dict[Hashable, list[int]] = {}
        for j in range(j1, j2):
            places.setdefault(key(self._b[j], self._right[j]), []).append(j)
        used: dict[Hashable, int] = {}
        pairs: list[tuple[int, int]] = []
        for i in range(i1, i2):
            kind = key(self._a[i], self._left[i])
            number = used.get(kind, 0)
            used[kind] = number + 1
            if number < len(places.get(kind, ())):
                pairs.append((i, places[kind][number]))
        return _increasing(pairs)

    def _best(self, i1: int, i2: int, j1: int, j2: int) -> Iterator[tuple[int | None, int | None]]:
        """The pairing of the highest score, after Needleman and Wunsch (1970); a gap costs nothing."""
        n, m = i2 - i1, j2 - j1
        table = [[0] * (m + 1) for _ in range(n + 1)]
        for i in range(n - 1, -1, -1):
            here, below = table[i], table[i + 1]
            for j in range(m - 1, -1, -1):
                score = self._score(i1 + i, j1 + j)
                best = max(below[j], here[j + 1])
                here[j] = best if score == _NEVER else max(best, below[j + 1] + score)
        i = j = 0
        while i < n and j < m:
            score = self._score(i1 + i, j1 + j)
            if score != _NEVER and table[i][j] == table[i + 1][j + 1] + score:
                yield i1 + i, j1 + j
                i, j = i + 1, j + 1
            elif table[i][j] == table[i + 1][j]:
                yield i1 + i, None
                i += 1
            else:
                yield None, j1 + j
                j += 1
        yield from ((i1 + at, None) for at in range(i, n))
        yield from ((None, j1 + at) for at in range(j, m))

    def _score(self, i: int, j: int) -> int:
        """How well two equations go together; operations of different names only as one put for another on a line."""
        old, new = self._left[i], self._right[j]
        line = (old.file, old.line) == (new.file, new.line)
        if old.primitive != new.primitive:
            return 1 if line and old.file and len(old.outputs) == len(new.outputs) else _NEVER
        alike = self._a[i] == self._b[j]
        return 4 + 2 * line + 2 * alike + (old.params == new.params and old.avals == new.avals)


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second places increase; the first ones do already."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        place = bisect.bisect_left(tails, j)
        before.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(j)
            ends.append(at)
        else:
            tails[place], ends[place] = j, at
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


_ANCHORS: tuple[Callable[[int, Equation], Hashable], ...] = (
    lambda kind, equation: (kind, equation.file, equation.line),
    lambda kind, _: kind,
    lambda _, equation: equation.primitive,
)
