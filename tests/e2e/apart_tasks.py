"""Tasks for the tests of `apart`: each is called in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path


def reverse(payload):
    return payload[::-1]


def talk(payload):
    print("to stdout", "x" * 10000, "the end")
    print("to stderr", file=sys.stderr)
    return b"quiet"


def hang(payload):
    # A process in the same group, which must not outlive the limit; its number tells the test which one it is.
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    note = Path(payload.decode())
    note.with_suffix(".new").write_text(str(child.pid))
    note.with_suffix(".new").rename(note)
    time.sleep(900)
    return b""


def die(payload):
    os.kill(os.getpid(), int(payload))
    return b""


def leave(payload):
    os._exit(int(payload))


def leave_politely(payload):
    sys.exit(int(payload))


def fail(payload):
    raise ValueError(payload.decode())


def fail_in_a_library(payload):
    import msgspec

    return msgspec.json.decode(b"{")


def swell(payload):
    kept = [bytearray(b"x" * 2**20) for _ in range(int(payload))]
    if len(kept) > 100:
        time.sleep(900)  # until it is seen
    return str(len(kept)).encode()


def flood(payload):
    while True:
        sys.stdout.write("x" * 2**20)


def surroundings(payload):
    return repr((sys.executable, os.environ.get("JAX_PLATFORMS"), os.environ.get("COLOUR"), str(Path.cwd()))).encode()


def recorded(payload):
    return repr([name for name in os.environ if name.startswith("WHYJIT_RUN_")]).encode()


def connect(payload):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.connect(("127.0.0.1", int(payload)))
    return b"connected"


def text(payload):
    return "not bytes"


def linger(payload):
    import atexit
    import threading

    atexit.register(time.sleep, 900)
    threading.Thread(target=time.sleep, args=(900,)).start()
    return b"done"


def wait_for_parent(payload):
    Path(payload.decode()).write_text(str(os.getpid()))
    time.sleep(900)
    return b""
