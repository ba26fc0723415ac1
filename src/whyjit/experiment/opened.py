"""In the process of an experiment: the function and its call, ready to be changed and staged."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.experiment import annotated, recorded
from whyjit.experiment.apart_child import last_line
from whyjit.experiment.jobs import Job
from whyjit.experiment.target import find, kept_values, module_of
from whyjit.jaxlink import abstract, jits, stages
from whyjit.observe.signatures import Call as SignatureCall
from whyjit.observe.signatures import Given, given

_NUMBERS = (bool, int, float, complex)


@dataclass(frozen=True)
class Opened:
    """A function with a call of it, whose arrays are abstract.

    `function` is what the program calls, `staged` what is staged: the same, or `function` jitted, with `made_static`.
    `evaluate` gives the value of an expression in the program's names; `varied` are the values kept for a variation.
    `remake` makes the arguments anew.
    """

    function: Any
    staged: Any
    kind: str
    signature: inspect.Signature | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    made_static: tuple[str, ...] = ()
    evaluate: Callable[[str, str], Any] = field(default=lambda _text, _what: None)
    varied: dict[str, list[Any]] = field(default_factory=dict)
    remake: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] = field(default=lambda: ((), {}))

    @property
    def splits(self) -> bool:
        """Whether the function is jitted so that arrays are traced and everything else is static, as equinox does."""
        return self.kind == "wrapped" and type(self.function).__module__.partition(".")[0] == "equinox"

    def static_names(self) -> set[str]:
        """The parameters that are static, or hold nothing but what a splitting wrapper makes static."""
        names = list(self.signature.parameters) if self.signature is not None else []
        numbers = {number + len(names) if number < 0 else number for number in self.static_argnums}
        found = {*self.static_argnames, *(names[number] for number in numbers if number < len(names))}
        if self.splits and self.signature is not None:
            values = {name: one.default for name, one in self.signature.parameters.items()}
            values.update({one.name: one.value for one in self.given()})
            found |= {name for name, value in values.items() if not self._has_arrays(value, name)}
        return found

    @staticmethod
    def _has_arrays(value: Any, name: str) -> bool:
        leaves = abstract.paths_and_leaves(value, name)
        return any(abstract.is_abstract(abstract.abstract(leaf)) for _, leaf in leaves)

    def given(self) -> list[Given]:
        """The arguments as given, by the parameters' names."""
        return given(self.signature_call())[0]

    def signature_call(self) -> SignatureCall:
        """The call as whyjit's own reader of signatures takes it."""
        leaf_is_static = (lambda leaf: not abstract.is_abstract(leaf)) if self.splits else None
        return SignatureCall(
            self.signature, self.args, self.kwargs, self.static_argnums, self.static_argnames, leaf_is_static
        )

    def having(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Opened:
        """The same function with other arguments."""
        return replace(self, args=args, kwargs=kwargs)

    def mapped(self, change: Callable[[str, Any], Any]) -> Opened:
        """With each leaf of what is not static replaced by `change(leaf path, leaf)`."""
        args, kwargs = list(self.args), dict(self.kwargs)
        keys = sorted(kwargs)
        for at, one in enumerate(self.given()):
            if one.static:
                continue
            value = abstract.change_leaf(one.value, one.name, change)
            if at < len(args):
                args[at] = value
            else:
                kwargs[keys[at - len(args)]] = value
        return self.having(tuple(args), kwargs)


def open_call(job: Job) -> Opened:
    """The function and the call that a job names.

    Raises:
      WhyjitError: something of it cannot be had; the message says what.
    """
    stages.configure(job.settings)
    kept = kept_values(job.kept) if job.kept and job.target.kind == "kept" else {}
    names: dict[str, Any] = {}
    if job.target.kind == "kept":
        function = kept["function"]
    else:
        module = module_of(job.target)
        function = find(module, job.target.name)
        names = vars(module)
        kept = kept_values(job.kept) if job.kept else {}
    stages.configure(job.settings)  # the program may have set them when it was imported
    evaluate = _evaluator(names)
    outer, (function, bound, named) = function, _unbound(function)
    signature = stages.signature_of(function)

    def remake() -> tuple[tuple[Any, ...], dict[str, Any]]:
        again = kept_values(job.kept) if job.kept else {}
        args, kwargs = _arguments(job, outer, stages.signature_of(outer), again, evaluate)
        return abstract.abstract_tree((*bound, *args)), abstract.abstract_tree({**named, **kwargs})

    args, kwargs = remake()
    _check_form(job, signature, args, kwargs)
    opened = Opened(
        *(function, function, "jitted", signature, args, kwargs),
        evaluate=evaluate,
        varied=kept.get("vary", {}),
        remake=remake,
    )
    return _staged(opened, job.static)


def _unbound(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What is jitted inside a bound method or a partial, with the arguments bound to it; else the function itself."""
    bound: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    inner = function
    while True:
        if isinstance(inner, types.MethodType):
            bound, inner = (inner.__self__, *bound), inner.__func__
        elif isinstance(inner, functools.partial):
            bound, named, inner = (*inner.args, *bound), {**inner.keywords, **named}, inner.func
        else:
            break
    inner = jits.completed(inner)
    return (inner, bound, named) if stages.is_lowerable(inner) else (function, (), {})


def _evaluator(names: dict[str, Any]) -> Callable[[str, str], Any]:
    def evaluate(text: str, what: str) -> Any:
        import numpy as np

        from whyjit.jaxlink import namespace

        try:
            return eval(text, {**names, **namespace.names(), "np": np})  # noqa: S307 - what the user wrote to be evaluated
        except Exception as raised:
            raise WhyjitError(f"{what} {text!r} cannot be evaluated: {last_line(raised)}") from raised

    return evaluate


def _arguments(
    job: Job,
    function: Any,
    signature: inspect.Signature | None,
    kept: dict[str, Any],
    evaluate: Callable[[str, str], Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    source = job.source
    if source.kind == "kept":
        return kept["args"], kept["kwargs"]
    if source.kind == "annotations":
        return annotated.arguments(function, signature)
    if source.kind == "recorded" and source.signature is not None:
        return recorded.arguments(function, source.signature)
    value = evaluate(source.expression, "--args")
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple) and isinstance(value[1], dict):
        return value
    if isinstance(value, tuple):
        return value, {}
    raise WhyjitError(
        f"--args gives {type(value).__name__}, not the arguments as a tuple, such as (jnp.ones(3), 2.0), or with"
        " keywords ((jnp.ones(3), 2.0), {'mode': 'sum'}); a single argument is written (x,)"
    )


def _check_form(job: Job, signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if signature is None:
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as raised:
        raise WhyjitError(f"the call does not fit {job.target.name}{signature}: {raised}") from raised


def _staged(opened: Opened, static: tuple[str, ...]) -> Opened:
    function = opened.function
    if stages.is_jitted(function):
        numbers, names = jits.statics_of(jits.info_of(function))
        if static:
            raise WhyjitError("the function is jitted already, with its own static arguments; leave --static out")
        return replace(opened, static_argnums=numbers, static_argnames=names)
    if stages.is_lowerable(function):
        return replace(opened, kind="wrapped")
    known = opened.signature.parameters if opened.signature is not None else {}
    for name in static:
        if name not in known:
            raise WhyjitError(f"the function has no parameter {name} to be static; it has {', '.join(known) or 'none'}")
    made = tuple(name for name in known if name in static or _must_be_static(opened, name))
    jitted = stages.jitted(function, made)
    return replace(opened, kind="plain", staged=jitted, static_argnames=made, made_static=made)


def _must_be_static(opened: Opened, name: str) -> bool:
    """Whether a parameter of a plain function holds something that JAX would not take as data."""
    value = next((one.value for one in opened.given() if one.name == name), None)
    if value is None and opened.signature is not None and all(one.name != name for one in opened.given()):
        default = opened.signature.parameters[name].default
        value = None if default is inspect.Parameter.empty else default
    leaves = [leaf for _, leaf in abstract.paths_and_leaves(value, name)]
    return any(not abstract.is_abstract(abstract.abstract(leaf)) and type(leaf) not in _NUMBERS for leaf in leaves)
