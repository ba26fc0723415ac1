"""In processes of their own: what a function costs at several sizes, and whether padding it is safe."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.jaxlink import padding, poisoning, rebuilding, surroundings, thawing, timing
from whyjit.model.arguments import KeptCall
from whyjit.model.padding import Safety
from whyjit.rewrite import loading, nested
from whyjit.rewrite.statics import recorded
from whyjit.rewrite.subject import Subject

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


class Sized(msgspec.Struct, frozen=True):
    """A recorded call of one size."""

    size: int
    call: KeptCall


class Ask(msgspec.Struct, frozen=True):
    """A function, the parameters that are static in it, recorded calls, and the axes that share their size.

    `buckets` are the sizes to pad to and `source` the patched module, for `verify`; `seconds` limit the trial.
    """

    subject: Subject
    statics: tuple[str, ...]
    calls: tuple[Sized, ...]
    axes: dict[str, tuple[int, ...]]
    buckets: tuple[int, ...] = ()
    source: str = ""
    seconds: float = 60.0


class Measured(msgspec.Struct, frozen=True):
    """Seconds by size: to trace, lower and compile; and of one call. `fault` says why nothing was measured."""

    compile: dict[int, float]
    run: dict[int, float]
    fault: str = ""


class Verified(msgspec.Struct, frozen=True):
    """What padding did to the results; and what the patched module's function took for the recorded calls, if it ran.

    `wrong` names a call whose result the patched function changed. `added_s` are the seconds that padding and cropping
    add to a call: the median of calls of one size, less that of calls with arguments of the bucket's size.
    """

    safety: Safety
    traces: int = 0
    compiles: int = 0
    build_s: float = 0.0
    added_s: float = 0.0
    wrong: str = ""
    fault: str = ""


def measure(payload: bytes) -> bytes:
    """Measure an `Ask`'s function at the sizes of its calls, smallest first, as far as the time allows."""
    try:
        found = _measured(msgspec.msgpack.decode(payload, type=Ask))
    except loading.CannotLoad as reason:
        found = Measured({}, {}, str(reason))
    return msgspec.msgpack.encode(found)


def _measured(ask: Ask) -> Measured:
    timing.forget()
    surroundings.restore(ask.subject.context)
    deadline = time.monotonic() + ask.seconds
    calls = [one.call for one in ask.calls]
    found = Measured({}, {})
    with timing.without_disk_cache(), loading.loaded(ask.subject, calls=calls) as module:
        function = nested.one_function(module, ask.subject, calls)
        _as_recorded(ask, timing.jitted(function, ask.statics))
        ordered = sorted(ask.calls, key=lambda one: one.size)
        # What is done once in a process (imports, threads, allocators) belongs to no size.
        timing.once(function, ask.statics, *thawing.thaw(ordered[0].call))
        timing.forget()
        for one in _ends_first(ordered):
            args, kwargs = thawing.thaw(one.call)
            found.compile[one.size], found.run[one.size] = timing.once(function, ask.statics, args, kwargs)
            if time.monotonic() > deadline:
                break
    return found


def _as_recorded(ask: Ask, jitted: Any) -> None:
    """Raise `CannotLoad` where the function closes over other arrays than it did at a recorded call."""
    for one in ask.calls:
        args, kwargs = thawing.thaw(one.call)
        if recorded.other_arrays(jitted.trace(*args, **kwargs).jaxpr, one.call.constants):
            raise loading.CannotLoad(recorded.OTHER_ARRAYS)


def _ends_first(ordered: Sequence[Sized]) -> list[Sized]:
    """The largest and the smallest first: between them times are fitted."""
    return [ordered[-1], ordered[0], *ordered[1:-1]] if len(ordered) > 1 else list(ordered)


