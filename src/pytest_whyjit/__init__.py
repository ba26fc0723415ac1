"""The pytest plugin of whyjit: `--whyjit`, the mark `traces`, and the fixture `whyjit_ledger`.

pytest imports this module in every session, so it is a package of its own that imports nothing but pytest: whyjit and
JAX are imported when one of the three is used.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from whyjit.api import Recorded

OPTION = "record what JAX traces and compiles: explain tracer errors, and list the costliest functions and tests"
MARK = (
    "traces(max=None, compiles=None, of=None): fail the test if the functions that fit `of` (a name or pattern; left"
    " out, those of your own code) are traced more than `max` times, or compiled more than `compiles` times"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--whyjit`."""
    group = parser.getgroup("whyjit")
    group.addoption(
        "--whyjit",
        action="store_true",
        help=OPTION,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark, and record the session if that is asked for."""
    config.addinivalue_line("markers", MARK)
    if config.getoption("whyjit"):
        from whyjit.pytest_plugin import SessionRecorder

        config.pluginmanager.register(SessionRecorder(config), "whyjit-session")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a marked test to its limits."""
    marks = list(item.iter_markers("traces"))
    if not marks:
        return (yield)
    from whyjit.pytest_plugin import held

    with held(marks):
        return (yield)


@pytest.fixture
def whyjit_ledger() -> Generator[Recorded]:
    """A recording of the test, every call included: `whyjit_ledger.report()` is what JAX did so far, and why."""
    import whyjit

    with whyjit.record() as recorded:
        yield recorded
