"""What the results, and the ledger, say of an answer."""

from __future__ import annotations

from collections.abc import Iterator

from whyjit.lesson.seen import Json, Remark, Seen, later, statics

_SHOWN = 3


def results(seen: Seen) -> Iterator[Remark]:
    """What is wrong with the results, in the order of the calls."""
    bad = [check for check in seen.checks if not check["ok"]]
    told = {(check.get("error"), check.get("message", check["what"])): check for check in reversed(bad)}
    shown = [check for check in bad if check in told.values()][:_SHOWN]
    for check in shown:
        yield Remark("wrong", _problem(check))
    if len(bad) > len(shown):
        yield Remark("wrong", f"{len(bad) - len(shown)} more of the {len(seen.checks)} results are wrong")
    if any(map(_is_constant, _groups(seen))):
        yield Remark(
            "wrong",
            "calls with other values gave the same result: it does not depend on the values. A result that is written "
            "into the source, or computed by Python or NumPy during the trace, is a constant of the program",
        )
    for failure in seen.failures[:1]:
        yield Remark("note", f"whyjit: {failure['text']}")
    if any("Non-hashable static" in check.get("message", "") for check in bad):
        yield Remark("note", "data cannot be static: each value would be one more program, and arrays have no hash")


def _problem(check: Json) -> str:
    if "error" in check:
        where = f", line {check['line']}" if check.get("line") else ""
        said = f": {check['message']}" if check.get("message") else ""
        return f"{check['what']} ended with {check['error']}{where}{said}"
    if check["what"] == "PREDICTED_TRACES":
        return "write your prediction, a number, into PREDICTED_TRACES before you look"
    if "host" in check:
        return f"{check['what']} gave {check['got']} as {check['host']}: no program of JAX's has computed it"
    if check.get("wanted"):
        return f"{check['what']} gave {check.get('got')}; right is {check['wanted']}"
    return f"{check['what']}: {check.get('got')}"


def _groups(seen: Seen) -> list[list[Json]]:
    groups: dict[str, list[Json]] = {}
    for check in seen.checks:
        if check["group"]:
            groups.setdefault(check["group"], []).append(check)
    return list(groups.values())


def _is_constant(group: list[Json]) -> bool:
    got = {check.get("got") for check in group}
    return len(got) == 1 and not got & {None, "nothing"} and len({check["wanted"] for check in group}) > 1


def always(seen: Seen) -> Iterator[Remark]:
    """What can be amiss in every exercise, whatever the results."""
    line = seen.reads_a_clock()
    if line is not None:
        yield Remark(
            "note",
            f"line {line} reads the time. A slow call may have been traced, compiled, or only unlucky; a quick one may "
            "have been traced, too. How often a body ran is counted, not timed: ask the ledger",
        )
    if not seen.traced and not seen.others and not any("error" in check for check in seen.checks):
        yield Remark("wrong", "JAX traced no function of this file: nothing in it is jitted, or it is never called")
    for function in seen.traced:
        fresh = [each for each in later(function) if each["cause"]["kind"] == "function"]
        if fresh:
            yield Remark(
                "wrong",
                f"`{function['name']}` was traced {_times(function['traces'])}: each call made a new function object "
                "and jitted it: JAX's caches know functions by identity. Jit once, outside",
            )
    if not any(each["cause"]["kind"] == "function" for each in map(_first_later, seen.traced) if each):
        yield from _one_value_static(seen)


def _first_later(function: Json) -> Json:
    specializations = later(function)
    return specializations[0] if specializations else {}


def _one_value_static(seen: Seen) -> Iterator[Remark]:
    """A static argument whose every value brought the same program but for a number is data."""
    for function in seen.traced:
        for path, values in statics(function).items():
            literal = [each for each in later(function) if each["program"]["delta"] in ("literals", "identical")]
            changed = [change for each in literal for change in each["cause"]["changes"] if change["path"] == path]
            if len(values) > 2 and changed:  # two are left to a deliberate choice
                yield Remark(
                    "wrong",
                    f"`{path}` is static and had {len(values)} values, and the programs differ in a number only: it is "
                    "data. Everything static means a trace for every value",
                )


def one_trace_for_each_mode_and_length(seen: Seen) -> Iterator[Remark]:
    """Three modes, two lengths: six programs."""
    made = _good_traces(seen)
    if made == 6:
        yield Remark(
            "right", "the ledger shows 6 traces for 12 calls: one for each mode and length, none for other values"
        )
    elif made > 6:
        yield Remark("wrong", f"the ledger shows {made} traces where 6 programs are needed: {_causes(seen)}")
    else:
        yield Remark(
            "wrong",
            f"the ledger shows {made} traces; a mode that selects a program needs one for each mode and length: 6",
        )


