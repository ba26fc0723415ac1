"""Staged programs, taken down as text and numbers.

It happens in two steps. `capture` runs in the user's thread, right after a trace, and must cost little: it numbers the
variables and turns parameters into text, sharing what repeats. What it returns holds no array, tracer or function.
`observe.programs` makes the neutral `Program` of it later, in whyjit's own thread, mostly while XLA compiles.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from whyjit.jaxlink import callbacks
from whyjit.jaxlink.frames import source_of
from whyjit.model.avals import aval_text

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_HOST_BYTES = 65536
# Parameters that only name things, or that hold JAX's own helpers; they do not make another program.
_NAMES_ONLY = frozenset(
    {"name", "debug_info", "debug", "ctx_mesh", "jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd"}
)


class Capture:
    """A staged program as lists: see the module.

    The equations stand in columns, one list for each part of them, in the order of the program: seven thousand small
    tuples would set Python's collector off in the middle of the user's program. `operands` are canonical numbers, or
    pairs of text and type for literals; `firsts` number the first output of each equation. `source` is the file and
    first line of the function that the program was staged from.
    """

    __slots__ = (
        *("constants", "firsts", "inner", "inputs", "operands", "outputs", "params", "primitives", "source"),
        *("tracebacks", "types"),
    )

    def __init__(self) -> None:
        self.inputs: list[tuple[str, int]] = []
        self.constants: list[tuple[str, int, str, str]] = []
        self.primitives: list[str] = []
        self.operands: list[tuple[Any, ...]] = []
        self.params: list[tuple[tuple[str, str], ...]] = []
        self.firsts: list[int] = []
        self.types: list[tuple[str, ...]] = []
        self.inner: list[tuple[tuple[str, Capture], ...]] = []
        self.tracebacks: list[Any] = []
        self.outputs: list[Any] = []
        self.source: tuple[str, int] = ("", 0)


@functools.cache
def _kinds() -> tuple[Any, Any]:
    # Not from `jax.extend`: importing that registers configuration states on 0.12, which changes every cache key, so
    # that the observer would cause the very retraces it is to observe.
    from jax._src import core

    return core.Literal, getattr(core, "ClosedJaxpr", None) or core.Jaxpr  # one class from 0.12 on


def closed_over(program: Any) -> Iterator[Any]:
    """The arrays that a staged program has closed over, those of the programs inside it among them, in order."""
    yield from (getattr(value, "val", value) for value in getattr(program, "consts", ()))
    jaxpr = program if hasattr(program, "eqns") else program.jaxpr
    for equation in jaxpr.eqns:
        yield from (value for value in map(_literal_value, equation.invars) if getattr(value, "size", 1) > 1)
        for parameter in equation.params.values():
            for part in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
                if hasattr(part, "eqns") or hasattr(part, "jaxpr"):
                    yield from closed_over(part)


def _literal_value(operand: Any) -> Any:
    """The value written into a program in the place of an operand; None where there is none."""
    value = getattr(operand, "val", None)
    return getattr(value, "val", value)


class Tokens:
    """Numbers for arrays that may not be read: one number per object, for as long as the object lives."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int]] = {}
        self._count = itertools.count(1)

    def of(self, value: Any) -> int:
        """The number of an object. Several threads ask, whyjit's own among them: each step here is one of Python's."""
        key = id(value)
        known = self._known.get(key)
        if known is not None:
            if known[0]() is value:
                return known[1]
            self._known.pop(key, None)
        number = next(self._count)
        try:
            reference = weakref.ref(value, lambda _: self._known.pop(key, None))
        except TypeError:
            return number
        return self._known.setdefault(key, (reference, number))[1]


