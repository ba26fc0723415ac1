"""What JAX's caches key on, as text and numbers: the signature of one call.

A signature holds every *factor* that can give a call a specialization of its own: the form of the call, the pytree
structure of its arguments, the type and placement of each array leaf, each static value, the tracing context, the
options of the jit, and the transformations around the call. No array contents enter it.
"""

from __future__ import annotations

import msgspec


class Leaf(msgspec.Struct, frozen=True, gc=False):
    """One array leaf: a runtime value with its metadata.

    `path` is the parameter's name followed by JAX's key string. `holder` tells what the caller passed: "jax",
    "numpy", "python" (a scalar), or "abstract". `sharding` is "" for an array on the default device that is not
    committed to it; otherwise the text of its sharding. `memory` is the memory kind where it is not the default.
    """

    path: str
    shape: tuple[int, ...]
    dtype: str
    weak_type: bool = False
    sharding: str = ""
    committed: bool = False
    memory: str = ""
    layout: str = ""
    mesh: str = ""
    holder: str = "jax"


class Static(msgspec.Struct, frozen=True, gc=False):
    """One static value: configuration that decides the program.

    `text` reads like its `repr`, cut. `look` is a digest of its visible content (type, fields, captured values): two
    statics with one look cannot be told apart by reading them. `identity` numbers the objects inside that are compared
    by identity, and is "" where equality goes by value alone. `note` says what is special about it. `parts` are the
    fields of a structured value, by path and text. `objects` tell of each number in `identity` where in the value that
    object lies, and its type; they are left out where it is the value itself.
    """

    path: str
    type: str
    text: str
    look: str
    identity: str = ""
    note: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    objects: tuple[tuple[str, str], ...] = ()


class Node(msgspec.Struct, frozen=True, gc=False):
    """One inner node of the arguments' pytree, in pre-order: its container, its keys, and its static metadata."""

    path: str
    container: str
    keys: tuple[str, ...] = ()
    metadata: tuple[Static, ...] = ()


class CallForm(msgspec.Struct, frozen=True, gc=False):
    """How each parameter was given: "positional", "keyword" or "default" (left out).

    `defaults` are those of static parameters that were left out: they decide the program like values that are given.
    """

    parameters: tuple[tuple[str, str], ...] = ()
    defaults: tuple[Static, ...] = ()


class Signature(msgspec.Struct, frozen=True):
    """Every factor of one call. `context` and `options` are name and text; `transforms` run from the outside in."""

    form: CallForm
    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]
    statics: tuple[Static, ...]
    context: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    transforms: tuple[str, ...] = ()
