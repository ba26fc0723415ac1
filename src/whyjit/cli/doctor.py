"""`whyjit doctor`: what can be observed here."""

from __future__ import annotations

from pathlib import Path

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError


@click.command()
@common.json_option
def command(json_file: Path | None) -> None:
    """Show what can be observed with this JAX, and what cannot.

    Where something cannot be observed, the reason is given; every report lists the same gaps.
    """
    from whyjit.jaxlink import environment
    from whyjit.jaxlink.missing import Missing
    from whyjit.present import compose

    supported = environment.supported()
    if isinstance(supported, Missing):
        raise WhyjitError(f"{supported.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
    from whyjit.jaxlink.doctor import examine

    found = examine()
    if json_file is not None:
        from whyjit.present.doctor_json import doctor_dict

        common.write_json(json_file, doctor_dict(found))
        return
    common.print_document(compose.doctor(found))
