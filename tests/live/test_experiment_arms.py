"""Arms of an experiment, run in this process: what they say against a counter in the body."""

import pickle
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

import msgspec

from whyjit.errors import WhyjitError
from whyjit.experiment import plan, role_tasks, tasks
from whyjit.experiment.jobs import Answered, ArmJob, Job, Refused, SizesJob, Source, Target
from whyjit.model.probe import Described, Result, Sizes, SizesPlan
from whyjit.model.roles import Roles

HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def subjects(monkeypatch):
    monkeypatch.setattr(sys, "path", [HERE, *sys.path])
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    import experiment_subjects

    experiment_subjects.RUNS.clear()
    yield experiment_subjects
    experiment_subjects.jax.config.update("jax_numpy_rank_promotion", "allow")


def job(name, expression, **options):
    return Job(Target("module", "experiment_subjects", name), Source("expression", expression), **options)


def asked(task, content, kind):
    answer = msgspec.msgpack.decode(task(msgspec.msgpack.encode(content)), type=Answered | Refused)
    if isinstance(answer, Refused):
        raise WhyjitError(answer.message)
    return msgspec.msgpack.decode(answer.content, type=kind)


def results(one, subjects, **options):
    """Every arm of a plan, each held against the number of times the body was run."""
    described = asked(tasks.describe, one, Described)
    found = {}
    for arm in plan.plan(described, **options).arms:
        subjects.RUNS.clear()
        result = asked(tasks.arm, ArmJob(one, arm.move), Result)
        assert len(subjects.RUNS) - 1 == result.traced, arm
        found[arm.factor.kind, arm.factor.path, arm.factor.new] = result
    return found


STEP = "((np.ones((4, 3)), np.ones((4, 3))), {'tag': True})"


def test_every_arm_agrees_with_a_counter_in_the_body(subjects):
    found = results(job("step", STEP, vary=(("bias", "np.ones(3)"),)), subjects, most=100)
    told = {key: (result.traced, result.delta) for key, result in found.items()}
    assert told["control", None, "the same call again"] == (False, "identical")
    assert told["values", None, "ones"] == (False, "identical")
    assert told["static", "mode", "Mode.MEAN"] == (True, "structure")
    assert told["static", "scale", "4.0"] == (True, "literals")
    assert told["static", "tag", "False"] == (True, "identical")
    assert told["static", "kind", "'b'"] == (True, "identical")
    assert told["structure", "bias", "f32[3]"] == (True, "structure")
    assert told["call_form", "y", "keyword"] == (True, "identical")
    assert told["call_form", "x, y", "keyword"] == (True, "identical")
    assert told["call_form", "scale", "its default 2.0, by name"] == (True, "identical")
    assert told["transform", "vmap", "under vmap, a new first axis of every array"] == (False, None)
    assert told["shape", "x.shape[0], y.shape[0]", "size 5"] == (True, "shapes")
    assert told["shape", "x.shape[0]", "f32[5,3]"] == (True, None)
    assert told["dtype", "x", "i32[4,3]"] == (True, "dtypes")
    assert told["weak_type", "y", "~f32[4,3]"] == (True, "dtypes")
    assert len(told) > 25


def test_equations_only_one_program_has_are_counted(subjects):
    found = results(job("step", STEP), subjects, only=("static",))
    mean = found["static", "mode", "Mode.MEAN"]
    assert (mean.added, mean.removed) == (1, 0)  # the division
    control = found["control", None, "the same call again"]
    assert (control.equations, control.added, control.removed) == (mean.equations - 1, 0, 0)


def test_compiling_is_told_when_it_is_asked_for(subjects):
    found = results(job("step", STEP, compile=True), subjects, only=("static",))
    assert found["control", None, "the same call again"].compiled is False
    assert found["static", "tag", "False"].compiled is True
    assert results(job("step", STEP), subjects, only=("values",))["values", None, "ones"].compiled is None


def test_an_arm_that_fails_says_why_and_where(subjects):
    found = results(job("step", STEP), subjects, only=("shape",))
    error = found["shape", "x.shape[0]", "f32[5,3]"].error
    assert error.error == "TypeError"
    assert "(5, 3), (4, 3)" in error.text
    assert "\n" not in error.text
    lines = Path(HERE, "experiment_subjects.py").read_text().splitlines()
    assert lines[error.line - 1].strip() == "z = x * y * scale"


