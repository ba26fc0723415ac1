"""Which family of failure an exception belongs to, and the code that names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from whyjit.analyse.failure.use import Use

Family = Literal[
    "bool", "int", "array", "concrete", "mask", "leak", "shape", "slice", "key", "format", "unhashable", "not-array",
    "carry", "branch", "in-place",
]  # fmt: skip

_BY_CLASS: dict[str, Family] = {
    "TracerBoolConversionError": "bool",
    "TracerIntegerConversionError": "int",
    "TracerArrayConversionError": "array",
    "ConcretizationTypeError": "concrete",
    "NonConcreteBooleanIndexError": "mask",
    "UnexpectedTracerError": "leak",
}
# Errors that carry no tracer, by class and text, as JAX 0.6.2 to 0.12.0.1 and NumPy word them.
_TRACER = r"(?:\w*Tracer\b|Traced<)"
_BY_TEXT: tuple[tuple[str, str, Family], ...] = (
    ("TypeError", rf"Shapes must be 1D sequences of concrete values of integer type.*{_TRACER}", "shape"),
    ("TypeError", rf"expected a sequence of integers or a single integer.*{_TRACER}", "shape"),
    ("TypeError", rf"{_TRACER}.* object cannot be interpreted as an integer", "int"),
    ("TypeError", rf"unsupported operand type\(s\) for \*=?: '(?:list|tuple|str|bytes)' and '{_TRACER}", "int"),
    ("TypeError", rf"unsupported operand type\(s\) for \*: '{_TRACER}'? and '(?:list|tuple|str|bytes)'", "int"),
    ("TypeError", rf"parameters to jaxpr equations must have __hash__.*{_TRACER}", "concrete"),
    ("TypeError", rf"(?:unsupported type for|cannot convert|must be real number, not) .*{_TRACER}", "concrete"),
    ("TypeError", rf"unhashable type: '?{_TRACER}", "key"),
    ("TypeError", rf"can't convert type '{_TRACER}", "concrete"),
    ("KeyError", rf"{_TRACER}", "format"),
    ("AttributeError", rf"has no attribute '[^']*{_TRACER}[(<]", "format"),
    ("TypeError", rf"unsupported format string passed to {_TRACER}", "format"),
    ("TypeError", rf"format: .* (?:is|are) required, not {_TRACER}", "format"),
    ("TypeError", r"Error interpreting argument to .* as an abstract array", "not-array"),
    ("TypeError", r"returned a value of type .*, which is not a valid JAX type", "not-array"),
    ("TypeError", r"^Argument '.*' of type '?<class .*>'? is not a valid JAX type", "not-array"),
    ("TypeError", r"carry input and carry output must have", "carry"),
    ("TypeError", r"body_fun output and input must have identical types", "carry"),
    ("TypeError", r"scan body output must be a pair", "carry"),
    ("TypeError", r"branch outputs must have the same pytree structure", "branch"),
    ("TypeError", r"branches must have equal output types", "branch"),
    (
        "IndexError",
        r"(?:Slice entries must be static integers|slice indices must have static start/stop/step)",
        "slice",
    ),
    ("TypeError", r"JAX arrays are immutable", "in-place"),
    ("ValueError", r"Non-hashable static arguments", "unhashable"),
    ("ValueError", r"truth value of an (?:empty array|array with more than one element) is ambiguous", "bool"),
    ("TypeError", r"Only scalar arrays can be converted to Python scalars", "concrete"),
    ("TypeError", r"Only integer scalar arrays can be converted to a scalar index", "int"),
)

# Functions whose result has as many elements as the *values* say.
DATA_SIZED = frozenset({
    "nonzero", "flatnonzero", "argwhere", "where", "unique", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "intersect1d", "setdiff1d", "union1d", "setxor1d", "bincount", "extract", "compress", "trim_zeros",
    "roots", "delete",
})  # fmt: skip
# Functions with an argument that decides a shape.
SHAPED = frozenset({
    "zeros", "ones", "full", "empty", "eye", "identity", "arange", "linspace", "logspace", "geomspace", "tri",
    "reshape", "broadcast_to", "broadcast", "tile", "repeat", "one_hot", "resize", "normal", "uniform", "randint",
    "bernoulli", "truncated_normal", "categorical", "choice", "permutation", "gumbel", "split", "array_split",
    "hsplit", "vsplit", "pad", "iota", "broadcasted_iota", "dynamic_slice", "dynamic_slice_in_dim", "top_k",
    "slice", "slice_in_dim",
    "segment_sum", "segment_max", "segment_min", "segment_prod", "indices", "hamming", "hanning", "bartlett",
    "kaiser", "blackman", "tril_indices", "triu_indices", "diag_indices", "vander", "expand_dims", "ndarray",
    "ShapeDtypeStruct",
})  # fmt: skip


def family_of(error: str, message: str) -> Family | None:
    """The family of an exception; None for exceptions that have nothing to do with tracing."""
    known = _BY_CLASS.get(error)
    if known is not None:
        return known
    return next(
        (family for kind, text, family in _BY_TEXT if kind == error and re.search(text, message, re.DOTALL)),
        None,
    )


# What fails for arrays that are not traced just as well, and why it does.
_ANYWAY = (
    (r"JAX arrays are immutable", "outside jit a JAX array cannot be changed in place either"),
    (r"truth value of an .* is ambiguous", "outside jit Python could not decide by a whole array either"),
    (r"Only scalar arrays can be converted", "outside jit a whole array is no Python number either"),
    (r"Only integer scalar arrays can be", "outside jit it could be no index either: it is no single whole number"),
)


def fails_anyway(message: str) -> str:
    """Why the same line would fail for a value that is not traced, too; "" where it would not."""
    return next((note for text, note in _ANYWAY if re.search(text, message)), "")


def is_ambiguous(error: str, family: Family) -> bool:
    """Whether the truth of a whole array was asked for."""
    return family == "bool" and error == "ValueError"


def is_candidate(exception: BaseException) -> bool:
    """Whether an exception's class alone may belong to a family: a quick no for all others."""
    name = type(exception).__name__
    return name in _BY_CLASS or name in {kind for kind, _, _ in _BY_TEXT}


