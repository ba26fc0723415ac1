"""Whole reports for tests: one for each situation that views must meet."""

import msgspec
from present_builders import (
    DIRECTORY,
    FILE,
    FIRST,
    LIBRARY,
    Built,
    environment,
    fingerprint,
    function_report,
    leaf,
    report,
    shape_cause,
    signature,
    stages,
    static,
)
from present_failures import SOURCE, carry_failure, failure, leak_failure, program

from whyjit.model.failure import Failure, Remedy, SourceLine
from whyjit.model.finding import Cause, Change, Explained, Finding
from whyjit.model.program import Constant
from whyjit.model.recording import Body, Function, Gap, Row, RunsOnce, Sample, Specialization, Unrolled
from whyjit.model.signature import Node
from whyjit.model.source import Location

__all__ = ["SOURCE", "carry_failure", "failure", "function_report", "leak_failure", "program"]


def digits():
    """The digits example: a static step size that decays, a ragged last batch, a fresh lambda each epoch."""
    step = Function(1, "train_step", "train_step", FILE, 52, "user")
    predict = Function(2, "<lambda>", "main.<locals>.<lambda>", FILE, 74, "user")
    normal = Function(3, "_normal", "_normal", f"{LIBRARY}/random.py", 801, "library")
    divide = Function(4, "true_divide", "true_divide", f"{LIBRARY}/numpy/ufuncs.py", 1300, "eager")
    softmax = Function(5, "log_softmax", "log_softmax", f"{LIBRARY}/nn/functions.py", 540, "library")
    steps, inner, rows = _digits_steps()
    lambdas, lambda_rows = _digits_lambdas()
    sites = [Location(FILE, 33, "init_params"), Location(FILE, 33, "init_params")]
    sizes = [(64, 48), (48, 10)]
    made = []
    for number, (site, size) in enumerate(zip(sites, sizes, strict=True), 1):
        cause = FIRST if number == 1 else shape_cause("key", "f32[64,48]", "f32[48,10]")
        one = Specialization(
            3, number, signature([leaf("key", 2, dtype="uint32")], [static("shape", size)]), site,
            stages=stages(0.2 + 0.2 * number, 0.006, 0.005, 0.05), calls=1, misses=1, fingerprint=fingerprint("n", 30),
        )  # fmt: skip
        two = Specialization(
            4, number, signature([leaf("x", *size), leaf("y", weak_type=True)]), site,
            stages=stages(0.3 + 0.2 * number, 0.001, 0.002, 0.02), calls=1, misses=1, fingerprint=fingerprint("d", 1),
        )  # fmt: skip
        made.append((Explained(one, cause, *((1, "shapes") if number > 1 else ())), Explained(two, cause)))
    functions = [
        function_report(step, steps, _digits_findings(), calls=440),
        function_report(predict, lambdas, _lambda_findings()),
        function_report(normal, [pair[0] for pair in made]),
        function_report(divide, [pair[1] for pair in made]),
        function_report(softmax, inner),
    ]
    gap = Gap("hits of thread 7", "a thread that had its own post-call hook before the recording began")
    return Built(report(functions, 14.2, unattributed=0.08, gaps=(gap,)), {1: rows, 2: lambda_rows})


def _digits_steps():
    steps, inner, rows = [], [], []
    moment, number, order = 1.0, 0, 0
    for epoch in range(20):
        eta = round(1.0 / (1.0 + 0.1 * epoch), 4)
        before = round(1.0 / (1.0 + 0.1 * (epoch - 1)), 4)
        for size, calls in ((64, 21), (3, 1)):
            number += 1
            leaves = [
                leaf("params[0]['b']", 48), leaf("params[0]['w']", 64, 48), leaf("params[1]['b']", 10),
                leaf("params[1]['w']", 48, 10), leaf("images", size, 64, holder="numpy"),
                leaf("labels", size, dtype="int32", holder="numpy"),
            ]  # fmt: skip
            nodes = [
                Node("params", "list"),
                Node("params[0]", "dict", ("b", "w")),
                Node("params[1]", "dict", ("b", "w")),
            ]
            made = Specialization(
                1, number, signature(leaves, [static("eta", eta)], nodes=tuple(nodes)), Location(FILE, 72, "main"),
                stages=stages(moment, 0.065, 0.03, 0.105, own=0.05), thread=1, started=moment, calls=calls, misses=1,
                fingerprint=fingerprint(f"p{number}", 44), program=f"program-{number}",
            )  # fmt: skip
            inside = Specialization(
                5, number, signature([leaf("x", 10)]), Location(FILE, 48, "example_loss"),
                stages=stages(moment + 0.02, 0.015, 0, 0), parent=(1, number), thread=1, started=moment + 0.02,
                nested_calls=1, misses=1, fingerprint=fingerprint("softmax", 9),
            )  # fmt: skip
            if number == 1:
                steps.append(Explained(made, FIRST))
            elif epoch == 0:
                changes = (
                    Change("shape", "images", "f32[64,64]", "f32[3,64]"),
                    Change("shape", "labels", "i32[64]", "i32[3]"),
                )
                note = "1/B is a literal that follows from the size"
                steps.append(Explained(made, Cause("shape", changes, "the batch changed its size"), 1, "shapes", note))
            else:
                text = f"`eta` is static and changed from {before} to {eta}"
                cause = Cause("static", (Change("static", "eta", repr(before), repr(eta)),), text)
                steps.append(Explained(made, cause, number - 2, "literals"))
            inner.append(Explained(inside, FIRST))
            rows.append(Row(order, 1, number, "new", made.call_site, 1, moment, number, number))
            if calls > 1:
                rows.append(Row(order + 1, 1, number, "hit", made.call_site, calls - 1, moment + 0.2, number, number))
            order += 2
            moment += 0.26 if size == 64 else 0.38
    return steps, inner, rows


