"""whyjit in IPython and Jupyter: `%load_ext whyjit`, then `%whyjit` and `%%whyjit`.

IPython is imported when the extension is loaded, and by nothing else of whyjit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyjit.notebook.sessions import Notebook

_loaded: dict[int, Notebook] = {}


def load_ipython_extension(ipython: Any) -> None:
    """Record this session from now on, and explain tracer errors below their tracebacks.

    JAX is not imported for it: where it has not been yet, recording begins when a cell imports it.
    """
    from whyjit.notebook.formats import register
    from whyjit.notebook.magics import Magics
    from whyjit.notebook.sessions import Notebook

    if id(ipython) in _loaded:
        return
    notebook = _loaded[id(ipython)] = Notebook(ipython)
    magics = Magics(ipython, notebook)
    ipython.register_magic_function(magics.line, "line", "whyjit")
    ipython.register_magic_function(magics.cell, "cell", "whyjit")
    register(ipython)
    notebook.load()


def unload_ipython_extension(ipython: Any) -> None:
    """Stop recording, and take the magics away."""
    notebook = _loaded.pop(id(ipython), None)
    if notebook is None:
        return
    notebook.unload()
    for kind in ("line", "cell"):
        ipython.magics_manager.magics[kind].pop("whyjit", None)


__all__ = ["load_ipython_extension", "unload_ipython_extension"]
