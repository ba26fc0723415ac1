"""The `whyjit` command: a file for each subcommand, imported when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

from whyjit.errors import WhyjitError

SECTIONS = {
    "Record": ("run",),
    "Read a recording": ("report", "ledger", "why", "show", "compare", "processes", "cache", "export"),
    "Change the program": ("probe", "advise", "fix", "warmup"),
    "Check": ("lint", "check"),
    "Learn": ("explain", "learn", "doctor"),
}
_COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


class _Commands(click.Group):
    """Finds the subcommand `name` as `command` in the module of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"whyjit.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with a line each, in sections."""
        widest = max(map(len, _COMMANDS))
        limit = formatter.width - widest - 6
        for title, names in SECTIONS.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            lines = [(f"{name:<{widest}}", command.get_short_help_str(limit)) for name, command in commands if command]
            with formatter.section(title):
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            self._refuse(ctx, name)
        return super().resolve_command(ctx, args)

    def _refuse(self, ctx: click.Context, name: str) -> None:
        import difflib

        near = difflib.get_close_matches(name, _COMMANDS, 1)
        if near:
            ctx.fail(f"there is no command {name!r}; did you mean {near[0]}?")
        if name.endswith(".py"):
            ctx.fail(f"there is no command {name!r}; to run a script: whyjit run {name}")
        ctx.fail(f"there is no command {name!r}; choose from: {', '.join(_COMMANDS)}")


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        import whyjit

        click.echo(f"whyjit {whyjit.__version__}")
        ctx.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """The call ledger for JAX: every trace and compile of a program, why it happened, and what it cost.

    \b
    whyjit run train.py      run a program, and sum up what was traced and compiled
    whyjit why train_step    why one of its functions was

    Settings come from [tool.whyjit] in pyproject.toml, then from WHYJIT_* in the environment, then from options. Exit
    status: 0 fine; 1 a budget, a baseline or a rule is broken; 2 wrong usage, or input that cannot be read. A program
    under whyjit run keeps its own.
    """  # noqa: D301 - \b is for click
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. A fault that the user can mend is one line and exit status 2."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before Python began; a program that is run gets it so, too
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - open while the process lasts
    try:
        status = command.main(arguments, prog_name="whyjit", standalone_mode=False)
    except WhyjitError as fault:
        _end(fault.message, fault.exit_code)
    except click.UsageError as fault:
        usage = fault.ctx.command_path if fault.ctx else "whyjit"
        _end(f"{fault.format_message().rstrip('.')}; see: {usage} --help", fault.exit_code)
    except click.ClickException as fault:
        _end(fault.format_message(), fault.exit_code)
    except click.Abort:
        _end("interrupted", 130)
    except BrokenPipeError:
        # Nobody reads on, as in `whyjit report | head`. Python must not complain about it while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (FileNotFoundError, SystemError):  # the latter from an import in C, on Python 3.13
        if _has_directory():
            raise
        _end("the working directory has been removed; change to one that is there", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _has_directory() -> bool:
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return False
    return True


def _end(message: str, status: int) -> NoReturn:
    click.echo(f"whyjit: {' '.join(message.split())}", err=True)
    sys.exit(status)
