"""Recordings made by hand, for the tests of the store."""

import os

from whyjit.model.batch import Batch
from whyjit.model.failure import Failure
from whyjit.model.program import Equation, Literal, Program, Variable
from whyjit.model.recording import Environment, Function, Gap, Row, Specialization, Stage, StaleRead
from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static
from whyjit.model.source import Location
from whyjit.store import programs

SITE = Location("train.py", 9, "main")
STEP = Function(1, "step", "step", "train.py", 3, "user")
PROGRAM = Program(
    inputs=("f32[4]",),
    constants=(),
    equations=(Equation("mul", (Variable(0), Literal("2.0", "f32[]")), (1,), ("f32[4]",)),),
    outputs=(Variable(1),),
)


def environment(**changes):
    values = {"python": "3.11.7", "jax": "0.10.2", "jaxlib": "0.10.2", "platform": "cpu", "pid": os.getpid()}
    return Environment(**values | changes)


def specialization(number, *, function=1, leaves=2, calls=1, static="'sum'"):
    """One of its function's: the first leaf differs by number."""
    others = [Leaf(f"batch[{index}]", (64,), "float32") for index in range(1, leaves)]
    signature = Signature(
        form=CallForm((("batch", "positional"), ("mode", "keyword"))),
        nodes=(Node("batch", "list"),),
        leaves=(Leaf("batch[0]", (number, 64), "float32"), *others),
        statics=(Static("mode", "str", static, "look"),),
        context=(("jax_enable_x64", "True"),),
    )
    stages = (Stage("trace", 0.5, 0.25, 0.25), Stage("lower", 0.75, 0.25), Stage("compile", 1.0, 0.5))
    return Specialization(
        function,
        number,
        signature,
        SITE,
        stages=stages,
        program="p1",
        calls=calls,
        misses=1,
        outputs=(Leaf("[0]", (number,), "float32"),),
    )


def row(order, *, function=1, number=1, event="hit", count=1):
    return Row(order, function, number, event, SITE, count, 0.25 * order, 1, 1)


def batch(**parts):
    return Batch(environment(), **parts)


def full_batch():
    """A bit of everything."""
    return batch(
        functions=(STEP,),
        specializations=(specialization(1), specialization(2)),
        rows=(row(1, event="new"), row(2, event="miss"), row(3, number=2, event="new"), row(4, count=7)),
        failures=(Failure("TracerBoolConversionError", "branch-on-value", "step"),),
        gaps=(Gap("hits", "this JAX has no post-call hook"),),
        stale=(StaleRead(1, 1, "self.offset", "1.0", "2.0", SITE, 3),),
        unattributed=(Stage("compile", 0.1, 0.2),),
        programs=(("p1", programs.encode(PROGRAM)),),
        seconds=2.5,
    )
