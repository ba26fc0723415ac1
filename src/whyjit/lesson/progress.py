"""How far a reader is, kept in `.whyjit/lesson.json` below the working directory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyjit import WhyjitError

FILE = Path(".whyjit") / "lesson.json"
_VERSION = 1


@dataclass
class Progress:
    """The part and the step to go on with, the answers given, and the exercises passed."""

    part: int = 1
    step: int = 0
    answers: dict[str, Any] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)

    def save(self, file: Path = FILE) -> None:
        """Write it; a crash in the middle leaves the old one."""
        content = {"format": "whyjit-lesson", "version": _VERSION, **vars(self)}
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            fresh.replace(file)
        except OSError as fault:
            raise WhyjitError(
                f"cannot keep your place in {file}: {fault.strerror}; start in a folder of yours"
            ) from fault


def load(file: Path = FILE) -> Progress:
    """The reader's progress, from the beginning where there is none yet.

    Raises:
      WhyjitError: the file is damaged, or was written by a newer whyjit.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Progress()
    except (OSError, ValueError) as fault:
        raise WhyjitError(f"cannot read your place in {file}: {fault}; remove the file to begin anew") from fault
    known = {"part": int, "step": int, "answers": dict, "passed": list}
    right = isinstance(content, dict) and content.get("format") == "whyjit-lesson"
    if not right or any(not isinstance(content.get(name), kind) for name, kind in known.items()):
        raise WhyjitError(f"{file} does not hold the place in a lesson; remove the file to begin anew")
    if content.get("version") != _VERSION:
        raise WhyjitError(f"{file} was written by a newer whyjit; upgrade whyjit, or remove the file to begin anew")
    return Progress(**{name: content[name] for name in known})
