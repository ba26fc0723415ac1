"""Running an experiment, with answers made up instead of processes."""

from concurrent.futures import Future

import msgspec
import pytest
from experiment_builders import described, leaf

from whyjit.errors import WhyjitError
from whyjit.experiment import run
from whyjit.experiment.jobs import ArmJob, Job, SizesJob, Source, Target
from whyjit.model.probe import ArmError, Cast, Factor, Repeat, Result, Sizes

JOB = Job(Target("module", "m", "f"), Source("expression", "(), {}"))
PLAIN = Result(Factor("", None, "", ""), False, delta="identical")


class Answers:
    """Answers tasks from a function, and notes what was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def perform(self, task, payload, timeout_s, memory_mb):
        if task == "describe":
            return run.Given(msgspec.msgpack.encode(described(leaf("x", 3))), "", 0.1)
        job = msgspec.msgpack.decode(payload, type=SizesJob if task == "sizes" else ArmJob)
        self.asked.append((task, getattr(job, "move", None)))
        if task == "sizes":
            return run.Given(msgspec.msgpack.encode(Sizes("x.shape[0]", 3, (3,), (3,), ())), "", 0.1)
        found = self.answer(job.move)
        return found if isinstance(found, run.Given) else run.Given(msgspec.msgpack.encode(found), "", 0.1)


def probe(monkeypatch, answer, **options):
    answers = Answers(answer)
    monkeypatch.setattr(run, "perform", answers.perform)
    return run.probe(JOB, **options), answers


def test_every_arm_is_run_and_told_in_the_order_of_the_plan(monkeypatch):
    steps = []
    told, answers = probe(monkeypatch, lambda _: PLAIN, progress=lambda done, of: steps.append((done, of)))
    assert [one.factor.kind for one in told.results][:2] == ["control", "values"]
    assert len(told.results) == len(answers.asked) - len(told.sizes)
    assert steps[0] == (0, len(answers.asked))
    assert steps[-1] == (len(answers.asked), len(answers.asked))


def test_a_lost_process_is_a_row(monkeypatch):
    def answer(move):
        return run.Given(b"", "timed out after 1 s", 1.0) if isinstance(move, Cast) else PLAIN

    told, _ = probe(monkeypatch, answer, only=("dtype",))
    control, *others = told.results
    assert control.error is None
    assert {(one.traced, one.error.text) for one in others} == {(None, "timed out after 1 s")}


def test_where_the_call_fails_only_what_may_mend_it_is_run(monkeypatch):
    failed = msgspec.structs.replace(PLAIN, error=ArmError("TypeError", "no"))
    told, answers = probe(monkeypatch, lambda _: failed)
    assert [move for _, move in answers.asked] == [Repeat()]
    assert told.left_out[-1].endswith(" more, since the call itself fails")


class Pool:
    """A pool of somebody else's: each task is lost in its own way."""

    def __init__(self):
        self.submitted = 0

    def submit(self, function, *arguments):
        self.submitted += 1
        future = Future()
        if self.submitted == 1:
            future.set_result(function(*arguments))
        else:
            future.set_exception(OSError("the worker is gone"))
        return future


def test_a_pool_that_loses_a_task_makes_a_row(monkeypatch):
    pool = Pool()
    told, _ = probe(monkeypatch, lambda _: PLAIN, executor=pool, only=("values",))
    assert pool.submitted == 2
    assert told.results[1].error.text == "OSError: the worker is gone"


def test_without_a_description_there_is_no_experiment(monkeypatch):
    monkeypatch.setattr(run, "perform", lambda *_: run.Given(b"", "killed by signal 9 (memory?)", 1.0))
    with pytest.raises(WhyjitError, match="cannot be read in a process of their own: killed by signal 9"):
        run.probe(JOB)
