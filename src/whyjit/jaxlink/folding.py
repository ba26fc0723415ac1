"""A staged program evaluated as far as it is known: the proof that a static value may be data.

`put(graph, program, known)` puts a program into a graph of nodes with some of its inputs known. What follows from known
values alone is computed, by the same primitives that the program would run; functions called inside are opened; known
values are carried into the bodies of loops and branches. If a program with an input known to be `v` gives the same
nodes as the program that was staged with the constant `v`, the two compute the same at `v`.

An equation that is not understood stays as it is; where a known value enters one that has a program of its own inside,
a difference proves nothing, and its name is noted in `opaque`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whyjit.jaxlink import params
from whyjit.jaxlink.nodes import Constant, Graph, bits_of, is_extended

# Arrays up to this many elements are computed if they are known.
_ELEMENTS = 64
# Calls whose meaning is that of the program inside.
_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call"})
# Calls that are kept, since they say how derivatives are taken, with known values carried into them.
_KEPT_CALLS = frozenset({"remat2", "checkpoint", "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"})
# Not computed even if all they need is known: they place data, talk to the host, or are not functions of their inputs.
_NOT_COMPUTED = frozenset({
    "device_put", "sharding_constraint", "copy", "copy_p", "rng_uniform", "pure_callback", "io_callback",
    "debug_callback", "optimization_barrier", "infeed", "outfeed", "create_token",
})  # fmt: skip
_LOOP_LAYOUT = frozenset({"num_consts", "num_carry", "linear", "_split_transpose", "ft_in", "ft_out"})

Value = Constant | int


@dataclass
class Folded:
    """A program in a graph: its outputs, what it does besides, and the equations that could not be looked into."""

    outputs: tuple[int, ...]
    effects: tuple[int, ...] = ()
    opaque: frozenset[str] = field(default_factory=frozenset)

    @property
    def roots(self) -> tuple[int, ...]:
        """Everything that the program is for."""
        return self.outputs + self.effects


def put(graph: Graph, closed: Any, known: Mapping[int, Any]) -> Folded:
    """Put a `ClosedJaxpr` into a graph. `known` gives the values of some inputs by position; others are numbered."""
    folder = _Folder(graph)
    inputs: list[Value] = []
    for at, var in enumerate(closed.jaxpr.invars):
        if at in known:
            inputs.append(constant(known[at], var.aval))
        else:
            inputs.append(graph.node(("input", at - sum(place < at for place in known), _type(var.aval))))
    outputs = folder.closed(closed, inputs)
    return Folded(tuple(folder.node(value) for value in outputs), tuple(folder.effects), frozenset(folder.opaque))


def constant(value: Any, aval: Any = None) -> Constant:
    """A known value with the type that the program gives it. Raises `OverflowError` where it does not fit."""
    dtype = getattr(aval, "dtype", None)
    if is_extended(getattr(value, "dtype", None)) or is_extended(dtype):
        return Constant(value, bits_of(value))
    with np.errstate(all="ignore"):  # a value that becomes infinite in the program's type is so there, too
        array = np.asarray(value) if dtype is None else np.asarray(value, dtype)
    return Constant(array, bits_of(array))


class _Folder:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.effects: list[int] = []
        self.opaque: set[str] = set()

    def node(self, value: Value) -> int:
        return self._graph.constant(value) if isinstance(value, Constant) else value

    def closed(self, program: Any, inputs: Sequence[Value]) -> list[Value]:
        """Evaluate a program, with or without its constants, on values."""
        jaxpr = program.jaxpr if hasattr(program, "jaxpr") else program
        consts = getattr(program, "consts", ())
        env: dict[Any, Value] = dict(zip(jaxpr.invars, inputs, strict=True))
        env.update(zip(jaxpr.constvars, [self._array(value) for value in consts], strict=False))

        def read(atom: Any) -> Value:
            return constant(atom.val, atom.aval) if hasattr(atom, "val") else env[atom]

        for equation in jaxpr.eqns:
            values = [read(atom) for atom in equation.invars]
            env.update(zip(equation.outvars, self._equation(equation, values), strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _array(self, value: Any) -> Value:
        """A closed-over array: known if it is small."""
        value = getattr(value, "val", value)
        found = Constant(value, bits_of(value))
        return found if np.size(value) <= _ELEMENTS else self._graph.constant(found)

    def _equation(self, equation: Any, values: list[Value]) -> Sequence[Value]:
        name = equation.primitive.name
        if name in _CALLS and (inner := _call(equation)) is not None:
            return self.closed(inner, values)
        if name == "convert_element_type" and _same_type(equation):
            return values
        if name == "cond" and isinstance(values[0], Constant):
            branches = equation.params["branches"]
            chosen = min(max(int(values[0].value), 0), len(branches) - 1)
            return self.closed(branches[chosen], values[1:])
        computed = self._compute(equation, values)
        return self._keep(equation, values) if computed is None else computed

    def _compute(self, equation: Any, values: list[Value]) -> Sequence[Value] | None:
        """The results, if all that they follow from is known and they are small."""
        name = equation.primitive.name
        if (
            equation.effects
            or name in _NOT_COMPUTED
            or any(params.programs_in(value) for value in equation.params.values())
            or any(math.prod(getattr(var.aval, "shape", (_ELEMENTS + 1,))) > _ELEMENTS for var in equation.outvars)
        ):
            return None
        known = [value.value for value in values if isinstance(value, Constant)]
        if len(known) < len(values):
            return None
        import jax

        try:
            with jax.ensure_compile_time_eval(), np.errstate(all="ignore"):
                arrays = [
                    value if is_extended(value.dtype) else jax.numpy.asarray(value, value.dtype) for value in known
                ]
                results = equation.primitive.bind(*arrays, **equation.params)
        except Exception:  # what cannot be computed here is compared as it stands
            return None
        each = results if equation.primitive.multiple_results else [results]
        return [constant(result) for result in each]

    def _keep(self, equation: Any, values: list[Value]) -> Sequence[Value]:
        """The equation as a node, with what is known carried into the programs inside it."""
        name = equation.primitive.name
        label, rest = self._inside(equation, values)
        types = tuple(_type(var.aval) for var in equation.outvars)
        inputs = tuple(self.node(value) for value in rest) + label[1]
        mark = (len(self.effects),) if equation.effects else ()
        made = self._graph.node(("equation", name, label[0], types, len(rest), mark), inputs)
        if equation.effects:
            self.effects.append(made)
        if len(types) == 1:
            return [made]
        return [self._graph.node(("result", at), (made,)) for at in range(len(types))]

    def _inside(self, equation: Any, values: list[Value]) -> tuple[tuple[Any, tuple[int, ...]], list[Value]]:
        """What tells the equation apart (parameters, bodies' outputs), and the values it is given from outside."""
        name, given = equation.primitive.name, equation.params
        if name == "scan":
            consts, carries = _scan_layout(equation)
            body, rest = self._body(given["jaxpr"], values, range(consts))
            return ((params.key_of(given, _LOOP_LAYOUT), carries), body), rest
        if name == "while":
            return self._while(given, values)
        if name == "cond":
            bodies = [self._body(branch, values[1:], range(len(values) - 1))[0] for branch in given["branches"]]
            rest = [values[0], *(value for value in values[1:] if not isinstance(value, Constant))]
            return (params.key_of(given), tuple(node for body in bodies for node in body)), rest
        inner = [program for value in given.values() for program in params.programs_in(value)]
        if name in _KEPT_CALLS and len(inner) == 1:
            body, rest = self._body(inner[0], values, range(len(values)))
            return (params.key_of(given, frozenset({"num_consts"})), body), rest
        if inner and any(isinstance(value, Constant) for value in values):
            self.opaque.add(name)
        bodies = [self._body(program, (), ())[0] for program in inner]
        return (params.key_of(given), tuple(node for body in bodies for node in body)), values

    def _while(self, given: Any, values: list[Value]) -> tuple[tuple[Any, tuple[int, ...]], list[Value]]:
        tests, steps = given["cond_nconsts"], given["body_nconsts"]
        carried = values[tests + steps :]
        test, outside = self._body(given["cond_jaxpr"], [*values[:tests], *carried], range(tests))
        step, others = self._body(given["body_jaxpr"], [*values[tests : tests + steps], *carried], range(steps))
        count = len(outside) - len(carried)
        without = frozenset({"cond_nconsts", "body_nconsts"})
        return ((params.key_of(given, without), count), test + step), [*outside[:count], *others]

    def _body(self, program: Any, values: Sequence[Value], fixed: Sequence[int]) -> tuple[tuple[int, ...], list[Value]]:
        """The body of an equation as a node, and the values it still needs from outside.

        Known values at the places `fixed` are carried in; every other input stands for whatever comes.
        """
        jaxpr = program.jaxpr if hasattr(program, "jaxpr") else program
        inputs: list[Value] = []
        rest: list[Value] = []
        opened = 0
        for at, var in enumerate(jaxpr.invars):
            value = values[at] if at < len(values) else None
            if at in fixed and isinstance(value, Constant):
                inputs.append(value)
                continue
            inputs.append(self._graph.node(("bound", opened, _type(var.aval))))
            opened += 1
            if value is not None:
                rest.append(value)
        before, self.effects = self.effects, []
        outputs = tuple(self.node(value) for value in self.closed(program, inputs))
        done, self.effects = tuple(self.effects), before
        return (self._graph.node(("body", opened, len(done)), outputs + done),), rest


def _call(equation: Any) -> Any:
    """The program inside a call; None if the call also places data, or has other ends than calling."""
    given = equation.params
    for name in ("in_shardings", "out_shardings", "in_layouts", "out_layouts"):
        if any("Unspecified" not in str(part) and part is not None for part in given.get(name, ())):
            return None
    if given.get("compiler_options_kvs"):
        return None
    found = [program for value in given.values() for program in params.programs_in(value)]
    return found[0] if len(found) == 1 else None


def _same_type(equation: Any) -> bool:
    """Whether a conversion changes nothing but the weakness of a type."""
    old, new = equation.invars[0].aval, equation.outvars[0].aval
    placed = equation.params.get("sharding")
    return placed is None and getattr(old, "dtype", 0) == getattr(new, "dtype", 1)


def _scan_layout(equation: Any) -> tuple[int, int]:
    """How many of a scan's inputs are constants of its body, and how many are carried."""
    given = equation.params
    if "num_consts" in given:
        return given["num_consts"], given["num_carry"]
    consts, carries, _ = given["ft_in"].unpack()  # from 0.12 on
    return len(list(consts)), len(list(carries))


def _type(aval: Any) -> tuple[str, tuple[Any, ...]]:
    return str(getattr(aval, "dtype", aval)), tuple(getattr(aval, "shape", ()))
