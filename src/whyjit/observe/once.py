"""What a traced body does only while it is traced: it prints, changes something outside, reads a clock, draws numbers.

JAX keeps the program and never runs the body again for the same key, so that such a step happens once, and what it
gave is a constant. The steps are found in the bytecode of the traced function and of the user's functions it calls, by
what their names stand for (a `print` that is `jax.debug.print` is none). Whether the trace came to a step is not known.
"""

from __future__ import annotations

import builtins
import collections
import datetime as dt
import dis
import functools
import logging
import os
import random
import sys
import time
import types
import uuid
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.model.recording import RunsOnce
from whyjit.model.source import Location
from whyjit.observe import reads
from whyjit.observe.functions import layers
from whyjit.observe.looks import closure_of
from whyjit.observe.places import is_user_code

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 3
_MOST = 30
_READS = 12
_INLINE = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST", "LOAD_CLASSDEREF")
_SKIPPED = frozenset({"CACHE", "NOP", "EXTENDED_ARG", "PRECALL", "RESUME", "COPY_FREE_VARS"})

_CALLS: dict[str, tuple[Any, ...]] = {
    "print": (print,),
    "input": (input,),
    "file": (open,),
    "log": (warnings.warn, *(getattr(logging, level) for level in ("debug", "info", "warning", "error", "critical"))),
    "clock": (
        *(time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns),
        *(time.process_time, time.process_time_ns, time.localtime, time.gmtime, time.ctime),
    ),
    "random": (uuid.uuid1, uuid.uuid4, os.urandom),
    "environment": (os.getenv,),
}
_DATES = frozenset({"now", "utcnow", "today"})
_CHANGES: dict[type, frozenset[str]] = {
    list: frozenset({"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"}),
    dict: frozenset({"update", "setdefault", "pop", "popitem", "clear"}),
    set: frozenset({"add", "discard", "remove", "update", "pop", "clear"}),
    collections.deque: frozenset({"append", "appendleft", "extend", "extendleft", "pop", "popleft", "clear"}),
}
_LOGS = frozenset({"debug", "info", "warning", "error", "critical", "exception", "log"})


class _Step(NamedTuple):
    """A name with the attributes taken from it. `does` is "call", "read", "item" (subscripted), or "store"."""

    kind: str
    name: str
    attributes: tuple[str, ...]
    does: str
    line: int

    @property
    def text(self) -> str:
        return ".".join((self.name, *self.attributes))


def found(function: Any, statics: dict[str, Any]) -> tuple[RunsOnce, ...]:
    """What the body of a traced function does only once; then the outside values it reads, kind "read"."""
    work = _Work()
    for layer in layers(function):
        if isinstance(layer, types.FunctionType) and is_user_code(layer.__code__):
            owner = reads.bound_self(function, layer)
            known = dict(statics)
            if owner is not None and layer.__code__.co_varnames:
                known[layer.__code__.co_varnames[0]] = owner
            work.look(layer, layer.__code__, known, frozenset(), 0)
    done = list(work.found.values())[:_MOST]
    baked = [
        RunsOnce("read", read.path, read.location)
        for read in reads.reads_of(function, statics)
        if reads.is_plain(read.value())
    ]
    return (*done, *baked[:_READS])


