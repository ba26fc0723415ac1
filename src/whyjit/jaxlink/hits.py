"""JAX's own post-call hook: called with (jitted function, args, kwargs, out) after each call on the C++ fast path.

`debug_nans` uses the same hook. From JAX 0.8 on it is a configuration state reached through the module global
`jax._src.api._post_hook_state`, and JAX sets the *thread-local* hook to None whenever it leaves a `debug_nans` context
of its own, which hides a global one. So while recording, that global is an object that composes JAX's hook with ours.
Before 0.8 the hook is an attribute of the C++ jit state, and the functions that set it are replaced likewise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    Hook = Callable[[Any, Any, Any, Any], Any]


class Hits(Protocol):
    """An installed hook."""

    def ensure_thread(self) -> None:
        """Make sure that this thread's calls are seen, whatever JAX has set for it."""

    def remove(self) -> None:
        """Put everything back as JAX would have it now."""


def compose(first: Hook | None, ours: Hook) -> Hook:
    """A hook that calls JAX's, which may raise on purpose, and ours in any case."""
    if first is None:
        return ours

    def both(function: Any, args: Any, kwargs: Any, out: Any) -> None:
        try:
            first(function, args, kwargs, out)
        finally:
            ours(function, args, kwargs, out)

    both.jax_hook = first  # type: ignore[attr-defined]
    both.our_hook = ours  # type: ignore[attr-defined]
    return both


def _jax_part(hook: Any, ours: Hook) -> Any:
    return None if hook is ours else getattr(hook, "jax_hook", hook)


class _StateHits:
    """From 0.8 on."""

    def __init__(self, api: Any, hook: Hook) -> None:
        self._api = api
        self._hook = hook
        self._state = api._post_hook_state
        state = self._state
        ours = hook

        class Composing:
            """Stands in for the state: what JAX sets is composed with ours, what it reads is its own."""

            def set_global(self, value: Any) -> None:
                state.set_global(compose(value, ours))

            def set_local(self, value: Any) -> None:
                state.set_local(compose(value, ours))

            def swap_local(self, value: Any) -> Any:
                return _jax_part(state.swap_local(compose(value, ours)), ours)

            def get_global(self) -> Any:
                return _jax_part(state.get_global(), ours)

            @property
            def value(self) -> Any:
                return _jax_part(state.value, ours)

            def __getattr__(self, name: str) -> Any:
                return getattr(state, name)

        self._composing = Composing()
        state.set_global(compose(state.get_global(), ours))
        api._post_hook_state = self._composing
        self.ensure_thread()

    def ensure_thread(self) -> None:
        current = self._state.value
        if current is not self._hook and getattr(current, "our_hook", None) is not self._hook:
            self._state.set_local(compose(current, self._hook))

    def remove(self) -> None:
        if self._api._post_hook_state is self._composing:
            self._api._post_hook_state = self._state
        self._state.set_global(_jax_part(self._state.get_global(), self._hook))
        current = self._state.value
        if current is self._hook or getattr(current, "our_hook", None) is self._hook:
            self._state.set_local(_jax_part(current, self._hook))


class _ComposingSlot:
    """Stands in for a C++ jit state before 0.8: what JAX sets as its post-call hook is composed with ours."""

    def __init__(self, slot: Any, hook: Hook) -> None:
        object.__setattr__(self, "_slot", slot)
        object.__setattr__(self, "_hook", hook)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._slot, name)
        return _jax_part(value, self._hook) if name == "post_hook" else value

    def __setattr__(self, name: str, value: Any) -> None:
        # None in a thread's slot means that the global hook serves, which is ours already.
        setattr(self._slot, name, compose(value, self._hook) if name == "post_hook" and value is not None else value)


class _AttributeHits:
    """Before 0.8: `jax_jit.global_state().post_hook` and `thread_local_state().post_hook`."""

    def __init__(self, api: Any, jax_jit: Any, hook: Hook) -> None:
        self._api = api
        self._jit = jax_jit
        self._hook = hook

        class Composing:
            """Stands in for the module `jax_jit` where `jax._src.api` looks it up."""

            def __getattr__(self, name: str) -> Any:
                return getattr(jax_jit, name)

            def global_state(self) -> Any:
                slot = _ComposingSlot(jax_jit.global_state(), hook)
                if jax_jit.global_state().post_hook is None:
                    jax_jit.global_state().post_hook = hook
                return slot

            def thread_local_state(self) -> Any:
                return _ComposingSlot(jax_jit.thread_local_state(), hook)

        self._composing = Composing()
        api.jax_jit = self._composing
        self.ensure_thread()

    def ensure_thread(self) -> None:
        for state in (self._jit.global_state(), self._jit.thread_local_state()):
            current = state.post_hook
            theirs = current is not None and current is not self._hook
            if theirs and getattr(current, "our_hook", None) is not self._hook:
                state.post_hook = compose(current, self._hook)
        if self._jit.global_state().post_hook is None:
            self._jit.global_state().post_hook = self._hook

    def remove(self) -> None:
        if self._api.__dict__.get("jax_jit") is self._composing:
            self._api.jax_jit = self._jit
        for state in (self._jit.global_state(), self._jit.thread_local_state()):
            state.post_hook = _jax_part(state.post_hook, self._hook)


def install(hook: Hook) -> Hits | Missing:
    """Have `hook` called after every call on the C++ fast path, beside whatever JAX has there. It must never raise."""
    try:
        from jax._src import api
        from jax._src.lib import jax_jit
    except ImportError as fault:
        return Missing(f"the C++ jit state cannot be imported: {fault}")
    if hasattr(getattr(api, "_post_hook_state", None), "set_global"):
        return _StateHits(api, hook)
    try:
        if not hasattr(jax_jit.global_state(), "post_hook"):
            return Missing("the C++ jit state has no post_hook")
        return _AttributeHits(api, jax_jit, hook)
    except AttributeError as fault:
        return Missing(f"the C++ jit state has no post-call hook: {fault}")
