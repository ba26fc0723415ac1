"""What `--whyjit` and the mark `traces` do; `pytest_whyjit` imports this module when one of them is used."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from whyjit.errors import WhyjitError
from whyjit.guards.errors import ExpectationError
from whyjit.launch.awaiting import call_after_import

if TYPE_CHECKING:
    from whyjit.guards.expect import Expectation
    from whyjit.model.recording import Recording
    from whyjit.observe.observer import Observer

_SHOWN = 10
_KEY = "whyjit"


@contextlib.contextmanager
def held(marks: Sequence[pytest.Mark]) -> Generator[None]:
    """Run a test's body, and fail it where it was traced or compiled more often than its marks allow."""
    broken: ExpectationError | None = None
    of_the_test: ExpectationError | None = None
    try:
        with contextlib.ExitStack() as stack:
            for expectation in _expectations(marks):
                stack.enter_context(expectation)
            try:
                yield
            except ExpectationError as raised:
                of_the_test = raised
                raise
    except ExpectationError as raised:
        if raised is of_the_test:
            raise
        broken = raised
    if broken is not None:  # outside the handler, so that pytest shows the reason once and not as another exception's
        pytest.fail(f"whyjit: {broken.message}", pytrace=False)


def _expectations(marks: Sequence[pytest.Mark]) -> list[Expectation]:
    """What marks expect, the nearest first. A limit on the same functions is the nearest mark's to set."""
    from whyjit.guards.expect import expect

    limits: dict[str | None, dict[str, int]] = {}
    for mark in marks:
        of, given = _read(mark)
        limits[of] = {**given, **limits.get(of, {})}
    return [expect(**{name: (None, most) for name, most in given.items()}, of=of) for of, given in limits.items()]


def _read(mark: pytest.Mark) -> tuple[str | None, dict[str, int]]:
    """The functions that a mark is about, and its limits by what `expect` calls them."""
    given = dict(mark.kwargs)
    of = given.pop("of", None)
    names = {"max": "traces", "compiles": "compiles"}
    limits = {names[name]: value for name, value in given.items() if name in names and value is not None}
    numbers = all(isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in limits.values())
    unknown = mark.args or not given.keys() <= names.keys() or not isinstance(of, str | None)
    if unknown or not numbers or not limits:
        pytest.fail(
            f"whyjit: the mark {_text(mark)} makes no sense; write traces(max=2), traces(compiles=1), or"
            " traces(max=2, compiles=2, of='train_*'), with whole numbers from 0 on",
            pytrace=False,
        )
    return of, limits


def _text(mark: pytest.Mark) -> str:
    parts = [*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())]
    return f"{mark.name}({', '.join(parts)})"


