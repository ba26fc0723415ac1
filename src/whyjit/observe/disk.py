"""What the persistent compilation cache does, collected for the compile that it is done for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import disk
from whyjit.model.disk import Disk

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.jaxlink.doors import Replaced
    from whyjit.jaxlink.missing import Missing
    from whyjit.model.disk import Outcome

_CALLBACKS = 5  # the place of the host callbacks among the arguments of JAX's writer, where it takes them


class _Thread(threading.local):
    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.key = ""
        self.asked = False
        self.written = False
        self.reason = ""


class DiskProbe:
    """Watches keys being made and entries being written; `take` gives what was seen since the last compile.

    JAX makes the key, looks for the entry, compiles and writes in one thread, and tells the compile's time at the end.
    """

    def __init__(self, fault: Callable[[str, BaseException], None]) -> None:
        self._thread = _Thread()
        self._fault = fault

    def install(self) -> list[Replaced | Missing]:
        """Watch from now on."""
        return [disk.replace_components(self._component), disk.replace_strings(), disk.replace_write(self._make_writer)]

    def _component(self, name: str, text: str) -> None:
        self._thread.parts[name] = text

    def asked(self) -> None:
        """JAX looks into the cache."""
        self._thread.asked = True

    def wrote(self) -> None:
        """JAX writes an entry."""
        self._thread.written = True

    def _make_writer(self, original: Callable[..., Any]) -> Callable[..., Any]:
        local = self._thread

        def _cache_write(cache_key: str, compile_time_secs: float, *args: Any, **kwargs: Any) -> Any:
            answer = original(cache_key, compile_time_secs, *args, **kwargs)
            try:
                local.key = str(cache_key)
                callbacks = kwargs.get("host_callbacks", args[_CALLBACKS - 2] if len(args) > _CALLBACKS - 2 else ())
                local.reason = "" if local.written else disk.why_unwritten(compile_time_secs, callbacks)
            except Exception as fault:
                self._fault("persistent cache", fault)
            return answer

        return _cache_write

    def take(self, *, loaded: bool) -> Disk | None:
        """What the cache did for the compile, or the load, that has just ended in this thread."""
        local = self._thread
        parts, key, asked, written, reason = local.parts, local.key, local.asked, local.written, local.reason
        local.parts, local.key, local.asked, local.written, local.reason = {}, "", False, False, ""
        where = disk.directory() if asked else ""
        if not where:
            return None
        outcome: Outcome = "found" if loaded else "written" if written else "unwritten"
        return Disk(key, tuple(parts.items()), outcome, reason, where)
