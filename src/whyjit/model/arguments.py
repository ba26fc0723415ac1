"""Arguments of a call as data that can be stored and handed to another process.

No JAX object is among them: arrays are their bytes, Python's plain values are their source text, and what only Python
can take apart (an enum's member, a settings object) is pickled. `Made` stands for an array that nobody kept and that is
to be made up.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Array(msgspec.Struct, frozen=True, tag="array"):
    """An array: its type and its bytes in C order.

    `holder` is "jax" or "numpy"; `keys` names the implementation of typed random keys, whose bytes are their key data.
    """

    shape: tuple[int, ...]
    dtype: str
    data: bytes
    weak_type: bool = False
    holder: str = "jax"
    keys: str = ""


class Made(msgspec.Struct, frozen=True, tag="made"):
    """An array, or a Python number (`holder` is "python"), of which only the type is known; values are made up."""

    shape: tuple[int, ...]
    dtype: str
    weak_type: bool = False
    holder: str = "jax"


class Plain(msgspec.Struct, frozen=True, tag="plain"):
    """A plain Python value as `repr` writes it: None, a boolean, a number, a text, bytes."""

    text: str


class Pickled(msgspec.Struct, frozen=True, tag="pickled"):
    """Any other Python value that is no container of JAX's, pickled. `kind` names its class.

    `arrays` are those inside, which the pickle refers to by number.
    """

    data: bytes
    kind: str = ""
    arrays: tuple[Array, ...] = ()


class Named(msgspec.Struct, frozen=True, tag="named"):
    """An object that is found by its name in a module: a function, a class."""

    module: str
    name: str


class Node(msgspec.Struct, frozen=True, tag="node"):
    """A container. `keys` belong to a "dict"; `node` is the pickled class and auxiliary data of a registered class.

    `arrays` are those in that data, which the pickle refers to by number.
    """

    container: Literal["tuple", "list", "dict", "registered"]
    children: tuple[Value, ...]
    keys: tuple[Value, ...] = ()
    node: bytes = b""
    arrays: tuple[Array, ...] = ()


Value = Array | Made | Plain | Pickled | Named | Node


class Carried(msgspec.Struct, frozen=True):
    """The function of a call that no module has by its name: one made inside another, a lambda, a bound method.

    `function` is it with all that it carries: its closure, its defaults. It is None where `missing` says why that could
    not be kept, or where `digest` names the file that holds it. Equal digests are equal contents.
    """

    function: Pickled | None = None
    digest: str = ""
    missing: str = ""


class KeptCall(msgspec.Struct, frozen=True):
    """The arguments of one call. `kept` is False where they were made up from its signature.

    `missing` says why the arguments could not be kept whole; there are none then. `nbytes` is the size of its arrays.
    `carried` is the function itself, where its module does not have it by name. `constants` is a digest of
    the contents of the arrays that the staged program had closed over, "" where it is not known.
    """

    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()
    kept: bool = True
    missing: str = ""
    nbytes: int = 0
    carried: Carried | None = None
    constants: str = ""
