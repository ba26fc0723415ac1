"""What several commands share: the run they read, and how they print."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.finding import Report
    from whyjit.present.document import Document

run_argument = click.argument("run", required=False, type=click.Path(path_type=Path))
json_option = click.option(
    "--json", "json_file", metavar="FILE", type=click.Path(path_type=Path), help="Write JSON instead; - prints it."
)
output_option = click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write a file instead of printing."
)
function_option = click.option("--function", metavar="NAME", help="This function alone.")

trial_timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a process may take that tries a change.",
)


def format_option(*formats: str) -> Callable[[Any], Any]:
    """`--format`, with the formats that a command has."""
    return click.option(
        "--format", "form", type=click.Choice(formats), default="terminal", show_default=True, help="What to print."
    )


class Analysed(NamedTuple):
    """A recording with its analysis: `run` as it is named to people, `file` where the rows and programs are."""

    run: Path
    file: Path
    report: Report


def analysed(run: Path | None) -> Analysed:
    """The run that a person means, analysed. None is the newest in the folder of runs."""
    from whyjit import settings
    from whyjit.analyse.explain import explain
    from whyjit.store import reader
    from whyjit.store.earlier import earlier_recordings

    found = reader.find_run(run, settings.load().out)
    file = reader.main_file(found)
    recording = reader.load(file)
    return Analysed(found, file, explain(recording, earlier_recordings(found, recording)))


def print_document(document: Document, stream: TextIO | None = None) -> None:
    """Print a document as wide as the terminal, and in colour where there is one that has colours."""
    from whyjit import settings
    from whyjit.present import terminal

    out = stream or sys.stdout
    color = _colored(out, settings.load().color)
    text = terminal.render(document, width=_width(out), color=color, unicode=_takes_unicode(out))
    write(text if text.endswith("\n") else text + "\n", out)


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text whatever the stream's encoding: what it cannot hold is spelt out."""
    out = stream or sys.stdout
    encoding = out.encoding or "utf-8"
    try:
        out.write(text.encode(encoding, "backslashreplace").decode(encoding))
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        with contextlib.suppress(OSError, ValueError):  # what is still in the buffer would fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        raise WhyjitError(f"cannot write the output: {fault.strerror}") from fault


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON, a key on each line, to a file that the user has named, or print it for `-`."""
    from whyjit.present.json import dumps

    text = dumps(content)
    if str(path) == "-":
        write(text)
    else:
        write_file(path, text)


def write_file(path: Path, text: str) -> None:
    """Write a file that the user has named."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise WhyjitError(
            f"cannot write {path}: {fault.strerror}; name a file in a folder that can be written"
        ) from fault


def hand_over(made: str | bytes, output: Path | None) -> None:
    """Print what was made, or write it to the file that the user has named."""
    if isinstance(made, str):
        if output is None:
            write(made)
        else:
            write_file(output, made)
    elif output is not None:
        _write_bytes(output, made)
    elif sys.stdout.isatty():
        raise WhyjitError("this format is not text; name a file for it: -o FILE")
    else:
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()


def _write_bytes(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as fault:
        raise WhyjitError(
            f"cannot write {path}: {fault.strerror}; name a file in a folder that can be written"
        ) from fault


def _width(stream: TextIO) -> int:
    """The terminal's width, if the stream is one; else COLUMNS, else 100."""
    if "COLUMNS" not in os.environ and stream.isatty():
        try:
            return os.get_terminal_size(stream.fileno()).columns or 100
        except OSError:
            return 100
    return shutil.get_terminal_size((100, 24)).columns if "COLUMNS" in os.environ else 100


def _colored(stream: TextIO, color: str) -> bool:
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _takes_unicode(stream: TextIO) -> bool:
    try:
        "█…│".encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