def _digits_lambdas():
    lambdas, rows = [], []
    for number in range(1, 21):
        moment = 0.94 + 0.64 * number
        leaves = [
            leaf("p[0]['b']", 48), leaf("p[0]['w']", 64, 48), leaf("p[1]['b']", 10), leaf("p[1]['w']", 48, 10),
            leaf("x", 450, 64, holder="numpy"),
        ]  # fmt: skip
        made = Specialization(
            2, number, signature(leaves), Location(FILE, 75, "main"), maker=number,
            stages=stages(moment, 0.008, 0.006, 0.03), started=moment, calls=1, misses=1,
            fingerprint=fingerprint("same", 8), program="program-lambda",
        )  # fmt: skip
        change = Change("function", None, f"object #{number - 1}", f"object #{number}", "nothing it captures differs")
        cause = Cause("function", (change,), "a new function object from the same code; nothing in it differs")
        lambdas.append(Explained(made, FIRST) if number == 1 else Explained(made, cause, number - 1, "identical"))
        rows.append(Row(1000 + number, 2, number, "new", made.call_site, 1, moment, number, number))
    return lambdas, rows


def _digits_findings():
    return (
        Finding(
            "static-is-data", "eta",
            "`eta` is static and changed on 19 of 20 epochs; the program is the same but for a literal",
            "pass `eta` as an array: take it out of `static_argnames`", "PROVEN", 7.4, Location(FILE, 51),
            "the function must branch on `eta` in Python",
        ),
        Finding(
            "shape-churn", "images", "`images` came with 64 rows and, at the end of each epoch, with 3",
            "drop the last 3 rows, or pad them to 64 and mask", "SUGGESTED", 0.2, Location(FILE, 72),
        ),
    )  # fmt: skip


def _lambda_findings():
    return (
        Finding(
            "new-function-each-call", None, "a new function object is jitted on every call; nothing in it differs",
            "jit it once, before the loop", "TESTED", 0.836, Location(FILE, 74),
        ),
    )  # fmt: skip


def churn(count=10_000):
    """One function with a counter as a static argument."""
    about = Function(1, "step", "step", FILE, 10, "user")
    everyone, rows = [], []
    for number in range(1, count + 1):
        made = Specialization(
            1, number, signature([leaf("x", 8)], [static("i", number)]), Location(FILE, 20, "main"),
            stages=stages(number * 0.01, 0.001, 0.001, 0.006), started=number * 0.01, calls=1, misses=1,
            fingerprint=fingerprint(str(number), 3), program=f"p{number}",
        )  # fmt: skip
        changes = (Change("static", "i", str(number - 1), str(number)),)
        cause = Cause("static", changes, "`i` is static and changed") if number > 1 else FIRST
        everyone.append(Explained(made, cause, number - 1, "literals") if number > 1 else Explained(made, cause))
        rows.append(Row(number, 1, number, "new", made.call_site, 1, number * 0.01, number, number))
    finding = Finding(
        "static-is-data", "i", f"`i` is static and changed on {count - 1:,} of {count:,} calls", "pass `i` as an array",
        "PROVEN", count * 0.0079,
    )  # fmt: skip
    return Built(report([function_report(about, everyone, [finding])], count * 0.0101), {1: rows})


