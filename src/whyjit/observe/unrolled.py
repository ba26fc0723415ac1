"""Python loops that a trace ran through, found in the program that came of it.

Equations made by one and the same call have equal tracebacks. A traceback that many equations share, with a frame that
stands in a loop of its function's bytecode, is that loop, written into the program once for each round.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.model.recording import Unrolled
from whyjit.observe.programs import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.jaxlink.frames import Frame
    from whyjit.jaxlink.programs import Capture
    from whyjit.observe.programs import Builder

_TIMES = 8
_EQUATIONS = 32
_KEPT = 5
# A jitted function inside has a specialization, and so an account of its loops, of its own.
_JITS = frozenset({"pjit", "jit"})
# What comes before or after each round's work (a first step, a branch on the counter) does not make rounds unlike.
_REGULAR = 0.9


class _Where(NamedTuple):
    """A loop in its function, and the calls that led to it."""

    frame: Frame
    callers: tuple[Frame, ...]


class _Call:
    """All equations of one traceback: their number with those inside them, and how many there are of each kind.

    A kind is a primitive with its parameters and types. Differentiating gives several kinds for one call of the source.
    """

    __slots__ = ("count", "kinds", "size", "traceback")

    def __init__(self, traceback: Any) -> None:
        self.traceback = traceback
        self.kinds: Counter[Any] = Counter()
        self.count = 0
        self.size = 0


def unrolled(capture: Capture, builder: Builder) -> tuple[Unrolled, ...]:
    """The loops that gave most equations of a program and of those inside it, the largest first."""
    sizes: dict[int, int] = {}
    found: dict[int, tuple[Unrolled, ...]] = {}
    _look(capture, builder, sizes, found)
    every = [loop for loops in found.values() for loop in loops]
    return tuple(sorted(every, key=lambda loop: -loop.equations)[:_KEPT])


def _look(capture: Capture, builder: Builder, sizes: dict[int, int], found: dict[int, tuple[Unrolled, ...]]) -> int:
    """The number of equations of a program with those inside it; its loops go into `found`."""
    known = sizes.get(id(capture))
    if known is not None:
        return known
    each = [1 + sum(_look(inner, builder, sizes, found) for _, inner in parts) for parts in capture.inner]
    for primitive, parts in zip(capture.primitives, capture.inner, strict=True):
        if primitive in _JITS:
            for _, inner in parts:
                found[id(inner)] = ()
    sizes[id(capture)] = sum(each)
    found[id(capture)] = tuple(_loops(capture, each, builder)) if len(each) >= _TIMES else ()
    return sizes[id(capture)]


def _loops(capture: Capture, sizes: list[int], builder: Builder) -> Iterator[Unrolled]:
    calls: dict[int, _Call] = {}
    chains: dict[int, tuple[Frame, ...]] = {}
    columns = zip(capture.tracebacks, capture.primitives, capture.params, capture.types, sizes, strict=True)
    for traceback, primitive, params, types, size in columns:
        chain = builder.chain(traceback)
        call = calls.get(id(chain))
        if call is None:
            call = calls[id(chain)] = _Call(traceback)
            chains[id(chain)] = chain
        call.kinds[primitive, params, types] += 1
        call.count += 1
        call.size += size
    loops: dict[tuple[Any, ...], tuple[_Where, list[_Call]]] = {}
    for key, call in calls.items():
        where = _innermost(inside(chains[key], capture.source))
        # A call that gave few equations is looked at no further: that would mean reading the bytecode of JAX's code.
        if where is not None and not (call.count >= _TIMES and builder.repeats_inside(call.traceback, where.frame)):
            frame, loop = where.frame, where.frame.loop
            loops.setdefault((frame.file, frame.first, loop, where.callers), (where, []))[1].append(call)
    for where, members in loops.values():
        yield from _summed(where, members)


def _innermost(chain: tuple[Frame, ...]) -> _Where | None:
    at = next((at for at, frame in enumerate(chain) if frame.loop is not None), None)
    return None if at is None else _Where(chain[at], chain[at + 1 :])


def _summed(where: _Where, members: list[_Call]) -> Iterator[Unrolled]:
    equations = sum(call.size for call in members)
    loop = where.frame.loop
    if loop is None or equations < _EQUATIONS:
        return
    kinds = _sizes_by_count(count for call in members for count in call.kinds.values())
    times, most = kinds.most_common(1)[0]
    here = sum(call.count for call in members)
    alike = times >= _TIMES and 2 * most >= here
    if not alike:  # each round has types or operations of its own
        times = _sizes_by_count(call.count for call in members).most_common(1)[0][0]
    if times >= _TIMES:
        regular = sum(size for count, size in kinds.items() if count >= _REGULAR * times)
        alike = alike and regular >= _REGULAR * here
        place = where.frame.file, loop.line, where.frame.function
        yield Unrolled(*place, times, equations, alike and len(kinds) == 1, alike)


def _sizes_by_count(counts: Iterable[int]) -> Counter[int]:
    """How many equations there are that occur once, twice, and so on."""
    sizes: Counter[int] = Counter()
    for count in counts:
        sizes[count] += count
    return sizes
