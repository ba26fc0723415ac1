"""Print two runs side by side: what each learned, and what tracing and compiling cost it.

    python compare_digits.py build/demo/digits build/demo/digits_fixed

Each argument stands for two files: NAME.json, as `whyjit run --json` writes it, and NAME.txt, the program's own output,
whose last line is its accuracy.
"""

import json
import sys
from pathlib import Path


def read_run(name):
    """The figures of one run, by their titles."""
    totals = json.loads(Path(f"{name}.json").read_text())["totals"]
    accuracy = Path(f"{name}.txt").read_text().split()[-1]
    seconds = {stage: totals[f"{stage}_s"] for stage in ("trace", "lower", "compile")}
    return {
        "accuracy": accuracy,
        "traces": f"{totals['traces']:,}",
        "compiles": f"{totals['compiles']:,}",
        "seconds tracing": f"{seconds['trace']:.2f}",
        "seconds lowering": f"{seconds['lower']:.2f}",
        "seconds compiling": f"{seconds['compile']:.2f}",
        "seconds in all three": f"{sum(seconds.values()):.2f}",
    }


def main():
    """Read both runs and print the table."""
    names = sys.argv[1:]
    if len(names) != 2:
        sys.exit("usage: python compare_digits.py BEFORE AFTER")
    before, after = (read_run(name) for name in names)
    print(f"{'':22}{Path(names[0]).name + '.py':>18}{Path(names[1]).name + '.py':>18}")
    for title in before:
        print(f"{title:22}{before[title]:>18}{after[title]:>18}")


if __name__ == "__main__":
    main()
