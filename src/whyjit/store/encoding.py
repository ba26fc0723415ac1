r"""Values to bytes, whatever text a user's program brought along.

File names and arguments that are no valid UTF-8 reach Python as lone surrogates, and a `repr` may hold them too;
neither msgpack nor SQLite takes them. They are written as `\udc80`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

_pack = msgspec.msgpack.Encoder().encode
_json = msgspec.json.Encoder().encode


def packed(value: Any) -> bytes:
    """The value as msgpack."""
    return _encoded(_pack, value)


def json_text(value: Any) -> str:
    """The value as JSON."""
    return _encoded(_json, value).decode()


def clean(text: str) -> str:
    """The text, with what is no valid Unicode spelt out."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def _encoded(encode: Callable[[Any], bytes], value: Any) -> bytes:
    try:
        return encode(value)
    except UnicodeEncodeError:
        return encode(_cleaned(msgspec.to_builtins(value)))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part) for part in cast("list[Any]", value)]
    return value
