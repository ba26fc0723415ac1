"""Programs that fail on purpose, and a probe that watches them."""

from __future__ import annotations

import contextlib
import linecache
import textwrap
from typing import NamedTuple

from whyjit.explaining import explain_exception, failure_probe


class Watched(NamedTuple):
    """What a probe reported while it watched."""

    failures: list
    faults: list


@contextlib.contextmanager
def watching():
    """A probe that is installed, and removed at the end; it must have had no fault of its own."""
    seen = Watched([], [])
    probe = failure_probe(seen.failures.append, seen.faults.append)
    assert probe.install() == ()
    try:
        yield seen
    finally:
        probe.remove()
    assert seen.faults == []


def load(source: str, name: str) -> dict:
    """Run a program from a file that exists only in the line cache; its names."""
    source = textwrap.dedent(source)
    file = f"/nowhere/{name}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), space)  # noqa: S102 - the programs are those of the tests
    return space


def fail(source: str, name: str) -> Exception:
    """The exception that a program ends with."""
    try:
        load(source, name)
    except Exception as raised:  # noqa: BLE001 - it is what the test is about
        return raised
    raise AssertionError(f"{name} did not fail")


def failure(source: str, name: str = "program"):
    """The one failure of a program that ends with an error: from the probe, or its end where JAX is never reached."""
    with watching() as seen:
        raised = fail(source, name)
    found = explain_exception(raised)
    assert seen.failures in ([], [found])
    return found
