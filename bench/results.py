"""The outcome of a measurement, and the tables made of it."""

from __future__ import annotations

import itertools
import json
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

TITLES = ("measured", "with", "result", "middle half", "limit", "")


@dataclass(frozen=True)
class Result:
    """One figure: what was measured, with which recorder, and the most it may be.

    A figure with the unit "x" is a ratio to bare JAX. `low` and `high` enclose the middle half of its samples.
    """

    measured: str
    recorder: str
    value: float
    unit: str = "x"
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """The figure as the cells of a table's row."""
        form = {"x": "{:.3f}", "s": "{:.2f} s", "MB": "{:.0f} MB"}[self.unit].format
        spread = "" if self.low is None or self.high is None else f"{form(self.low)} to {form(self.high)}"
        limit = "" if self.limit is None else form(self.limit)
        verdict = self.note if self.limit is None or self.value <= self.limit else f"over {self.note}"
        return (self.measured, self.recorder, form(self.value), spread, limit, verdict.strip())


def ratio(measured: str, recorder: str, samples: list[float], limit: float | None = None, note: str = "") -> Result:
    """The median of many ratios, with the middle half of them."""
    low, middle, high = statistics.quantiles(samples, n=4) if len(samples) > 1 else samples * 3
    return Result(measured, recorder, middle, low=low, high=high, limit=limit, note=note)


def machine() -> dict[str, str]:
    """Where the figures come from."""
    import jax

    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "jax": jax.__version__,
        "backend": jax.default_backend(),
    }


def show(results: Iterable[Result]) -> None:
    """Print a table to the terminal: a section for each measurement."""
    table = Table(*TITLES)
    sections = [list(group) for _, group in itertools.groupby(results, key=lambda result: result.measured)]
    for section in sections:
        for title, result in itertools.zip_longest([section[0].measured], section, fillvalue=""):
            table.add_row(title, *result.cells()[1:])
        table.add_section()
    Console(width=max(120, Console().width)).print(table)


def as_markdown(results: Iterable[Result]) -> str:
    """The same table as a Markdown page, the way the documentation shows it."""
    rows = [TITLES, ("---",) * len(TITLES), *(result.cells() for result in results)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    where = "\n".join(f"- {name}: {value}" for name, value in machine().items())
    return f"{table}\n\nMeasured on:\n\n{where}\n"


def as_json(results: Iterable[Result]) -> str:
    """All figures and the machine, for other programs."""
    return json.dumps({"machine": machine(), "results": [asdict(result) for result in results]}, indent=1) + "\n"
