"""The other end of `apart`: what a fresh Python runs. It is started as a file, and needs nothing but Python to begin.

    python -P apart_child.py FOLDER FD

FOLDER holds the request, and takes the answer. FD is a pipe that ends when the process that asked is gone.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, NoReturn

_OWN = str(Path(__file__).resolve().parent.parent)
_LONGEST = 1000


def main(folder: Path, leash: int) -> NoReturn:
    """Do the task that the folder asks for, and leave the answer there."""
    os.set_inheritable(leash, False)
    threading.Thread(target=_end_with_parent, args=(leash,), daemon=True).start()
    request = json.loads((folder / "request.json").read_text("utf-8"))
    sys.path[:] = request["path"]
    sys.argv = ["whyjit"]
    refuse_network()
    try:
        module, _, name = request["task"].partition(":")
        result = getattr(importlib.import_module(module), name)((folder / "payload").read_bytes())
        if not isinstance(result, bytes):
            raise TypeError(f"{request['task']} returned {type(result).__name__}; a task returns bytes")  # noqa: TRY301
    except BaseException as raised:  # noqa: BLE001 - whatever it was, it is told
        _leave(folder / "failure", last_line(raised).encode("utf-8", "replace"))
    else:
        _leave(folder / "result", result)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    # Threads and exit handlers of the program could keep Python from ending, and have nothing to add.
    os._exit(0)


def _end_with_parent(leash: int) -> None:
    os.read(leash, 1)
    os.killpg(0, signal.SIGKILL)


def _leave(file: Path, content: bytes) -> None:
    """Write a file at once: it is there whole or not at all."""
    draft = file.with_suffix(".part")
    draft.write_bytes(content)
    draft.rename(file)


def last_line(raised: BaseException, *, place: bool = True) -> str:
    """An exception as one line, after the file and line of the program that it came from, where there is one."""
    try:
        # Without the notes that were added to it: JAX's tell how to see more frames.
        said = str(raised.msg if isinstance(raised, SyntaxError) else raised)
    except Exception:  # noqa: BLE001 - an exception may fail to say what it is
        said = ""
    text = f"{type(raised).__name__}: {' '.join(said.split())}".removesuffix(": ")
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    file, line = place_of(raised) if place else ("", 0)
    return f"{file}:{line}: {text}" if file else text


def place_of(raised: BaseException) -> tuple[str, int]:
    """The innermost file and line that is neither Python's, nor an installed package's, nor whyjit's."""
    if isinstance(raised, SyntaxError) and raised.filename:
        return raised.filename, raised.lineno or 0
    frames = traceback.extract_tb(raised.__traceback__)
    own = [(frame.filename, frame.lineno or 0) for frame in frames if is_users(frame.filename)]
    return own[-1] if own else ("", 0)


def is_users(file: str) -> bool:
    """Whether a file is part of the program, by where it lies."""
    if file.startswith("<") or f"{os.sep}site-packages{os.sep}" in file or f"{os.sep}dist-packages{os.sep}" in file:
        return False
    return not file.startswith((_OWN + os.sep, os.path.dirname(os.__file__) + os.sep))  # noqa: PTH120


def refuse_network() -> None:
    """Make Python's sockets refuse to reach anything but sockets of this machine's own file system."""

    def refusing(method: Any) -> Any:
        def refused(self: socket.socket, *args: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                raise ConnectionRefusedError("whyjit keeps the network from programs under experiment")
            return method(self, *args)

        return refused

    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, refusing(getattr(socket.socket, name)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
