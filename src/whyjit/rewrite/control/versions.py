"""The versions of a function on the bench: each loaded from its text, with arguments of its own, and traced."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import linecache
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import libcst as cst
import msgspec

from whyjit.analyse.failure import judge
from whyjit.jaxlink import rebuilding, thawing, trials
from whyjit.jaxlink.rebuilding import CannotRebuild
from whyjit.jaxlink.rows import by_rows
from whyjit.jaxlink.trials import Arguments
from whyjit.observe.failures import FailureProbe, causes, failure_of
from whyjit.observe.places import kind_of_file
from whyjit.rewrite.control import oracle
from whyjit.rewrite.control.decision import decided
from whyjit.rewrite.loading import CannotLoad, loaded
from whyjit.rewrite.nested import one_function
from whyjit.rewrite.subject import module_name

if TYPE_CHECKING:
    from whyjit.model.arguments import KeptCall
    from whyjit.model.failure import Failure
    from whyjit.rewrite.control.site import Site
    from whyjit.rewrite.subject import Subject

_IN_PLACE = ("not support item assignment", "not support in-place item assignment")


class Target(msgspec.Struct, frozen=True):
    """A file that is rewritten, and its text."""

    file: str
    source: str


class Loaded(NamedTuple):
    """A version: its function, and the calls. Its module makes its own classes, so its arguments are its own, too."""

    function: Callable[..., Any]
    calls: tuple[Arguments, ...]
    module: types.ModuleType


class Bench:
    """Loads versions of one function and traces them. To be used in a `with`, in a process of its own.

    What differs from version to version is the text of `target`, the file that the failing expression stands in: that
    of the function, or of another module that it imports. `statics` are the names of the static parameters.
    """

    def __init__(
        self, subject: Subject, calls: Sequence[KeptCall], statics: Sequence[str], target: Target | None = None
    ) -> None:
        self.subject = subject
        self.target = target or Target(subject.file, subject.source)
        self.statics = tuple(statics)
        self._before = frozenset(sys.modules)
        self._kept = tuple(calls)
        self._versions: dict[tuple[str, str], Loaded] = {}
        self._stack = contextlib.ExitStack()
        self._probe = FailureProbe(lambda _: None, judge)
        self._stores = False

    def __enter__(self) -> Self:
        self._stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self._stack.enter_context(trials.configured(self.subject.context))
        self._probe.install()
        self._stack.callback(self._probe.remove)
        for name, value in ((oracle.WAY, trials.truth(True)), (oracle.STORE, trials.stored)):
            setattr(builtins, name, value)
            self._stack.callback(delattr, builtins, name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
        self._forget()

    def obstacle(self) -> str:
        """Why nothing can be tried; "" if the function and its arguments are there."""
        try:
            original = self.version(self.target.source)
        except (CannotLoad, CannotRebuild) as reason:
            return str(reason)
        except Exception as fault:  # noqa: BLE001 - the program's own code runs here
            return f"it cannot be loaded alone: {said(fault)}"
        return "" if original.calls else "there are no arguments to try it with"

    def version(self, text: str, use: str = "") -> Loaded:
        """The function as a text has it. What is loaded for one use is not loaded again for it."""
        found = self._versions.get((text, use))
        if found is None:
            self._show(text)
            module = self._load(text)
            function = one_function(module, self.subject, self._kept, moved=True)
            pairs = [thawing.thaw(call) for call in self._kept]
            calls = [trials.as_arrays(function, args, kwargs, self.statics) for args, kwargs in pairs]
            found = self._versions[text, use] = Loaded(function, tuple(calls), module)
        return found

    def _load(self, text: str) -> types.ModuleType:
        """The subject's module, with a text in the place of the target's. The user's other modules are loaded anew."""
        self._forget()
        if self.target.file == self.subject.file:
            return self._stack.enter_context(loaded(self.subject, text, self._kept))
        sys.path[:0] = [folder for folder in self.subject.path if folder not in sys.path]
        _replace_module(self.target, text)
        return self._stack.enter_context(loaded(self.subject, None, self._kept))

    def _forget(self) -> None:
        """Have the modules of the user's that were imported here imported anew the next time."""
        for name in sys.modules.keys() - self._before:
            if kind_of_file(getattr(sys.modules[name], "__file__", None) or "<") == "user":
                del sys.modules[name]

    def reference(self, text: str) -> Loaded:
        """The same, to be run op by op: also where it assigns to elements of arrays, or is mapped over rows."""
        with by_rows():
            return self.version(oracle.with_numpy_stores(text) if self._stores else text, "reference")

    def _show(self, text: str) -> None:
        """Give tracebacks, and those who look up positions in them, the text that is run."""
        file = self.target.file
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)

    def trace(self, text: str) -> BaseException | None:
        """What a version fails with when it is traced; None if it can be."""
        try:
            version = self.version(text)
        except Exception as fault:  # noqa: BLE001 - the program's own code runs here
            return fault
        self._show(text)
        for call in version.calls:
            try:
                trials.has_effects(version.function, call, self.statics)
            except Exception as raised:  # noqa: BLE001 - it is what is looked for
                self._stores = self._stores or is_in_place(raised)
                return raised
        return None

    def forced(self, site: Site) -> str | None:
        """The text of a site with a name in the place of the condition that its expression decides."""
        test = getattr(decided(site), "test", None)
        return None if test is None else site.with_node(test, cst.Name(oracle.WAY))

    @contextlib.contextmanager
    def going(self, value: bool) -> Any:
        """Meanwhile forced conditions are true or false."""
        setattr(builtins, oracle.WAY, trials.truth(value))
        yield

    @property
    def has_stores(self) -> bool:
        """Whether the original assigns to elements of arrays, so that it can only be run as NumPy would."""
        return self._stores


def _replace_module(target: Target, text: str) -> None:
    """Have a module imported with another text than that of its file."""
    file = Path(target.file)
    name = module_name(file)
    package, _, last = name.rpartition(".")
    if package:
        importlib.import_module(package)
    module = types.ModuleType(name)
    module.__file__, module.__package__ = str(file), package
    module.__dict__[rebuilding.TEXTS] = (target.file, target.source, text)
    sys.modules[name] = module
    exec(compile(text, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - that is what it is for
    if package:
        setattr(sys.modules[package], last, module)


def is_in_place(raised: BaseException) -> bool:
    """Whether an array of JAX's has refused an assignment to its elements."""
    return isinstance(raised, TypeError) and any(words in str(raised) for words in _IN_PLACE)


def failure_behind(raised: BaseException) -> Failure | None:
    """The failure behind an exception that `Bench.trace` returned."""
    return next((found for one in causes(raised) if (found := failure_of(one)) is not None), None)


def said(raised: BaseException) -> str:
    """An exception on one line."""
    text = str(raised).strip().splitlines()
    return f"{type(raised).__name__}: {text[0][:200]}" if text else type(raised).__name__
