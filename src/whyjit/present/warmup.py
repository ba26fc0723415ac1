"""A warm-up as a Python module that a person can read, format and keep."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from whyjit.analyse.warmup.writing import PROGRAM, Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whyjit.analyse.warmup.plan import Plan, Work
    from whyjit.analyse.warmup.writing import Expr
    from whyjit.model.recording import Environment

# What formatters break lines at unless they are told otherwise.
_WIDTH = 88
# An argument of more letters is written once, where several items have it.
_LONG = 50

_BODY = '''

class Work(NamedTuple):
    """Something to compile."""

    name: str
    seconds: float  # what it took in the recorded run
    make: Callable  # of the function, its arguments and its keyword arguments

{need}
def array(dtype, *shape, weak=False, device=None{sharding}):
    """Make the type of an array; `device` names the one that it is committed to."""
{no_sharding}    if device is not None:
        known = {{str(each): each for each in jax.devices()}}
        sharding = jax.sharding.SingleDeviceSharding(known[device])
    return jax.ShapeDtypeStruct(
        shape, jnp.dtype(dtype), weak_type=weak, sharding=sharding
    )
{zeros}{sharded}{keys}{program}

def work({given}):
    """List what to compile, the dearest first."""
{imports}    return [
{works}    ]


def warm_up({given_none}*, progress=False, seconds=None):
    """Compile it all, and return a line of (name, seconds, note) for each.
{given_line}
    With `progress` a line is printed on standard error for each. Nothing new is begun
    after so many `seconds`.
    """
    began = time.perf_counter()
    done = []
    for each in work({given_or}):
        start = time.perf_counter()
        if seconds is not None and start - began > seconds:
            note = "left for later: the time is up"
        else:
            note = compile_one(each)
        took = time.perf_counter() - start
        done.append((each.name, took, note))
        if progress:
            print(f"{{took:8.3f}} s  {{each.name}}  {{note}}".rstrip(), file=sys.stderr)
    if progress:
        total = time.perf_counter() - began
        print(f"{{total:8.3f}} s  in all", file=sys.stderr)
    return done


def compile_one(each):
    """Lower and compile one function; the answer says why not, where it fails."""
    try:
        function, args, kwargs = each.make()
        while not hasattr(function, "lower"):
            function = function.__wrapped__
        function.lower(*args, **kwargs).compile()
{missing}    except Exception as fault:  # a server starts all the same: the call compiles it
        return f"failed: {{type(fault).__name__}}: {{fault}}"
    return ""


def main():
    """Compile everything, as a command."""
    parser = argparse.ArgumentParser(description="Compile ahead of time.")
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    parser.add_argument("--seconds", type=float, help="begin nothing new after these")
    chosen = parser.parse_args()
    warm_up(progress=not chosen.quiet, seconds=chosen.seconds)


if __name__ == "__main__":
    main()
'''

_NEED = '''

class NotGivenError(LookupError):
    """An argument that could not be written down here, and was not given either."""


def need(given, name):
    """Take an argument that could not be written down here."""
    if name not in given:
        raise NotGivenError(name)
    return given[name]

'''

_MISSING = """\
    except NotGivenError as name:
        return f"left out: it needs {name}, which was not given"
"""

_GIVEN = """
    `given` are the arguments that are listed as needed at the top, by name.
"""

_SHARED = """\
    def {name}():
        return {expr}

"""

_ZEROS = '''

def zeros(dtype, *shape, **where):
    """Make an array, for a jit that takes what is none as static; it is not run."""
    made = array(dtype, *shape, **where)
    return jax.device_put(np.zeros(shape, made.dtype), made.sharding)

'''

_SHARDED = '''

def sharded(spec, names, sizes, devices, kinds):
    """Make the sharding of an array over a mesh of devices, named by their numbers."""
    known = {each.id: each for each in jax.devices()}
    grid = np.array([known[number] for number in devices]).reshape(sizes)
    types = tuple(getattr(jax.sharding.AxisType, kind) for kind in kinds)
    mesh = jax.sharding.Mesh(grid, names, axis_types=types)
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))

'''

_KEYS = '''

def keys(implementation, *shape):
    """Make the type of an array of random keys."""
    made = jax.eval_shape(lambda: jax.random.key(0, impl=implementation))
    return jax.ShapeDtypeStruct(shape, made.dtype)

'''

_PROGRAM = '''

def program():
    """Find the program itself where it is what runs; else import it as a module."""
    running = sys.modules["__main__"]
    if Path(getattr(running, "__file__", None) or "").name == "{file}":
        return running
    return importlib.import_module("{module}")

'''


def module(plan: Plan, environment: Environment, *, run: str, program_file: str) -> str:
    """The module's text. `run` names the recorded run, `program_file` the file that was started."""
    own = {work.module for work in plan.works}
    inside = set().union(*(work.call.modules for work in plan.works)) if plan.works else set()
    with_program = bool(plan.program) and plan.program in own | inside
    modules = sorted((own | inside) - ({plan.program} if with_program else set()))
    shared = _shared(plan.works)
    names = {_flat(expr): f"{name}()" for name, expr in shared.items()}
    works = "".join(f"        {_work(work, plan.program, names)},\n" for work in plan.works)
    before = "".join(_SHARED.format(name=name, expr=_shown(expr, 8, len("return "))) for name, expr in shared.items())
    written = before + works
    imports = "".join(f"    import {name}\n" for name in modules)
    if with_program:
        imports += f"    {PROGRAM} = program()\n"
    imports += "\n" * bool(imports) + before
    standard = ["argparse", *(["importlib"] if with_program else []), "sys", "time"]
    head = "".join(f"import {name}\n" for name in standard)
    path = "from pathlib import Path\n" if with_program else ""
    meshes = "sharded(" in written
    needs = any(work.call.given for work in plan.works)
    body = _BODY.format(
        need=_NEED if needs else "\n",
        given="given" if needs else "",
        given_none="given=None, " if needs else "",
        given_line=_GIVEN if needs else "",
        given_or="given or {}" if needs else "",
        missing=_MISSING if needs else "",
        sharding=", sharding=None" if meshes else "",
        no_sharding="" if meshes else "    sharding = None\n",
        zeros=_ZEROS if "zeros(" in written else "",
        sharded=_SHARDED if meshes else "",
        keys=_KEYS if "keys(" in written else "",
        program=_PROGRAM.format(file=program_file, module=plan.program) if with_program else "",
        imports=imports,
        works=works,
    )
    body = body.replace("\n\n\n\n", "\n\n\n")
    typing = f"from collections.abc import Callable\n{path}from typing import NamedTuple\n"
    imported = f"{head}{typing}\nimport jax\nimport jax.numpy as jnp\n"
    imported += "import numpy as np\n" if meshes or "zeros(" in written or re.search(r"\bnp\.", written) else ""
    text = f"{_docstring(plan, environment, run)}\n\n{imported}{body}"
    return text if plan.works else text.replace("    return [\n    ]\n", "    return []\n")


