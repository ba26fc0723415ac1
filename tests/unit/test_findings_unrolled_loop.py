"""The finding about unrolled loops: only for loops that are large, regular, and most of their program."""

import msgspec
import pytest
from analyse_builders import report, spec, stages

from whyjit.model.recording import Unrolled

LOOP = Unrolled("train.py", 12, "solve", 100, 900)


def made(number=1, equations=1000, loop=LOOP, **more):
    one = spec(number, **{"stages": stages(seconds=1.0), **more})
    fingerprint = msgspec.structs.replace(one.fingerprint, equations=equations)
    return msgspec.structs.replace(one, fingerprint=fingerprint, unrolled=(loop,))


def found(*specs, **more):
    return [finding for finding in report(*specs, **more).findings if finding.code == "unrolled-loop"]


def changed(**more):
    return msgspec.structs.replace(LOOP, **more)


def test_what_is_said():
    (finding,) = found(made())
    assert "the loop in `solve` wrote the same operations 100 times: 900 of 1,000 equations" in finding.text
    assert "took 3.0 s" in finding.text
    assert (finding.location.file, finding.location.line) == ("train.py", 12)
    assert finding.evidence == "SUGGESTED"
    # Lowering and compiling take 2 s; the loop's share of them, but for one round.
    assert finding.saves_s == pytest.approx(2.0 * 0.9 * 0.99)


def test_one_loop_in_several_programs_is_one_finding():
    (finding,) = found(made(1), made(2, loop=changed(equations=800, even=False)))
    assert "in each of 2 programs" in finding.text


@pytest.mark.parametrize(
    "quiet",
    [
        made(loop=changed(alike=False)),
        made(loop=changed(times=31)),
        made(loop=changed(equations=499)),
        made(equations=1801),
        made(stages=()),
    ],
)
def test_other_loops_are_left_alone(quiet):
    assert found(quiet) == []


def test_what_is_found_is_the_same_on_a_quick_machine():
    (finding,) = found(made(stages=stages(seconds=0.001)))
    assert finding.saves_s == pytest.approx(0.002 * 0.9 * 0.99)


def test_loops_of_libraries_are_the_libraries_own():
    assert found(made(), origin="library") == []
