"""`whyjit lint`: hazards that the source alone shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    """Find hazards in source, without running it.

    PATHS are files and folders, the working directory if none is named. The rules are few, and sure: what depends on
    values, whyjit run tells. Each line names a code, whose page whyjit explain prints. The exit status is 1 where
    something was found.

    \b
    whyjit lint src
    """  # noqa: D301 - \b is for click
    from whyjit.lint import check
    from whyjit.rewrite import sources

    found = files = 0
    for file in _files(paths or (Path(),)):
        files += 1
        try:
            places = check(sources.read(file).text)
        except (WhyjitError, SyntaxError) as fault:
            click.echo(f"whyjit: {file} is left out: {fault}", err=True)
            continue
        for place in places:
            found += 1
            common.write(f"{file}:{place.line}:{place.column + 1}: {place.code}: {place.message}\n")
    hazards = "1 hazard" if found == 1 else f"{found} hazards"
    click.echo(f"whyjit: {hazards} in {files} {'file' if files == 1 else 'files'}", err=True)
    if found:
        ctx.exit(1)


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
            yield from (Path(folder) / name for name in sorted(names) if name.endswith(".py"))
