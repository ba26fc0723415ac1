"""`whyjit.probe()`: a controlled experiment on one function, and what came of it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyjit.experiment.jobs import Job
    from whyjit.model.probe import Probe
    from whyjit.present.document import Document


class Probed:
    """The result of an experiment. `probe` is it as plain data; `str()` of it and a notebook show it."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe

    @property
    def verdicts(self) -> dict[tuple[str, str | None], str]:
        """What each factor does, by kind and path: `{("static", "mode"): "decides the program"}`."""
        return {(one.kind, one.path): one.verdict for one in self.probe.verdicts}

    def report(self) -> dict[str, Any]:
        """What `whyjit probe --json` writes, as a dict."""
        from whyjit.present.probe_json import probe_dict

        return probe_dict(self.probe, str(Path.cwd()))

    def document(self) -> Document:
        """What it says, for any medium."""
        from whyjit.present import compose

        return compose.probe(self.probe, directory=str(Path.cwd()))

    def __str__(self) -> str:
        from whyjit.present import terminal

        return terminal.render(self.document(), width=100).rstrip("\n")

    def _repr_html_(self) -> str:
        from whyjit.present.html.documents import fragment

        return fragment(self.document())


def probe(
    fn: Callable[..., Any],
    *args: Any,
    vary: Mapping[str, Any] | None = None,
    only: str | Iterable[str] = (),
    static: str | Iterable[str] = (),
    compile: bool = False,  # noqa: A002 - the word of the stage
    most: int | None = None,
    timeout: float = 60.0,
    memory_mb: int | None = None,
    executor: Executor | None = None,
    **kwargs: Any,
) -> Probed:
    """Find out what a function specializes on: change one factor of a call at a time, and watch what JAX does.

        print(whyjit.probe(train_step, params, batch, mode="sum", vary={"mode": ["mean"]}))

    Every arm runs in a fresh process, which makes the call and then the changed call; nothing is executed, only traced,
    and compiled if asked. Arrays are handed on as their types, without their contents. A function that is not jitted
    is jitted, with what JAX would not take as data made static.

    Names of the options below cannot be keywords of the call; bind those with `functools.partial` first.

    Arguments:
      fn: the function, jitted or not.
      *args: the positional arguments of the call to start from.
      vary: values to try for an argument, by name: a list of them, or one.
      only: kinds of factors to look at, such as "static" or ["shape", "sizes"]; none means all.
      static: parameters to make static, where `fn` is not jitted.
      compile: whether to compile, too.
      most: how many arms there may be; what is beyond is named in the result.
      timeout: seconds for each arm, after which it is killed and counts as failed.
      memory_mb: megabytes of memory for each arm.
      **kwargs: the keyword arguments of the call.
      executor: a pool to run the arms in, such as dask's `Client.get_executor()`; otherwise two run at a time here.

    Raises:
      WhyjitError: the function or its arguments cannot be handed to another process, or the call does not fit.
    """
    stop_inside()
    from whyjit.experiment.live import job_of

    values = {name: value if isinstance(value, list) else [value] for name, value in (vary or {}).items()}
    job = job_of(fn, args, kwargs, vary=values, static=_names(static), compile=compile)
    return run(job, _names(only), most=most, timeout=timeout, memory_mb=memory_mb, executor=executor)


def run(
    job: Job,
    only: Sequence[str],
    *,
    most: int | None,
    timeout: float,
    memory_mb: int | None,
    executor: Executor | None = None,
) -> Probed:
    """Run the experiment on a job, with a progress bar where somebody looks."""
    from whyjit.experiment import plan
    from whyjit.experiment import run as running

    limits = running.Limits(timeout, memory_mb)
    with _progress() as told:
        return Probed(
            running.probe(
                job,
                only=tuple(only),
                most=plan.MOST if most is None else most,
                limits=limits,
                executor=executor,
                progress=told,
            )
        )


def stop_inside() -> None:
    """End the import of a program for an experiment where it would begin one: it would go on for ever."""
    from whyjit.experiment.run import INSIDE

    if os.environ.get(INSIDE):
        from whyjit.experiment.target import Reached

        raise Reached


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


@contextlib.contextmanager
def _progress() -> Generator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("whyjit: experiments"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield told
