"""Which specializations can be compiled ahead, and how their arguments are written."""

import pytest
from analyse_builders import leaf, node, report, spec, static

from whyjit.analyse.warmup.plan import plan
from whyjit.analyse.warmup.references import Home
from whyjit.analyse.warmup.writing import Group, written
from whyjit.model.finding import Report, Totals
from whyjit.model.recording import Environment, Stage

MESH = "AbstractMesh('a': 2, 'b': 1, axis_types=(Auto, Auto), device_kind=cpu)"
DECORATED = "@jax.jit\ndef step(x): ...\n"


def flat(expr):
    if isinstance(expr, str):
        return expr
    inner = ", ".join(name + flat(item) for name, item in expr.items)
    return f"{expr.head}{inner}{',' if expr.head == '(' and len(expr.items) == 1 else ''}{expr.tail}"


def shown(*parts, form=None):
    call = written(spec(1, *parts, form=form).signature, "f.{}".format, "prog")
    return [flat(arg) for arg in call.args], {name: flat(value) for name, value in call.kwargs}, call


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (leaf("x", 3, 4), 'array("float32", 3, 4)'),
        (leaf("x"), 'array("float32")'),
        (leaf("x", weak_type=True), 'array("float32", weak=True)'),
        (leaf("x", weak_type=True, holder="python"), "0.0"),
        (leaf("x", dtype="int32", weak_type=True, holder="python"), "0"),
        (leaf("x", dtype="bool", holder="python"), "False"),
        (leaf("x", 2, dtype="key<fry>"), 'keys("threefry2x32", 2)'),
        (leaf("x", 2, sharding="committed to cpu:0", committed=True), 'array("float32", 2, device="cpu:0")'),
        (
            leaf("x", 8, sharding="P(('a', 'b'), None) on mesh (a: 2, b: 1) of devices 0, 3", mesh=MESH),
            'array("float32", 8, sharding=sharded((("a", "b"), None), ("a", "b"), (2, 1), (0, 3), ("Auto", "Auto")))',
        ),
        (static("x", "sum"), '"sum"'),
        (static("x", 3), "3"),
        (static("x", (1, ("a",))), '(1, ("a",))'),
        (static("x", float("nan")), 'float("nan")'),
        (static("x", None), "None"),
        (static("x", range(3)), "range(0, 3)"),
        (static("x", 0, type="prog.Mode", text="Mode.SUM"), "main_module.Mode.SUM"),
        (static("x", 0, type="pkg.mod.Mode", text="Mode.SUM"), "pkg.mod.Mode.SUM"),
        (static("x", 0, type="Mode", text="Mode.SUM"), "main_module.Mode.SUM"),
        (static("x", 0, type="pkg.Outer.Mode", text="Outer.Mode.SUM"), "pkg.Outer.Mode.SUM"),
        (static("x", 0, type="cfg.C", text="C(n=3, name='a')"), 'cfg.C(n=3, name="a")'),
        (static("x", 0, type="numpy.float32", text="float32(1.5)"), "np.float32(1.5)"),
        (static("x", 0, type="type", text="numpy.float32"), "np.float32"),
        (static("x", 0, type="type", text="float"), "float"),
        (static("x", 0, type="type", text="Model"), "main_module.Model"),
        (static("x", 0, type="jax._src.numpy.scalar_types._ScalarMeta", text="jax.numpy.float16"), "jnp.float16"),
        (static("x", 0, type="numpy.dtypes.Int32DType", text="dtype('int32')"), 'jnp.dtype("int32")'),
        (static("x", 0, type="numpy.dtype[bfloat16]", text="dtype(bfloat16)"), 'jnp.dtype("bfloat16")'),
        (
            static("x", 0, type="cfg.C", text="C(n=C(n=1, m=Mode.A), d=dtype('int8'), s=(float32(2.0), 3))"),
            'cfg.C(n=cfg.C(n=1, m=cfg.Mode.A), d=jnp.dtype("int8"), s=(np.float32(2.0), 3))',
        ),
    ],
)
def test_an_argument_is_written(part, wanted):
    args, _, call = shown(part)
    assert args == [wanted]
    assert call.given == ()


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (static("x", 0, type="cfg.C", text="C(n=<function relu>)"), "is no expression"),
        (static("x", 0, type="function", text="<function relu>"), "known only in part"),
        (static("x", 0, type="cfg.C", text="C(n=3)", identity="4"), "compared by identity"),
        (static("x", 0, type="type", text="pkg.Outer.Inner"), "a class inside another one"),
        (static("x", 0, type="re.Pattern", text="re.compile('a')"), "is no expression"),
        (static("x", "a" * 300, text="'aaa…"), "known only in part"),
        (leaf("x", 4, sharding="P('data') on mesh (data: 2) of devices 0, 1"), "it is sharded: P('data')"),
        (leaf("x", 4, sharding="PositionalSharding(...)", mesh=MESH), "it is sharded: PositionalSharding"),
        (leaf("x", 4, memory="pinned_host"), "pinned_host"),
        (leaf("x", holder="other"), "nothing that JAX takes"),
        (node("x", "Params", ".w"), "it is a Params"),
        (node("x", "OrderedDict", "['w']"), "it is an OrderedDict"),
        (node("x", "dict", "['w']"), "it was not recorded whole"),
    ],
)
def test_what_cannot_be_written_is_to_be_given(part, reason):
    args, _, call = shown(part, form={"x": "positional"})
    assert args == ['need(given, "f.x")']
    assert [name for name, _ in call.given] == ["f.x"]
    assert reason in call.given[0][1]


