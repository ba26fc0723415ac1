"""Compares rendered text with the golden files; WHYJIT_UPDATE_GOLDEN=1 rewrites them."""

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "present"


def check(name, text):
    """The text must equal the golden file, letter for letter."""
    path = FOLDER / name
    if os.environ.get("WHYJIT_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert path.exists(), f"{path} is missing: run the tests once with WHYJIT_UPDATE_GOLDEN=1 and read what it holds"
    assert text == path.read_bytes().decode()
