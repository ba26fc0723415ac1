"""Which traces the sampler looks at, and that it notes no stack that never stood."""

from types import SimpleNamespace

import pytest

from whyjit.observe import places, sampling


def door():
    pass


def body():
    first()
    second()


def first():
    pass


def second():
    pass


class Frame:
    """A frame of another thread's, which goes on, as `moves` says, while the frame's line or caller is asked for."""

    def __init__(self, function, line, back=None, moves=lambda: None):
        self.f_code, self.back, self.line, self.moves = function.__code__, back, line, moves

    @property
    def f_back(self):
        self.moves()
        return self.back

    @property
    def f_lasti(self):
        return 2 * self.line

    @property
    def f_lineno(self):
        self.moves()
        return self.f_code.co_firstlineno + self.line


@pytest.fixture
def scene(monkeypatch):
    """A thread under a sampler, and a clock; its trace began at 100 s."""
    places.forget()
    found = SimpleNamespace(now=100.0, visit=SimpleNamespace(began=100.0, samples=None), frame=None)
    monkeypatch.setattr(sampling.time, "perf_counter", lambda: found.now)
    monkeypatch.setattr(sampling.sys, "_current_frames", lambda: {7: found.frame})
    found.sampler = sampling.Sampler({7: found.visit}, lambda: door.__code__)
    yield found
    places.forget()


def look(scene, now):
    """What has been seen of the trace after a look at this time: the functions with their lines, and seconds."""
    scene.now = now
    scene.sampler.look()
    if scene.visit.samples is None:
        return None
    return [
        (sample.seconds, [(place.function, place.line) for place in sample.places])
        for sample in scene.visit.samples.freeze()
    ]


def test_a_quick_trace_is_not_looked_at_and_a_slow_one_often(scene):
    scene.frame = Frame(first, 1, Frame(body, 1, Frame(door, 1)))
    assert look(scene, 100.25) is None
    seldom = scene.sampler.pause
    assert look(scene, 100.5) == []
    assert scene.sampler.pause < seldom
    stack = [("body", body.__code__.co_firstlineno + 1), ("first", first.__code__.co_firstlineno + 1)]
    assert look(scene, 100.75) == [(0.25, stack)]
    assert look(scene, 101.0) == [(0.5, stack)]


def test_a_thread_without_a_trace_is_not_looked_at(scene):
    scene.frame = Frame(first, 1, Frame(body, 1))
    assert look(scene, 101.0) is None


def test_lines_of_two_moments_are_no_stack(scene):
    body_frame = Frame(body, 1, Frame(door, 1))
    afterwards = Frame(second, 1, body_frame)

    def go_on():
        body_frame.line, scene.frame = 2, afterwards

    scene.frame = Frame(first, 1, body_frame)
    assert look(scene, 101.0) == []
    scene.frame.moves = go_on  # `first` is over and `second` is called when the look comes to the line of `body`
    assert look(scene, 101.5) == []
    called = [("body", body.__code__.co_firstlineno + 2), ("second", second.__code__.co_firstlineno + 1)]
    assert look(scene, 102.0) == [(1.0, called)]


def test_a_line_read_while_the_thread_went_on_is_not_remembered_for_the_instruction(scene):
    def go_on():
        frame.line, frame.moves = 2, lambda: None

    frame = Frame(body, 1, moves=go_on)
    places.location_of(frame)
    frame.line = 1
    assert places.location_of(frame).line == body.__code__.co_firstlineno + 1