def slow_trace():
    """The digits example, whose step prints, reads the clock, unrolls a loop, scans, and takes long to trace."""
    built = digits()
    first, *others = built.report.functions
    site = Location(FILE, 55, "train_step")
    once = (RunsOnce("print", "print", site), RunsOnce("clock", "time.time", site), RunsOnce("read", "SCALE", site))
    traced = first.specializations[0]
    spec = msgspec.structs.replace(
        traced.specialization,
        bodies=(Body("scan", "body", FILE, 53, 1, 0.1, 0.1),),
        samples=(Sample(0.15, (site,)), Sample(0.05, (Location(FILE, 54, "train_step"),))),
        unrolled=(Unrolled(FILE, 54, "train_step", 60, 3),),
        stages=tuple(
            msgspec.structs.replace(stage, seconds=0.2, own=0.2) if stage.kind == "trace" else stage
            for stage in traced.specialization.stages
        ),
    )
    slow = msgspec.structs.replace(
        first,
        function=msgspec.structs.replace(first.function, once=once),
        specializations=(msgspec.structs.replace(traced, specialization=spec), *first.specializations[1:]),
    )
    return built._replace(report=msgspec.structs.replace(built.report, functions=(slow, *others)))


def many(functions=40):
    """A program of many functions, most of them cheap."""
    made, rows = [], {}
    for key in range(1, functions + 1):
        about = Function(key, f"layer_{key:02d}", f"net.layer_{key:02d}", f"{DIRECTORY}/net.py", 10 * key, "user")
        cost = 2.0 / key**2
        one = Specialization(
            key, 1, signature([leaf("x", 8, key)]), Location(f"{DIRECTORY}/net.py", 500 + key, "forward"),
            stages=stages(key * 0.1, cost / 4, cost / 4, cost / 2), calls=10, misses=1, fingerprint=fingerprint("l", 5),
        )  # fmt: skip
        two = Specialization(
            key, 2, signature([leaf("x", 8, key, weak_type=True)]), one.call_site,
            stages=stages(5 + key * 0.1, cost / 4, cost / 4, cost / 2), calls=90, misses=1,
        )  # fmt: skip
        change = Change("weak_type", "x", f"f32[8,{key}]", f"~f32[8,{key}]")
        findings = []
        if key % 3 == 1:
            text = "`x` came with a weak type on 90 of 100 calls"
            findings.append(Finding("weak-type-flip", "x", text, "write `x.astype(jnp.float32)` once", "TESTED", cost))
        explained = [Explained(one, FIRST), Explained(two, Cause("weak_type", (change,)), 1, "dtypes")]
        made.append(function_report(about, explained, findings))
        rows[key] = [Row(key, key, 1, "new", one.call_site, 1, 0.1, 1, 1)]
    return Built(report(made, 30.0), rows)


HOSTILE = "\x1b[31mred\x1b[0m</script><script>alert(1)</script>\n| `x` | \u202eevil\udc80 & \"q\" 'a' [l](javascript:x)"


def hostile():
    """Names, reprs and paths that would break a careless renderer."""
    file = f"{DIRECTORY}/{HOSTILE}.py"
    about = Function(1, HOSTILE, HOSTILE, file, 3, "user")
    eager = Function(2, HOSTILE, HOSTILE, file, 4, "eager")
    site = Location(file, 9, HOSTILE)
    one = Specialization(1, 1, signature([leaf("x", 2)], [static("s", HOSTILE)]), site, stages=stages(0, 0.1, 0, 0.2))
    two = Specialization(
        1, 2, signature([leaf(HOSTILE, 2)], [static("s", HOSTILE * 20)]), site,
        stages=stages(1, 0.1, 0, 0.2), calls=3, error=HOSTILE, notes=(HOSTILE,), program=HOSTILE,
    )  # fmt: skip
    change = Change("static", HOSTILE, HOSTILE, HOSTILE * 20, HOSTILE)
    finding = Finding("static-churn", HOSTILE, HOSTILE, HOSTILE, "SUGGESTED", 0.3, site, HOSTILE)
    explained = [Explained(one, FIRST), Explained(two, Cause("static", (change,), HOSTILE), 1, "structure", HOSTILE)]
    three = Specialization(2, 1, signature([leaf("x", 2)]), site, stages=stages(2, 0.01, 0, 0.02), calls=1)
    functions = [function_report(about, explained, [finding]), function_report(eager, [Explained(three, FIRST)])]
    failed = Failure(
        HOSTILE, "branch-on-value", HOSTILE, file, 9, 9, (4, 8), 8, HOSTILE, (SourceLine(9, HOSTILE),),
        arguments=(HOSTILE,), argument_types=(HOSTILE,), text=HOSTILE, notes=(HOSTILE,),
        remedies=(Remedy(HOSTILE, HOSTILE, HOSTILE),),
    )  # fmt: skip
    rows = {1: [Row(1, 1, 1, "new", site, 1, 0.1, 1, 1), Row(2, 1, 2, "new", site, 1, 1.0, 2, 2)]}
    more = {"gaps": (Gap(HOSTILE, HOSTILE),), "failures": (failed,), "environment": environment(argv=(HOSTILE,))}
    return Built(report(functions, 3.0, **more), rows)