def test_a_jit_that_takes_types_as_static_is_given_arrays():
    found = planned(
        report(spec(1, leaf("x", 3), leaf("y", 2, weak_type=True))), source="@eqx.filter_jit\ndef step(x): ..."
    )
    assert [flat(arg) for arg in found.works[0].call.args] == ['zeros("float32", 3)', 'need(given, "step.y")']


def test_containers_and_the_form_of_the_call():
    args, kwargs, _ = shown(
        node("p", "dict", "['b']", "[1]"),
        node("p['b']", "list", "[0]"),
        leaf("p['b'][0]", 2),
        node("p[1]", "tuple", "[0]"),
        leaf("p[1][0]", 3),
        node("q", "None"),
        form={"p": "positional", "q": "keyword", "r": "default"},
    )
    assert args == ['{"b": [array("float32", 2)], 1: (array("float32", 3),)}']
    assert kwargs == {"q": "None"}


def test_a_container_of_a_class_is_to_be_given():
    args, _, call = shown(node("s", "State", ".w"), leaf("s.w", 2), form={"s": "positional"})
    assert args == ['need(given, "f.s")']
    assert call.given == (("f.s", "it is a State"),)


def test_a_container_inside_a_plain_one_is_held():
    *_, call = shown(
        node("s", "tuple", "[0]"), node("s[0]", "State", ".w"), leaf("s[0].w", 2), form={"s": "positional"}
    )
    assert call.given == (("f.s", "it holds a State"),)


def test_an_argument_is_needed_once_for_arrays_of_numpy_and_of_jax():
    state = [node("s", "State", ".w"), leaf("s.w", 2)]
    numpys = [node("s", "State", ".w"), leaf("s.w", 2, holder="numpy")]
    form = {"s": "positional", "x": "positional"}
    found = planned(report(spec(1, *state, leaf("x", 3), form=form), spec(2, *numpys, leaf("x", 4), form=form)))
    assert [work.call.given[0][0] for work in found.works] == ["step.s", "step.s"]


def test_what_star_args_take_up():
    args, _, _ = shown(
        node("rest", "tuple", "[0]", "[1]"), leaf("rest[0]", 1), leaf("rest[1]", 2), form={"x": "default"}
    )
    assert args == ['array("float32", 1)', 'array("float32", 2)']


def planned(*functions, source=DECORATED, program=False):
    environment = Environment("3.11", "0.10.2", "0.10.2", "cpu")
    whole = Report(environment, (), Totals(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0), functions)
    return plan(whole, {"train.py": Home("train", program, source)})


def test_the_dearest_comes_first():
    cheap = spec(1, leaf("x", 1), stages=(Stage("compile", 0.0, 0.1, 0.1),))
    dear = spec(2, leaf("x", 2), stages=(Stage("compile", 0.0, 0.9, 0.9),))
    found = planned(report(cheap, dear))
    assert [(work.name, work.seconds) for work in found.works] == [("step@2", 0.9), ("step@1", 0.1)]
    assert {(work.module, work.reference) for work in found.works} == {("train", "step")}


