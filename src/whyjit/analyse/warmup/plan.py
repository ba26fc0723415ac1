"""Which specializations of a run can be compiled ahead of time, the dearest first, and why the others cannot."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.warmup.writing import Written, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whyjit.model.finding import FunctionReport, Report
    from whyjit.model.recording import Specialization


class Home(NamedTuple):
    """Where the functions of a file are found: the module, whether it is the program itself, and its source.

    `reason` says why there is no source that can be relied on, or is "".
    """

    module: str
    program: bool
    source: str
    reason: str = ""


class Work(NamedTuple):
    """One specialization to be made: `name` as `whyjit why` numbers it, and the seconds it took in the run."""

    name: str
    module: str
    reference: str
    call: Written
    seconds: float
    calls: int


class LeftOut(NamedTuple):
    """Something that the run used and that is not made ahead, and why."""

    name: str
    reason: str


class Plan(NamedTuple):
    """What to make, the dearest first, and what is left out. `program` is the module of the program itself, or ""."""

    works: tuple[Work, ...]
    left_out: tuple[LeftOut, ...]
    program: str


def plan(report: Report, homes: Mapping[str, Home]) -> Plan:
    """The warm-up of a run. `homes` are by the functions' files."""
    program = next((home.module for home in homes.values() if home.program), "")
    context = _usual_context(report)
    works: list[Work] = []
    left: list[LeftOut] = []
    for function in report.functions:
        used = [one.specialization for one in function.specializations if one.specialization.calls]
        if not used or function.function.origin == "library":
            if used:
                left.append(LeftOut(function.function.name, "it belongs to a library, which keeps it to itself"))
            continue
        if function.function.origin == "eager":
            left.append(
                LeftOut(function.function.name, "operations called one by one; they could go into a jitted function")
            )
            continue
        home = homes.get(function.function.file) or Home("", False, "", "its file is not known")
        reference, jit, reason = _reference(function, home)
        if not reference:
            left.append(LeftOut(function.function.name, reason))
            continue
        for spec in used:
            name = f"{function.function.name}@{spec.number}"
            reason = _reason(spec, context)
            if reason:
                left.append(LeftOut(name, reason))
                continue
            call = written(spec.signature, function.function.name, program, concrete=jit == "filter_jit")
            seconds = sum(stage.own for stage in spec.stages)
            works.append(Work(name, home.module, reference, call, seconds, spec.calls))
    works.sort(key=lambda work: (-work.seconds, -work.calls, work.name))
    return Plan(tuple(works), tuple(left), program)


def _usual_context(report: Report) -> tuple[tuple[str, str], ...]:
    """The settings that most calls were made under: the program's own, which its server has too."""
    counts: Counter[tuple[tuple[str, str], ...]] = Counter()
    for function in report.functions:
        for one in function.specializations:
            counts[one.specialization.signature.context] += one.specialization.calls
    return counts.most_common(1)[0][0] if counts else ()


def _reason(spec: Specialization, context: tuple[tuple[str, str], ...]) -> str:
    """Why a specialization cannot be made ahead, or ""."""
    if spec.error:
        return f"it failed ({spec.error})"
    if spec.maker > 1:
        return "it belongs to another function object of the same code, made while the program ran"
    if spec.signature.transforms:
        return f"it was called under {', '.join(spec.signature.transforms)}"
    differing = dict(set(spec.signature.context) - set(context))
    if spec.signature.context != context:
        told = ", ".join(f"{name}={text}" for name, text in sorted(differing.items())) or "other settings"
        return f"it was called under {told}, unlike the rest"
    return ""


def _reference(function: FunctionReport, home: Home) -> tuple[str, str, str]:
    """How a jitted function is reached in its module, and by what it is jitted; or "" twice and the reason."""
    known = function.function
    if home.reason:
        return "", "", home.reason
    if "<locals>" in known.qualname:
        outer = known.qualname.partition(".<locals>")[0]
        return "", "", f"it is made inside `{outer}`; at a module's top level it could"
    try:
        tree = ast.parse(home.source)
    except SyntaxError:
        return "", "", "its file cannot be parsed"
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            jit = _made_by(statement.value, known.qualname, known.line)
            if isinstance(target, ast.Name) and jit:
                return target.id, jit, ""
    if "<lambda>" in known.qualname:
        return "", "", "it is a lambda that no name at the module's top level holds"
    jit = _decorated_by(tree, known.qualname.split("."))
    return (known.qualname, jit, "") if jit else ("", "", "no jit of it was found at its module's top level")


def _made_by(value: ast.expr, qualname: str, line: int) -> str:
    """The jit of a function in an expression: of the one of that name, or of the lambda in that line."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and node.args and _jit_in(node.func):
            first = node.args[0]
            lambda_here = isinstance(first, ast.Lambda) and qualname == "<lambda>" and first.lineno == line
            if lambda_here or ast.unparse(first) == qualname:
                return _jit_in(node.func)
    return ""


def _decorated_by(tree: ast.Module, parts: list[str]) -> str:
    body: list[ast.stmt] = tree.body
    for part in parts[:-1]:
        found = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == part), None)
        if found is None:
            return ""
        body = found.body
    decorators = [
        decorator
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name == parts[-1]
        for decorator in node.decorator_list
    ]
    return next(filter(None, map(_jit_in, decorators)), "")


def _jit_in(node: ast.expr) -> str:
    """The name of the jit that an expression is, calls, or makes a partial of; or ""."""
    if isinstance(node, ast.Call):
        return _jit_in(node.func) or next(filter(None, map(_jit_in, node.args[:1])), "")
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name if name in ("jit", "filter_jit") else ""
