"""In a process of its own: a subject's module run as far as needed, and the function taken out of it."""

from __future__ import annotations

import ast
import contextlib
import os
import pickletools
import sys
import types
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import jits, rebuilding, thawing
from whyjit.jaxlink.rebuilding import CannotRebuild
from whyjit.model.arguments import KeptCall, Named, Node, Pickled, Value
from whyjit.rewrite import slicing

if TYPE_CHECKING:
    from whyjit.rewrite.subject import Subject


class CannotLoad(Exception):  # noqa: N818 - told to the user as the reason
    """Why a function is not to be had."""


@contextlib.contextmanager
def loaded(subject: Subject, source: str | None = None, calls: Iterable[KeptCall] = ()) -> Generator[types.ModuleType]:
    """The subject's module, with `source` in the place of its own text if given.

    Meanwhile it stands in `sys.modules` under its name, so that kept arguments find their classes there. `calls` are
    those that are going to be made: what they name in the program is loaded as well.
    """
    text = subject.source if source is None else source
    name = "__main__" if subject.main else subject.module
    module = types.ModuleType(name)
    # A program that looks whether it is the program itself must not think so.
    module.__name__ = subject.module if subject.main else name
    module.__file__ = subject.file
    module.__dict__["__whyjit_source__"] = text  # where expressions are cut out of
    module.__dict__[rebuilding.TEXTS] = (subject.file, subject.source, text)
    module.__package__ = subject.module.rpartition(".")[0]
    sys.path[:0] = [folder for folder in subject.path if folder not in sys.path]
    before, folder = sys.modules.get(name), Path.cwd()
    with contextlib.suppress(OSError):
        os.chdir(subject.directory or ".")
    if module.__package__:
        __import__(module.__package__)
    sys.modules[name] = module
    if subject.main:
        sys.modules[subject.module] = module
    try:
        code: Any = text
        if subject.main and not slicing.is_guarded(text):
            code = _part(text, subject, calls)
        exec(compile(code, subject.file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - that is what it is for
        yield module
    except CannotRebuild as reason:
        raise CannotLoad(str(reason)) from None
    finally:
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
        if subject.main and sys.modules.get(subject.module) is module:
            del sys.modules[subject.module]
        os.chdir(folder)


def functions_in(
    module: types.ModuleType, subject: Subject, calls: Iterable[KeptCall], *, moved: bool = False
) -> list[Any]:
    """The Python function of each call, without the jit around it: the module's own, or one made anew as it was then.

    Calls that carry the same are given the same function. Raises `CannotLoad`.
    """
    made: dict[str, Any] = {}
    found: list[Any] = []
    for call in calls:
        carried = call.carried
        key = carried.digest if carried is not None else ""
        if key not in made:
            made[key] = function_in(module, subject, moved=moved) if carried is None else _rebuilt(call, subject)
        found.append(made[key])
    return found


def _rebuilt(call: KeptCall, subject: Subject) -> Any:
    assert call.carried is not None  # noqa: S101 - only then it is rebuilt
    name = subject.qualname.rpartition(".")[2]
    if call.carried.function is None:
        raise CannotLoad(f"what `{name}` closes over was not kept: {call.carried.missing}")
    try:
        return thawing.function_of(call.carried.function)
    except CannotRebuild as reason:
        raise CannotLoad(str(reason)) from None
    except Exception as fault:  # noqa: BLE001 - the program's own classes are made anew here
        text = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise CannotLoad(f"what `{name}` closes over cannot be made anew: {text[:200]}") from None


def function_in(module: types.ModuleType, subject: Subject, *, moved: bool = False) -> Any:
    """The Python function that the subject names, without the jit around it. Raises `CannotLoad`.

    With `moved` the function may stand at another line: the module's source is not the recorded one.
    """
    found: Any = module
    for part in subject.qualname.split("."):
        found = vars(found).get(part) if isinstance(found, (types.ModuleType, type)) else None
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    function, code = found, getattr(found, "__code__", None)
    for _ in range(10):
        inner = jits.function_of(found) if jits.info_of(found) is not None else None
        if inner is not None:
            function = found = inner  # what is jitted, with whatever decorators stand below the jit
        elif not isinstance(found, types.FunctionType) and found is not None and hasattr(found, "__wrapped__"):
            raise CannotLoad(f"`{subject.qualname}` is wrapped by {type(found).__module__}.{type(found).__qualname__}")
        code = getattr(found, "__code__", None)
        if code is not None and _is_at(code, subject) and (moved or code.co_firstlineno == subject.line):
            return function
        found = getattr(found, "__wrapped__", None)
    raise CannotLoad(f"`{subject.qualname}` of {Path(subject.file).name} is another function than the recorded one")


def _is_at(code: types.CodeType, subject: Subject) -> bool:
    return code.co_filename == subject.file and code.co_name == subject.qualname.rpartition(".")[2]


def _part(text: str, subject: Subject, calls: Iterable[KeptCall]) -> ast.Module:
    calls = tuple(calls)
    names = {subject.qualname.partition(".")[0]} if any(call.carried is None for call in calls) or not calls else set()
    for call in calls:
        if call.carried is not None and call.carried.function is not None:
            names |= set(_names(call.carried.function))
        for value in (*call.args, *(value for _, value in call.kwargs)):
            names |= set(_names(value))
    try:
        return slicing.needed(text, names)
    except slicing.CannotSlice as reason:
        raise CannotLoad(f"`{subject.qualname}` cannot be loaded without running the whole program: {reason}") from None


def _names(value: Value) -> Generator[str]:
    """The names that may have to be in the program's module for a kept value to be made anew."""
    if isinstance(value, Named) and value.module == "__main__":
        yield value.name.partition(".")[0]
    if isinstance(value, Pickled):
        yield from _pickled_names(value.data)
    if isinstance(value, Node):
        if value.node:
            yield from _pickled_names(value.node)
        for part in (*value.children, *value.keys):
            yield from _names(part)


def _pickled_names(data: bytes) -> Generator[str]:
    for _, argument, _ in pickletools.genops(data):
        if isinstance(argument, str):
            yield argument.partition(" ")[2] or argument.partition(".")[0]