class _Work:
    def __init__(self) -> None:
        self.found: dict[tuple[str, str, int], RunsOnce] = {}
        self._budget = reads.Budget()

    def look(
        self,
        function: types.FunctionType,
        code: types.CodeType,
        known: dict[str, Any],
        inside: frozenset[str],
        depth: int,
    ) -> None:
        """Look through a code object. `inside` are the names of cells that belong to the trace itself."""
        if depth > _DEPTH or len(self.found) >= _MOST or not self._budget.takes(code):
            return
        steps = _steps(code)
        inside = inside | frozenset(code.co_cellvars)
        # What is handed to a callback runs with the program; where one is made, only direct calls are followed.
        calls_back = any("callback" in part for step in steps for part in (step.name, *step.attributes))
        before: _Step | None = None
        for step in steps:
            self._step(function, step, before, known, inside)
            value = _value(function, step, known, inside)
            followed = step.does == "call" or not calls_back
            if followed and isinstance(value, types.FunctionType) and is_user_code(value.__code__):
                owner = _method_self(function, step, value, known, inside)
                self.look(value, value.__code__, owner, frozenset(), depth + 1)
            before = step
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType) and (inner.co_name in _INLINE or not calls_back):
                self.look(function, inner, known, inside, depth)

    def _step(
        self,
        function: types.FunctionType,
        step: _Step,
        before: _Step | None,
        known: dict[str, Any],
        inside: frozenset[str],
    ) -> None:
        kind, text = _kind(function, step, known, inside), step.text
        if not kind and step.does == "read" and before is not None and (before.does, before.text) == ("call", "next"):
            advances = hasattr(type(_value(function, step, known, inside)), "__next__")
            kind, text = ("change", f"next({step.text})") if advances else ("", "")
        if kind:
            place = Location(function.__code__.co_filename, step.line, function.__qualname__)
            self.found.setdefault((kind, text, step.line), RunsOnce(kind, text, place))


_GONE = object()


def _value(function: types.FunctionType, step: _Step, known: dict[str, Any], inside: frozenset[str]) -> Any:
    """What a step's name stands for now, with its attributes; a marker where that cannot be known."""
    value = _root(function, step, known, inside)
    for name in step.attributes:
        value = _attribute(value, name)
    return value


def _root(function: types.FunctionType, step: _Step, known: dict[str, Any], inside: frozenset[str]) -> Any:
    if step.kind == "local":
        return known.get(step.name, _GONE)
    if step.kind == "closure":
        return _GONE if step.name in inside else dict(closure_of(function)).get(step.name, _GONE)
    return function.__globals__.get(step.name, getattr(builtins, step.name, _GONE))


def _attribute(value: Any, name: str) -> Any:
    """An attribute, found without running code of the user's."""
    if value is _GONE:
        return _GONE
    if isinstance(value, types.ModuleType):
        return value.__dict__.get(name, _GONE)
    if type(value) in _OWNERS:
        return getattr(value, name, _GONE)
    return reads.attribute(value, name)


_OWNERS = (list, dict, set, collections.deque, type(os.environ))


def _method_self(
    function: types.FunctionType, step: _Step, method: types.FunctionType, known: dict[str, Any], inside: frozenset[str]
) -> dict[str, Any]:
    """What a method called on a known object knows: the object, under the name of its first parameter."""
    if not step.attributes or not method.__code__.co_varnames:
        return {}
    owner = _value(function, step._replace(attributes=step.attributes[:-1]), known, inside)
    if owner is _GONE or reads.gone(owner) or isinstance(owner, (types.ModuleType, type)):
        return {}
    return {method.__code__.co_varnames[0]: owner}


def _kind(function: types.FunctionType, step: _Step, known: dict[str, Any], inside: frozenset[str]) -> str:
    if step.does == "store":
        outside = step.kind == "global" or (step.kind == "closure" and step.name not in inside)
        return "change" if outside or (step.kind == "local" and step.name in known) else ""
    owner = _GONE
    if step.attributes:
        owner = _value(function, step._replace(attributes=step.attributes[:-1]), known, inside)
    if step.does == "item":
        return "environment" if _value(function, step, known, inside) is os.environ else ""
    if step.does != "call":
        return ""
    return _kind_of_call(_value(function, step, known, inside), owner, step.attributes[-1] if step.attributes else "")


def _kind_of_call(value: Any, owner: Any, name: str) -> str:
    for kind, calls in _CALLS.items():
        if any(value is call for call in calls):
            return kind
    if name and owner is not _GONE:
        if owner is os.environ:
            return "environment" if name == "get" else ""
        if owner is sys.stdout or owner is sys.stderr:
            return "print"
        if isinstance(owner, logging.Logger):
            return "log" if name in _LOGS else ""
        if name in _DATES and isinstance(owner, type) and issubclass(owner, dt.date):
            return "clock"
        if any(isinstance(owner, kind) and name in names for kind, names in _CHANGES.items()):
            return "change"
    return "random" if _draws(value, owner) else ""


