"""JAX's persistent compilation cache: what a key is made of, and whether an entry is written.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: `jax._src.cache_key.get` feeds one hash with the components of a key,
the program first, and calls the module's `_log_cache_key_hash(hash, name, feed)` after each of them, whether it logs or
not; `jax._src.compiler._cache_write(cache_key, compile_time_secs, ...)` is called after each compile whose key was not
found, and decides whether to write. Keys are made for every compile, even where no directory is set; they are read only
where one is, which was measured at 0.17 ms for each compile.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink.doors import Replaced, stand_in
from whyjit.jaxlink.missing import Missing
from whyjit.model.durations import duration

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPONENT_PARAMETERS = ["hash_obj", "last_serialized", "hashfn"]
_PROGRAM = "computation"
_HOOK = "custom_hook"
_OPTIONS = "compile_options"
_BINARY = frozenset({_OPTIONS, "accelerator_config"})
OPTIONS_AS_READ = "compile_options as read"
_LONGEST = 400


def directory() -> str:
    """The directory of the cache in use, "" where there is none."""
    from jax._src import config

    enabled = getattr(getattr(config, "enable_compilation_cache", None), "value", True)
    return str(getattr(getattr(config, "compilation_cache_dir", None), "value", None) or "") if enabled else ""


def replace_components(told: Callable[[str, str], None]) -> Replaced | Missing:
    """Have `told(component, text or digest)` called for each component of each key."""
    try:
        from jax._src import cache_key
    except ImportError as fault:
        return Missing(f"jax._src.cache_key cannot be imported: {fault}")
    original = getattr(cache_key, "_log_cache_key_hash", None)
    if original is None or list(inspect.signature(original).parameters) != _COMPONENT_PARAMETERS:
        return Missing("jax._src.cache_key has no _log_cache_key_hash that is told of each component")

    def _log_cache_key_hash(hash_obj: Any, last_serialized: str, hashfn: Callable[[Any], None]) -> None:
        if directory():
            told(last_serialized, _component(hash_obj, last_serialized, hashfn))
            if last_serialized == _OPTIONS:
                told(OPTIONS_AS_READ, _options(hashfn))
        original(hash_obj, last_serialized, hashfn)

    return stand_in(cache_key, "_log_cache_key_hash", _log_cache_key_hash)


_last = threading.local()


def replace_strings() -> Replaced | Missing:
    """Remember the last text that was fed into a key: a hook of the program's own is not to be asked a second time."""
    try:
        from jax._src import cache_key
    except ImportError as fault:
        return Missing(f"jax._src.cache_key cannot be imported: {fault}")
    original = getattr(cache_key, "_hash_string", None)
    if original is None or len(inspect.signature(original).parameters) != 2:
        return Missing("jax._src.cache_key has no _hash_string that is given a hash and a text")

    def _hash_string(hash_obj: Any, str_var: str) -> None:
        original(hash_obj, str_var)
        _last.text = str_var

    return stand_in(cache_key, "_hash_string", _hash_string)


class _Collected:
    """Takes what a component feeds into a hash."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def update(self, piece: bytes) -> None:
        self.pieces.append(bytes(piece))


def _component(hash_obj: Any, name: str, hashfn: Callable[[Any], None]) -> str:
    """A component as text, or its digest. The program comes first, so that the hash so far is its own."""
    try:
        if name == _PROGRAM:
            return str(hash_obj.hexdigest())[:32]
        collected = _Collected()
        if name == _HOOK:
            collected.update(_last.text.encode("utf-8").strip())
        else:
            hashfn(collected)
        whole = b"".join(collected.pieces)
        if name not in _BINARY and len(whole) <= _LONGEST:
            text = " ".join(piece.decode("utf-8", "replace") for piece in collected.pieces)
            if text.isprintable():
                return text
        return hashlib.sha256(whole).hexdigest()[:32]
    except Exception as fault:
        return f"not read: {type(fault).__name__}"


def _options(hashfn: Any) -> str:
    """The compile options that are set, `name=value; ...`: their serialized form says nothing to a person."""
    cells = dict(zip(hashfn.__code__.co_freevars, hashfn.__closure__ or (), strict=False))
    try:
        options = cells["compile_options"].cell_contents
        every = {**_plain(getattr(options, "executable_build_options", None)), **_plain(options)}
    except (KeyError, ValueError):
        return ""
    return "; ".join(f"{name}={value}" for name, value in sorted(every.items()) if value)[:_LONGEST]


def _plain(holder: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in dir(holder):
        if name.startswith("_"):
            continue
        try:
            value = getattr(holder, name)
        except Exception:  # noqa: S112 - some have types that Python does not know
            continue
        if value and isinstance(value, (int, float, str, list, tuple)):
            found[name] = repr(value)
    return found


def replace_write(make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Replaced | Missing:
    """Put `make(original)` in the place of what writes an entry, or decides not to."""
    try:
        from jax._src import compiler
    except ImportError as fault:
        return Missing(f"jax._src.compiler cannot be imported: {fault}")
    original = getattr(compiler, "_cache_write", None)
    if original is None or list(inspect.signature(original).parameters)[:2] != ["cache_key", "compile_time_secs"]:
        return Missing("jax._src.compiler has no _cache_write that takes a key and the compile's seconds")
    return stand_in(compiler, "_cache_write", make(original))


def examine() -> Missing | None:
    """Whether keys and writes can be watched."""
    for outcome in (
        replace_components(lambda _name, _text: None),
        replace_strings(),
        replace_write(lambda original: original),
    ):
        if isinstance(outcome, Missing):
            return outcome
        outcome.restore()
    return None


def why_unwritten(seconds: float, callbacks: Any) -> str:
    """Why an entry was not written, by the order in which JAX decides; `seconds` is the time of the compile."""
    from jax._src import config, distributed

    if getattr(getattr(distributed, "global_state", None), "process_id", 0):
        return "only process 0 writes"
    if callbacks:
        return "the program calls back into Python"
    shortest = _setting(config, "persistent_cache_min_compile_time_secs")
    if shortest is not None and seconds < shortest:
        setting = f"jax_persistent_cache_min_compile_time_secs ({float(shortest):g})"
        return f"it compiled in {duration(seconds)}, less than {setting}"
    smallest = _setting(config, "persistent_cache_min_entry_size_bytes")
    if smallest is not None and smallest > 0:
        return f"it is smaller than jax_persistent_cache_min_entry_size_bytes ({smallest}), or could not be written"
    return "it could not be written"


def _setting(config: Any, name: str) -> Any:
    return getattr(getattr(config, name, None), "value", None)
