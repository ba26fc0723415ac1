"""The parts that reports in tests are made of, as an observer and the analysis would make them."""

from typing import NamedTuple

from whyjit.model.finding import Cause, Change, FunctionReport, Report, Totals
from whyjit.model.program import Fingerprint
from whyjit.model.recording import Environment, Row, Stage
from whyjit.model.signature import CallForm, Leaf, Signature, Static

DIRECTORY = "/srv/ada/digits"
FILE = f"{DIRECTORY}/digits.py"
LIBRARY = "/opt/venv/lib/python3.11/site-packages/jax/_src"


class Built(NamedTuple):
    """A report with the ledger rows of each function, by the function's id."""

    report: Report
    rows: dict[int, list[Row]]


def environment(**changes):
    values = {
        "python": "3.11.7",
        "jax": "0.10.2",
        "jaxlib": "0.10.2",
        "platform": "cpu",
        "argv": ("digits.py", "--epochs", "20"),
        "directory": DIRECTORY,
        "pid": 4711,
    }
    return Environment(**{**values, **changes})


def leaf(path, *shape, dtype="float32", **more):
    return Leaf(path, shape, dtype, **more)


def static(path, value, **more):
    return Static(path, type(value).__name__, repr(value), look=f"{type(value).__name__}:{value!r}", **more)


def signature(leaves=(), statics=(), form=None, **more):
    names = form or dict.fromkeys([leaf.path.split("[")[0].split(".")[0] for leaf in leaves], "positional")
    return Signature(CallForm(tuple(names.items())), more.pop("nodes", ()), tuple(leaves), tuple(statics), **more)


def stages(start, trace, lower, compile_, *, own=None, thread=1):
    """A trace, then a lowering, then a compile, one after the other; what took no time did not happen."""
    made, moment = [], start
    for kind, seconds in (("trace", trace), ("lower", lower), ("compile", compile_)):
        if seconds:
            own_s = own if kind == "trace" and own is not None else seconds
            made.append(Stage(kind, moment, seconds, own_s, thread))
            moment += seconds
    return tuple(made)


def function_report(function, specializations, findings=(), **changes):
    """A function's report with the counts and seconds of its specializations."""
    each = [explained.specialization for explained in specializations]
    every = [stage for made in each for stage in made.stages]

    def kind(name):
        return [stage for stage in every if stage.kind == name]

    values = {
        "calls": sum(made.calls for made in each),
        "nested_calls": sum(made.nested_calls for made in each),
        "traces": len(kind("trace")),
        "lowerings": len(kind("lower")),
        "compiles": len(kind("compile")),
        "persistent_cache_hits": len(kind("cache_load")),
        "misses": sum(made.misses for made in each),
        "trace_s": sum(stage.seconds for stage in kind("trace")),
        "trace_own_s": sum(stage.own for stage in kind("trace")),
        "lower_s": sum(stage.seconds for stage in kind("lower")),
        "compile_s": sum(stage.seconds for stage in kind("compile")),
    }
    return FunctionReport(function, tuple(specializations), tuple(findings), **{**values, **changes})


def report(functions, seconds, *, unattributed=0.0, **more):
    """A report with the sums of its functions."""
    totals = Totals(
        calls=sum(each.calls for each in functions),
        traces=sum(each.traces for each in functions),
        lowerings=sum(each.lowerings for each in functions),
        compiles=sum(each.compiles for each in functions),
        persistent_cache_hits=sum(each.persistent_cache_hits for each in functions),
        trace_s=sum(each.trace_own_s for each in functions),
        lower_s=sum(each.lower_s for each in functions),
        compile_s=sum(each.compile_s for each in functions),
        unattributed_s=unattributed,
        seconds=seconds,
    )
    gaps = more.pop("gaps", ())
    return Report(more.pop("environment", environment()), gaps, totals, tuple(functions), **more)


def fingerprint(name, equations):
    return Fingerprint(name, name, name, name, name, "", equations)


FIRST = Cause("first", (), "the first call")


def shape_cause(path, old, new):
    return Cause("shape", (Change("shape", path, old, new),), f"`{path}` changed its shape from {old} to {new}")
