"""A program behaves under `whyjit run` as under `python`: output, errors, exit status."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import zipfile

import launching
import pytest

pytestmark = pytest.mark.e2e

SCRIPTS = {
    "arguments": "import sys; print(sys.argv, sys.orig_argv[1:], sys.flags)",
    "main_module": """
        import inspect, sys
        main = sys.modules["__main__"]
        print(__name__, __file__, __spec__, __package__, __doc__, type(__builtins__), __annotations__, __cached__)
        print(type(__loader__), sorted(vars(main)))
        class A: pass
        print(A.__module__, inspect.getsource(A), inspect.getsourcefile(A))
        """,
    "paths": "import sys, os; print(sys.path, os.getcwd(), sys.executable, sys.prefix)",
    "depth": "import inspect, sys; print(len(inspect.stack()), sys.getrecursionlimit(), sys._getframe().f_back)",
    "hooks": "import sys; print(sys.excepthook, sys.displayhook, sys.getswitchinterval(), sys.gettrace())",
    "input": "import sys; print(input('? '), sys.stdin.read(), sys.stdin.isatty())",
    "output_without_newline": "print('a', end=''); import sys; print('b', end='', file=sys.stderr)",
    "output_large": "print('x' * 500_000)",
    "exit_nothing": "import sys; sys.exit()",
    "exit_number": "import sys; sys.exit(3)",
    "exit_large": "import sys; sys.exit(256 + 7)",
    "exit_text": "import sys; sys.exit('no such model')",
    "exit_object": "raise SystemExit({'a': 1})",
    "exit_true": "import sys; sys.exit(True)",
    "exit_builtin": "exit(4)",
    "exit_at_once": "import os; print('lost'); os._exit(7)",
    "exit_in_thread": "import threading, sys; t = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join()",
    "exception": "def f(x):\n    return 1 / x\n\nf(0)",
    "exception_chain": """
        try:
            {}["a"]
        except KeyError as e:
            raise RuntimeError("no a") from e
        """,
    "exception_group": "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])",
    "exception_with_notes": "e = ValueError('x'); e.add_note('note'); raise e",
    "exception_without_str": """
        class Odd(Exception):
            def __str__(self): raise ValueError
        raise Odd
        """,
    "recursion": "def f(): f()\nf()",
    "syntax_error": "x = 1\ndef f(:\n    pass\n",
    "indentation_error": "if True:\nprint(1)\n",
    "syntax_error_in_import": "import broken",
    "compile_error_in_exec": "exec('a b')",
    "missing_import": "import no_such_module_at_all",
    "excepthook": """
        import sys
        def hook(kind, value, traceback): print("hooked", kind, value, traceback.tb_frame.f_code.co_name)
        sys.excepthook = hook
        1 / 0
        """,
    "excepthook_that_fails": "import sys\nsys.excepthook = lambda *a: 1 / 0\nraise ValueError('first')",
    "thread_exception": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\nt.start()\nt.join()",
    "thread_outlives_main": """
        import threading, time
        def work():
            time.sleep(0.2)
            print("work done")
        threading.Thread(target=work).start()
        print("main done")
        """,
    "daemon_thread": """
        import threading, time
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        print("main done")
        """,
    "atexit": "import atexit\nfor i in range(3): atexit.register(print, i)\natexit.register(lambda: 1 / 0)",
    "atexit_after_exception": "import atexit\natexit.register(print, 'bye')\n1 / 0",
    "unraisable": "class A:\n    def __del__(self): 1 / 0\na = A()\ndel a\nprint('on')",
    "warning_stacklevel": "import warnings\ndef f(): warnings.warn('old', stacklevel=9)\nf()",
    "interrupt_raised": "raise KeyboardInterrupt",
    "interrupt_signal": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('not reached')",
    "interrupt_caught": """
        import os, signal
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("ok")
        """,
    "terminated": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "segfault": "import faulthandler, os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "asyncio_exception": "import asyncio\nasync def main(): 1 / 0\nasyncio.run(main())",
    "own_module_over_stdlib": "import random, sqlite3, json, click; print(random.x, sqlite3.x, json.x, click.x)",
    "pickle_of_main": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))",
    "type_hints": "import typing\nclass A: x: 'A'\nprint(typing.get_type_hints(A))",
    "environment_cleared": "import os, sys; os.environ.clear(); sys.path.clear(); sys.modules.pop('os'); print('ok')",
    "folder_left": "import os, tempfile\nd = tempfile.mkdtemp()\nos.chdir(d)\nos.rmdir(d)\nprint('ok')",
    "streams_closed": "import sys\nsys.stdout.close(); sys.stderr.close()",
    "streams_gone": "import sys\nsys.stdout = sys.stderr = None",
    "print_replaced": "import builtins, os\nbuiltins.print = builtins.open = os.write = None",
    "no_recursion_left": "import sys\nsys.setrecursionlimit(40)",
    "multiprocessing_spawn": """
        import multiprocessing
        def work(x): return x * x
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                print(pool.map(work, range(4)), __name__)
        """,
    "multiprocessing_fork": """
        import multiprocessing
        def work(x): return x * x
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work, range(4)))
        """,
    "fork": "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('child' if pid == 0 else 'parent')",
    "subprocess": """
        import subprocess, sys
        subprocess.run([sys.executable, "-c", "import sys; print(sys.path, sys.argv)"])
        """,
    "executed_anew": """
        import os, sys
        if "again" not in sys.argv:
            os.execv(sys.executable, [sys.executable, __file__, "again"])
        print(sys.argv)
        """,
    "latin": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n",
    "no_utf8": b"print('\xe9')\n",
    "unknown_coding": b"# coding: klingon\nprint(1)\n",
    "byte_order_mark": b"\xef\xbb\xbfprint('mark')\n",
    "null_byte": b"print(1)\0\n",
    "windows_lines": b"print(1)\r\nprint(2)\r\n",
    "empty": b"",
}
BESIDE = {
    "broken.py": "def (",
    "random.py": "x = 'own random'",
    "json.py": "x = 'own json'",
    "sqlite3.py": "x = 'own sqlite3'",
    "click.py": "x = 'own click'",
    "pkg/__init__.py": "print('pkg', __name__)",
    "pkg/__main__.py": "import sys; from . import part; print(sys.argv, __name__, __spec__.name, sys.path[0])",
    "pkg/part.py": "import sys\nprint('part', __name__, __spec__ and __spec__.name)\nif len(sys.argv) > 1: 1 / 0",
    "pkg/failing.py": "raise ImportError('no luck')",
    "pkg/interrupted.py": "raise KeyboardInterrupt",
    "single.py": "import sys; print(sys.argv, __name__, __file__, sys.path[0]); sys.exit('bye')",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for name, source in SCRIPTS.items():
        content = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
        (folder / f"{name}.py").write_bytes(content)
    for name, source in BESIDE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(source)
    return folder


def without_addresses(ended):
    """Objects lie elsewhere in each process."""
    return launching.Ended(ended.status, *(re.sub(r"0x[0-9a-f]+", "0x", text) for text in ended[1:]))


def assert_same(arguments, folder, **how):
    first = without_addresses(launching.plain(arguments, folder, **how))
    second = without_addresses(launching.recorded(arguments, folder, **how))
    assert second == first
    return first


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(folder, name):
    assert_same([f"{name}.py", "one", "--two", "--json", "-m", "x y"], folder, stdin="first\nsecond\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "pkg", "--flag", "-m", "x"],
        ["-m", "pkg.part"],
        ["-m", "pkg.part", "fail"],
        ["-m", "pkg.failing"],
        ["-m", "pkg.interrupted"],
        ["-m", "single", "--json", "a"],
        ["-m", "broken"],
        ["-m", "calendar", "2026", "2"],
        ["-m", "this"],
        ["pkg", "a"],
        ["./arguments.py"],
        ["pkg/../arguments.py", "--", "-x"],
    ],
    ids=" ".join,
)
def test_module_folder_and_path(folder, arguments):
    assert_same(arguments, folder)


def test_zip_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", "import sys, inner; print(sys.argv, sys.path[0], __file__, __name__); 1 / 0")
        archive.writestr("inner.py", "print('inner')")
    assert_same(["app.pyz", "a"], tmp_path)


def test_program_on_standard_input(tmp_path):
    assert_same(["-", "a"], tmp_path, stdin="import sys; print(sys.argv, sys.path[0], __name__); 1 / 0")


def test_names_of_any_kind(tmp_path):
    for name in ("with space.py", "-dash.py", "ünïcode.py", "noending", "a.b.py"):
        (tmp_path / name).write_text("import sys; print(sys.argv[1:], __name__); raise ValueError")
        shown = f"./{name}" if name.startswith("-") else name
        first, second = launching.plain([shown, "x"], tmp_path), launching.recorded(["--", name, "x"], tmp_path)
        assert second == first
    (tmp_path / "link.py").symlink_to(tmp_path / "noending")
    assert_same(["link.py"], tmp_path)


@pytest.mark.parametrize(
    "options", [["-X", "dev"], ["-O"], ["-W", "error"], ["-Wdefault"], ["-u"], ["-B", "-b"]], ids=str
)
def test_options_of_python_reach_the_program(tmp_path, options):
    script = (
        "import sys, warnings; print(sys.flags, sys.warnoptions, sys._xoptions, __debug__, sys.stdout.write_through)"
    )
    (tmp_path / "options.py").write_text(f"{script}\nwarnings.warn('w')\n")
    assert_same(["options.py"], tmp_path, options=options)


@pytest.mark.parametrize("site", ["import sys; sys.site_was_here = __file__", "raise ValueError('bad')", ""])
def test_a_sitecustomize_of_the_users_still_runs(tmp_path, site):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(site)
    (tmp_path / "site" / "usercustomize.py").write_text("import sys; sys.user_was_here = True")
    script = "import sys; print(sys.path, getattr(sys, 'site_was_here', 0), getattr(sys, 'user_was_here', 0))"
    (tmp_path / "a.py").write_text(f"{script}\nimport sitecustomize\nprint(sitecustomize.__file__)")
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    first = launching.plain(["a.py"], tmp_path, PYTHONPATH=path)
    second = launching.recorded(["a.py"], tmp_path, PYTHONPATH=path)
    assert (second.status, second.out) == (first.status, first.out)
    # The whyjit process is a Python, too, and says it as well.
    assert set(second.err.splitlines()) == set(first.err.splitlines())


def test_a_pipe_that_is_closed_early(tmp_path):
    (tmp_path / "a.py").write_text("for i in range(100_000): print(i)")
    ends = []
    for command in ([sys.executable, "a.py"], [*launching.WHYJIT, "run", "-q", "a.py"]):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        ends.append((process.stderr.read(), process.wait()))
        process.stderr.close()
    assert ends[0] == ends[1]


def test_ctrl_c_ends_it_as_it_ends_python(tmp_path):
    (tmp_path / "a.py").write_text("import time; print('ready', flush=True); time.sleep(600)")
    ends = []
    for command in ([sys.executable, "a.py"], [*launching.WHYJIT, "run", "-q", "a.py"]):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        launching.until(lambda pid=process.pid: launching.asleep(pid), "the program to sleep")
        process.send_signal(signal.SIGINT)
        ends.append((*process.communicate(timeout=300), process.returncode))
    assert ends[0] == ends[1]
    assert ends[0][2] == -signal.SIGINT


def test_the_process_is_the_one_that_was_started(tmp_path):
    (tmp_path / "a.py").write_text("import os; print(os.getpid(), os.getppid())")
    process = subprocess.Popen([*launching.WHYJIT, "run", "-q", "a.py"], cwd=tmp_path, stdout=subprocess.PIPE)
    out, _ = process.communicate(timeout=300)
    assert out.split() == [str(process.pid).encode(), str(os.getpid()).encode()]
