# ruff: noqa: E501 - a table of programs is read row by row
"""From a scene to a failure: codes, natures, arguments and remedies, without JAX."""

from __future__ import annotations

import pytest
from failure_scenes import FILE, HandMade, callee, traced

from whyjit.analyse.failure import judge
from whyjit.analyse.failure.recognise import family_of
from whyjit.model.failure import Argument, Given, Step
from whyjit.model.scene import Leaked, NotArrays, Origin, Span

BOOL, INT = "TracerBoolConversionError", "TracerIntegerConversionError"
ARRAY, CONCRETE, MASK = "TracerArrayConversionError", "ConcretizationTypeError", "NonConcreteBooleanIndexError"
SHAPES = "Shapes must be 1D sequences of concrete values of integer type, got (JitTracer(~int32[]),)."
X, S, N, FLAG = traced("float32[3]"), traced("float32[]"), traced("int32[]"), traced("bool[]")


def judged(source, expression, error, **options):
    names = {"x": X, "s": S, "n": N, "flag": FLAG}
    return judge(HandMade(source, expression, error=error, traced=options.pop("traced", names), **options))


def step(body, expression, error, **options):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return judged(f"@jax.jit\ndef step(x, s, n, flag):\n{lines}\n", expression, error, **options)


REMEDIES = [
    ("if s > 0:\n    return x\nreturn -x", "s > 0", BOOL, "jnp.where", "return jnp.where(s > 0, x, -x)"),
    ("if s > 0:\n    return x\nreturn -x", "s > 0", BOOL, "lax.cond", "return jax.lax.cond(s > 0, lambda: x, lambda: -x)"),
    ("if s > 0:\n    y = x\nelse:\n    y = -x", "s > 0", BOOL, "jnp.where", "y = jnp.where(s > 0, x, -x)"),
    ("if s > 0:\n    x = x * 2", "s > 0", BOOL, "jnp.where", "x = jnp.where(s > 0, x * 2, x)"),
    ("if s > 0:\n    x += 1", "s > 0", BOOL, "jnp.where", "x = jnp.where(s > 0, x + 1, x)"),
    ("if s > 0:\n    return x, s\nreturn -x, s", "s > 0", BOOL, "jnp.where", "return jnp.where(s > 0, x, -x), s"),
    ("return x if not flag else -x", "flag", BOOL, "jnp.where", "jnp.where(jnp.logical_not(flag), x, -x)"),
    ("if s > 0 and n > 0:\n    return x\nreturn -x", "s > 0", BOOL, "jnp.where", "return jnp.where(jnp.logical_and(s > 0, n > 0), x, -x)"),
    ("y = s or 1.0", "s", BOOL, "is None", "1.0 if s is None else s"),
    ("y = 0 < s < 1", "0 < s < 1", BOOL, "&", "(0 < s) & (s < 1)"),
    ("y = n in (1, 2)", "n in (1, 2)", BOOL, "jnp.isin", "jnp.isin(n, jnp.array((1, 2)))"),
    ("y = n not in {1, 2}", "n not in {1, 2}", BOOL, "jnp.isin", "jnp.isin(n, jnp.array([1, 2]), invert=True)"),
    ("y = max(s, 0.0)", "max(s, 0.0)", BOOL, "jnp.maximum", "jnp.maximum(s, 0.0)"),
    ("y = min(s, n, 3)", "min(s, n, 3)", BOOL, "jnp.minimum", "jnp.minimum(jnp.minimum(s, n), 3)"),
    ("y = any(v > 0 for v in x)", "any(v > 0 for v in x)", BOOL, "jnp.any", "jnp.any(jnp.stack([v > 0 for v in x]))"),
    ("assert s > 0, 'low'", "s > 0", BOOL, "checkify", "from jax.experimental import checkify; checkify.check(s > 0, 'low')"),
    ("if s > 0:\n    raise ValueError('high')", "s > 0", BOOL, "checkify",
     "from jax.experimental import checkify; checkify.check(jnp.logical_not(s > 0), 'high')"),
    ("while s < 9:\n    s = s + 1", "s < 9", BOOL, "lax.while_loop", "s = jax.lax.while_loop(lambda s: s < 9, lambda s: s + 1, s)"),
    ("for i in range(n):\n    x = x * i", "range(n)", INT, "lax.fori_loop", "x = jax.lax.fori_loop(0, n, lambda i, x: x * i, x)"),
    ("for i in range(2, n):\n    x += i", "range(2, n)", INT, "lax.fori_loop", "x = jax.lax.fori_loop(2, n, lambda i, x: x + i, x)"),
    ("y = layers[n]", "layers[n]", INT, "jnp.stack", "jnp.stack(layers)[n]"),
    ("y = math.sqrt(s)", "math.sqrt(s)", CONCRETE, "jnp.sqrt", "jnp.sqrt(s)"),
    ("y = math.lgamma(s)", "math.lgamma(s)", CONCRETE, "jax.scipy.special.gammaln", "jax.scipy.special.gammaln(s)"),
    ("y = float(s)", "float(s)", CONCRETE, "astype", "s.astype(float)"),
    ("y = x.max().item()", "x.max().item()", CONCRETE, "keep the array", "use x.max() itself instead of x.max().item()"),
    ("y = np.median(x)", "np.median(x)", ARRAY, "jnp.median", "jnp.median(x)"),
    ("y = np.float32(s)", "np.float32(s)", ARRAY, "astype", "s.astype(jnp.float32)"),
    ("y = table[n]", "table[n]", ARRAY, "jnp.asarray", "jnp.asarray(table)[n]"),
    ("y = x[x > s].mean()", "x[x > s]", MASK, "where=", "x.mean(where=x > s)"),
    ("y = jnp.sum(x[x > s])", "x[x > s]", MASK, "where=", "jnp.sum(x, where=x > s)"),
    ("y = x.at[x > s].set(0.0)", "x.at[x > s]", MASK, "jnp.where", "jnp.where(x > s, 0.0, x)"),
    ("y = jnp.unique(x)", "jnp.unique(x)", CONCRETE, "size=", "jnp.unique(x, size=<most elements>, fill_value=<fill>)"),
    ("y = jnp.arange(n)", "jnp.arange(n)", CONCRETE, "mask", "jnp.arange(<largest n>) < n as a mask over arrays of length <largest n>"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expression", "error", "name", "text"), REMEDIES)
def test_remedy_is_written_for_this_very_line(body, expression, error, name, text):
    failure = step(body, expression, error)
    assert {one.name: one.text for one in failure.remedies}[name] == text
    assert all(one.cost for one in failure.remedies)


def test_static_is_written_at_the_decorator():
    source = "@jax.jit\ndef step(n):\n    return jnp.zeros(n)\n"
    origin = Origin(
        (Argument("n", "int32[]", scalar=True),), called="step", called_file=FILE, called_line=5, transformation="jit"
    )
    failure = judged(source, "jnp.zeros(n)", "TypeError", message=SHAPES, origin=origin)
    assert failure.code == "shape-from-value"
    assert failure.remedies[0].text == '@functools.partial(jax.jit, static_argnames="n") above def step, in line 5'
    assert failure.remedies[0].cost.startswith("one trace and one compile for each distinct value")


def test_static_of_a_leaf_takes_it_out_first():
    origin = Origin((Argument("cfg['n']", "int32[]", scalar=True),), called="step", transformation="jit")
    failure = step("return jnp.zeros(n)", "jnp.zeros(n)", "TypeError", message=SHAPES, origin=origin)
    assert failure.remedies[0].text == (
        "take cfg['n'] out of the argument and pass it by itself, as a Python number: "
        'jax.jit(step, static_argnames="n")'
    )


def had(kind, distinct, calls):
    given = Given("s", "python", kind, "1", ("1",), distinct, calls)
    return Argument("s", "int32[]", scalar=True, given=given)


NATURES = [
    (Origin((Argument("x", "float32[3]"),)), "data", "the elements of x (float32[3])"),
    (Origin((Argument("s", "float32[]", scalar=True),), batched=True), "data", "vmap"),
    (Origin((Argument("s", "float32[]", scalar=True),), carried=True), "data", "a loop carries it"),
    (Origin((Argument("key", "key<fry>[]", scalar=True),), keyed=True), "data", "a random key"),
    (Origin((Argument("flag", "bool[]", scalar=True),)), "configuration", "the flag flag"),
    (Origin((Argument("s", "float32[]", scalar=True),)), "unknown", "data if it changes from call to call"),
    (Origin((), operations=3), "configuration", "constants only"),
    (Origin((), exact=False), "unknown", "it comes from s (float32[])"),
    (Origin((Argument("s"),), exact=True), "unknown", "it comes from s"),
    (Origin((Argument("s", "float32[]", scalar=True),), mapped=True), "data", "one value per device"),
    (Origin((had("float", 2, 3),)), "data", "s had 2 values in 3 uncached calls"),
    (Origin((had("int", 2, 4),)), "configuration", "s had 2 values in 4 uncached calls: few"),
    (Origin((had("int", 2, 3),)), "unknown", "data if it changes"),
    (Origin((had("int", 9, 10),)), "data", "nearly each call has another"),
    (Origin((had("int", 1, 10),)), "unknown", "data if it changes"),
    (Origin((had("int", 9, 10), Argument("t", "int32[]", scalar=True))), "unknown", "data if it changes"),
]


@pytest.mark.parametrize(("origin", "nature", "evidence"), NATURES)
def test_nature(origin, nature, evidence):
    failure = step("if s > 0:\n    return x\nreturn -x", "s > 0", BOOL, origin=origin)
    assert failure.nature == nature
    assert evidence in failure.nature_evidence


def test_data_is_never_advised_to_be_static():
    origin = Origin((Argument("x", "float32[3]"),), called="step", transformation="jit")
    failure = step("if s > 0:\n    return x\nreturn -x", "s > 0", BOOL, origin=origin)
    assert [one.name for one in failure.remedies] == ["jnp.where", "lax.cond"]


def test_a_size_is_configuration():
    failure = step("return x.reshape(n, -1)", "x.reshape(n, -1)", "TypeError", message=SHAPES)
    assert (failure.nature, failure.arguments) == ("configuration", ("n",))


def test_a_size_from_shapes_belongs_in_python():
    chain = (Step("floor_divide", "jnp.floor_divide(x.shape[0], 2)", FILE, 7),)
    origin = Origin((), chain=chain, operations=1, called="step", transformation="jit")
    failure = step("m = jnp.floor_divide(x.shape[0], 2)\nreturn jnp.zeros(m)", "jnp.zeros(m)", "TypeError", message=SHAPES,
                   origin=origin)  # fmt: skip
    assert failure.remedies[0].text == "in line 7, np.floor_divide(x.shape[0], 2)"


def test_only_the_bounds_of_a_slice_count():
    failure = step("return x[:n]", "x[:n]", "IndexError", message="Slice entries must be static integers. Got ...")
    assert failure.arguments == ("n",)
    assert failure.remedies[0].text == "jnp.where(jnp.arange(x.shape[0]) < n, x, 0)"


def test_only_the_mask_of_an_index_counts():
    failure = step("return x[n == 1]", "x[n == 1]", MASK)
    assert failure.arguments == ("n",)


def test_place_columns_and_lines():
    failure = step("if (s\n        > 0):\n    return x\nreturn -x", "s\n            > 0", BOOL)
    assert (failure.file, failure.function, failure.line, failure.end_line) == (FILE, "step", 7, 8)
    assert failure.columns == (8, 9)
    assert [line.number for line in failure.source_lines] == [6, 7, 8, 9]
    assert failure.text.startswith(
        "`s > 0` is traced, and Python asked it for a Python bool: `if` takes one of two paths."
    )


def test_leak():
    source = "class Norm:\n    @jax.jit\n    def run(self, x):\n        m = x.mean()\n        self.mean = m\nnorm = 1\njnp.sin(norm.mean)\n"
    made = Step("mean", "x.mean()", FILE, 8, "run")
    leak = Leaked("run", "jit", "float32[]", FILE, 6, made, Span(8, 8, 12, 20), FILE, read="norm.mean")
    failure = judged(source, "jnp.sin(norm.mean)", "UnexpectedTracerError", leak=leak)
    assert failure.code == "tracer-leak"
    assert (failure.leak.stored, failure.leak.store.source, failure.leak.store.line) == (
        "self.mean",
        "self.mean = m",
        9,
    )
    assert "`norm.mean` is a placeholder from the trace of `run`" in failure.text


def test_leak_that_cannot_be_found_is_said():
    failure = judged("y = f(1)\n", "f(1)", "UnexpectedTracerError")
    assert failure.code == "tracer-leak"
    assert failure.leak is None
    assert "where it was stored is not known" in failure.notes[0]


HASH = (
    "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of type "
    "<class '{kind}'>, {text}. The error was:\nTypeError: unhashable type: '{part}'\n"
)


@pytest.mark.parametrize(
    ("call", "kind", "text", "part", "argument", "remedy"),
    [
        ("step(1, [2, 3])", "list", "[2, 3]", "list", "sizes", "sizes=(2, 3)"),
        ("step(1, sizes={'a': 1})", "dict", "{'a': 1}", "dict", "sizes", "sizes=tuple(sorted({'a': 1}.items()))"),
        ("step(1, (1, [2]))", "tuple", "(1, [2])", "list", "sizes", "a tuple for sizes[1]"),
        ("step(1, Scaler(f()))", "__main__.Scaler", "Scaler(factor=Array([3.], dtype=float32))", "ArrayImpl", "sizes",
         "pass the array in sizes.factor as an ordinary argument, and only the rest of sizes as static"),
    ],
)  # fmt: skip
def test_unhashable(call, kind, text, part, argument, remedy):
    message = HASH.format(kind=kind, text=text, part=part)
    callees = {"step": callee("x", "sizes", static=["sizes"])}
    failure = judged(f"{call}\n", call, "ValueError", message=message, callees=callees)
    assert (failure.code, failure.arguments, failure.called) == ("unhashable-static", (argument,), "step")
    assert failure.remedies[0].text == remedy


def test_unhashable_of_an_unknown_callee():
    message = HASH.format(kind="list", text="[1]", part="list")
    failure = judged("step(1, [1])\n", "step(1, [1])", "ValueError", message=message)
    assert failure.arguments == ()
    assert "the value of type list" in failure.notes[0]


def test_argument_that_is_no_array():
    leaves = NotArrays("step", (("batch['id']", "str"),))
    failure = judged("step(b)\n", "step(b)", "TypeError", not_arrays=leaves,
                     message="Error interpreting argument to <function step at 0x7f> as an abstract array.")  # fmt: skip
    assert (failure.code, failure.function, failure.arguments) == ("non-array-argument", "step", ("batch['id']",))
    assert failure.remedies[0].text == "remove batch['id'] before the call: it is no input of a program"


CARRY = (
    "scan body function carry input and carry output must have equal types, but they differ:\n\n"
    "The input carry component c[1] has type int32[] but the corresponding output carry component has type float32[], "
    "so the dtypes do not match.\n\nRevise the function so that all output types match the corresponding input types."
)


def test_carry():
    source = "def body(c, _):\n    p, n = c\n    n = n + 1.0\n    return (p, n), None\ninit = (1, 0)\njax.lax.scan(body, init, None)\n"
    failure = judged(source, "jax.lax.scan(body, init, None)", "TypeError", message=CARRY)
    [one] = failure.mismatches
    assert (one.leaf, one.expected, one.found, one.difference) == (
        "c[1]",
        "int32[]",
        "float32[]",
        "the dtypes do not match",
    )
    assert (one.found_by.source, one.found_by.line) == ("n + 1.0", 7)
    assert (one.expected_by.source, one.expected_by.line) == ("0", 9)


def test_several_leaves_of_a_carry():
    message = (
        "while_loop body function carry input and carry output must have equal types, but they differ:\n\n"
        "  * the input carry component c['a'] has type int32[] but the corresponding output carry component has type "
        "float32[], so the dtypes do not match;\n"
        "  * the input carry component c['b'] has type float32[3] but the corresponding output carry component has type "
        "float32[6], so the shapes do not match.\n"
    )
    failure = judged("f(1)\n", "f(1)", "TypeError", message=message)
    assert [(one.leaf, one.found, one.difference) for one in failure.mismatches] == [
        ("c['a']", "float32[]", "the dtypes do not match"),
        ("c['b']", "float32[6]", "the shapes do not match"),
    ]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("TypeError", "dot_general requires contracting dimensions to have the same shape, got (3,) and (7,)."),
        ("ValueError", "Incompatible shapes for broadcasting"),
        ("IndexError", "tuple index out of range"),
        ("TypeError", "unhashable type: 'list'"),
        ("TypeError", "unsupported operand type(s) for +: 'DynamicJaxprTracer' and 'str'"),
        ("KeyError", "'x'"),
    ],
)
def test_other_errors_are_left_alone(error, message):
    assert family_of(error, message) is None
    assert judged("f(1)\n", "f(1)", error, message=message) is None


def test_a_size_that_had_many_values_is_told_what_it_costs():
    origin = Origin((had("int", 5, 5),), called="step", transformation="jit")
    failure = step("return jnp.zeros(n)", "jnp.zeros(n)", "TypeError", message=SHAPES, origin=origin)
    assert failure.nature == "configuration"
    assert failure.nature_evidence.endswith("s had 5 values in 5 uncached calls, and each is a program of its own")


def test_what_was_passed_is_told_with_where_it_comes_from():
    failure = step("if s > 0:\n    return x\nreturn -x", "s > 0", BOOL, origin=Origin((had("int", 1, 1),)))
    assert failure.given == (Given("s", "python", "int", "1", ("1",), 1, 1),)
    assert "It comes from the argument s (int32[]) of `step`; s was the Python int 1." in failure.text


def test_a_flag_that_ends_a_loop_is_no_configuration():
    origin = Origin((Argument("flag", "bool[]", scalar=True),))
    failure = step("while not s:\n    s = s\nreturn x", "s", BOOL, origin=origin)
    assert failure.nature == "unknown"