def _docstring(plan: Plan, environment: Environment, run: str) -> str:
    total = sum(work.seconds for work in plan.works)
    parts = [
        '"""Compile ahead of time what a recorded run used, the dearest first.',
        "",
        "    python warmup.py     compile everything, and say how long it took",
        "    import warmup        when a server starts,",
        "    warmup.warm_up()     in its own process: another one's cache is of no use",
        "",
        *_filled(
            "Nothing is run: each function is lowered and compiled for types of arguments, and JAX keeps the result for"
            " the calls that follow. JAX's settings must be those of the recorded run by then."
        ),
        "",
        *_filled(
            f"Made by `whyjit warmup` from {run}: {_count(len(plan.works), 'program')}, which took {total:.2f} s there"
            f" (JAX {environment.jax}, {environment.platform})."
        ),
    ]
    needed = [given for work in plan.works for given in work.call.given]
    parts += _listed("Needed, in `given` of warm_up():", _merged(needed))
    parts += _listed("Left out:", _merged((one.name, one.reason) for one in plan.left_out))
    return "\n".join([*parts, '"""']).replace("\\", "\\\\")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _merged(lines: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each reason, with the names that have it."""
    found: dict[str, list[str]] = {}
    for name, reason in lines:
        names = found.setdefault(reason, [])
        if name not in names:
            names.append(name)
    return [
        f"{', '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}: {reason}"
        for reason, names in found.items()
    ]


def _listed(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    found = ["", title]
    for line in lines:
        found += textwrap.wrap(
            line.replace('"""', "'''"),
            _WIDTH,
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return found


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _shared(works: Iterable[Work]) -> dict[str, Group]:
    """Long arguments that several items have, such as the parameters of a model, by a name for each."""
    found: dict[str, list[Group]] = {}
    for work in works:
        for expr in (*work.call.args, *(expr for _, expr in work.call.kwargs)):
            if isinstance(expr, Group) and len(_flat(expr)) > _LONG:
                found.setdefault(_flat(expr), []).append(expr)
    several = [same[0] for same in found.values() if len(same) > 1]
    return {f"shared_{number}": expr for number, expr in enumerate(several, 1)}


def _work(work: Work, program: str, shared: Mapping[str, str]) -> str:
    """One item of the list; `shared` are names of arguments by their text."""

    def named(expr: Expr) -> Expr:
        return shared.get(_flat(expr), expr)

    made: list[Expr] = [
        f"{PROGRAM if work.module == program else work.module}.{work.reference}",
        Group("(", tuple(("", named(item)) for item in work.call.args), ")"),
        Group("{", tuple((f'"{name}": ', named(item)) for name, item in work.call.kwargs), "}"),
    ]
    items: list[tuple[str, Expr]] = [
        ("", f'"{work.name}"'),
        ("", f"{work.seconds:.3f}"),
        ("lambda: ", Group("(", tuple(("", item) for item in made), ")")),
    ]
    return _shown(Group("Work(", tuple(items), ")"), 8)


def _shown(expr: Expr, indent: int, taken: int = 0) -> str:
    """An expression on one line if it fits, else an item on each; `taken` is what stands before it on the line."""
    if isinstance(expr, str):
        return expr
    flat = _flat(expr)
    if indent + taken + len(flat) + 1 <= _WIDTH or not expr.items:
        return flat
    pad = " " * (indent + 4)
    lines = "".join(f"{pad}{name}{_shown(item, indent + 4, len(name))},\n" for name, item in expr.items)
    return f"{expr.head}\n{lines}{' ' * indent}{expr.tail}"


def _flat(expr: Expr) -> str:
    if isinstance(expr, str):
        return expr
    inner = ", ".join(f"{name}{_flat(item)}" for name, item in expr.items)
    comma = "," if expr.head == "(" and len(expr.items) == 1 else ""
    return f"{expr.head}{inner}{comma}{expr.tail}"
