"""Arguments that Python must know, and that could be static: a size, a number of steps, a mode.

They are found by what failed: the function could not be traced, since the value was an argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from whyjit.errors import WhyjitError
from whyjit.model.advice import Advice, Effort
from whyjit.model.arguments import KeptCall
from whyjit.model.concrete import ConcreteTrial
from whyjit.model.source import Location
from whyjit.rewrite import jit_options, patching, sources
from whyjit.rewrite.kept import Unavailable, arguments_for, maker_of
from whyjit.rewrite.statics import concrete_trial
from whyjit.rewrite.statics.candidates import static_names
from whyjit.rewrite.statics.doing import side_effect
from whyjit.rewrite.statics.propose import parameters_of, shown_path
from whyjit.rewrite.subject import Subject, changed_since, subject_of

if TYPE_CHECKING:
    from whyjit.model.failure import Failure
    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Specialization
    from whyjit.rewrite.advisers import Context

# A value that decides a program by being one of a few: floats are data, whatever is asked of them.
_KINDS = ("int", "uint", "bool")
# Errors that a static argument answers: the value is no data but decides what the program is.
_NOT_DATA = "non-array-argument"
_PLAIN = frozenset({"str", "NoneType", "type", "bytes"})


def propose(context: Context) -> Iterator[Advice]:
    """The advice on arguments that have to be static, one for each function and set of arguments."""
    done: set[tuple[str, str, tuple[str, ...]]] = set()
    for failure in context.report.failures:
        name = (failure.called or failure.function).rpartition(".")[2]
        key = (failure.file, name, failure.arguments)
        if key in done or not failure.arguments or not all(path.isidentifier() for path in failure.arguments):
            continue
        if not any(remedy.name == "static_argnames" for remedy in failure.remedies) or context.only not in {"", name}:
            continue
        done.add(key)
        if failure.code == _NOT_DATA:
            yield from _texts(context, failure, name)
            continue
        found = _failed(context, failure, name)
        if found is not None:
            yield from found.advice()


@dataclass(frozen=True)
class _Failed:
    """A function with the specializations that failed, and the arguments that Python had to know."""

    context: Context
    report: FunctionReport
    specs: list[Specialization]
    failure: Failure

    def advice(self) -> Iterator[Advice]:
        names = self.failure.arguments
        subject = subject_of(self.context, self.report.function)
        if isinstance(subject, Unavailable):
            yield self._item(f"not verified: {subject.reason}", None)
            return
        calls = self._calls()
        reason = calls.reason if isinstance(calls, Unavailable) else ""
        reason = reason or side_effect(subject.source, subject.qualname, subject.line)
        if reason or isinstance(calls, Unavailable):
            yield self._item(f"not verified: {reason}", subject)
            return
        statics = static_names(self.specs)
        task = concrete_trial.Task(subject, tuple(calls), self._makers(calls), statics, names)
        outcome = self.context.limits.run(concrete_trial.NAME, msgspec.msgpack.encode(task))
        if outcome.result is None:
            yield self._item(f"not verified: the process that tried it {outcome.failure}", subject)
            return
        yield self._judged(msgspec.msgpack.decode(outcome.result, type=ConcreteTrial), calls, subject)

    def _calls(self) -> list[KeptCall] | Unavailable:
        calls: list[KeptCall] = []
        for spec in self.specs[: self.context.limits.calls]:
            found = arguments_for(self.context, self.report.function.id, spec.number)
            if isinstance(found, Unavailable):
                return found
            if not found.kept:
                return Unavailable("the value itself was not kept; record with: whyjit run --keep-arguments")
            calls.append(found)
        return calls

    def _makers(self, calls: list[KeptCall]) -> tuple[int, ...]:
        return tuple(maker_of(spec, call) for spec, call in zip(self.specs, calls, strict=False))

    def _judged(self, trial: ConcreteTrial, calls: list[KeptCall], subject: Subject) -> Advice:
        each = self._each()
        if trial.unhashable:
            return self._item(f"tried and rejected: {trial.unhashable[0]} cannot be hashed", None)
        if trial.failed:
            return self._item(f"tried and rejected: with {each} static it fails, too ({trial.failed})", None)
        if trial.outputs:
            return self._item(f"tried and rejected: compiled, it gives another result: {trial.outputs}", None)
        if trial.gradients not in {"", "none"}:
            return self._item(f"tried and rejected: the gradient, compiled: {trial.gradients}", None)
        agree = "outputs and gradients agree" if trial.gradients == "" else "outputs agree"
        asked = (self.failure.nature_evidence or self.failure.asked).partition(", and comes from")[0]
        sets = "1 argument set" if len(calls) == 1 else f"{len(calls)} argument sets"
        values = "1 value" if len(trial.values) == 1 else f"{len(trial.values)} values"
        traces = "1 trace" if trial.traces == 1 else f"{trial.traces} traces"
        why = (
            f"Python must know {each}: {asked}; with {each} static, {agree} with what Python computes without jit, on"
            f" {sets}; {values} took {traces}, and each further value takes another one"
        )
        return self._item(why, subject, Effort(trial.traces, trial.seconds), trial.values, "TESTED")

    def _each(self) -> str:
        return " and ".join(f"`{name}`" for name in self.failure.arguments)

    def _item(
        self,
        why: str,
        subject: Subject | None,
        after: Effort | None = None,
        values: tuple[str, ...] = (),
        evidence: str = "SUGGESTED",
    ) -> Advice:
        function = self.report.function
        stages = [stage for spec in self.specs for stage in spec.stages]
        before = Effort(sum(stage.kind == "trace" for stage in stages), sum(stage.own for stage in stages))
        patch = (
            _patch(self.context, subject.file, subject.source, subject.line, self.failure, function.name)
            if subject
            else None
        )
        return Advice(
            function.name,
            ", ".join(self.failure.arguments),
            "make-static",
            evidence,  # type: ignore[arg-type]
            why,
            before,
            after,
            patch,
            values,
            Location(function.file, function.line, function.qualname),
            subject.digest if subject is not None else "",
        )


def _failed(context: Context, failure: Failure, name: str) -> _Failed | None:
    """The function that failed so, if its arguments were Python's own whole numbers or flags."""
    for report in context.report.functions:
        if name not in {report.function.name, report.function.qualname} or report.function.origin != "user":
            continue
        specs = [one.specialization for one in report.specializations if one.specialization.error == failure.error]
        leaves = {leaf.path: leaf for spec in specs for leaf in spec.signature.leaves}
        wanted = [leaves.get(path) for path in failure.arguments]
        if specs and all(
            leaf is not None and leaf.holder == "python" and leaf.dtype.startswith(_KINDS) for leaf in wanted
        ):
            return _Failed(context, report, specs, failure)
    return None


