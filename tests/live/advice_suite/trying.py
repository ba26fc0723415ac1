"""Records a case's calls and asks for advice on them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from pathlib import Path

from whyjit import advising
from whyjit.analyse.explain import explain
from whyjit.experiment.apart import Outcome
from whyjit.rewrite.advisers import ADVISERS, Context, Limits, advise
from whyjit.store import reader

from .case import Case


class Here(Limits):
    """Runs tasks in this process: what they find is the same, and a hundred of them are quick."""

    def run(self, task, payload):
        module, _, name = task.partition(":")
        return Outcome(getattr(importlib.import_module(module), name)(payload), None, "", "", 0.0)


def advised(case: Case, folder: Path, limits: Limits | None = None, advisers=ADVISERS):
    """What is advised on a case, of all kinds. `folder` takes its source and its recording."""
    file = folder / f"suite_{abs(hash(case.name))}.py"
    file.write_text(case.text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a program warns of is its own matter
        return _advised(case, folder, file, limits or Here(calls=2), advisers)


def _advised(case, folder, file, limits, advisers):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
        run = folder / f"{file.stem}-run"
        run.mkdir()
        advising.record(run, lambda text: eval(text, module.__dict__), [((text,), {}) for text in case.calls])  # noqa: S307
        recording = reader.main_file(run)
        context = Context(explain(reader.load(recording)), recording, folder, limits)
        return advise(context, advisers)
    finally:
        del sys.modules[file.stem]


def outcome(case: Case, items):
    """The item a case is about, or None, and what became of it in the words of `Expected`."""
    mine = [item for item in items if item.kind == case.kind and item.function == case.function]
    mine = [item for item in mine if not case.path or item.path == case.path] or mine
    if not mine:
        return None, "NONE"
    item = mine[0]
    if item.evidence != "SUGGESTED":
        return item, item.evidence
    untried = "not tried" in item.why or "not verified" in item.why
    return item, "REFUSED" if untried else "REJECTED"
