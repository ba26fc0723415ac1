"""Why a compile was not found on disk, and what to do about it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.disk_cache import OVERLAPPED

if TYPE_CHECKING:
    from whyjit.analyse.disk_cache import Verdict

_NAMES = {
    "jax_lib version": "the version of jaxlib",
    "backend version": "the platform and its version",
    "XLA flags": "the XLA flags",
    "compile_options": "the compile options",
    "accelerator_config": "the devices",
    "compression": "how entries are packed",
    "custom_hook": "the text of a custom hook",
}
_REMEDIES = {
    "jax_lib version": "fill the cache anew after an upgrade, or keep both runs on one jaxlib",
    "backend version": "run both on the same platform and driver",
    "XLA flags": "start both runs with the same XLA_FLAGS (flags about dumping do not count)",
    "compile_options": "give both runs the same compiler options, device assignment and JAX configuration",
    "accelerator_config": "run both on the same kind and arrangement of devices",
    "compression": "install zstandard for both runs or for neither",
    "custom_hook": "give JAX's cache_key.custom_hook the same text in both runs",
}
_LONGEST = 160


def reason(verdict: Verdict) -> str:
    """Why the cache did not answer; "" where it did."""
    match verdict.status:
        case "key":
            told = "; ".join(_difference(*difference) for difference in _worth_telling(verdict))
            return f"the same program was kept under another key: {told}"
        case "unwritten":
            return f"an earlier compile of the same program was not written: {verdict.reason}"
        case "gone":
            return f"the same key as in the earlier run: {verdict.reason} (evicted, or deleted)"
        case "elsewhere":
            return f"the same key as in the earlier run, but {verdict.reason}"
        case "program":
            return "the earlier run compiled another program for it"
        case "new":
            return "the earlier run compiled nothing for it"
        case "off":
            return "no persistent cache was in use"
        case _:
            return ""


def remedy(verdict: Verdict) -> str:
    """What would make the cache answer; "" where nothing need be done, or nothing can."""
    match verdict.status:
        case "key":
            return "; ".join(_REMEDIES.get(name, f"keep {name} the same") for name, _, _ in _worth_telling(verdict))
        case "unwritten" if "min_compile_time" in verdict.reason:
            return 'jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)'
        case "unwritten" if "min_entry_size" in verdict.reason:
            return 'jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)'
        case "unwritten" if "calls back" in verdict.reason:
            return "take the callback (jax.debug.print, io_callback, pure_callback) out of the program, or upgrade JAX"
        case "unwritten" if verdict.reason == OVERLAPPED:
            return "start the later run when the earlier one has compiled"
        case "unwritten":
            return "see to it that process 0 compiles it, too, and that the directory can be written"
        case "gone":
            return "keep the directory, and give it room: jax_compilation_cache_max_size"
        case "elsewhere":
            return "set jax_compilation_cache_dir to one directory for both"
        case "off":
            return "set jax_compilation_cache_dir"
        case _:
            return ""


def _worth_telling(verdict: Verdict) -> tuple[tuple[str, str, str], ...]:
    """The components that differ, without the compile options where only what XLA's flags set in them does."""
    names = {name for name, _, _ in verdict.differs}
    return tuple(
        (name, old, new)
        for name, old, new in verdict.differs
        if not (name == "compile_options" and "XLA flags" in names and not old and not new)
    )


def _difference(name: str, old: str, new: str) -> str:
    said = _NAMES.get(name, name)
    verb = "were" if said.endswith("s") else "was"
    if _is_digest(old) or _is_digest(new) or (not old and not new):
        return f"{said} {'differ' if verb == 'were' else 'differs'}"
    return f"{said} {verb} {_cut(old)} and {'are' if verb == 'were' else 'is'} {_cut(new)}"


def _is_digest(text: str) -> bool:
    return len(text) == 32 and all(letter in "0123456789abcdef" for letter in text)


def _cut(text: str) -> str:
    if not text:
        return "none"
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"
