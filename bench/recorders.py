"""What is compared: whyjit, JAX's own switches, and the assertions of chex and equinox."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MANY = 1_000_000


def unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A recorder that is no decorator leaves the function as it is."""
    return function


@dataclass(frozen=True)
class Recorder:
    """A way to watch a program: active within `watching`, or as a decorator beneath `jax.jit`."""

    name: str
    watching: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    decorate: Callable[[Callable[..., Any]], Callable[..., Any]] = unchanged


@contextlib.contextmanager
def whyjit_recording(*, calls: bool) -> Iterator[Any]:
    """Record into a folder, as `whyjit run` does."""
    import whyjit

    with tempfile.TemporaryDirectory(prefix="whyjit-bench-") as folder, whyjit.record(out=folder, calls=calls) as found:
        yield found


@contextlib.contextmanager
def jax_switch(name: str) -> Iterator[None]:
    """Turn one of JAX's logging switches on, its messages written to nowhere."""
    logger = logging.getLogger("jax")
    with Path(os.devnull).open("w") as nowhere:
        handler = logging.StreamHandler(nowhere)
        before = logger.handlers[:], logger.propagate
        logger.handlers, logger.propagate = [handler], False
        jax.config.update(name, True)
        try:
            yield
        finally:
            jax.config.update(name, False)
            logger.handlers, logger.propagate = before


def chex_assertion(function: Callable[..., Any]) -> Callable[..., Any]:
    """Count traces with chex, without a limit that could be met."""
    import chex

    return chex.assert_max_traces(function, n=MANY)


def equinox_assertion(function: Callable[..., Any]) -> Callable[..., Any]:
    """Count traces with equinox, without a limit that could be met."""
    import equinox

    return equinox.debug.assert_max_traces(max_traces=MANY)(function)


BARE = Recorder("bare JAX")
CONTROL = Recorder("bare JAX again")  # how far from 1 the noise of this machine goes
WHYJIT = Recorder("whyjit", lambda: whyjit_recording(calls=True))
WHYJIT_NO_CALLS = Recorder("whyjit, no calls", lambda: whyjit_recording(calls=False))


def peers() -> list[Recorder]:
    """What people use today, where it is installed."""
    switches = [
        Recorder("jax_log_compiles", lambda: jax_switch("jax_log_compiles")),
        Recorder("jax_explain_cache_misses", lambda: jax_switch("jax_explain_cache_misses")),
    ]
    assertions = {
        "chex": Recorder("chex.assert_max_traces", decorate=chex_assertion),
        "equinox": Recorder("equinox.debug.assert_max_traces", decorate=equinox_assertion),
    }
    return switches + [recorder for package, recorder in assertions.items() if importlib.util.find_spec(package)]
