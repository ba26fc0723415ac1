"""Scenes made by hand, so that the analysis is tested without JAX."""

from __future__ import annotations

import ast
import textwrap

from whyjit.model.failure import Argument
from whyjit.model.scene import Callee, Instruction, Origin, Place, Point, Seen, Span

FILE = "/project/step.py"
HEADER = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"


class HandMade:
    """A scene over a piece of source: `expression` is what failed, `traced` the values that names have."""

    def __init__(self, source, expression, *, error, message="", traced=None, called="step", transformation="jit",
                 origin=None, truth=None, leak=None, callees=None, not_arrays=None, carried=False):  # fmt: skip
        self.text = HEADER + textwrap.dedent(source)
        self.error = error
        self.message = message
        self.raised_in = None
        self.traced = traced or {}
        self.leak = leak
        self.callees = callees or {}
        self.not_array_leaves = not_arrays
        self._origin = origin
        self._called = (called, transformation, carried)
        truth = error == "TracerBoolConversionError" if truth is None else truth
        self.points = [self._point(expression, truth=truth)]

    def _point(self, expression, *, truth):
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.expr) and ast.get_source_segment(self.text, node) == expression:
                span = Span(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
                newest = Instruction("TO_BOOL" if truth else "CALL", span=span)
                return Point(FILE, "step", node.lineno, 1, (newest, Instruction("LOAD_NAME", span=span)))
        raise AssertionError(expression)

    def lines(self, file):
        return self.text.splitlines(keepends=True) if file == FILE else []

    def see(self, depth, node):
        return self.traced.get(ast.unparse(node))

    def traced_parts(self, depth, node):
        found, todo = [], [node]
        while todo:
            current = todo.pop(0)
            seen = self.traced.get(ast.unparse(current)) if isinstance(current, ast.expr) else None
            if seen is not None and seen.kind in {"traced", "container"}:
                found.append((current, seen))
            else:
                todo.extend(ast.iter_child_nodes(current))
        return found

    def origin(self, depth, nodes):
        if self._origin is not None:
            return self._origin
        parts = [part for node in nodes for part in self.traced_parts(depth, node)]
        arguments = tuple(Argument(ast.unparse(node), seen.type, scalar=seen.scalar) for node, seen in parts)
        called, transformation, carried = self._called
        return Origin(arguments, called=called, transformation=transformation, carried=carried) if arguments else None

    def error_origin(self):
        return self._origin

    def error_value(self):
        return None

    def leaked(self, depth, nodes):
        return self.leak

    def callee(self, depth, node):
        return self.callees.get(ast.unparse(node))

    def unhashable(self, depth, node):
        return None

    def not_arrays(self):
        return self.not_array_leaves

    def place(self, depth, node):
        if isinstance(node, ast.Name):
            for part in ast.walk(ast.parse(self.text)):
                if isinstance(part, ast.FunctionDef) and part.name == node.id:
                    return Place(part.name, FILE, part.lineno)
        return None


def traced(kind):
    """A traced value of a type such as `float32[3]`."""
    dtype, _, shape = kind.rstrip("]").partition("[")
    sizes = tuple(int(size) for size in shape.split(",") if size)
    return Seen("traced", "DynamicJaxprTracer", kind, dtype, sizes)


def callee(*parameters, static, name="step", bound=False):
    """A jitted function."""
    return Callee(name, parameters, tuple(static), bound)
