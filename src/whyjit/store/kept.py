"""Kept arguments on disk: a folder beside the recording, a file for each call.

`4711-1.arguments/3-2` holds the arguments of the call that made specialization 2 of function 3 in `4711-1.whyjit`.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from whyjit.model.arguments import KeptCall

SUFFIX = ".arguments"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(KeptCall)


def folder_of(recording: Path) -> Path:
    """The folder of the arguments kept with a recording's file."""
    return recording.with_suffix(SUFFIX)


def write(recording: Path, function: int, number: int, call: KeptCall) -> None:
    """Keep a call's arguments. Only their owner can read them. Raises `OSError` when the disk refuses."""
    folder = folder_of(recording)
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / f"{function}-{number}").write_bytes(zlib.compress(_encoder.encode(call), 1))


def read(recording: Path, function: int, number: int) -> KeptCall | None:
    """The kept arguments of a call, or None. A damaged file counts as none kept, and says so."""
    try:
        return _decoder.decode(zlib.decompress((folder_of(recording) / f"{function}-{number}").read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, zlib.error, msgspec.MsgspecError) as fault:
        return KeptCall(missing=f"the kept arguments cannot be read: {fault}")
