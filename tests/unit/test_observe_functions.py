"""Which callables are one function group."""

from whyjit.observe import functions

SOURCE = "def step(x):\n    return x + 1\n"


def made(file):
    namespace = {}
    exec(compile(SOURCE, file, "exec"), namespace)  # noqa: S102 - a function from a file of any name
    return namespace["step"]


def test_functions_of_one_code_are_a_group():
    assert functions.identify(made("a.py")).key == functions.identify(made("a.py")).key


def test_equal_code_in_two_files_is_two_groups():
    one, other = made("a.py"), made("b.py")
    assert one.__code__ == other.__code__
    assert functions.identify(one).key != functions.identify(other).key
