"""The processes of a run as one report: what is summed, what stays apart, and where each specialization came from."""

import analyse_builders as make
from msgspec import structs

from whyjit.analyse.budget import check
from whyjit.analyse.compare import compare
from whyjit.analyse.explain import explain
from whyjit.analyse.merging import merged, names
from whyjit.model.budget import Budget, Limits
from whyjit.model.recording import Environment, Function, Recording

STEP = Function(1, "step", "step", "/job/train.py", 3, "user")
LOAD = Function(2, "load", "load", "/job/data.py", 5, "user")


def environment(index=0, pid=7, started=100.0):
    return Environment("3.11", "0.10.2", "0.10.2", "cpu", index, ("train.py",), "/job", pid, started)


def report(about, functions, *made, seconds=5.0, complete=True):
    """Of a process: (function, number, size, moment) for each specialization."""
    specs = []
    for function, number, size, moment in made:
        spec = make.spec(number, make.leaf("x", size), fingerprint=make.program(f"p{size}"))
        stages = tuple(structs.replace(stage, start=moment) for stage in spec.stages)
        specs.append(structs.replace(spec, function=function, stages=stages, started=moment, calls=2))
    return explain(Recording(about, (), functions, tuple(specs), seconds=seconds, complete=complete))


def two():
    """A parent that starts at 100 s, and a worker, 3 s later, whose ids and numbers are its own."""
    parent = report(environment(pid=7), (STEP,), (1, 1, 8, 1.0), (1, 2, 9, 4.0))
    worker = structs.replace(STEP, id=2)
    other = report(
        environment(pid=9, started=103.0), (structs.replace(LOAD, id=1), worker),
        (1, 1, 4, 0.1), (2, 1, 8, 0.5), (2, 2, 9, 0.6), (2, 3, 10, 0.7), seconds=9.0, complete=False,
    )  # fmt: skip
    return parent, other


def test_counts_are_sums_and_the_wall_time_reaches_from_the_first_beginning_to_the_last_end():
    found = merged(two()).report
    assert (found.totals.traces, found.totals.compiles, found.totals.calls) == (6, 6, 12)
    assert found.totals.seconds == 12.0
    assert not found.complete
    assert {each.function.name: each.traces for each in found.functions} == {"step": 5, "load": 1}


def test_a_specialization_is_known_by_its_process_and_its_number_there():
    both = merged(two())
    step = next(each for each in both.report.functions if each.function.name == "step")
    numbers = [each.specialization.number for each in step.specializations]
    assert len(set(numbers)) == 5
    told = [both.origin(step.function.id, number) for number in numbers]
    first, second = "the process with pid 7", "the process with pid 9"
    assert told == [(first, 1), (first, 2), (second, 1), (second, 2), (second, 3)]
    # Each was compared with one of its own process.
    assert [each.compared_with for each in step.specializations] == [None, 1, None, 3, 4]


def test_hosts_may_have_the_program_in_folders_of_their_own():
    here = report(environment(0), (STEP,), (1, 1, 8, 1.0))
    there = structs.replace(environment(1), directory="/mnt/job")
    moved = report(there, (structs.replace(STEP, file="/mnt/job/train.py"),), (1, 1, 8, 1.0))
    (found,) = merged([here, moved]).report.functions
    assert (found.traces, found.function.file) == (2, "/job/train.py")


def test_processes_have_their_numbers_where_jax_gave_each_its_own():
    assert names([environment(0), environment(1)]) == ("process 0", "process 1")
    assert names([environment(0, 7), environment(0, 9)]) == ("the process with pid 7", "the process with pid 9")


def test_a_finding_of_several_processes_is_one():
    parts = [report(environment(index), (STEP,), *((1, at, at, at) for at in range(1, 6))) for index in (0, 1, 2)]
    (single,) = parts[0].functions
    (found,) = merged(parts).report.functions
    assert [each.code for each in found.findings] == [each.code for each in single.findings] == ["shape-churn"]
    assert found.findings[0].saves_s == 3 * single.findings[0].saves_s
    assert found.findings[0].text == f"{single.findings[0].text} (and likewise in 2 more processes)"


def test_a_budget_does_not_pass_because_a_child_did_the_compiling():
    both = merged(two())
    assert check(two()[0], Budget(Limits(max_compiles=2)), None).kept
    (breach,) = check(both.report, Budget(Limits(max_compiles=4)), None, both.origin).breaches
    assert (breach.found, breach.process, breach.number) == (6, "the process with pid 9", 3)
    assert "`step` called at train.py:7 in the process with pid 9 broke it" in breach.text
    # The order is that of time, across the processes: the parent's second compile at 104 s came last.
    (breach,) = check(both.report, Budget(functions=(("step", Limits(max_traces=4)),)), None, both.origin).breaches
    assert (breach.process, breach.number) == ("the process with pid 7", 2)


def test_two_runs_of_several_processes_are_matched_function_by_function():
    before, after = merged(two()), merged([two()[0]])
    found = compare(before.report, after.report, (2, 1))
    assert (found.before.processes, found.after.processes) == (2, 1)
    assert ("number of processes", "2", "1") in found.differences
    step = next(each for each in found.functions if each.known.function.name == "step")
    assert (step.match, step.counts_before.traces, step.counts_after.traces) == ("name", 5, 2)
