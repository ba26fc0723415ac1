"""What several threads ask at the same time, and where looking through a program ends."""

from __future__ import annotations

import sys
import threading

from whyjit.jaxlink.programs import Tokens
from whyjit.observe import reads, sampling
from whyjit.observe.sampling import Samples


def test_samples_may_be_added_while_they_are_read(monkeypatch):
    samples = Samples(0.0)
    samples.add(("here",), 1.0)

    def other_thread_adds(seconds, stack):
        samples.add(("there", seconds), 2.0)
        return seconds, stack

    monkeypatch.setattr(sampling, "Sample", other_thread_adds)
    assert samples.freeze() == ((1.0, ("here",)),)


def test_a_large_program_is_not_looked_through_to_its_end():
    lines = "\n".join(f"    x = x + K * {at}" for at in range(100))
    names = {"K": 2.0}
    for at in range(300):
        exec(f"def f{at}(x):\n{lines}\n    return x", names)  # noqa: S102 - functions of a program's
    budget = reads.Budget()
    taken = [budget.takes(names[f"f{at}"].__code__) for at in range(300)]
    assert taken[:20] == [True] * 20
    assert not taken[-1]
    assert not budget.takes(names["f0"].__code__)


def test_objects_keep_their_numbers_whoever_asks():
    class Thing:
        pass

    tokens = Tokens()
    shared = [Thing() for _ in range(4000)]
    own = [[Thing() for _ in range(4000)] for _ in range(3)]
    answers = [[] for _ in own]

    def ask(at):
        for mine, everybodys in zip(own[at], shared, strict=True):
            answers[at].append((tokens.of(mine), tokens.of(everybodys)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=ask, args=(at,)) for at in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len({number for each in answers for number, _ in each}) == 12000
    assert len({tuple(number for _, number in each) for each in answers}) == 1
    assert [number for _, number in answers[0]] == [tokens.of(thing) for thing in shared]
