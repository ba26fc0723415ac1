"""Arguments from annotations, and from recorded signatures."""
# ruff: noqa: F722, F821 - jaxtyping writes shapes as strings

import enum
from typing import Literal

import pytest

from whyjit.errors import WhyjitError
from whyjit.experiment import annotated, recorded
from whyjit.jaxlink import stages
from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static

jax = pytest.importorskip("jax")
jaxtyping = pytest.importorskip("jaxtyping")
Array, Bool, Float, Int, Key = jaxtyping.Array, jaxtyping.Bool, jaxtyping.Float, jaxtyping.Int, jaxtyping.Key


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


def arguments(function):
    return annotated.arguments(function, stages.signature_of(function))


def types(values):
    return [(value.shape, str(value.dtype)) for value in values]


def test_named_axes_are_the_same_throughout_and_numbers_are_taken_as_they_are():
    def f(
        x: Float[Array, "batch 3"], y: Int[Array, " batch"], m: Bool[Array, "... d=4"], n: Float[Array, "batch+1"]
    ): ...

    args, kwargs = arguments(f)
    assert types(args) == [((5, 3), "float32"), ((5,), "int32"), ((4,), "bool"), ((6,), "float32")]
    assert kwargs == {}
    assert all(isinstance(one, jax.ShapeDtypeStruct) for one in args)


def test_other_annotations_give_plain_values_and_defaults_are_left_out():
    def f(
        key: Key[Array, ""],
        rate: float,
        mode: Mode,
        how: Literal["a", "b"],
        mask: Float[Array, "n"] | None,
        pair: tuple[int, bool],
        *rest,
        eps: float,
        on=True,
    ): ...

    args, kwargs = arguments(f)
    assert (args[0].shape, str(args[0].dtype)) == ((), "key<fry>")
    assert args[1:] == (1.0, Mode.SUM, "a", None, (1, True))
    assert kwargs == {"eps": 1.0}


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (None, "nothing says what x is"),
        (jax.Array, "does not say which value to use"),
        (Float[Array, "n*m"], "cannot be"),
    ],
)
def test_what_an_annotation_does_not_say_is_asked_for(annotation, said):
    def f(x): ...

    if annotation is not None:
        f.__annotations__["x"] = annotation
    with pytest.raises(WhyjitError, match="--args") as refused:
        arguments(f)
    assert said in refused.value.message


def signature(leaves=(), nodes=(), statics=(), form=(("x", "positional"),)):
    return Signature(CallForm(form), tuple(nodes), tuple(leaves), tuple(statics))


def test_a_recorded_call_is_made_again_without_its_data():
    def f(x, *, mode=Mode.SUM, n=1): ...

    own = signature(
        leaves=(
            Leaf("x['w'][0]", (3,), "bfloat16"),
            Leaf("x['w'][1]", (), "float32", weak_type=True, holder="python"),
            Leaf("x['z']", (2,), "float32", weak_type=True),
        ),
        nodes=(
            Node("x", "dict", ("['b']", "['w']", "['z']")),
            Node("x['b']", "None"),
            Node("x['w']", "tuple", ("[0]", "[1]")),
        ),
        statics=(Static("mode", "Mode", "Mode.MEAN", "l"), Static("n", "int", "7", "l")),
        form=(("x", "positional"), ("mode", "keyword"), ("n", "keyword")),
    )
    (x,), kwargs = recorded.arguments(f, own)
    assert kwargs == {"mode": Mode.MEAN, "n": 7}
    assert x["b"] is None
    assert (x["w"][0].shape, str(x["w"][0].dtype), x["w"][1]) == ((3,), "bfloat16", 1.0)
    assert x["z"].weak_type


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (signature(nodes=(Node("x", "Net", (".w",)),), leaves=(Leaf(".w", (), "float32"),)), "x was a Net"),
        (signature(statics=(Static("x", "function", "<function relu>", "l"),)), "the static x was <function relu>"),
        (signature(statics=(Static("x", "str", "'long...", "l"),)), "the static x was 'long..."),
        (signature(statics=(Static("x", "frozenset", "{1}", "l"),)), "the static x was {1}"),
        (signature(), "the recording does not say what x was"),
        (signature(leaves=(Leaf("x", (), "str", holder="other"),)), "which JAX does not take"),
        (signature(leaves=(Leaf("x", (), "int32"), Leaf("kwargs['a']", (), "int32"))), "kwargs['a'] cannot be made"),
    ],
)
def test_what_cannot_be_made_again_is_named(own, said):
    with pytest.raises(WhyjitError, match="--args") as refused:
        recorded.arguments(lambda x: x, own)
    assert said in refused.value.message


def test_an_optional_array_gets_the_sizes_of_the_arguments_that_are_given():
    def f(x: Float[Array, "n 3"], mask: Bool[Array, "n k"] | None = None, other: int | None = None): ...

    hints = annotated.hints_of(f)
    sizes = annotated.sizes_of(hints, {"x": jax.ShapeDtypeStruct((8, 3), "float32"), "mask": None})
    assert sizes == {"n": 8}
    array = annotated.example(annotated.optional_array(hints["mask"]), "mask", sizes)
    assert (array.shape[0], str(array.dtype)) == (8, "bool")
    assert annotated.optional_array(hints["other"]) is None
    assert annotated.optional_array(hints["x"]) is None
