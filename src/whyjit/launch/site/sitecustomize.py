"""Imported by Python at start-up, from PYTHONPATH, in a program run by `whyjit run` and in its children.

It lets whyjit watch for JAX, then gives way to the `sitecustomize` that Python would have found without it. It may run
in any Python of this machine. Where it is not the one that whyjit is installed in, or something goes wrong, it does
nothing.
"""
# ruff: noqa: INP001, PTH100, PTH120, SIM105 - it is no part of a package, and must not load what Python has not loaded

import os
import sys


def _leave_path() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    return here


def _watch(here: str) -> None:
    if os.environ.get("WHYJIT_RUN_PREFIX") != sys.prefix:
        return
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    # The same whyjit as the one that started the run; its later imports go by its own path.
    sys.path.insert(0, root)
    try:
        from whyjit.launch import bootstrap
    finally:
        sys.path.remove(root)
    bootstrap.begin()


def _give_way() -> None:
    ours = sys.modules.pop(__name__)
    try:
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401 - the user's own, if there is one
    except ImportError as fault:
        if getattr(fault, "name", None) != __name__:
            raise
    finally:
        # The import system expects the module that it is importing to be there when it is done.
        sys.modules.setdefault(__name__, ours)


try:
    _watch(_leave_path())
except Exception:  # noqa: BLE001, S110 - a program is never broken by being recorded
    pass
_give_way()
