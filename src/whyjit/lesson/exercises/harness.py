"""Load a reader's file, put it to the trial beside this file, and write what was seen to a file.

    python harness.py ANSWER.py SEEN.json SECONDS

It is copied into an empty folder and run there under whyjit, so that the ledger holds the reader's functions.
"""

import faulthandler
import importlib.util
import io
import json
import os
import sys
import traceback
from pathlib import Path

import jax
import numpy as np


class Listener(io.TextIOBase):
    """Takes what the reader's file prints, and notes the line of the first print."""

    def __init__(self, file):
        self.file = file
        self.first = None

    def write(self, text):
        if self.first is None and text.strip():
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename != self.file:
                frame = frame.f_back
            self.first = {"line": frame.f_lineno if frame else None, "text": text.strip()[:100]}
        return len(text)


class Checks:
    """Compares results, and goes on after one that is wrong or raises."""

    def __init__(self, file):
        self.file = file
        self.seen = []
        self.remarks = []
        self.operations = None

    def equal(self, what, call, wanted, group=""):
        """The call's result must be the wanted one, within rounding. Results of one `group` have other values each."""
        noted = {"what": what, "group": group, "ok": False, "wanted": text_of(wanted)}
        try:
            returned = call()
            noted["got"] = text_of(returned)
            got = np.asarray(np.nan if returned is None else returned)
            noted["ok"] = got.shape == np.shape(wanted) and bool(np.allclose(got, wanted, rtol=1e-5, atol=1e-6))
            if noted["ok"] and not isinstance(returned, jax.Array):
                noted.update(ok=False, host=type(returned).__name__)
        except Exception as raised:
            noted.update(problem_of(raised, self.file))
        self.seen.append(noted)

    def raises(self, what, call, kind):
        """The call must raise that kind of exception."""
        noted = {"what": what, "group": "", "ok": False, "wanted": kind.__name__}
        try:
            noted["got"] = text_of(call())
        except kind:
            noted["ok"] = True
        except Exception as raised:
            noted.update(problem_of(raised, self.file))
        self.seen.append(noted)

    def note(self, what, ok, got):
        """Something that the trial found out by itself."""
        self.seen.append({"what": what, "group": "", "ok": bool(ok), "wanted": "", "got": str(got)})

    def remark(self, text):
        """Something worth a word that is neither right nor wrong."""
        self.remarks.append(text)

    def program(self, call, *data):
        """The operations of the program that the call is staged to, with all inside it: for the judge, and no check."""
        try:
            jaxpr = jax.make_jaxpr(call)(*data).jaxpr
        except Exception:
            return
        self.operations = sorted(operations_of(jaxpr))


def operations_of(jaxpr):
    """The names of all operations in a staged program and in those inside it."""
    found = set()
    for equation in jaxpr.eqns:
        found.add(equation.primitive.name)
        for parameter in equation.params.values():
            for part in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    found |= operations_of(inner)
    return found


def jits_of_others(answer):
    """The answer's jits of functions that it has not written, as in `jax.jit(jnp.abs)`: how many programs each has."""
    found = {}
    for name, value in vars(answer).items():
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
        for part in parts if not name.startswith("__") else ():
            if type(part).__name__ == "PjitFunction":
                inner = part
                while hasattr(inner, "__wrapped__"):
                    inner = inner.__wrapped__
                code = getattr(inner, "__code__", None)
                mine = code is not None and code.co_filename == answer.__file__
                # Some of jax.numpy's own are jitted, too: those are no jits of the answer's.
                home = sys.modules.get(getattr(part, "__module__", None))
                if not mine and getattr(home, getattr(part, "__name__", ""), None) is not part:
                    found[name] = found.get(name, 0) + part._cache_size()
    return found


def text_of(value):
    if value is None:
        return "nothing"
    return np.array2string(np.asarray(value), precision=5, threshold=12, separator=", ").replace("\n", "")[:120]


def problem_of(raised, file):
    """What was raised, and the last line of the reader's file on the way."""
    frames = traceback.extract_tb(raised.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    line = lines[-1] if lines else None
    if isinstance(raised, SyntaxError) and raised.filename == file:
        line = raised.lineno
    said = str(raised).strip()
    return {"error": type(raised).__name__, "message": said.splitlines()[0][:200] if said else "", "line": line}


def main():
    file, result, seconds = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), float(sys.argv[3])
    listener, checks = Listener(file), Checks(file)
    seen = {"stage": "load"}

    def write():
        result.write_text(
            json.dumps(
                {
                    **seen,
                    "checks": checks.seen,
                    "remarks": checks.remarks,
                    "operations": checks.operations,
                    "printed": listener.first,
                }
            )
        )

    def leave(status):
        frame = sys._getframe(1)
        seen.update(error="os._exit", message=f"status {status}", line=frame.f_lineno)
        write()
        really_leave(status)

    really_leave, os._exit = os._exit, leave
    stuck = open("stuck.txt", "w")
    faulthandler.dump_traceback_later(seconds, exit=True, file=stuck)
    screen, sys.stdout = sys.stdout, listener
    sys.argv[:] = [file]
    sys.path.insert(0, str(Path(file).parent))
    try:
        spec = importlib.util.spec_from_file_location("answer", file)
        answer = importlib.util.module_from_spec(spec)
        sys.modules["answer"] = answer
        spec.loader.exec_module(answer)
        import trial

        missing = [name for name in trial.NAMES if not hasattr(answer, name)]
        if missing:
            seen.update(stage="names", missing=missing)
        else:
            seen["stage"] = "trial"
            trial.trial(answer, checks)
            seen.update(stage="done", others=jits_of_others(answer))
    except BaseException as raised:
        seen.update(problem_of(raised, file))
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.stdout = screen
        os._exit = really_leave
        write()


main()