def values_add_no_trace(seen: Seen) -> Iterator[Remark]:
    """Two lengths, and other values that must not matter."""
    yield from _one_program_for_each_length(seen, "5 calls: other values of a length added none")


def prediction(seen: Seen) -> Iterator[Remark]:
    """The reader's number beside the ledger's; no number of traces is demanded."""
    sizes = [each["program"]["equations"] for function in seen.traced for each in function["specializations"]]
    if seen.op_by_op and not any(sizes):
        yield from _computes_outside(seen)
    made = sum(function["traces"] for function in seen.traced)
    predicted = next((check["got"] for check in seen.checks if check["what"] == "PREDICTED_TRACES"), "")
    if predicted == str(made):
        yield Remark("right", f"you predicted {_plural(made)}, and the ledger shows {made}")
    else:
        yield Remark("note", f"you predicted {predicted}; the ledger shows {_plural(made)}: {_causes(seen)}")
    for function in seen.traced:
        for path, values in statics(function).items():
            yield Remark(
                "note", f"`{path}` is static in `{function['name']}`, with {_plural(len(values), 'value')} seen"
            )


def two_programs(seen: Seen) -> Iterator[Remark]:
    """One for each value of `power`; of a step in parts, no more of any part. How the programs are written is told."""
    yield from _computes_outside(seen)
    made = _good_traces(seen)
    parts = [_good_traces_of(function) for function in seen.traced]
    if made <= 2 or max(parts, default=0) <= 2:
        yield Remark("right", f"the ledger shows {_plural(made)} for 12 steps; the original has 12")
        if not seen.remarks:
            yield Remark(
                "right", "with each step's values written into both, your program is the original's, letter for letter"
            )
        for text in seen.remarks:
            yield Remark("note", text)
    else:
        yield Remark(
            "wrong", f"the ledger shows {_plural(made)} for 12 steps where there are 2 programs: {_causes(seen)}"
        )


def scan_is_kept(seen: Seen) -> Iterator[Remark]:
    """One trace for each length, and a program that does not grow with it."""
    if not (seen.mentions("scan") if seen.operations is None else "scan" in seen.operations):
        yield Remark("wrong", "the scan is gone; keep it: it is one program for every length of the loop")
    yield from _one_program_for_each_length(seen, "the calls with 2 lengths: other values added none")


def _one_program_for_each_length(seen: Seen, what: str) -> Iterator[Remark]:
    """Two lengths, two traces, and programs that do not grow with the length."""
    yield from _no_growth(seen)
    yield from _computes_outside(seen)
    made = _good_traces(seen)
    if made <= 2:
        yield Remark("right", f"the ledger shows {_plural(made)} for {what}")
    else:
        yield Remark(
            "wrong", f"the ledger shows {_plural(made)} where one for each of 2 lengths is enough: {_causes(seen)}"
        )


def _computes_outside(seen: Seen) -> Iterator[Remark]:
    """What is to be one program is not done op by op around it, nor handed back to Python from within it."""
    if any("callback" in name for name in seen.operations or ()):
        yield Remark("wrong", "the program hands its work back to Python through a callback; compute it in the program")
    for line in seen.op_by_op[:1]:
        yield Remark(
            "wrong",
            f"line {line} computes outside any jitted function, one operation at a time; do it in the jitted one",
        )


def _no_growth(seen: Seen) -> Iterator[Remark]:
    """A loop in Python over the elements writes each of them into the program."""
    for function in seen.traced:
        sizes = [
            (_size(each), each["program"]["equations"])
            for each in function["specializations"]
            if each["program"]["equations"] and not each.get("error")
        ]
        small, large = min(sizes, default=None), max(sizes, default=None)
        if small and large and large[0] > small[0] and large[1] >= small[1] + large[0] - small[0]:
            yield Remark(
                "wrong",
                f"the program of `{function['name']}` has {small[1]} equations for {small[0]} elements and {large[1]} "
                f"for {large[0]}: a Python loop over the elements writes each of them into it. Work on the whole array",
            )


def _size(specialization: Json) -> int:
    shapes = [argument["shape"] for argument in specialization["arguments"] if argument["role"] == "array"]
    return max((shape[0] for shape in shapes if shape), default=0)


def _good_traces(seen: Seen) -> int:
    """Traces of what is called from outside, without those that raised on purpose or were made for a gradient."""
    return sum(map(_good_traces_of, seen.traced)) + sum(seen.others.values())


def _good_traces_of(function: Json) -> int:
    return sum(
        1
        for each in function["specializations"]
        if function["calls"] and "trace" in each["stages"] and not each.get("error") and not each.get("transforms")
    )


def _causes(seen: Seen) -> str:
    texts = [each["cause"]["text"] for function in seen.traced for each in later(function)]
    return "; ".join(dict.fromkeys(texts)) or "each was the first of its function"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _plural(count: int, noun: str = "trace") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
