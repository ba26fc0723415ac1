"""Every view, exactly as it is shown. After a wanted change: WHYJIT_UPDATE_GOLDEN=1, then read the difference."""

import present_goldens
import present_samples as samples
import pytest

from whyjit.present import compose, markdown, terminal

WHERE = ".whyjit/2025-01-02-030405"
DIRECTORY = samples.DIRECTORY


def function(built, name):
    return next(each for each in built.report.functions if each.function.name == name)


def digits_ledger():
    built = samples.digits()
    return compose.ledger(function(built, "train_step"), built.rows[1], directory=DIRECTORY, limit=12)


def digits_ledger_of_lambda():
    built = samples.digits()
    return compose.ledger(function(built, "<lambda>"), built.rows[2], directory=DIRECTORY, limit=6)


def ledger_of_many_factors():
    built = samples.flips()
    return compose.ledger(built.report.functions[0], built.rows[1], directory=DIRECTORY)


def difference():
    names = {"left": "train_step@1", "right": "train_step@2", "source": samples.SOURCE, "directory": DIRECTORY}
    return compose.program_difference(samples.program(), samples.program(3, "0.05", extra=True), **names)


VIEWS = {
    "summary-digits": lambda: compose.summary(samples.digits().report, where=WHERE),
    "summary-many": lambda: compose.summary(samples.many().report, where=WHERE),
    "summary-churn": lambda: compose.summary(samples.churn(200).report, where=WHERE),
    "summary-failed": lambda: compose.summary(samples.failed().report, where=WHERE),
    "summary-stale": lambda: compose.summary(samples.stale().report, where=WHERE),
    "summary-calm": lambda: compose.summary(samples.calm().report, where=WHERE),
    "summary-nothing": lambda: compose.summary(samples.nothing().report),
    "summary-hostile": lambda: compose.summary(samples.hostile().report, where=WHERE),
    "report-digits": lambda: compose.report(samples.digits().report, where=WHERE),
    "report-failed": lambda: compose.report(samples.failed().report, where=WHERE),
    "ledger-digits": digits_ledger,
    "ledger-lambda": digits_ledger_of_lambda,
    "ledger-flips": ledger_of_many_factors,
    "why-digits": lambda: compose.why(function(samples.digits(), "train_step"), directory=DIRECTORY),
    "why-normal": lambda: compose.why(function(samples.digits(), "_normal"), directory=DIRECTORY),
    "why-flips": lambda: compose.why(samples.flips().report.functions[0], directory=DIRECTORY),
    "why-hostile": lambda: compose.why(samples.hostile().report.functions[0], directory=DIRECTORY),
    "program": lambda: compose.program(samples.program(), samples.SOURCE, title="train_step@1", directory=DIRECTORY),
    "difference": difference,
    "doctor": lambda: compose.doctor(samples.DOCTOR),
    "failure": lambda: compose.failure(samples.failure(), directory=DIRECTORY),
    "failure-carry": lambda: compose.failure(samples.carry_failure(), directory=DIRECTORY),
    "failure-leak": lambda: compose.failure(samples.leak_failure(), directory=DIRECTORY),
}


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("view", VIEWS)
def test_terminal(view, width):
    present_goldens.check(f"{view}-{width}.txt", terminal.render(VIEWS[view](), width=width))


@pytest.mark.parametrize("view", ["summary-digits", "summary-failed", "difference"])
def test_terminal_in_colour(view):
    text = terminal.render(VIEWS[view](), width=80, color=True)
    present_goldens.check(f"{view}-colour.txt", text.replace("\x1b", "ESC"))


@pytest.mark.parametrize("view", VIEWS)
def test_markdown(view):
    present_goldens.check(f"{view}.md", markdown.render(VIEWS[view]()))
