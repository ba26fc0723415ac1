"""Which patches of a run's advice are put into which files: chosen by evidence, checked, merged, written.

A file is only touched where it is, byte for byte, what was recorded and what the patch was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from whyjit.errors import WhyjitError
from whyjit.model.advice import Advice
from whyjit.rewrite import patching, sources
from whyjit.rewrite.sources import Source

_DONE = "fixed.json"


class Done(msgspec.Struct, frozen=True):
    """A change that `whyjit fix` has made: the file, the digests of its bytes before and after, and the patch."""

    file: str
    before: str
    after: str
    patch: str


class Skipped(NamedTuple):
    """Advice with a patch that is not put in, and why."""

    item: Advice
    reason: str


class FilePlan(NamedTuple):
    """One file: its path as shown, its source, its text with the patches, and the advice they belong to."""

    path: str
    source: Source
    text: str
    items: tuple[Advice, ...]

    @property
    def patch(self) -> str:
        """All changes of the file as one patch."""
        return patching.diff(self.path, self.source.text, self.text)


class Plan(NamedTuple):
    """What is to be done. `others` counts advice that has no patch of the wanted evidence: by its level."""

    files: tuple[FilePlan, ...]
    skipped: tuple[Skipped, ...]
    others: dict[str, int]


def plan(
    items: Iterable[Advice],
    *,
    directory: Path,
    recorded: Mapping[str, str],
    paths: Sequence[Path] = (),
    tested: bool = False,
) -> Plan:
    """Choose and merge patches.

    Arguments:
      items: the advice on a run, the most important first.
      directory: the folder that paths in patches start from.
      recorded: the SHA-256 of source files as recorded, by name.
      paths: files and folders to change something in; all, if none is named.
      tested: whether patches that were tested are wanted, and not those alone that were proven.
    """
    wanted = {"PROVEN", "TESTED"} if tested else {"PROVEN"}
    known = {Path(name).resolve(): digest for name, digest in recorded.items()}
    by_file: dict[str, list[Advice]] = {}
    others: dict[str, int] = {}
    skipped: list[Skipped] = []
    for item in items:
        if not item.patch or item.evidence not in wanted:
            others[item.evidence] = others.get(item.evidence, 0) + 1
            continue
        path = patching.path_of(item.patch)
        if not _is_meant(directory / path, paths):
            continue
        by_file.setdefault(path, []).append(item)
    files: list[FilePlan] = []
    for path, found in by_file.items():
        made = _file(path, found, directory, known)
        if isinstance(made, str):
            skipped += [Skipped(item, made) for item in found]
            continue
        files.append(made[0])
        skipped += made[1]
    return Plan(tuple(files), tuple(skipped), others)


def _file(
    path: str, items: list[Advice], directory: Path, known: Mapping[Path, str]
) -> tuple[FilePlan, list[Skipped]] | str:
    """The plan of one file and the patches left out, or why it is not touched."""
    file = directory / path
    if not file.resolve().is_relative_to(directory.resolve()):
        return f"{path} lies outside the working directory; go to a folder above it"
    if not file.resolve().stat().st_mode & 0o222:
        return f"{path} is read-only; make it writable, then apply again"
    source = sources.read(file)
    digest = known.get(file.resolve())
    if digest is not None and digest != source.digest:
        return f"{path} has changed since it was recorded; record the program again"
    fresh = [item for item in items if item.source_digest == source.digest]
    stale = [
        Skipped(item, f"{path} is not what the patch was made from; record the program again")
        for item in items
        if item.source_digest != source.digest
    ]
    if not fresh:
        return stale[0].reason
    merged = patching.merge([item.patch or "" for item in fresh], source.text)
    left = [
        Skipped(fresh[at], "it changes lines that another patch changes; record the program again after this one")
        for at in merged.left_out
    ]
    taken = tuple(item for at, item in enumerate(fresh) if at not in merged.left_out)
    try:
        compile(merged.text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as fault:
        return f"{path} would no longer be Python with all patches ({fault}); nothing in it is changed"
    return FilePlan(path, source, merged.text, taken), [*left, *stale]


def _is_meant(file: Path, paths: Sequence[Path]) -> bool:
    place = file.resolve()
    return not paths or any(place == path.resolve() or path.resolve() in place.parents for path in paths)


def apply(found: Plan, run: Path) -> Path:
    """Write the files, and into the run's folder a patch that takes it all back: its path. Nothing is written twice.

    Raises `WhyjitError` where a file cannot be written; those before it stay written, and their patch is there.
    """
    number = 1
    while (patch := run / f"fix-{number}.patch").exists():
        number += 1
    done = list(already(run))
    text = ""
    try:
        # The way back is there before the first file is changed.
        patch.write_text("".join(one.patch for one in found.files), encoding="utf-8", newline="")
        for one in found.files:
            if sources.read(one.source.path).digest != one.source.digest:
                raise WhyjitError(f"{one.path} was changed just now; nothing in it was changed by whyjit")
            sources.write(one.source, one.text)
            text += one.patch
            after = sources.read(one.source.path).digest
            done.append(Done(str(one.source.path.resolve()), one.source.digest, after, patch.name))
    except OSError as fault:
        raise WhyjitError(f"cannot write {patch}: {fault.strerror}; no file was changed") from fault
    finally:
        if text:
            patch.write_text(text, encoding="utf-8", newline="")
            (run / _DONE).write_bytes(msgspec.json.format(msgspec.json.encode(done)))
        else:
            patch.unlink(missing_ok=True)
    return patch


def already(run: Path) -> tuple[Done, ...]:
    """The changes made with a run's patches so far."""
    try:
        return tuple(msgspec.json.decode((run / _DONE).read_bytes(), type=list[Done]))
    except (OSError, msgspec.MsgspecError):
        return ()


def in_place(run: Path) -> tuple[Done, ...]:
    """Those of them that stand in the files as they are now."""
    found: dict[str, Done] = {}
    for one in already(run):
        try:
            if sources.digest_of(Path(one.file).read_bytes()) == one.after:
                found[one.file] = one
        except OSError:
            continue
    return tuple(found.values())
