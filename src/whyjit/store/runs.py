"""Folders of runs: their names, and which one is meant.

In `.whyjit/2026-11-29T22-53-18-train/4711-1.whyjit`, the first is a folder of runs, the second a run, the third the
recording of one process of it.
"""

from __future__ import annotations

import itertools
import re
from datetime import datetime
from pathlib import Path

from whyjit.store.errors import StoreError
from whyjit.store.schema import SUFFIX

DEFAULT = Path(".whyjit")
_STAMP = "%Y-%m-%dT%H-%M-%S"
_STAMP_LENGTH = 19


def create_run(out: Path, label: str, now: datetime | None = None) -> Path:
    """Make the folder of a new run in a folder of runs, named after the moment and the program."""
    stamp = (now or datetime.now().astimezone()).strftime(_STAMP)
    name = f"{stamp}-{re.sub(r'[^A-Za-z0-9._-]+', '-', label)[:40].strip('.-') or 'program'}"
    try:
        if not out.exists():
            out.mkdir(parents=True)
            # Recordings are results, not sources.
            (out / ".gitignore").write_text("*\n")
        for number in itertools.count(1):
            run = out / (name if number == 1 else f"{name}-{number}")
            try:
                run.mkdir()
            except FileExistsError:
                if not out.is_dir():
                    raise
                continue
            return run
    except OSError as fault:
        raise StoreError(
            f"cannot make a folder for the recording in {out}: {fault.strerror}; choose another folder with --out"
        ) from fault
    raise AssertionError


def join_run(run: Path) -> Path:
    """The folder of a run that several processes record into, made by the first of them."""
    try:
        if not run.exists():
            run.parent.mkdir(parents=True, exist_ok=True)
            run.mkdir(exist_ok=True)
    except OSError as fault:
        raise StoreError(f"cannot make the run's folder {run}: {fault.strerror}; choose another with --into") from fault
    if not run.is_dir():
        raise StoreError(f"{run} is a file; name the folder of a run with --into")
    return run


def find_run(path: Path | None = None, default: Path = DEFAULT) -> Path:
    """The run that a person means: a run's folder or a file in one as named, or the newest in a folder of runs."""
    place = path or default
    if not place.exists():
        if path is None:
            raise StoreError(f"nothing has been recorded in {default} yet; record a program with: whyjit run script.py")
        raise StoreError(f"there is no run at {place}; name a run's folder, or a folder of runs")
    if not place.is_dir() or files(place):
        return place
    runs = [folder for folder in _folders(place) if files(folder)]
    if runs:
        return max(runs, key=_newness)
    if any(_is_run(folder) for folder in (place, *_folders(place))):
        raise StoreError(
            f"the run in {place} holds no recording: it was ended within its first second, or JAX was never imported"
        )
    raise StoreError(f"{place} holds no run; name a run's folder, or record a program with: whyjit run script.py")


def before(run: Path) -> list[Path]:
    """The runs in the same folder that began before a run, in their order."""
    if not _is_run(run):
        return []
    try:
        return sorted(folder for folder in _folders(run.parent) if _is_run(folder) and folder.name < run.name)
    except StoreError:
        return []


def files(run: Path) -> list[Path]:
    """The recordings of a run's processes, or the file itself."""
    if not run.is_dir():
        return [run]
    try:
        return sorted(path for path in run.iterdir() if path.suffix == SUFFIX and path.stem and path.is_file())
    except OSError as fault:
        raise StoreError(f"cannot read {run}: {fault.strerror}") from fault


def _folders(place: Path) -> list[Path]:
    try:
        return [folder for folder in place.iterdir() if folder.is_dir()]
    except OSError as fault:
        raise StoreError(f"cannot read {place}: {fault.strerror}") from fault


def _is_run(folder: Path) -> bool:
    try:
        datetime.strptime(folder.name[:_STAMP_LENGTH], _STAMP)  # noqa: DTZ007 - only its form matters
    except ValueError:
        return False
    return True


def _newness(run: Path) -> tuple[str, float]:
    """Its stamp, then when its folder changed last."""
    return (run.name[:_STAMP_LENGTH] if _is_run(run) else "", run.stat().st_mtime)
