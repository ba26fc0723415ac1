"""A value that changed outside while the program still uses the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="stale-constant",
    title="The program still uses an old value",
    what=(
        "A value that the function read from outside while it was traced has changed since, and calls went on"
        " with the old one."
    ),
    why=(
        "The Python body runs only while tracing; an attribute, a global or a closure variable read there is a"
        " constant of the program, and changing it changes no key."
    ),
    todo="Pass the value as an argument.",
    ignore="When the old value is meant.",
    before=Example(
        "import jax\n"
        "class Gauge:\n"
        "    offset = 1.0\n"
        "    def read(self, x):\n"
        "        return x + self.offset\n"
        "gauge = Gauge()\n"
        "read = jax.jit(gauge.read)\n"
        "read(0.0)\n"
        "gauge.offset = 2.0\n"
        "read(0.0)\n"
    ),
    after=Example(
        "import jax\n"
        "class Gauge:\n"
        "    offset = 1.0\n"
        "    def read(self, x, offset):\n"
        "        return x + offset\n"
        "gauge = Gauge()\n"
        "read = jax.jit(gauge.read)\n"
        "read(0.0, gauge.offset)\n"
        "gauge.offset = 2.0\n"
        "read(0.0, gauge.offset)\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Reads that changed and were followed by calls of the same program."""
    seen: set[str] = set()
    for read in group.stale:
        if not read.calls_since or read.path in seen or read.kind != "read":
            continue
        seen.add(read.path)
        since = f"{read.calls_since} call{'s' if read.calls_since > 1 else ''}"
        text = (
            f"`{read.path}` was {read.old} when the program was traced and is {read.new} now;"
            f" {since} since then still used {read.old}, and no error says so"
        )
        remedy = f"pass `{read.path}` as an argument of `{group.function.name}`"
        yield Finding(PAGE.code, read.path, text, remedy, location=read.location, ignore=PAGE.ignore, wrong=True)