def _draws(value: Any, owner: Any) -> bool:
    """Whether a call draws from Python's or NumPy's random numbers."""
    numpy = sys.modules.get("numpy.random")
    kinds = (random.Random, *((numpy.Generator, numpy.RandomState) if numpy is not None else ()))
    # Of a module's functions some are methods of a generator that the module keeps. Others are not asked for theirs:
    # that would run code of the user's.
    bound = value.__self__ if type(value) in (types.MethodType, types.BuiltinMethodType) else owner
    if isinstance(bound, kinds) or isinstance(owner, kinds):
        return True
    return numpy is not None and value is numpy.default_rng


@functools.lru_cache(maxsize=1000)
def _steps(code: types.CodeType) -> tuple[_Step, ...]:
    return tuple(_find(code))


def forget() -> None:
    """Drop what was remembered about code objects, so that none is kept alive by it."""
    _steps.cache_clear()


def _find(code: types.CodeType) -> Iterator[_Step]:
    line = code.co_firstlineno
    spans = [at for at in dis.get_instructions(code) if at.opname not in _SKIPPED]
    at = 0
    while at < len(spans):
        instruction = spans[at]
        line = _line(instruction) or line
        name = instruction.opname
        loaded = _loaded(instruction)
        if loaded is not None:
            called = "NULL" in instruction.argrepr or (at > 0 and spans[at - 1].opname == "PUSH_NULL")
            attributes: list[str] = []
            begun = line
            while at + 1 < len(spans) and spans[at + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
                at += 1
                attributes.append(str(spans[at].argval))
                called = called or "NULL" in spans[at].argrepr or spans[at].opname == "LOAD_METHOD"
            following = spans[at + 1] if at + 1 < len(spans) else None
            called = called or (following is not None and following.opname == "PUSH_NULL")
            does, stored = ("call", "") if called else _what_follows(spans, at)
            yield _Step(*loaded, (*attributes, stored) if stored else tuple(attributes), does, begun)
        elif name == "STORE_GLOBAL":
            yield _Step("global", str(instruction.argval), (), "store", line)
        elif name == "STORE_DEREF" and instruction.argval in code.co_freevars:
            yield _Step("closure", str(instruction.argval), (), "store", line)
        at += 1


def _what_follows(spans: list[dis.Instruction], at: int) -> tuple[str, str]:
    """Whether what has just been loaded is stored into, subscripted, or only read; with the attribute that is set."""
    first, second = (spans[at + k] if at + k < len(spans) else None for k in (1, 2))
    if first is None or second is None:
        return "read", ""
    if first.opname in ("STORE_ATTR", "DELETE_ATTR"):
        return "store", str(first.argval)
    if first.opname == "COPY" and second.opname == "LOAD_ATTR":  # self.n += 1
        return "store", str(second.argval)
    if first.opname.startswith("LOAD_") and first.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
        if second.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "COPY"):  # seen[key] = 1, seen[key] += 1
            return "store", ""
        if second.opname == "BINARY_SUBSCR" or (second.opname == "BINARY_OP" and second.argrepr == "[]"):
            return "item", ""
    return "read", ""


def _loaded(instruction: dis.Instruction) -> tuple[str, str] | None:
    """Where the name that an instruction loads is kept, and the name; of two, the one on top."""
    name = instruction.opname
    if not name.startswith(_LOADS) and name != "STORE_FAST_LOAD_FAST":
        return None
    value = instruction.argval[-1] if isinstance(instruction.argval, tuple) else instruction.argval
    if not isinstance(value, str):
        return None
    kind = "global" if name in ("LOAD_GLOBAL", "LOAD_NAME") else "closure" if "DEREF" in name else "local"
    return kind, value


def _line(instruction: dis.Instruction) -> int:
    line = instruction.positions.lineno if instruction.positions is not None else None
    return line or 0
