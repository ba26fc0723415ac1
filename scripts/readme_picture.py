"""Make docs/summary.svg: what `whyjit run examples/digits.py` prints, from a real run."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "summary.svg"
PROGRAM = "examples/digits.py"
COLUMNS = 110

# The export names a web font and a web page; a picture in the documentation must not lead anywhere.
OUTWARD = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", re.DOTALL)


def summary() -> str:
    """What whyjit writes to stderr, with its colours."""
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    with tempfile.TemporaryDirectory(prefix="whyjit-picture-") as folder:
        command = [sys.executable, "-m", "whyjit", "run", "--out", folder, PROGRAM]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stderr.replace(folder, ".whyjit")


def draw(printed: str, title: str) -> str:
    """What a terminal shows, as a picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text.from_ansi(printed.strip("\n")), soft_wrap=False)
    console.print()  # the export cuts the last line off at its foot
    picture = console.export_svg(title=title, unique_id="whyjit")
    return "\n".join(line.rstrip() for line in OUTWARD.sub("", picture).splitlines()) + "\n"


def main() -> None:
    """Run, and draw."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(summary(), f"whyjit run {PROGRAM}"))
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
