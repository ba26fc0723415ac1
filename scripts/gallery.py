"""Make the pictures of docs/gallery.md, and the full reports behind them, from real runs.

    python scripts/gallery.py [FOLDER]

Pictures go to docs/gallery, full reports as HTML to FOLDER (build/gallery if none is named).
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from readme_picture import COLUMNS, ROOT, draw

import whyjit
from whyjit.present import compose, terminal

PROGRAMS = ROOT / "tests" / "e2e" / "programs"
PICTURES = ROOT / "docs" / "gallery"
# The programs of the gallery, and the package that each needs.
NEEDS = {
    "equinox_mlp": "equinox",
    "nnx_mlp": "flax",
    "optax_alone": "optax",
    "diffrax_ode": "diffrax",
    "blackjax_nuts": "blackjax",
    "keras_fit": "keras",
}


def run(program: str, report: Path) -> str:
    """Run a program of the gallery in an empty folder; returns its summary, with colours."""
    with tempfile.TemporaryDirectory(prefix="whyjit-gallery-") as folder:
        shutil.copy(PROGRAMS / f"{program}.py", folder)
        command = [sys.executable, "-m", "whyjit", "run", "--quiet", "--html", str(report), f"{program}.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{program} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
        recorded = whyjit.load(Path(folder) / ".whyjit").explained()
    return terminal.render(compose.summary(recorded), width=COLUMNS, color=True)


def main() -> None:
    """Run each program whose package is installed."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "gallery").absolute()
    out.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    for program, package in NEEDS.items():
        if importlib.util.find_spec(package) is None:
            print(f"left out {program}: {package} is not installed")
            continue
        picture = PICTURES / f"{program}.svg"
        picture.write_text(draw(run(program, out / f"{program}.html"), f"whyjit run {program}.py"))
        print(f"wrote {picture.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