class Capturer:
    """Captures programs; inner programs that were captured before are shared while they live."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._avals: dict[Any, str] = {}

    def capture(self, closed: Any, order: tuple[int, ...] | None = None) -> Capture:
        """Take down a `ClosedJaxpr`. `order` gives each input its canonical number (its place in the signature)."""
        work = _Work(self)
        return work.closed(closed, order)

    def aval(self, aval: Any) -> str:
        """The text of an abstract value."""
        try:
            key = (aval.shape, aval.dtype, aval.weak_type)
        except AttributeError:
            return str(aval)
        text = self._avals.get(key)
        if text is None:
            if len(self._avals) > 10000:  # a run over ever new sizes must not fill the memory
                self._avals.clear()
            text = self._avals[key] = aval_text(aval.shape, str(aval.dtype), weak=bool(aval.weak_type))
        return text

    def constant(self, value: Any) -> tuple[str, int, str, str]:
        """(type, bytes, token, text) of a closed-over array.

        A value in host memory that is small, as the constants written in a program's source are, is told apart by a
        digest; an array of JAX's is not read, its token is the object's number.
        """
        shape, dtype = getattr(value, "shape", ()), str(getattr(value, "dtype", type(value).__name__))
        aval = aval_text(shape, dtype, weak=bool(getattr(value, "weak_type", False)))
        host = getattr(value, "val", value)
        nbytes = int(getattr(value, "nbytes", 0) or getattr(host, "nbytes", 0) or 0)
        if isinstance(host, (np.ndarray, np.generic, int, float, bool, complex)) and nbytes <= _HOST_BYTES:
            array = np.asarray(host)
            if array.dtype != object:
                text = str(array) if array.size == 1 else ""
                return aval, nbytes, hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest(), text
        return aval, nbytes, f"#{self.tokens.of(host)}", ""


class _Work:
    """One capture: what repeats inside it is shared through these tables."""

    def __init__(self, owner: Capturer) -> None:
        self._owner = owner
        self._literal, self._closed = _kinds()
        self._params: dict[Any, tuple[tuple[tuple[str, str], ...], tuple[Any, ...]]] = {}
        self._inner: dict[int, Capture] = {}
        self._avals: dict[int, tuple[str, Any]] = {}  # by the object, which is held for its number's sake

    def _aval(self, aval: Any) -> str:
        known = self._avals.get(id(aval))
        if known is None:
            known = self._avals[id(aval)] = self._owner.aval(aval), aval
        return known[0]

    def closed(self, closed: Any, order: tuple[int, ...] | None = None) -> Capture:
        jaxpr = closed.jaxpr
        found = self._inner.get(id(jaxpr))
        if found is None:
            found = self._inner[id(jaxpr)] = self._jaxpr(jaxpr, closed.consts, order)
        return found

    def open(self, jaxpr: Any) -> Capture:
        found = self._inner.get(id(jaxpr))
        if found is None:
            found = self._inner[id(jaxpr)] = self._jaxpr(jaxpr, (), None)
        return found

    def _jaxpr(self, jaxpr: Any, consts: Any, order: tuple[int, ...] | None) -> Capture:
        out = Capture()
        out.source = source_of(jaxpr)
        aval, literal = self._aval, self._literal
        numbers: dict[Any, int] = {}
        invars = jaxpr.invars
        extra = len(invars) - len(order) if order is not None else 0
        for place, var in enumerate(invars):
            number = place if order is None or place < extra else extra + order[place - extra]
            numbers[var] = number
            out.inputs.append((aval(var.aval), number))
        count = len(invars)
        for var in jaxpr.constvars:
            numbers[var] = count
            count += 1
        out.constants.extend(self._owner.constant(value) for value in consts)
        out.constants.extend((aval(var.aval), 0, "", "") for var in jaxpr.constvars[len(out.constants) :])
        equations = jaxpr.eqns
        for equation in equations:
            out.firsts.append(count)
            for var in equation.outvars:
                numbers[var] = count
                count += 1
        # A column at a time: this runs in the user's thread, and a comprehension takes half the time of a loop.
        literal_operand = self._literal_operand
        out.primitives = [equation.primitive.name for equation in equations]
        out.operands = [
            tuple([literal_operand(var) if type(var) is literal else numbers[var] for var in equation.invars])
            for equation in equations
        ]
        types_of: dict[Any, tuple[str, ...]] = {}
        types = [tuple([aval(var.aval) for var in equation.outvars]) for equation in equations]
        out.types = [types_of.setdefault(each, each) for each in types]
        described = [
            self._texts(name, equation.params) if equation.params else _NOTHING
            for name, equation in zip(out.primitives, equations, strict=True)
        ]
        out.inner = [inner for _, inner in described]
        out.params = [
            texts if _is_usual(equation.ctx) else texts + _surroundings(name, equation.ctx)
            for (texts, _), name, equation in zip(described, out.primitives, equations, strict=True)
        ]
        out.tracebacks = [equation.source_info.traceback for equation in equations]
        out.outputs.extend(
            self._literal_operand(var) if type(var) is literal else numbers[var] for var in jaxpr.outvars
        )
        return out

    def _literal_operand(self, var: Any) -> tuple[str, str]:
        value = var.val
        return (repr(value.item()) if isinstance(value, np.generic) else str(value), self._aval(var.aval))

    def _texts(self, primitive: str, params: dict[str, Any]) -> tuple[tuple[tuple[str, str], ...], tuple[Any, ...]]:
        try:
            key = (primitive, *params.values())
            known = self._params.get(key)
        except TypeError:
            key, known = None, None
        if known is not None:
            return known
        texts: list[tuple[str, str]] = []
        inner: list[tuple[str, Capture]] = []
        for name in sorted(params):
            if name not in _NAMES_ONLY:
                self._param(name, params[name], texts, inner)
        answer = (tuple(texts), tuple(inner))
        if key is not None:
            self._params[key] = answer
        return answer

    def _param(self, name: str, value: Any, texts: list[tuple[str, str]], inner: list[tuple[str, Capture]]) -> None:
        if isinstance(value, self._closed):
            inner.append((name, self.closed(value)))
        elif hasattr(value, "eqns") and hasattr(value, "invars"):
            inner.append((name, self.open(value)))
        elif isinstance(value, (tuple, list)) and any(isinstance(part, self._closed) for part in value):
            for at, part in enumerate(value):
                self._param(f"{name}[{at}]", part, texts, inner)
        elif name == "callback":
            texts.append((name, callbacks.text_of(value, self._owner.tokens)))
        elif callable(value) and not isinstance(value, type):
            texts.append((name, getattr(value, "__qualname__", type(value).__name__)))
        else:
            texts.append((name, _ADDRESS.sub("", str(value))))


_NOTHING: tuple[tuple[tuple[str, str], ...], tuple[Any, ...]] = ((), ())


def _is_usual(context: Any) -> bool:
    return context.compute_type is None and not context.xla_metadata and context.threefry_partitionable


def _surroundings(primitive: str, context: Any) -> tuple[tuple[str, str], ...]:
    """What an equation was staged under, where that decides what it becomes and no parameter tells it."""
    found: list[tuple[str, str]] = []
    if context.compute_type is not None:
        found.append(("compute_type", str(context.compute_type)))
    if context.xla_metadata:
        found.append(("xla_metadata", str(dict(context.xla_metadata))))
    if not context.threefry_partitionable and primitive.startswith("random_"):
        found.append(("threefry_partitionable", "False"))
    return tuple(found)