def failed():
    """A run that ended with a branch on a traced value."""
    about = Function(1, "relu", "relu", f"{DIRECTORY}/a.py", 5, "user")
    site = Location(f"{DIRECTORY}/a.py", 12, "<module>")
    made = Specialization(
        1, 1, signature([leaf("x")]), site, stages=stages(0.4, 0.01, 0, 0), error="TracerBoolConversionError", misses=1
    )
    return Built(report([function_report(about, [Explained(made, FIRST)])], 1.2, failures=(failure(),)), {})


def calm():
    """A run in which every function was compiled once."""
    about = Function(1, "step", "step", FILE, 10, "user")
    made = Specialization(
        1, 1, signature([leaf("x", 8)]), Location(FILE, 20, "main"), stages=stages(0.1, 0.1, 0.1, 0.6), calls=500,
        misses=1, fingerprint=fingerprint("p", 12),
    )  # fmt: skip
    return Built(report([function_report(about, [Explained(made, FIRST)])], 31.0), {})


def nothing():
    """A run that called no jitted function."""
    return Built(report([], 0.4), {})


def stale():
    """A program that goes on computing with an old value."""
    about = Function(1, "predict", "Model.predict", f"{DIRECTORY}/model.py", 9, "user")
    made = Specialization(
        1, 1, signature([leaf("x", 8)]), Location(FILE, 20, "main"), stages=stages(0.1, 0.1, 0.1, 0.2), calls=50,
        misses=1, constants=(Constant("self.table", "f32[50000,64]", 12_800_000),), fingerprint=fingerprint("p", 4),
    )  # fmt: skip
    text = "`predict` still computes with `self.offset` = 0.0, which has been 1.5 for 40 calls"
    remedy = "pass `self.offset` as an argument"
    finding = Finding("stale-constant", "self.offset", text, remedy, "SUGGESTED", 0.0, wrong=True)
    return Built(report([function_report(about, [Explained(made, FIRST)], [finding])], 31.0), {})


DOCTOR = [
    ("hits", True, "`_post_hook_state.set_global` is there"),
    ("misses", True, "`pjit._infer_params` takes (fun, jit_info, args, kwargs)"),
    ("persistent cache", False, "JAX 0.6.2 sends no event for it"),
]


def flips():
    """One function whose structure, weak type, call form, context, sharding and statics change in turn."""
    about = Function(1, "solve", "Solver.solve", f"{DIRECTORY}/solver.py", 14, "user")
    site = Location(f"{DIRECTORY}/solver.py", 40, "main")
    form = {"state": "positional", "mode": "default"}
    state = [leaf("state['t']"), leaf("state['y']", 128)]
    weak = [leaf("state['t']", weak_type=True), state[1]]
    placed = [state[0], leaf("state['y']", 128, sharding="NamedSharding(P('x'))", committed=True)]
    mode = [static("mode", "fast")]
    signatures = [
        signature(state, mode, form),
        signature(weak, mode, form),
        signature(state, mode, {**form, "mode": "keyword"}),
        signature([*state, leaf("state['aux']", 3)], mode, form),
        signature(state, mode, form, context=(("jax_default_matmul_precision", "'float32'"),)),
        signature(placed, mode, form),
        signature(state, [static("mode", ("fast", 3), identity="4")], form),
    ]
    kinds = [
        ("weak_type", "state['t']", "f32[]", "~f32[]", "dtypes"),
        ("call_form", "mode", "left out", "keyword", "identical"),
        ("structure", "state", "2 keys", "3 keys: 'aux' is new", "structure"),
        ("context", "jax_default_matmul_precision", "None", "'float32'", "structure"),
        ("sharding", "state['y']", "not committed", "NamedSharding(P('x'))", None),
        ("static_identity", "mode", "'fast'", "('fast', 3)", "identical"),
    ]
    explained, rows = [], []
    for number, each in enumerate(signatures, 1):
        work = stages(number * 0.4, 0 if number == 6 else 0.02, 0.03, 0.15)
        made = Specialization(
            1, number, each, site, stages=work, started=number * 0.4, calls=3, misses=1,
            fingerprint=fingerprint(f"f{number}", 120 + number),
        )  # fmt: skip
        if number == 1:
            explained.append(Explained(made, FIRST))
        else:
            kind, path, old, new, delta = kinds[number - 2]
            explained.append(Explained(made, Cause(kind, (Change(kind, path, old, new),)), 1, delta))
        traces = number - (number >= 6)
        rows.append(Row(10 * number, 1, number, "new", site, 1, number * 0.4, traces, number))
        rows.append(Row(10 * number + 1, 1, number, "hit", site, 2, number * 0.4 + 0.3, traces, number))
    rows.append(Row(100, 1, 1, "miss", site, 1, 4.0, 6, 7, nested=True))
    return Built(report([function_report(about, explained)], 6.0), {1: rows})
