"""`whyjit cache`: what JAX's persistent compilation cache did between two runs."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from whyjit.cli import common


@click.command()
@click.argument("earlier", metavar="RUN_A", type=click.Path(path_type=Path))
@click.argument("later", metavar="RUN_B", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(("terminal", "json")), default="terminal", show_default=True,
    help="What to print.",
)  # fmt: skip
def command(earlier: Path, later: Path, form: str) -> None:
    """Which compiles of RUN_B were found in the persistent cache, which were not, and why.

    RUN_A is the run that filled the cache. Both are runs' folders, folders of runs, whose newest is meant, or files of
    recordings. What could have been spared is what RUN_A had compiled, too.
    """
    from whyjit.analyse.disk_cache import compare
    from whyjit.present import compose
    from whyjit.present.cache_json import cache_dict
    from whyjit.store import reader

    before, after = reader.load_all(earlier), reader.load_all(later)
    compared = compare(before, after)
    directory = after[0].environment.directory
    if form == "json":
        text = msgspec.json.format(msgspec.json.encode(cache_dict(compared, directory)), indent=2).decode()
        common.write(text + "\n")
        return
    common.print_document(compose.cache(compared, earlier=str(earlier), later=str(later), directory=directory))
