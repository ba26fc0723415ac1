"""Bodies staged within a trace, on a clock that the test moves."""

from whyjit.observe.staging import Staging


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def staged(*events):
    """Each event takes a second before it: begin (trace, purpose, source), end (trace), or inside (seconds)."""
    clock = Clock()
    staging = Staging(clock)
    for name, *arguments in events:
        clock.now += 1.0
        getattr(staging, name)(*arguments)
    return [(body.purpose, body.name, body.count, body.seconds, body.own, body.parent) for body in staging.bodies()]


def test_the_function_itself_is_no_body():
    assert staged(("begin", 1, "jit", "f at a.py:3"), ("end", 1)) == []


def test_a_body_within_a_body():
    found = staged(
        ("begin", 1, "jit", "f at a.py:3"),
        ("begin", 2, "scan", "body at a.py:5"),
        ("begin", 3, "cond", "branch at a.py:7"),
        ("end", 3),
        ("end", 2),
        ("end", 1),
    )
    assert found == [("scan", "body", 1, 3.0, 2.0, -1), ("cond", "branch", 1, 1.0, 1.0, 0)]


def test_the_same_body_again_adds_up():
    once = (("begin", 2, "scan", "body at a.py:5"), ("end", 2))
    assert staged(("begin", 1, "jit", ""), *once, *once, ("end", 1)) == [("scan", "body", 2, 2.0, 2.0, -1)]


def test_jitted_functions_traced_inside_are_taken_off():
    found = staged(
        ("begin", 1, "jit", ""), ("begin", 2, "scan", "body at a.py:5"), ("traced_inside", 0.75), ("end", 2), ("end", 1)
    )
    assert found == [("scan", "body", 1, 2.0, 1.25, -1)]


def test_what_an_exception_left_open_is_given_up():
    found = staged(
        ("begin", 1, "jit", ""),
        ("begin", 2, "scan", "outer at a.py:5"),
        ("begin", 3, "cond", "raises at a.py:7"),
        ("end", 2),
        ("end", 9),
        ("end", 1),
    )
    assert found == [("scan", "outer", 1, 2.0, 2.0, -1), ("cond", "raises", 0, 0.0, 0.0, 0)]


def test_what_comes_after_an_exception_is_not_inside_what_raised():
    found = staged(
        ("begin", 1, "jit", ""),
        ("begin", 2, "scan", "raises at a.py:5"),
        ("begin", 3, "scan", "next at a.py:7"),
        ("end", 3),
        ("end", 1),
    )
    assert found == [("scan", "raises", 0, 0.0, 0.0, -1), ("scan", "next", 1, 1.0, 1.0, -1)]


def test_a_place_is_read_from_what_jax_says():
    staging = Staging()
    staging.begin(1, "scan", "body at /a b/c.py:12")
    staging.begin(2, "cond", "odd")
    assert [(body.name, body.file, body.line) for body in staging.bodies()] == [
        ("body", "/a b/c.py", 12),
        ("odd", "", 0),
    ]