_FIXED: dict[Family, str] = {
    "array": "numpy-on-tracer",
    "leak": "tracer-leak",
    "shape": "shape-from-value",
    "slice": "shape-from-value",
    "key": "concrete-needed",
    "format": "concrete-needed",
    "unhashable": "unhashable-static",
    "not-array": "non-array-argument",
    "carry": "carry-mismatch",
    "branch": "branch-mismatch",
    "in-place": "in-place",
}
# Functions of Python's own that ask for truth; a `bool` inside any other function is that function's affair.
ASK_TRUTH = frozenset(
    {
        "max",
        "min",
        "any",
        "all",
        "sorted",
        "bool",
        "filter",
        "list",
        "tuple",
        "set",
        "dict",
        "sum",
        "next",
        "functools.reduce",
        "reduce",
    }
)


def code_of(family: Family, use: Use | None) -> str:
    """The code of a failure."""
    if family in _FIXED:
        return _FIXED[family]
    name = last_name(use)
    sized = use is not None and use.kind == "call" and name in (DATA_SIZED | SHAPED)
    if family == "bool":
        if use is not None and "while" in (use.kind, use.inside):
            return "loop-on-value"
        return "shape-from-value" if sized else "branch-on-value"
    if family == "mask":
        return "shape-from-value" if name in DATA_SIZED else "boolean-mask"
    if use is not None and (use.kind == "loop" or (use.kind == "call" and use.callee == "range")):
        return "loop-on-value"
    return "shape-from-value" if sized else "concrete-needed"


def last_name(use: Use | None) -> str:
    """The last part of the called function's name."""
    return "" if use is None else use.callee.rpartition(".")[2]