class SessionRecorder:
    """Records every test of the session. Under xdist each worker does, and the controller puts the sums together."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._redact = _redact()
        # Held for the whole session, so that a test's specializations are compared with those of earlier tests.
        self._whole: Observer | None = None
        self._awaiting = False
        self._over = False
        self._absence = ""
        self._functions: dict[str, list[float]] = {}
        self._tests: dict[str, list[float]] = {}

    # In the process that runs the tests.

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Add up what a test brought about, its fixtures included."""
        if not self._awaiting:
            self._awaiting = True
            call_after_import("jax", self._begin)  # a test may set JAX up before it imports it
        observer = None if self._whole is None else self._observer()
        try:
            return (yield)
        finally:
            if observer is not None:
                observer.stop()
            seen = observer or self._whole
            if seen is not None:
                self._add(item.nodeid, seen.snapshot())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the explanation of a tracer error beside it."""
        del item
        report = yield
        if call.excinfo is not None and report.failed and "jax" in sys.modules:
            with contextlib.suppress(Exception):  # a fault of whyjit's must not hide the test's own
                text = _explained(call.excinfo.value)
                if text:
                    report.sections.append(("whyjit", text))
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker hands its sums to the controller."""
        del session
        self._over = True
        if self._whole is not None:
            self._whole.stop()
            self._whole = None
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_KEY] = {"functions": self._functions, "tests": self._tests}

    # In the process that reports.

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take a worker's sums."""
        del error
        sums = getattr(node, "workeroutput", {}).get(_KEY)
        if sums is not None:
            for mine, theirs in ((self._functions, sums["functions"]), (self._tests, sums["tests"])):
                for name, counts in theirs.items():
                    _add(mine, name, counts)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the costliest functions and tests."""
        terminalreporter.section("whyjit", sep="=")
        for line in [self._absence] if self._absence else summary(self._functions, self._tests):
            terminalreporter.write_line(line)

    # Its parts.

    def _begin(self) -> None:
        """JAX is there."""
        from whyjit.jaxlink import environment
        from whyjit.jaxlink.missing import Missing

        found = environment.supported()
        if isinstance(found, Missing):
            self._absence = f"nothing was recorded: {found.reason}; whyjit needs JAX 0.6 or newer"
        elif not self._over:
            self._whole = self._observer()

    def _observer(self) -> Observer:
        from whyjit.analyse.failure.judge import judge
        from whyjit.observe.observer import Observer

        observer = Observer(None, calls=False, redact=self._redact, judge=judge)
        observer.start()
        return observer

    def _add(self, test: str, recording: Recording) -> None:
        names = {function.id: _label(function, recording.environment.directory) for function in recording.functions}
        for spec in recording.specializations:
            counts = _counts(spec.stages)
            if any(counts):
                _add(self._functions, names[spec.function], counts)
                _add(self._tests, test, counts)


def _redact() -> bool:
    from whyjit import settings

    try:
        return settings.load().redact
    except WhyjitError as fault:
        raise pytest.UsageError(f"--whyjit: {fault.message}") from fault


def _label(function: Any, directory: str) -> str:
    from whyjit.analyse.paths import short

    place = f"{short(function.file, directory)}:{function.line}"
    return f"operations at {place}" if function.origin == "eager" else f"{function.qualname} ({place})"


def _counts(stages: Iterable[Any]) -> list[float]:
    """Traces, compiles, and seconds; a trace's seconds are without the traces inside it."""
    found = [0.0, 0.0, 0.0]
    for stage in stages:
        found[0] += stage.kind == "trace"
        found[1] += stage.kind == "compile"
        found[2] += stage.own if stage.kind == "trace" else stage.seconds
    return found


def _add(sums: dict[str, list[float]], name: str, counts: Sequence[float]) -> None:
    before = sums.get(name, [0.0, 0.0, 0.0])
    sums[name] = [old + new for old, new in zip(before, counts, strict=True)]


def _explained(raised: BaseException) -> str:
    from whyjit.explaining import explain

    found = explain(raised)
    return found.text if found.failure is not None else ""


def summary(functions: Mapping[str, Sequence[float]], tests: Mapping[str, Sequence[float]]) -> list[str]:
    """The lines of the terminal summary. Each entry is traces, compiles and seconds by name."""
    from whyjit.present import units

    traces, compiles, seconds = (sum(counts[at] for counts in functions.values()) for at in range(3))
    if not functions:
        return ["no test made JAX trace or compile anything"]
    spent = f"{units.seconds(seconds)} went into tracing, lowering and compiling"
    lines = [f"{spent}: {units.plural(int(traces), 'trace')}, {units.plural(int(compiles), 'compile')}"]
    for title, sums in (("costliest functions", functions), ("costliest tests", tests)):
        ranked = sorted(sums.items(), key=lambda entry: -entry[1][2])
        lines += ["", f"{'seconds':>9}  traces  compiles  {title}"]
        lines += [
            f"{units.seconds(counts[2]):>9}  {int(counts[0]):>6,}  {int(counts[1]):>8,}  {name}"
            for name, counts in ranked[:_SHOWN]
        ]
        if len(ranked) > _SHOWN:
            lines.append(f"{'':>9}  {'':>6}  {'':>8}  and {len(ranked) - _SHOWN:,} more")
    return lines
