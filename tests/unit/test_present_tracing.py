"""What `whyjit why` says of traces, on values made by hand."""

from whyjit.analyse.lines import LineCount
from whyjit.analyse.tracetime import LineTime, Span
from whyjit.model.recording import RunsOnce, Unrolled
from whyjit.model.source import Location
from whyjit.present import terminal
from whyjit.present.compose.tracing import gave, runs_once, spent, stood
from whyjit.present.document import Document

SOURCE = {("/home/user/a.py", 5): "    x = layer(x)\n", ("/home/user/a.py", 9): "    return jnp.sin(x)\n"}


def source(file, line):
    return SOURCE.get((file, line), "")


def text(blocks):
    return " ".join(terminal.render(Document("", tuple(blocks)), width=120).split())


def once(kind, name, line):
    return RunsOnce(kind, name, Location("/home/user/a.py", line, "step"))


def test_steps_are_grouped_and_their_places_listed():
    said = text(runs_once([once("print", "print", line) for line in (3, 4, 5, 6)], "/home/user"))
    assert "prints: `print` at a.py:3, a.py:4, a.py:5 and 1 more" in said
    assert "runs-once" in said
    assert "What the trace came to" in said  # not that it came to it


def test_reads_alone_are_a_line():
    said = text(runs_once([once("read", "SCALE", 3), once("read", "self.rate", 4)], "/home/user"))
    assert said == "Read from outside while tracing, and constant in the program since: `SCALE`, `self.rate`"


def test_nothing_is_said_of_nothing():
    assert runs_once([], "") == []
    assert spent(Span("jit", "f", "a.py", 1, 1, 2.0, 2.0), "f@1", "") == []
    assert stood(LineTime("", 0, "", 0.0, 0.0), 1.0, source, "f@1", "") == []
    assert gave(LineCount("", 0, "", 0, 10), [], source, "f@1", "") == []


def test_seconds_are_a_tree_and_small_parts_are_left_out():
    inner = Span("scan", "body", "/home/user/a.py", 5, 2, 0.5, 0.5)
    small = Span("jit", "add", "/home/user/b.py", 7, 1, 0.001, 0.001)
    said = text(spent(Span("jit", "step", "/home/user/a.py", 1, 1, 2.0, 1.5, (inner, small)), "step@1", "/home/user"))
    assert "2.0 s 1.5 s step a.py:1" in said
    assert "0.50 s 0.50 s 2 scan body a.py:5" in said
    assert "measured" in said
    assert "1 smaller part left out" in said
    assert "add" not in said


def test_lines_at_which_a_trace_stood():
    layer = LineTime("/home/user/a.py", 9, "layer", 1.0, 1.0)
    call = LineTime("/home/user/a.py", 5, "step", 0.0, 1.0, (layer,))
    said = text(stood(LineTime("", 0, "", 0.0, 1.0, (call,)), 1.5, source, "step@1", "/home/user"))
    assert "a.py:5 step x = layer(x)" in said
    assert "1.0 s 1.0 s a.py:9 layer return jnp.sin(x)" in said
    assert "sampled over 1.0 s of 1.5 s" in said


def test_a_trace_that_was_hardly_looked_at_has_no_such_lines():
    call = LineTime("/home/user/a.py", 5, "step", 0.1, 0.1)
    assert stood(LineTime("", 0, "", 0.0, 0.1, (call,)), 0.5, source, "step@1", "/home/user") == []


def test_lines_that_gave_equations_are_summed_over_calls():
    layer = LineCount("/home/user/a.py", 9, "layer", 30, 30)
    calls = tuple(LineCount("/home/user/a.py", line, "step", 0, 30, (layer,)) for line in (5, 6))
    loop = Unrolled("/home/user/a.py", 4, "main.<locals>.step", 12, 48, even=False, alike=False)
    said = text(gave(LineCount("", 0, "", 0, 60, calls), [loop], source, "step@1", "/home/user"))
    assert "60 a.py:9 layer return jnp.sin(x)" in said
    assert "The Python loop at a.py:4 in step was unrolled: operations whose types or number differ" in said
    assert "written about 12 times; 48 equations of 60" in said
    assert "counted, not timed" in said
