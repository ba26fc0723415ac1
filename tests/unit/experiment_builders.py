"""Descriptions of calls, and results of arms, made by hand."""

from whyjit.model.probe import ArmError, Described, Factor, Give, Other, Parameter, Result
from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static


def signature(*leaves, statics=(), nodes=(), form=()):
    return Signature(CallForm(tuple(form)), tuple(nodes), tuple(leaves), tuple(statics))


def leaf(path, *shape, dtype="float32", **options):
    return Leaf(path, shape, dtype, **options)


def described(*leaves, parameters=(), statics=(), nodes=(), kind="jitted", x64=False):
    return Described(
        "step", "/p/train.py", 3, kind, signature(*leaves, statics=statics, nodes=nodes), tuple(parameters), (), x64
    )


def other(name, text, source="literal", *, guess=False):
    return Other(Give(name, source, text), text, guess)


def result(kind="static", path="mode", new="b", *, traced=True, delta=None, error=None, **options):
    failure = None if error is None else ArmError(*error.split(": ", 1)) if ": " in error else ArmError("", error)
    return Result(
        Factor(kind, path, "a", new, options.pop("guess", False)), traced, delta=delta, error=failure, **options
    )


CONTROL = result("control", None, "the same call again", traced=False, delta="identical")

__all__ = [
    "CONTROL",
    "Node",
    "Parameter",
    "Static",
    "described",
    "leaf",
    "other",
    "result",
    "signature",
]
