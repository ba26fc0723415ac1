"""The runs before a run: what they compiled may have been in JAX's persistent cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from whyjit.store import contents, reader, runs
from whyjit.store.errors import StoreError

if TYPE_CHECKING:
    from whyjit.model.recording import Recording

_RUNS = 3


def earlier_recordings(path: Path, recording: Recording) -> list[Recording]:
    """The recordings of the few runs before a run in the same folder, the newest last.

    They are read only where a compile of the run was looked for on disk and not found. What cannot be read is left out.
    """
    if not any(
        stage.disk and stage.disk.outcome != "found" for spec in recording.specializations for stage in spec.stages
    ):
        return []
    run = path if path.is_dir() else path.parent
    found: list[Recording] = []
    for folder in runs.before(run)[-_RUNS:]:
        try:
            found.append(contents.load(reader.main_file(folder)))
        except StoreError:
            continue
    return found