def test_a_call_that_fails_is_explained(subjects):
    control = asked(tasks.arm, ArmJob(job("branches", "((np.ones(3), 1.0), {})"), plan.Repeat()), Result)
    assert control.error.failure.code == "branch-on-value"
    assert control.error.failure.arguments == ("limit",)


def test_under_grad_a_loop_is_not_allowed(subjects):
    found = results(job("loops", "((np.ones(3),), {})"), subjects, only=("transform",))
    (grad,) = [result for key, result in found.items() if key[1] == "grad"]
    assert "Reverse-mode" in grad.error.text
    assert grad.traced is False


def test_a_plain_function_is_jitted_with_what_is_no_data_static(subjects):
    one = job("plain", "((np.ones(3), 'sum'), {})", vary=(("how", "'max'"),))
    assert asked(tasks.describe, one, Described).made_static == ("how",)
    assert results(one, subjects, only=("static",))["static", "how", "'max'"].delta == "structure"


def test_what_a_method_or_a_partial_binds_is_part_of_the_call(subjects):
    found = results(job("bound", "((np.ones(3),), {})"), subjects, only=("shape",))
    assert found["shape", "x.shape[0]", "f32[4]"].delta == "shapes"
    one = job("tagged", "((np.ones((4, 3)), np.ones((4, 3))), {})")
    assert results(one, subjects, only=("static",))["static", "tag", "False"].delta == "identical"


def test_a_call_that_is_traced_each_time_is_no_ground_for_verdicts(subjects):
    from whyjit.experiment.verdicts import verdicts
    from whyjit.model.probe import Factor

    one = job("meddles", "((np.ones(3),), {})")
    described = asked(tasks.describe, one, Described)
    arms = plan.plan(described, only=("values",)).arms
    told = [msgspec.structs.replace(asked(tasks.arm, ArmJob(one, arm.move), Result), factor=arm.factor) for arm in arms]
    assert told[0].factor == Factor("control", None, "", "the same call again")
    assert told[0].traced
    assert [verdict.verdict for verdict in verdicts(told)] == ["unknown"]
    assert "the same call is traced again" in verdicts(told)[0].why


def test_an_equal_static_made_anew_is_another_one_where_it_has_no_value(subjects):
    key = ("static_identity", "key", "equal ones, made anew")
    for made, traced in (("Fresh()", True), ("float('nan')", True), ("Mode.SUM", False), ("(1, 2)", False)):
        found = results(job("churns", f"((np.ones(3), {made}), {{}})"), subjects, only=("static_identity",))
        assert (found[key].traced, found[key].delta) == (traced, "identical"), made


def test_several_sizes_are_compared_and_exported(subjects):
    one = job("sized", "((np.ones(8),), {})")
    axes = SizesPlan((("x", 0),), 8, (8, 1, 2, 3, 9, 16))
    found = asked(tasks.sizes, SizesJob(one, axes), Sizes)
    assert (found.same, found.different, found.failed) == ((8, 1, 2, 3, 9), (16,), ())
    assert found.export == ""  # although 16 is another program: an export is no proof
    assert found.note == "literals in the program change with it"
    assert len(subjects.RUNS) > 6


def test_a_size_that_fails_is_told(subjects):
    axes = SizesPlan((("x", 0),), 4, (4, 1, 5))
    found = asked(tasks.sizes, SizesJob(job("step", STEP), axes), Sizes)
    assert found.same == (4, 1)
    assert [size for size, _ in found.failed] == [5]


def test_arguments_come_from_a_recorded_signature(subjects):
    described = asked(tasks.describe, job("step", STEP), Described)
    again = Job(Target("module", "experiment_subjects", "step"), Source("recorded", signature=described.signature))
    assert asked(tasks.describe, again, Described).signature == described.signature


def test_arguments_alone_are_a_call_without_keywords(subjects):
    whole, alone = (
        asked(tasks.describe, job("step", text), Described).signature
        for text in ("((np.ones(3), np.ones(3)), {})", "(np.ones(3), np.ones(3))")
    )
    assert alone == whole