def verify(payload: bytes) -> bytes:
    """Poison the padding of an `Ask`'s calls, then make them all with the patched module's function."""
    ask = msgspec.msgpack.decode(payload, type=Ask)
    timing.forget()
    surroundings.restore(ask.subject.context)
    calls = [one.call for one in ask.calls]
    deadline = time.monotonic() + ask.seconds
    with timing.without_disk_cache(), loading.loaded(ask.subject, calls=calls) as module:
        function = nested.one_function(module, ask.subject, calls)
        jitted = timing.jitted(function, ask.statics)
        _as_recorded(ask, jitted)
        names = padding.parameters_of(function)
        cases = []
        for one in ask.calls:
            args, kwargs = thawing.thaw(one.call)
            located = padding.locate(names, args, kwargs, ask.axes)
            cases.append((located, _bucket(located.size, ask.buckets)))
        safety = poisoning.examine(jitted, cases, lambda _place: 0, deadline)
        if not safety.safe or not ask.source:
            return msgspec.msgpack.encode(Verified(safety))
        sizes = {size for size, _ in safety.tried}
        expected = [_result(jitted, one) if one.size in sizes else None for one in ask.calls]
    return msgspec.msgpack.encode(_patched(ask, safety, expected))


def _result(function: Any, one: Sized) -> Any:
    args, kwargs = thawing.thaw(one.call)
    return function(*args, **kwargs)


def _bucket(size: int, buckets: Sequence[int]) -> int:
    return min((bucket for bucket in buckets if bucket >= size), default=size)


def _patched(ask: Ask, safety: Safety, expected: Sequence[Any]) -> Verified:
    """Make all calls with the patched function, and watch what JAX does for them."""
    from whyjit.jaxlink import comparing
    from whyjit.observe.observer import Observer

    calls = [one.call for one in ask.calls]
    timing.forget()
    wrong = ""
    try:
        with timing.without_disk_cache(), loading.loaded(ask.subject, ask.source, calls) as module:
            function = _as_patched(module, ask, calls)
            observer = Observer(None, calls=True)
            observer.start()
            try:
                for one, old in zip(ask.calls, expected, strict=True):
                    args, kwargs = thawing.thaw(one.call)
                    result = function(*args, **kwargs)
                    found = "" if old is None else comparing.difference(old, result)
                    wrong = wrong or (f"size {one.size}: {found}" if found else "")
            finally:
                observer.stop()
            recording = observer.snapshot()
            added = _added(ask, function)
    except loading.CannotLoad as reason:
        return Verified(safety, fault=str(reason))
    except Exception as fault:  # noqa: BLE001 - whatever the program raises is told
        text = " ".join(f"{type(fault).__name__}: {fault}".split())
        return Verified(safety, fault=text[:300])
    own = {
        one.id
        for one in recording.functions
        if one.name == ask.subject.qualname.rpartition(".")[2] and one.origin == "user"
    }
    stages = [stage for spec in recording.specializations if spec.function in own for stage in spec.stages]
    return Verified(
        safety,
        sum(stage.kind == "trace" for stage in stages),
        sum(stage.kind == "compile" for stage in stages),
        sum(stage.own for stage in stages),
        added,
        wrong,
    )


def _as_patched(module: types.ModuleType, ask: Ask, calls: Sequence[KeptCall]) -> Any:
    """The function with the decorators of the patched source."""
    if calls[0].carried is None:
        return rebuilding.attribute(module, ask.subject.qualname)
    function = nested.decorated(module, nested.one_function(module, ask.subject, calls, moved=True))
    if function is None:
        raise loading.CannotLoad("its decorators need variables of the function around it that were not kept")
    return function


def _added(ask: Ask, function: Any) -> float:
    """What the wrapper adds to a call that it pads, in seconds; 0 where no recorded call is padded."""
    one = next((one for one in ask.calls if _bucket(one.size, ask.buckets) != one.size), None)
    if one is None:
        return 0.0
    args, kwargs = thawing.thaw(one.call)
    located = padding.locate(padding.parameters_of(function), args, kwargs, ask.axes)
    whole = located.padded(_bucket(one.size, ask.buckets), lambda _place: 0)
    return max(0.0, timing.calling(function, args, kwargs) - timing.calling(function, *whole))
