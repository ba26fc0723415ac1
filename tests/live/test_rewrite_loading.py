"""A subject's module loaded as far as needed, the function taken out of it, and everything put back."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

import jax

from whyjit.rewrite.loading import CannotLoad, function_in, loaded
from whyjit.rewrite.subject import Subject

PROGRAM = """
import functools
import jax

RATE = 0.5
raise_if_run = []


@functools.partial(jax.jit, static_argnames="n")
def step(x, n):
    return x * RATE * n


class Model:
    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x


def doubled(function):
    @functools.wraps(function)
    def inner(*args):
        return 2 * function(*args)
    return inner


@jax.jit
@doubled
def below(x):
    return x


class Wrapper:
    def __init__(self, function):
        self.__wrapped__ = function


@Wrapper
def hidden(x):
    return x


print(1 / 0)
"""


@pytest.fixture
def subject(tmp_path):
    def subject(qualname, source=PROGRAM, *, main=True, line=None):
        file = tmp_path / "program.py"
        file.write_text(source)
        lines = source.splitlines()
        found = next(at for at, text in enumerate(lines) if f"def {qualname.rpartition('.')[2]}(" in text)
        while lines[found - 1].lstrip().startswith("@"):
            found -= 1
        return Subject(
            str(file), source, "", "program", main, qualname, line or found + 1, (str(tmp_path),), str(tmp_path)
        )

    return subject


def called(subject, *args):
    with loaded(subject) as module:
        return function_in(module, subject)(*args)


def test_the_work_of_a_script_is_not_done(subject):
    assert called(subject("step"), 2.0, 3) == 3.0


def test_a_method_is_found_in_its_class(subject):
    assert called(subject("Model.apply"), None, 7) == 7


def test_decorators_below_the_jit_belong_to_the_function(subject):
    assert called(subject("below"), 3) == 6


def test_a_wrapper_that_is_no_function_is_refused_by_name(subject):
    with pytest.raises(CannotLoad, match=r"wrapped by .*Wrapper"):
        called(subject("hidden"), 1)


def test_another_function_of_the_name_is_not_taken_for_it(subject):
    with pytest.raises(CannotLoad, match="another function"):
        called(subject("step", line=1))


def test_a_module_is_run_whole_and_a_guarded_script_without_its_work(subject):
    with pytest.raises(ZeroDivisionError):
        called(subject("step", main=False), 2.0, 3)
    guarded = PROGRAM.replace("print(1 / 0)", 'if __name__ == "__main__":\n    print(1 / 0)')
    assert called(subject("step", guarded), 2.0, 3) == 3.0


def test_everything_is_put_back(subject):
    main, folder, path = sys.modules["__main__"], Path.cwd(), list(sys.path)
    with loaded(subject("step")) as module:
        assert sys.modules["__main__"] is sys.modules["program"] is module
    assert sys.modules["__main__"] is main
    assert "program" not in sys.modules
    assert Path.cwd() == folder
    assert sys.path[-len(path) :] == path


def test_the_function_is_the_one_that_can_be_jitted_anew(subject):
    found = subject("step")
    with loaded(found) as module:
        assert jax.jit(function_in(module, found))(2.0, 3) == 3.0
