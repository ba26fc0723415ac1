"""Small programs of packages that people use, run by the command: names, places, findings and counts are the user's.

The truth of the counts comes from the programs themselves, which count how often their bodies run.
"""

import importlib.util
import json
from pathlib import Path

import pytest
from launching import recorded

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def ran(tmp_path):
    """Run a program; its report, and the words that it printed after a first one."""

    def run(name):
        flags = ("--quiet", "--out", str(tmp_path / "runs"), "--json", str(tmp_path / "report.json"))
        ended = recorded(
            [PROGRAMS / f"{name}.py"], tmp_path, flags=flags, JAX_PLATFORMS="cpu", KERAS_HOME=str(tmp_path)
        )
        assert ended.status == 0, ended.err[-2000:]
        report = json.loads((tmp_path / "report.json").read_text())
        assert not [gap for gap in report["gaps"] if "whyjit met" in gap["reason"]]
        return report, ended.out.split()[1:]

    return run


def function(report, name):
    found = [one for one in report["functions"] if one["name"] == name]
    assert len(found) == 1, [one["name"] for one in report["functions"]]
    return found[0]


def findings(one):
    return {found["code"]: found for found in one["findings"]}


def test_equinox(ran):
    pytest.importorskip("equinox")
    pytest.importorskip("optax")
    report, traced = ran("equinox_mlp")
    step = function(report, "step")
    assert step["origin"] == "user"
    assert step["traces"] == traced.count("step") == 6
    assert step["calls"] == 12  # hits reach the user's function, too, though equinox has taken its arguments apart
    data = findings(step)["static-is-data"]
    assert data["path"] == "model.dropout"
    assert "make `model.dropout` an array" in data["remedy"]
    paths = {argument["path"] for argument in step["specializations"][0]["arguments"]}
    assert {"model.layers[0].weight", "state[0].mu.layers[1].bias", "model.dropout", "x", "y"} <= paths
    assert step["specializations"][0]["call_site"]["file"].endswith("equinox_mlp.py")
    assert function(report, "evaluate")["traces"] == traced.count("evaluate") == 3


def test_flax_nnx(ran):
    pytest.importorskip("flax.nnx")
    pytest.importorskip("optax")
    report, traced = ran("nnx_mlp")
    step = function(report, "train_step")
    assert step["traces"] == traced.count("train_step") == 4
    assert step["calls"] == 8
    said = findings(step)["static-identity"]
    assert said["path"] == "optimizer._graphdef"
    assert "all needless" in said["text"]
    paths = {argument["path"] for argument in step["specializations"][0]["arguments"]}
    assert {"model.first.kernel", "model.drop.rngs.key", "optimizer.opt_state[0].mu.second.bias", "x"} <= paths
    assert function(report, "predict")["traces"] == traced.count("predict") == 1
    assert findings(function(report, "predict")) == {}


def test_flax_linen_train_state(ran):
    pytest.importorskip("flax.training.train_state")
    pytest.importorskip("optax")
    report, traced = ran("linen_train_state")
    step = function(report, "train_step")
    assert step["traces"] == len(traced) == 3
    said = findings(step)["static-identity"]
    assert said["path"] == "state.apply_fn"
    assert said["text"].startswith("`state.apply_fn` and `state.tx` look the same")
    assert "mending one of them alone mends nothing" in said["remedy"]


def test_optax(ran):
    pytest.importorskip("optax")
    report, traced = ran("optax_alone")
    step = function(report, "step")
    assert step["traces"] == len(traced) == 9
    said = findings(step)
    assert said["static-is-data"]["path"] == "optimizer"
    assert "step_size: -0.1 -> -0.05" in said["static-is-data"]["text"]
    assert "the second and third calls compiled again" in said["second-step-recompile"]["text"]


@pytest.mark.slow
def test_numpyro(ran):
    pytest.importorskip("numpyro")
    report, _ = ran("numpyro_nuts")
    loop = function(report, "_fori_collect_loop")
    assert (loop["origin"], loop["calls"], loop["traces"]) == ("library", 2, 2)
    (change,) = loop["specializations"][1]["cause"]["changes"]
    assert (change["kind"], change["path"]) == ("static", "_body_fn")
    assert loop["specializations"][1]["program"]["delta"] == "shapes"
    assert loop["specializations"][1]["call_site"]["file"].endswith("numpyro_nuts.py")


def test_blackjax(ran):
    pytest.importorskip("blackjax")
    report, entries = ran("blackjax_nuts")
    step = function(report, "step_fn")
    assert step["calls"] == 15
    assert step["traces"] == step["compiles"] == len(entries) == 3
    said = findings(step)["new-function-each-call"]
    assert "`kernel_args` differs" in said["text"]
    assert step["specializations"][1]["call_site"]["file"].endswith("blackjax_nuts.py")


def test_diffrax(ran):
    pytest.importorskip("diffrax")
    report, rates = ran("diffrax_ode")
    assert len(rates) > 1  # the body met the rate as a number and as an array
    solve = function(report, "diffeqsolve")
    assert (solve["calls"], solve["traces"]) == (4, 4)
    said = findings(solve)
    assert said["static-is-data"]["path"] == "t1"
    assert said["structure-flip"]["path"] == "args"
    assert "static-churn" not in said


def test_keras(ran):
    if importlib.util.find_spec("keras") is None:  # importing it here would choose its backend
        pytest.skip("keras is not installed")
    report, traced = ran("keras_fit")
    step = function(report, "train_step")
    # keras builds the model with a first run of the loss on symbols; JAX traces it for the two sizes of a batch.
    assert traced == ["16", "16", "2"]
    assert step["traces"] == 2
    assert step["calls"] == 8
    changes = step["specializations"][1]["cause"]["changes"]
    assert {(change["kind"], change["path"]) for change in changes} == {("shape", "data[0]"), ("shape", "data[1]")}
    assert step["specializations"][1]["call_site"]["file"].endswith("keras_fit.py")


def test_a_callback_that_uses_jnp_is_told_to_use_numpy(ran):
    report, traced = ran("callback_log")
    train = function(report, "train")
    assert (train["calls"], train["traces"]) == (1, traced.count("train"))
    inside = [one for one in report["functions"] if one["origin"] == "eager" and one["qualname"].endswith(".log")]
    said = [findings(one)["eager-ops"] for one in inside if one["findings"]]
    assert said
    for one in said:
        assert "in `log`, which is called back by a staged program" in one["text"]
        assert one["remedy"].startswith("work with NumPy in a callback")


def test_the_only_compile_of_a_function_is_not_called_needless(ran):
    report, traced = ran("loss_inside_and_alone")
    loss = function(report, "loss")
    assert (loss["traces"], loss["compiles"]) == (traced.count("loss"), 1)
    causes = [one["cause"]["kind"] for one in loss["specializations"]]
    assert causes[0] == "first"
    assert "structure" in {change["kind"] for one in loss["specializations"] for change in one["cause"]["changes"]}
    assert loss["findings"] == []


def test_op_by_op_work_of_one_function_is_summed_up_once(tmp_path):
    ended = recorded(
        [PROGRAMS / "accuracy_by_hand.py"], tmp_path, flags=("--out", str(tmp_path / "runs")), JAX_PLATFORMS="cpu"
    )
    assert ended.status == 0
    said = " ".join(ended.err.split())
    assert said.count("-> put `jax.jit` on `predict`") == 1
    assert "likewise at line" in said