def _texts(context: Context, failure: Failure, name: str) -> Iterator[Advice]:
    """A text or another plain value was passed where JAX wants numbers. JAX refused it before anything was traced."""
    if not all(kind in _PLAIN for kind in failure.argument_types):
        return
    each = " and ".join(f"`{path}`" for path in failure.arguments)
    kinds = ", ".join(dict.fromkeys(failure.argument_types))
    why = (
        f"{each} is no number ({kinds}), so it can only be static: a trace for each distinct value; not verified,"
        " since JAX refused the call before its arguments could be kept"
    )
    patch, digest, line = None, "", failure.line
    file = Path(failure.file)
    try:
        source = sources.read(file)
    except WhyjitError:
        return
    lines = _definitions(source.text, name)
    if len(lines) == 1 and not changed_since(context, file):
        patch, digest, line = (
            _patch(context, failure.file, source.text, lines[0], failure, name),
            source.digest,
            lines[0],
        )
    path = ", ".join(failure.arguments)
    location = Location(failure.file, line, name)
    yield Advice(name, path, "make-static", "SUGGESTED", why, Effort(0, 0.0), None, patch, (), location, digest)


def _definitions(source: str, name: str) -> list[int]:
    return [
        min([node.lineno, *(one.lineno for one in node.decorator_list)])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]


def _patch(context: Context, file: str, source: str, line: int, failure: Failure, name: str) -> str | None:
    target = jit_options.Target(name, line, parameters_of(source, line, name))
    edited = jit_options.with_static(source, target, failure.arguments)
    if isinstance(edited, jit_options.Uneditable):
        return None
    return patching.diff(shown_path(context, file), source, edited.source)
