"""A live function and its arguments as a job for processes apart: by name where it has one, pickled where not."""

from __future__ import annotations

import io
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any, ClassVar

from whyjit.errors import WhyjitError
from whyjit.experiment.jobs import Job, Source, Target
from whyjit.jaxlink import abstract, stages
from whyjit.observe.functions import identify

# What cloudpickle calls the file of the code that it takes along; a person wants to be told the true one.
_NOWHERE = "<dynamic-code>"


def job_of(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    static: tuple[str, ...] = (),
    compile: bool = False,  # noqa: A002
) -> Job:
    """The job for a call. Arrays go as their types, without their contents.

    Raises:
      WhyjitError: the function, or an argument, cannot be handed to another process.
    """
    if not callable(function):
        raise WhyjitError(f"{type(function).__name__} cannot be called; give a function")
    target = target_of(function)
    kept: dict[str, Any] = {
        "args": abstract.abstract_tree(args),
        "kwargs": abstract.abstract_tree(dict(kwargs)),
        "vary": {name: [abstract.abstract_tree(value) for value in values] for name, values in (vary or {}).items()},
    }
    if target.kind == "kept":
        kept["function"] = function
    data = _pickled(kept, target)
    return Job(target, Source("kept"), static, kept=data, settings=stages.settings(), compile=compile)


def target_of(function: Any) -> Target:
    """Where another process finds a function: in a module, in the file that was started, or among the kept values."""
    home, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    module = sys.modules.get(home) if isinstance(home, str) else None
    if module is None or _walk(module, name) is not function:
        return _kept(function)
    if home != "__main__":
        return Target("module", str(home), name)
    spec, file = getattr(module, "__spec__", None), getattr(module, "__file__", None)
    if spec is not None and spec.name:
        return Target("module", spec.name, name, main=True)
    if isinstance(file, str):
        return Target("file", file, name, main=True)
    return _kept(function)


def _kept(function: Any) -> Target:
    identity = identify(function)
    return Target("kept", "", identity.name, file=identity.file, line=identity.line)


def _walk(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _pickled(kept: dict[str, Any], target: Target) -> bytes:
    """Plain pickle where it does; else cloudpickle, which takes lambdas and local classes along."""
    try:
        return pickle.dumps(kept)
    except Exception as fault:  # noqa: BLE001 - what can go wrong depends on the classes
        try:
            import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            raise WhyjitError(
                f"{target.name} or its arguments cannot be handed to a process of their own ({fault}); define them "
                "in a module, or install cloudpickle"
            ) from fault
    known = cloudpickle.CloudPickler.dispatch_table

    def code(value: CodeType) -> tuple[Any, ...]:
        make, parts = known[CodeType](value)[:2]
        return make, tuple(value.co_filename if part == _NOWHERE else part for part in parts)

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc, unused-ignore]
        dispatch_table: ClassVar[Any] = ChainMap({CodeType: code}, known)

    stream = io.BytesIO()
    try:
        Pickler(stream).dump(kept)
        return stream.getvalue()
    except Exception as fault:
        raise WhyjitError(
            f"{target.name} or its arguments cannot be handed to a process of their own ({fault}); define them in a "
            "module"
        ) from fault
