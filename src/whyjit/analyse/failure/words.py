"""The one-paragraph message of a failure."""

from __future__ import annotations

from msgspec import structs

from whyjit.model.failure import Failure, Mismatch


def with_text(
    failure: Failure,
    detail: tuple[str, str, str, str] | None = None,
    subject: str = "",
    *,
    direct: bool = False,
    within: bool = False,
) -> Failure:
    """The failure with its message. `subject` is what is said to be traced, where that is not the expression."""
    return structs.replace(failure, text=_text(failure, detail, subject, direct=direct, within=within))


def _text(
    failure: Failure, detail: tuple[str, str, str, str] | None, subject: str, *, direct: bool, within: bool
) -> str:
    expression = " ".join(failure.expression.split())
    where = f"`{expression}`" if expression else f"line {failure.line}" if failure.line else "a value"
    if failure.code == "tracer-leak":
        sentences = [_leak(failure, subject or f"{where} uses")]
    elif failure.code == "unhashable-static":
        sentences = [_unhashable(failure, detail)]
    elif failure.code == "non-array-argument" and not subject:
        sentences = [_not_array(failure)]
    elif failure.mismatches:
        sentences = [_mismatch(one, failure.code) for one in failure.mismatches[:3]]
    elif subject and failure.code in ("carry-mismatch", "non-array-argument"):
        sentences = [subject[:1].upper() + subject[1:]]
    elif subject:
        sentences = [f"`{subject}` is traced, and Python asked for {failure.asked}", _origin(failure)]
    elif within:
        sentences = [f"Within {where} Python asked a traced value for {failure.asked}", _origin(failure)]
    elif direct:
        sentences = [f"{where} is traced, and Python asked it for {failure.asked}", _origin(failure)]
    else:
        sentences = [f"{where} needs {failure.asked}; what it was given is traced", _origin(failure)]
    if failure.remedies:
        best = failure.remedies[0]
        sentences.append(f"Try {best.name}: {best.text}")
    return " ".join(
        sentence if sentence.endswith("...") else f"{sentence.rstrip('. ')}." for sentence in sentences if sentence
    )


_TYPES = {"ArrayImpl": "a JAX array", "Array": "a JAX array", "ndarray": "a NumPy array"}


def a_type(name: str) -> str:
    """A type's name with its article."""
    if name.endswith("Tracer"):
        return "a traced value"
    known = _TYPES.get(name)
    return known or f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def listed(names: tuple[str, ...] | list[str], most: int = 4) -> str:
    """Names in a sentence."""
    shown = list(names)
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def argument_list(failure: Failure) -> str:
    """The arguments with their types."""
    pairs = zip(failure.arguments, failure.argument_types, strict=False)
    return listed([f"{path} ({kind})" if kind else path for path, kind in pairs])


def _origin(failure: Failure) -> str:
    if failure.arguments:
        plural = "arguments" if len(failure.arguments) > 1 else "argument"
        given = [f"{one.path} was {one.text}" for one in failure.given[:3] if one.holder == "python"]
        origin = f"It comes from the {plural} {argument_list(failure)} of `{failure.called or failure.function}`"
        return f"{origin}; {', '.join(given)}" if given else origin
    if failure.operations and not failure.notes:
        return "It comes from no argument: it is computed from constants inside the traced function"
    return ""


def _leak(failure: Failure, read: str) -> str:
    """`read` is the beginning: what is a placeholder, or holds one."""
    leak = failure.leak
    if leak is None:
        return "A value of a trace that has ended was used"
    made = (
        f", made by `{leak.made.source}` in line {leak.made.line}" if leak.made is not None and leak.made.source else ""
    )
    kept = f", and kept in `{leak.stored}` by line {leak.store.line}" if leak.store is not None else ""
    origin = f"the trace of `{leak.function}`" if leak.function else "a trace"
    return f"{read} a placeholder from {origin}{made}{kept}. That trace has ended, so it has no value"


def _unhashable(failure: Failure, detail: tuple[str, str, str, str] | None) -> str:
    if detail is None:
        return "A static argument has no hash"
    parameter, part, whole, kind = detail
    if not part:
        return f"The static argument {parameter} of `{failure.called}` is {a_type(whole or kind)}, which has no hash"
    holds = f"holds {a_type(kind)} in {parameter}{part}, which has no hash"
    return f"The static argument {parameter} of `{failure.called}` {holds}"


def _not_array(failure: Failure) -> str:
    if not failure.arguments:
        return "A jitted function was called with something that is no array"
    verb = "is" if len(failure.arguments) == 1 else "are"
    return f"{argument_list(failure)} of `{failure.called}` {verb} no array, and not static"


def _mismatch(one: Mismatch, code: str) -> str:
    because = f", so {one.difference}" if one.difference else ""
    if code == "carry-mismatch":
        made = f" (from `{one.found_by.source}` in line {one.found_by.line})" if one.found_by is not None else ""
        start = (
            f" (from `{one.expected_by.source}` in line {one.expected_by.line})" if one.expected_by is not None else ""
        )
        return f"{one.leaf} enters the loop as {one.expected}{start} and its body returns {one.found}{made}{because}"
    made = f" (`{one.found_by.source}`, line {one.found_by.line})" if one.found_by is not None else ""
    start = f" (`{one.expected_by.source}`, line {one.expected_by.line})" if one.expected_by is not None else ""
    return f"{one.leaf} of one branch is {one.expected}{start}, of the other {one.found}{made}{because}"
