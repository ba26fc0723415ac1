"""Failures and programs for tests."""

from present_builders import DIRECTORY, FILE

from whyjit.model.failure import Failure, InnerArguments, Leak, Mismatch, Remedy, SourceLine, Step
from whyjit.model.program import Equation, Literal, Program, Variable


def program(size=64, rate="0.1", *, extra=False):
    """A small program: scale, multiply, and sum inside an inner program."""
    batch = f"f32[{size},64]"
    inner = Program((f"f32[{size}]",), (), (Equation("neg", (Variable(0),), (1,), (f"f32[{size}]",)),), (Variable(1),))
    equations = [
        Equation("mul", (Variable(0), Literal(rate, "f32[]")), (2,), (batch,), (), (), FILE, 55),
        Equation("dot_general", (Variable(2), Variable(1)), (3,), (f"f32[{size},10]",),
                 (("dimension_numbers", "(([1], [0]), ([], []))"), ("precision", "None")), (), FILE, 55),
    ]  # fmt: skip
    last = 3
    if extra:
        equations.append(Equation("tanh", (Variable(3),), (4,), (f"f32[{size},10]",), (), (), FILE, 56))
        last = 4
    equations += [
        Equation("reduce_sum", (Variable(last),), (last + 1,), (f"f32[{size}]",), (("axes", "(1,)"),), (), FILE, 57),
        Equation("pjit", (Variable(last + 1),), (last + 2,), (f"f32[{size}]",), (("name", "inner"),),
                 (("jaxpr", inner),), FILE, 57),
    ]  # fmt: skip
    return Program((batch, "f32[64,10]"), (), tuple(equations), (Variable(last + 2),))


SOURCE = {
    (FILE, 55): "    y = (x * eta) @ w",
    (FILE, 56): "    y = jnp.tanh(y)",
    (FILE, 57): "    return negate(y.sum(axis=1))",
}


def failure():
    return Failure(
        "TracerBoolConversionError", "branch-on-value", "relu", f"{DIRECTORY}/a.py", 7, 7, (7, 12), 12, "x > 0",
        (
            SourceLine(5, "@jax.jit"), SourceLine(6, "def relu(x):"), SourceLine(7, "    if x > 0:"),
            SourceLine(8, "        return x"), SourceLine(9, "    return 0.0 * x"),
        ),
        asked="bool", called="relu", arguments=("x",), argument_types=("float32[]",), nature="data",
        nature_evidence="`x` is an array that the caller computed",
        text="a Python `if` needs the value of `x > 0`, which is not known while `relu` is traced",
        remedies=(
            Remedy("jnp.where", "return jnp.where(x > 0, x, 0.0 * x)", "computes both candidates"),
            Remedy("lax.cond", "return jax.lax.cond(x > 0, lambda: x, lambda: 0.0 * x)", "runs one of the two"),
        ),
    )  # fmt: skip


def carry_failure():
    return Failure(
        "TypeError", "carry-mismatch", "simulate", f"{DIRECTORY}/a.py", 21, 23, (4, 32), 5, "jax.lax.scan(...)",
        (
            SourceLine(21, "    return jax.lax.scan("), SourceLine(22, "\tstep, state, xs"), SourceLine(23, "    )"),
        ),
        called="simulate", text="the carry of the scan changes its type in the body",
        mismatches=(
            Mismatch("carry[0]", "int32[]", "float32[]", "dtypes differ", None,
                     Step("mul", "n * 0.5", f"{DIRECTORY}/a.py", 17, "step")),
        ),
        remedies=(Remedy("one type", "state = (jnp.float32(0), y)", "none"),),
        notes=("The expression that made `carry[0]` first could not be found.",),
    )  # fmt: skip


def leak_failure():
    step = Step("add", "x + 1", f"{DIRECTORY}/a.py", 3, "f")
    return Failure(
        "UnexpectedTracerError", "tracer-leak", "g", f"{DIRECTORY}/a.py", 9, 9, (11, 20), 20, "STATE['x']",
        (SourceLine(9, "    return STATE['x'] * 2"),), arguments=("x",), chain=(step,), operations=4,
        inner_arguments=(InnerArguments("body", "scan", ("carry", "x")),), nature="configuration",
        nature_evidence="it is used as a shape", leak=Leak("f", step, "STATE['x']", Step("", "STATE['x'] = x + 1",
        f"{DIRECTORY}/a.py", 4, "f")), text="a value of one trace was used in another",
    )  # fmt: skip
