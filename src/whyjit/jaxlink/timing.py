"""How long JAX takes to make a program for some arguments, and to run it."""

from __future__ import annotations

import contextlib
import functools
import statistics
import time
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import jits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

_BUILDS = 3
_BUILDING_S = 0.5
_RUNS = 30
_RUNNING_S = 0.1


@functools.cache
def _jax() -> Any:
    import jax

    return jax


@contextlib.contextmanager
def without_disk_cache() -> Generator[None]:
    """Leave JAX's cache on disk out meanwhile: what it answers says nothing about the time that compiling takes."""
    config = _jax().config
    before = config.jax_enable_compilation_cache
    config.update("jax_enable_compilation_cache", False)
    try:
        yield
    finally:
        config.update("jax_enable_compilation_cache", before)


def forget() -> None:
    """Forget what was traced and compiled before."""
    _jax().clear_caches()


def jitted(function: Callable[..., Any], statics: Sequence[str]) -> Any:
    """The function jitted anew: nothing that was traced or compiled before is used."""

    @functools.wraps(function)
    def anew(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return _jax().jit(anew, **jits.static_options(anew, statics))


def once(
    function: Callable[..., Any], statics: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[float, float]:
    """Seconds to trace, lower and compile a function for these arguments, and the median seconds of a call.

    The program is made up to three times while that takes less than half a second, and the least time counts: what else
    the machine does only adds to it. Calls are made for a tenth of a second, three at least and thirty at most, each
    waited for.
    """
    builds: list[float] = []
    while len(builds) < _BUILDS and sum(builds) < _BUILDING_S:
        fresh = jitted(function, statics)
        began = time.perf_counter()
        fresh.lower(*args, **kwargs).compile()
        builds.append(time.perf_counter() - began)
    return min(builds), calling(fresh, args, kwargs)


def calling(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """The median seconds of a call that is waited for, once the function has been called."""
    jax = _jax()
    jax.block_until_ready(function(*args, **kwargs))
    times: list[float] = []
    ends = time.perf_counter() + _RUNNING_S
    while len(times) < 3 or (len(times) < _RUNS and time.perf_counter() < ends):
        began = time.perf_counter()
        jax.block_until_ready(function(*args, **kwargs))
        times.append(time.perf_counter() - began)
    return statistics.median(times)