def test_a_file_of_a_package_is_imported_as_its_module(tmp_path):
    folder = tmp_path / "parcel" / "inner"
    folder.mkdir(parents=True)
    (tmp_path / "parcel" / "__init__.py").write_text("")
    (tmp_path / "parcel" / "help.py").write_text("def twice(x):\n    return x * 2\n")
    (folder / "__init__.py").write_text("")
    (folder / "work.py").write_text("from ..help import twice\n\n\ndef double(x):\n    return twice(x)\n")
    described = asked(
        tasks.describe,
        Job(Target("file", "parcel/inner/work.py", "double", directory=str(tmp_path)), Source("expression", "(1.0,)")),
        Described,
    )
    assert [leaf.path for leaf in described.signature.leaves] == ["x"]
    assert "parcel.inner.work" in sys.modules
    for name in [name for name in sys.modules if name.partition(".")[0] == "parcel"]:
        del sys.modules[name]


def test_a_jitted_function_that_came_through_pickle_can_be_staged():
    cloudpickle = pytest.importorskip("cloudpickle")
    import jax

    from whyjit.jaxlink import jits

    jitted = jax.jit(lambda x, n: x * n, static_argnums=1)
    found = jits.completed(pickle.loads(cloudpickle.dumps(jitted)))  # noqa: S301 - it is ours
    assert found.lower(1.0, 2).as_text() == jitted.lower(1.0, 2).as_text()
    assert dict(jits.options_of(jits.info_of(found)))["static_argnums"] == "1"
    assert jits.completed(jitted) is jitted


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (job("nothing", "((), {})"), "experiment_subjects.py has no nothing"),
        (job("stepp", "((), {})"), "did you mean step"),
        (job("TABLE", "((), {})"), "cannot be called"),
        (job("step", "((np.ones(3),), {})"), "missing a required argument: 'y'"),
        (job("step", "np.ones(3)"), "--args gives ndarray, not the arguments as a tuple"),
        (job("step", "((unknown,), {})"), "name 'unknown' is not defined"),
        (job("step", STEP, vary=(("z", "1"),)), "there is no argument z to vary; the function has x, y, mode"),
        (job("plain", "((np.ones(3), 'sum'), {})", static=("z",)), "the function has no parameter z"),
        (job("step", STEP, static=("x",)), "jitted already"),
        (Job(Target("module", "no_such_module", "f"), Source("annotations")), "No module named 'no_such_module'"),
        (Job(Target("file", "gone.py", "f"), Source("annotations")), "there is no file gone.py"),
    ],
)
def test_what_cannot_be_probed_is_refused_in_a_line(one, said):
    with pytest.raises(WhyjitError) as refused:
        asked(tasks.describe, one, Described)
    assert said in refused.value.message
    assert "\n" not in refused.value.message


def test_roles_of_values_statics_and_constants(subjects):
    roles = asked(role_tasks.roles, job("step", STEP), Roles)
    assert [(value.path, value.used, value.reaches) for value in roles.values] == [
        ("x", True, "nothing"),
        ("y", True, "nothing"),
    ]
    statics = {static.path: static for static in roles.statics}
    assert {path: static.delta for path, static in statics.items()} == {
        "tag": "identical",
        "mode": "structure",
        "scale": "literals",
        "kind": "identical",
    }
    (line,) = statics["scale"].lines
    assert (line.source, line.operations) == ("z = x * y * scale", ("mul",))
    assert any("div" in one.operations for one in statics["mode"].lines)


def test_roles_tell_what_the_program_does_not_use_and_what_it_closes_over(subjects):
    call = "(({'w': np.ones(3), 'b': None}, 3, np.ones(2), np.ones(5)), {})"
    roles = asked(role_tasks.roles, job("takes", call), Roles)
    assert {value.path: value.used for value in roles.values} == {
        "params['w']": True,
        "index": True,
        "shape_only": False,
        "unused": False,
    }
    assert [(one.name, one.nbytes) for one in roles.constants] == [("TABLE", 8000)]
    assert {one.path for one in roles.metadata} == {"params", "params['b']"}


@pytest.mark.parametrize(
    ("name", "call", "path", "reach"),
    [
        ("branches", "((np.ones(3), 1.0), {})", "limit", "decision"),
        ("arranged", "((np.ones(3), 3), {})", "n", "shape"),
    ],
)
def test_roles_tell_which_value_was_asked_for_while_tracing(name, call, path, reach):
    roles = asked(role_tasks.roles, job(name, call), Roles)
    reaches = {value.path: value.reaches for value in roles.values}
    assert reaches == {"x": "unknown", path: reach}
    assert roles.error
