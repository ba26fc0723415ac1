"""Staged programs to bytes and back: msgpack, then zlib at the level that costs least."""

from __future__ import annotations

import zlib

import msgspec

from whyjit.model.program import Program

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Program)


def encode(program: Program) -> bytes:
    """The bytes that a batch carries for a program."""
    return zlib.compress(_encoder.encode(program), 1)


def decode(data: bytes) -> Program:
    """The program in such bytes."""
    return _decoder.decode(zlib.decompress(data))
