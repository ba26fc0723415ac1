"""Being told when the program has imported a module, without importing it first.

JAX reads its configuration from the environment when it is imported, and programs set it up before that: were whyjit to
import JAX, it would change what they do.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


# The import system's own way to call a loader, after which it cuts its frames out of a traceback.
_call_with_frames_removed: Any = sys.modules["_frozen_importlib"].__dict__["_call_with_frames_removed"]


def call_after_import(name: str, action: Callable[[], None]) -> None:
    """Call `action` once, right after the module's own code has run without an error."""
    if name in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _Finder(name, action))


class _Finder:
    """Finds one module as Python would have found it, and has its import watched."""

    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Watched(spec.loader, self)  # type: ignore[assignment]  # it has what importing uses
                return spec
        return None

    def arrived(self) -> None:
        """The module is there. It may come again, from a spec that somebody has kept."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        action, self._action = self._action, _nothing
        action()


def _nothing() -> None:
    pass


class _Watched:
    """A loader that gives the module its true loader back, runs it, and tells."""

    def __init__(self, loader: Loader, finder: _Finder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        _call_with_frames_removed(self._loader.exec_module, module)
        self._finder.arrived()

    # Python leaves the import system's own frames out of a traceback, and knows them by their file: so a JAX that
    # cannot be imported has the traceback it always had.
    exec_module.__code__ = exec_module.__code__.replace(co_filename=_call_with_frames_removed.__code__.co_filename)
