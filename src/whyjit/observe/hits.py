"""Calls on the C++ fast path, counted after each of them at JAX's own hook."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import jits
from whyjit.observe import foreign, picks, places, routes
from whyjit.observe.keys import key_of_spec
from whyjit.observe.twins import zeros_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from whyjit.model.source import Location
    from whyjit.observe.ledger import JitState, Ledger, SpecState
    from whyjit.observe.stale import StaleWatch


class _Ignored:
    """Stands for a callable whose hits are not counted."""

    lasti = -1
    code = pick = spec = None
    hits = 0


_IGNORED = _Ignored()


class HitCounter:
    """The hook, and what it knows of each jitted callable.

    `adopt` is asked once for each jitted callable met first at the hook: it answers with its state. `resolve` finds the
    specialization of a call the cheap way could not place. `stale` looks whether a value that the function
    read from outside has changed. `operation` counts a call of one of JAX's own operations at a user's line.
    """

    def __init__(
        self,
        ledger: Ledger,
        adopt: Callable[[Any, FrameType], JitState | None],
        resolve: Callable[[JitState, Any, Any, Any, FrameType], SpecState | None],
        stale: StaleWatch,
        operation: Callable[[str, Location], None],
        fault: Callable[[str, BaseException], None],
    ) -> None:
        self._ledger = ledger
        self._adopt = adopt
        self._resolve = resolve
        self._stale = stale
        self._operation = operation
        self._fault = fault
        self._states: dict[int, JitState | _Ignored] = {}
        self._references: dict[int, Any] = {}
        self._over = False
        self.hook = self._make()

    def _make(self) -> Callable[[Any, Any, Any, Any], None]:
        states, slow, first = self._states, self._slow, self._first
        # A jitted callable's hash is its identity, and no audit hook is told of it, as it would be of `id`: one in
        # Python, such as filelock's, would make this line cost more than the rest.
        getframe, number = sys._getframe, hash

        def whyjit_hook(jitted: Any, args: Any, kwargs: Any, out: Any) -> None:  # noqa: ARG001 - JAX gives them
            try:
                state = states[number(jitted)]
            except KeyError:
                first(jitted, getframe(1), args, kwargs)
                return
            frame = getframe(1)
            if frame.f_lasti == state.lasti and frame.f_code is state.code:
                state.hits += 1
                return
            slow(state, jitted, frame, args, kwargs)

        return whyjit_hook

    def _first(self, jitted: Any, frame: Any, args: Any, kwargs: Any) -> None:
        """A hit of a jitted callable seen here for the first time; JAX's inner dispatch objects are left alone."""
        if self._over:
            return  # a thread that JAX keeps a hook of its own for
        try:
            key = hash(jitted)
            kind: Any = type(jitted)
            known = jits.info_of(jitted) is not None and kind.__hash__ is object.__hash__
            state = self._adopt(jitted, frame) if known else None
            self._references[key] = weakref.ref(jitted, lambda _: self._forget(key))
            self._states[key] = _IGNORED if state is None else state
            if state is not None:
                self._slow(state, jitted, frame, args, kwargs)
        except Exception as fault:
            self._fault("first hit", fault)

    def _forget(self, key: int) -> None:
        self._references.pop(key, None)
        self._states.pop(key, None)

    def _slow(self, state: JitState | _Ignored, jitted: Any, frame: Any, args: Any, kwargs: Any) -> None:
        try:
            if not isinstance(state, _Ignored):
                self._hit(state, jitted, frame, args, kwargs)
        except Exception as fault:  # an exception here would reach the user's call
            self._fault("hit", fault)

    def _hit(self, state: JitState, jitted: Any, frame: FrameType, args: Any, kwargs: Any) -> None:
        """A hit that the hook alone could not count: of another line, or one of several specializations."""
        user = places.user_frame(frame)
        site = places.location_of(user)
        if state.operation:
            self._operation(state.operation, site)
            return
        if state.wrapped:
            args, kwargs = foreign.arguments(frame, args, kwargs)
        spec = self._place(state, jitted, args, kwargs, frame)
        if spec is None:
            return
        if spec.earlier and state.pick is None and jits.live_entries(jitted) > 1:
            state.pick = _nothing  # there are others that nobody saw made: every call must be looked at
        ledger, function = self._ledger, state.function
        watched = function.watched
        if watched:
            self._stale.check(function)
        look_on = bool(spec.zeros) and self._stale.twins.at_hit(state, spec, args, kwargs, site)
        with ledger.lock:
            fresh = ledger.add_row(function, spec, "hit", site, 1)
            spec.calls += 1
            spec.touched = True
            function.owner = state
            state.spec = spec
            # Equal calls from this instruction may now be counted by the hook alone, except where a call must be looked
            # at to know its specialization, and in a row's first few, where a change outside may have made it stale.
            if frame is user and state.pick is None and not (watched and fresh) and not look_on:
                state.lasti, state.code = frame.f_lasti, frame.f_code
            else:
                state.lasti, state.code = -1, None

    def _place(self, state: JitState, jitted: Any, args: Any, kwargs: Any, frame: FrameType) -> SpecState | None:
        pick = state.pick
        if pick is None and len(state.specs) == 1:
            return state.specs[0]
        if pick is not None:
            found = _found(state, pick, args, kwargs)
            if found is not None:
                return found
        return self._resolve(state, jitted, args, kwargs, frame)

    def clear(self) -> None:
        """Forget every callable, and count no more."""
        self._over = True
        self._states.clear()
        self._references.clear()


def _found(state: JitState, pick: Any, args: Any, kwargs: Any) -> SpecState | None:
    try:
        return state.table.get(pick(args, kwargs))
    except (AttributeError, KeyError, IndexError, TypeError):
        return None  # another structure than the pick was made for


def take(state: JitState, spec: SpecState, names: dict[str, str], statics: dict[str, str], describer: Any) -> None:
    """Make a specialization known to a jitted callable, so that its hits find it.

    `names` and `statics` give the expression that reaches each argument, and each static value.
    """
    if spec in state.specs:
        return
    state.keys[key_of_spec(spec)] = spec
    spec.zeros = zeros_of(spec.signature, statics)
    differing: list[picks.Factor] = list(getattr(state.pick, "differing", ()))
    fresh = _new_differences(state, spec, differing)
    state.specs.append(spec)
    if len(state.specs) == 1:
        return
    state.code, state.lasti = None, -1
    if not fresh and state.pick is not None:
        state.table[picks.key_of(spec, differing)] = spec
        return
    differing += fresh
    where = routes.routes(names, [path for kind, path in differing if kind in picks.OF_LEAVES])
    made = picks.make(differing, where, statics, describer) if differing else None
    table = {picks.key_of(known, differing): known for known in state.specs} if made is not None else {}
    if made is None or len(table) != len(state.specs):
        state.pick, state.table = _nothing, {}
        return
    made.differing = differing  # type: ignore[attr-defined]
    state.table, state.pick = table, made


def _nothing(args: Any, kwargs: Any) -> None:  # noqa: ARG001 - takes the place of a pick
    """A pick that finds nothing: every call is placed by its full signature."""
    return


def _new_differences(state: JitState, spec: SpecState, known: list[picks.Factor]) -> list[picks.Factor]:
    """The factors in which a specialization differs from the callable's first one, and that are not read already."""
    if not state.specs:
        return []
    first, own = picks.factors(state.specs[0].signature), picks.factors(spec.signature)
    changed = [factor for factor in {**first, **own} if first.get(factor) != own.get(factor)]
    return [factor for factor in changed if factor not in known]
