"""`whyjit cache`: what JAX's persistent compilation cache did between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.recording import Recording


@click.command()
@click.argument("earlier", metavar="RUN_A", type=click.Path(path_type=Path))
@click.argument("later", metavar="RUN_B", type=click.Path(path_type=Path))
@common.format_option("terminal", "json")
def command(earlier: Path, later: Path, form: str) -> None:
    """Find out why the persistent compilation cache had no entry.

    Each compile of RUN_B is judged by what RUN_A, the run that filled the cache, did: whether it was found, and if not,
    why. Both are runs' folders, folders of runs, whose newest is meant, or files of recordings. What could have been
    spared is what RUN_A had compiled, too.

    \b
    whyjit cache runs/first runs/second
    """  # noqa: D301 - \b is for click
    from whyjit.analyse.disk_cache import compare
    from whyjit.present import compose
    from whyjit.present.cache_json import cache_dict
    from whyjit.present.json import dumps
    from whyjit.store import reader

    before, after = reader.load_all(earlier), reader.load_all(later)
    _check_order(earlier, before, later, after)
    compared = compare(before, after)
    directory = after[0].environment.directory
    if form == "json":
        common.write(dumps(cache_dict(compared, directory)))
        return
    common.print_document(compose.cache(compared, earlier=str(earlier), later=str(later), directory=directory))


def _check_order(earlier: Path, before: Sequence[Recording], later: Path, after: Sequence[Recording]) -> None:
    """An entry is missed only by a run that begins after the one that wrote it."""
    first, last = ([one.environment.started for one in run if one.environment.started] for run in (before, after))
    if first and last and min(first) > max(last):
        raise WhyjitError(f"{earlier} was recorded after {later}; name the run first that filled the cache")
    if first and first == last and [one.environment for one in before] == [one.environment for one in after]:
        raise WhyjitError(
            f"{earlier} and {later} are the same run; name the run that filled the cache, then a later one"
        )
