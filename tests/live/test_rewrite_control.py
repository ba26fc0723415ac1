"""Functions that fail while they are traced, rewritten and tried: each gets what is due to it, and no wrong patch."""

import ast
import hashlib
import sys

import pytest

jax = pytest.importorskip("jax")

from advice_suite.control import CASES  # noqa: E402
from advice_suite.trying import advised  # noqa: E402

from whyjit.jaxlink import freezing, jits  # noqa: E402
from whyjit.rewrite import patching  # noqa: E402
from whyjit.rewrite.control.rounds import Request, rewritten  # noqa: E402
from whyjit.rewrite.control.versions import Target  # noqa: E402
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


HELPER = "import jax.numpy as jnp\n\n\ndef grown(x, t):\n    if t > 2:\n        x = x * 2\n    return x\n"
CALLER = "import jax\nfrom helper_of_step import grown\n\n\n@jax.jit\ndef f(x, t):\n    return grown(x, t) + 1\n"


def test_the_failing_expression_may_stand_in_another_file(tmp_path):
    helper, file = tmp_path / "helper_of_step.py", tmp_path / "program.py"
    helper.write_text(HELPER)
    file.write_text(CALLER)
    subject = Subject(str(file), CALLER, "", "program", True, "f", 5, (str(tmp_path),), str(tmp_path))
    calls = tuple(freezing.freeze((jax.numpy.arange(3.0), t), {}, 1 << 30) for t in (1.0, 3.0))
    answer = rewritten(Request(subject, calls, (), Target(str(helper), HELPER)))
    assert answer.proven, answer
    assert "x = jax.lax.cond(t > 2, lambda: x * 2, lambda: x)" in answer.text
    assert "helper_of_step" not in sys.modules
    assert helper.read_text() == HELPER


def test_what_cannot_be_held_against_the_original_is_a_draft(tmp_path):
    """Rows that see each other cannot be run one by one, so that the original has no answer."""
    source = (
        "import jax\n\n\ndef row(a):\n    return (a if a > 1 else 2 * a) + jax.lax.psum(a, 'i')\n\n\n"
        "@jax.jit\ndef f(x):\n    return jax.vmap(row, axis_name='i')(x)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(source)
    subject = Subject(str(file), source, "", "program", True, "f", 8, (str(tmp_path),), str(tmp_path))
    answer = rewritten(Request(subject, (freezing.freeze((jax.numpy.arange(3.0),), {}, 1 << 30),), ()))
    assert answer.text == ""
    assert "fails without jit" in answer.reasons[-1], answer
    assert "return jax.lax.cond(a > 1, lambda: a, lambda: 2 * a) + jax.lax.psum(a, 'i')" in answer.draft


def test_advice_on_a_recorded_failure_has_all_that_fix_needs(tmp_path):
    (case,) = (case for case in CASES if case.name == "two names assigned")
    (item,) = advised(case, tmp_path, advisers=("whyjit.rewrite.control.propose",)).items
    (file,) = tmp_path.glob("suite_*.py")
    assert (item.kind, item.evidence, item.function) == ("cond", "PROVEN", "f")
    assert item.source_digest == hashlib.sha256(file.read_bytes()).hexdigest()
    assert "`t > 2` fails while `f` is traced" in item.why
    assert item.location.line == case.text[: case.text.index("if t > 2")].count("\n") + 1
    assert "cond" in patching.apply(item.patch, case.text)
    assert (item.before.traces, item.after.traces) == (2, 1)
