"""Specializations as an observer would make them, with only what a test is about."""

from whyjit.analyse.explain import explain
from whyjit.model.program import Constant, Fingerprint
from whyjit.model.recording import Capture, Environment, Function, Recording, Specialization, Stage
from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static
from whyjit.model.source import Location

SITE = Location("train.py", 7, "train")


def leaf(path, *shape, dtype="float32", **more):
    return Leaf(path, shape, dtype, **more)


def static(path, value, **more):
    values = {"type": type(value).__name__, "text": repr(value), "look": repr(value)}
    return Static(path, **{**values, **more})


def node(path, container, *keys, metadata=()):
    return Node(path, container, keys, metadata)


def capture(name, text, look=None, identity=""):
    return Capture(name, text, text if look is None else look, identity)


def stages(trace=True, lower=True, compile_=True, seconds=0.1):
    made = [kind for kind, on in (("trace", trace), ("lower", lower), ("compile", compile_)) if on]
    return tuple(Stage(kind, 0.0, seconds, seconds) for kind in made)


def program(whole, literals=None, shapes=None, types=None, skeleton=None, constants=""):
    """A fingerprint; levels that are left out are as different as the whole."""
    return Fingerprint(
        str(whole),
        str(literals if literals is not None else whole),
        str(shapes if shapes is not None else literals if literals is not None else whole),
        str(types if types is not None else whole),
        str(skeleton if skeleton is not None else shapes if shapes is not None else whole),
        constants,
        3,
    )


def spec(number, *parts, form=None, calls=1, options=(), context=(), transforms=(), **more):
    """A specialization; leaves, statics and nodes are told apart by their type."""
    leaves = tuple(part for part in parts if isinstance(part, Leaf))
    statics = tuple(part for part in parts if isinstance(part, Static))
    nodes = tuple(part for part in parts if isinstance(part, Node))
    names = form or dict.fromkeys([part.path.split("[")[0].split(".")[0] for part in (*leaves, *statics)], "positional")
    signature = Signature(CallForm(tuple(names.items())), nodes, leaves, statics, context, options, transforms)
    values = {"stages": stages(), "fingerprint": program(number), "misses": 1}
    return Specialization(1, number, signature, SITE, calls=calls, **{**values, **more})


def constant(name, nbytes):
    return Constant(name, f"f32[{nbytes // 4}]", nbytes)


def report(*specs, origin="user", stale=(), bodies=(), name="step", qualname="step"):
    function = Function(1, name, qualname, "train.py", 3, origin, "function", bodies)
    environment = Environment("3.11", "0.10.2", "0.10.2", "cpu")
    return explain(Recording(environment, (), (function,), specs, (), (), stale)).functions[0]


def codes(*specs, **more):
    return [finding.code for finding in report(*specs, **more).findings]


def kinds(*specs, at=-1):
    return [(change.kind, change.path) for change in report(*specs).specializations[at].cause.changes]