@pytest.mark.parametrize(
    ("source", "more", "reference"),
    [
        ("def step(x): ...\nfast = jax.jit(step)\n", {}, "fast"),
        ("def step(x): ...\nfast = wrap(jit(step, donate_argnums=0))\n", {}, "fast"),
        ("@partial(jax.jit, static_argnums=1)\ndef step(x, n): ...\n", {}, "step"),
        ("@whyjit.bucketed(axis=0, sizes=(8,))\n@jax.jit\ndef step(x): ...\n", {}, "step"),
        ("class A:\n    @staticmethod\n    @jax.jit\n    def step(x): ...\n", {"qualname": "A.step"}, "A.step"),
        ("a = 1\nb = 2\nf = jax.jit(lambda x: x)\n", {"qualname": "<lambda>", "name": "<lambda>"}, "f"),
    ],
)
def test_the_jit_is_found_in_the_source(source, more, reference):
    found = planned(report(spec(1, leaf("x", 1)), **more), source=source)
    assert [work.reference for work in found.works] == [reference]


HELPER = "def step(x): ...\n"


@pytest.mark.parametrize(
    "source",
    [
        "import helper\nfast = jax.jit(helper.step)\n",
        "import helper as h\nfast = jax.jit(jax.vmap(jax.grad(h.step), in_axes=(None, 0)))\n",
        "from helper import step\nfast = jax.jit(functools.partial(step, k=3))\n",
        "from helper import step as other\nfast: object = jit(other, donate_argnums=0)\n",
    ],
)
def test_the_jit_is_found_in_another_module(source):
    whole = Report(
        Environment("3.11", "0.10.2", "0.10.2", "cpu"), (), Totals(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0),
        (report(spec(1, leaf("x", 1))),),
    )  # fmt: skip
    found = plan(whole, {"train.py": Home("helper", False, HELPER), "prog.py": Home("prog", True, source)})
    assert [(work.module, work.reference) for work in found.works] == [("prog", "fast")]


@pytest.mark.parametrize(
    ("function", "source", "reason"),
    [
        (report(spec(1, leaf("x", 1)), qualname="main.<locals>.step"), DECORATED, "made inside `main`"),
        (report(spec(1, leaf("x", 1)), qualname="<lambda>"), "print()\n", "a lambda that no name"),
        (report(spec(1, leaf("x", 1))), "def step(x): ...\n", "no jit of it was found"),
        (report(spec(1, leaf("x", 1))), "a = jax.jit(step)\nb = jax.jit(step)\n", "several names hold a jit of it"),
        (report(spec(1, leaf("x", 1))), "a = jax.jit(step)\na = None\n", "no jit of it was found"),
        (report(spec(1, leaf("x", 1))), "a = {1: jax.jit(step)}\n", "no jit of it was found"),
        (report(spec(1, leaf("x", 1))), "a = jax.jit(make(step))\n", "no jit of it was found"),
        (report(spec(1, leaf("x", 1)), origin="library"), DECORATED, "belongs to a library"),
        (report(spec(1, leaf("x", 1), operation="add"), origin="eager"), DECORATED, "called one by one"),
        (report(spec(1, leaf("x", 1), transforms=("vmap",))), DECORATED, "called under vmap"),
        (report(spec(1, leaf("x", 1), error="TypeError")), DECORATED, "it failed (TypeError)"),
        (report(spec(1, leaf("x", 1), maker=2)), DECORATED, "another function object"),
    ],
)
def test_what_is_left_out_has_a_reason(function, source, reason):
    found = planned(function, source=source)
    assert found.works == ()
    assert [reason in one.reason for one in found.left_out] == [True]


def test_calls_under_other_settings_than_the_rest_are_left_out():
    usual = spec(1, leaf("x", 1), context=(("jax_enable_x64", "False"),), calls=5)
    other = spec(2, leaf("x", 2), context=(("jax_enable_x64", "True"),))
    found = planned(report(usual, other))
    assert [work.name for work in found.works] == ["step@1"]
    assert "jax_enable_x64=True" in found.left_out[0].reason


def test_what_was_only_traced_within_others_is_not_named():
    assert planned(report(spec(1, leaf("x", 1), calls=0, nested_calls=3))).works == ()


def test_groups_are_plain_data():
    assert flat(Group("f(", (("", "1"), ("a=", "2")), ")")) == "f(1, a=2)"
