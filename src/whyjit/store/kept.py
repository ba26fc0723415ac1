"""Kept arguments on disk: a folder beside the recording, a file for each call.

`4711-1.arguments/3-2` holds the arguments of the call that made specialization 2 of function 3 in `4711-1.whyjit`. A
function that such calls were made with is held by a file of its own, named by its digest: many calls have the same.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from whyjit.model.arguments import KeptCall, Pickled

SUFFIX = ".arguments"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(KeptCall)
_functions = msgspec.msgpack.Decoder(Pickled)


def folder_of(recording: Path) -> Path:
    """The folder of the arguments kept with a recording's file."""
    return recording.with_suffix(SUFFIX)


def write(recording: Path, function: int, number: int, call: KeptCall) -> None:
    """Keep a call's arguments. Only their owner can read them. Raises `OSError` when the disk refuses."""
    folder = folder_of(recording)
    folder.mkdir(mode=0o700, exist_ok=True)
    carried = call.carried
    if carried is not None and carried.function is not None:
        (folder / f"function-{carried.digest}").write_bytes(zlib.compress(_encoder.encode(carried.function), 1))
        call = msgspec.structs.replace(call, carried=msgspec.structs.replace(carried, function=None))
    (folder / f"{function}-{number}").write_bytes(zlib.compress(_encoder.encode(call), 1))


def read(recording: Path, function: int, number: int) -> KeptCall | None:
    """The kept arguments of a call, or None. A damaged file counts as none kept, and says so."""
    folder = folder_of(recording)
    try:
        call = _decoder.decode(zlib.decompress((folder / f"{function}-{number}").read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, zlib.error, msgspec.MsgspecError) as fault:
        return KeptCall(missing=f"the kept arguments cannot be read: {fault}")
    carried = call.carried
    if carried is None or not carried.digest:
        return call
    try:
        found = _functions.decode(zlib.decompress((folder / f"function-{carried.digest}").read_bytes()))
        carried = msgspec.structs.replace(carried, function=found)
    except (OSError, zlib.error, msgspec.MsgspecError) as fault:
        carried = msgspec.structs.replace(carried, missing=f"what was kept of it cannot be read: {fault}")
    return msgspec.structs.replace(call, carried=carried)
