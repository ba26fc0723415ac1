"""Measure what recording costs: `python -m bench.run`.

Every ratio compares with bare JAX in the same run, measured in turns; the figure is the median of all turns, and the
row "bare JAX again" shows how far from 1 the noise of the machine goes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import cached, ledger, many, miss, unjitted
from bench.results import Result, as_json, as_markdown, machine, show

PARTS = {
    "cached": cached.run,
    "miss": miss.run,
    "unjitted": unjitted.run,
    "many": many.run,
    "ledger": ledger.run,
}


def main() -> None:
    """Run the parts, print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, action="append", help="one part alone; may be given again")
    parser.add_argument("--quick", action="store_true", help="small sizes and few turns: does it run at all?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as Markdown")
    options = parser.parse_args()

    results: list[Result] = []
    for name in options.only or PARTS:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        part = PARTS[name](quick=options.quick)
        show(part)
        results += part
    print(", ".join(f"{what} {which}" for what, which in machine().items()))
    if options.json:
        options.json.write_text(as_json(results))
    if options.markdown:
        options.markdown.write_text(as_markdown(results))


if __name__ == "__main__":
    main()
