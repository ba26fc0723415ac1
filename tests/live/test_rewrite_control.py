"""Functions that fail while they are traced, rewritten and tried: each gets what is due to it, and no wrong patch."""

import ast

import pytest

jax = pytest.importorskip("jax")

from advice_suite.control import CASES  # noqa: E402

from whyjit.jaxlink import freezing, jits  # noqa: E402
from whyjit.rewrite.control.rounds import Request, rewritten  # noqa: E402
from whyjit.rewrite.subject import Subject  # noqa: E402

# One or two of each kind, and of each way in which a rewrite comes to nothing; the others take half a minute.
QUICK = {
    "two names assigned", "square root guarded by a condition", "elif", "number by condition", "not as a value",
    "max where both are equal", "np.sqrt", "NumPy table", "maximum of whole numbers", "elements set by a mask",
    "list that grows", "or as a default", "guard before the condition", "item()", "int or float",
    "random numbers of NumPy", "printing callback", "mask over rows of a square",
}  # fmt: skip
STATICS = {"static flag beside a traced condition": ("double",)}


def tried(case, folder):
    """What becomes of a case, tried in this process."""
    file = folder / "program.py"
    file.write_text(case.text)
    space = {"__name__": "program"}
    exec(compile(case.text, str(file), "exec"), space)  # noqa: S102 - the programs are those of the suite
    calls = []
    for text in case.calls:
        node = ast.parse(text, mode="eval").body
        args = tuple(eval(ast.unparse(one), space) for one in node.args)  # noqa: S307 - likewise
        calls.append(freezing.freeze(args, {}, 1 << 30))
    line = jits.function_of(space["f"]).__code__.co_firstlineno
    subject = Subject(str(file), case.text, "", "program", True, "f", line, (str(folder),), str(folder))
    return rewritten(Request(subject, tuple(calls), STATICS.get(case.name, ())))


def become(answer):
    if answer.text:
        return "PROVEN" if answer.proven else "TESTED"
    return "REFUSED" if answer.refused else "REJECTED"


def check(case, folder, capsys):
    answer = tried(case, folder)
    capsys.readouterr()
    assert become(answer) == case.expected, answer
    assert not (case.wrong and answer.text)
    if answer.text:
        assert answer.kind == case.kind
        assert answer.traces >= 1
        compile(answer.text, "program.py", "exec")
    else:
        assert answer.reasons
        assert any(case.because in reason for reason in answer.reasons), answer.reasons


@pytest.mark.parametrize("case", [case for case in CASES if case.name in QUICK], ids=lambda case: case.name)
def test_each_function_gets_what_is_due_to_it(case, tmp_path, capsys):
    check(case, tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.name not in QUICK], ids=lambda case: case.name)
def test_so_does_each_other_function(case, tmp_path, capsys):
    check(case, tmp_path, capsys)


def test_the_names_of_the_suite_are_its_own():
    assert len({case.name for case in CASES}) == len(CASES) >= 45
    assert {case.name for case in CASES} >= QUICK | set(STATICS)


def test_a_wrong_branch_is_found_though_no_call_takes_it(tmp_path):
    """Both ways are forced, so that a fault in the way that no recorded call goes cannot hide."""
    from whyjit.rewrite.control import compare, oracle
    from whyjit.rewrite.control.versions import Bench

    text = "import jax\nimport jax.numpy as jnp\n\ndef f(x, t):\n    if WAY:\n        return x * 2\n    return -x\n"
    text = text.replace("WAY", oracle.WAY)
    good = f"import jax\n\ndef f(x, t):\n    return jax.lax.cond({oracle.WAY}, lambda: x * 2, lambda: -x)\n"
    file = tmp_path / "program.py"
    file.write_text(text)
    subject = Subject(str(file), text, "", "program", True, "f", 4, (str(tmp_path),), str(tmp_path))
    call = freezing.freeze((jax.numpy.arange(3.0), 1.0), {}, 1 << 30)
    with Bench(subject, (call,), ()) as bench:
        assert compare.ways(bench, text, good, whole=True) == ""
        assert compare.proves(bench, text, good)
        told = compare.ways(bench, text, good.replace("-x", "x"), whole=True)
        assert told.startswith("with its condition false, values of the result differ")
        assert not compare.proves(bench, text, good.replace("-x", "x"))
