"""An experiment, and roles, as text, HTML and JSON: no JAX is needed."""

import pytest
from experiment_builders import CONTROL, result

from whyjit.experiment.verdicts import verdicts
from whyjit.model.failure import Failure
from whyjit.model.probe import ArmError, Factor, Probe, Result, Sizes
from whyjit.model.program import Constant
from whyjit.model.roles import Metadata, RoleLine, Roles, RuntimeValue, StaticRole
from whyjit.present import compose, markdown, terminal
from whyjit.present.html.documents import fragment
from whyjit.present.probe_json import probe_dict, schema
from whyjit.present.roles_json import roles_dict
from whyjit.present.roles_json import schema as roles_schema

RESULTS = (
    CONTROL,
    result(delta="structure", equations=7, added=2, removed=0),
    result("shape", "x.shape[0]", "f32[5]", error="TypeError: shapes <differ>"),
    result("shape", "x.shape[0]", "f32[1]", traced=None, error="timed out after 3 s"),
)
SIZES = (
    Sizes("x.shape[0]", 4, (4, 1, 2), (4, 2), (1,), (), "", "literals in the program change with it"),
    Sizes("y.shape[0]", 3, (3, 1), (3, 1), (), (), "KeyError: no"),
    Sizes("z.shape[0]", 2, (2, 5), (2,), (), ((5, "TypeError: no"),)),
)
PROBE = Probe(
    *("step", "/p/train.py", 3, "plain", (("x", "f32[4]"), ("mode", "'a'"))),
    *(RESULTS, verdicts(RESULTS), SIZES, ("mask is None",), ("mode",), 2.5),
)


def text(probe, width=140):
    return terminal.render(compose.probe(probe, directory="/p"), width=width)


def test_verdicts_stand_before_the_arms():
    shown = text(PROBE)
    for part in ("probe of step (train.py:3)", "mode static", "7 +2", "timed out after 3 s", "mask is None"):
        assert part in shown
    assert shown.index("decides the program") < shown.index("The arms")


def test_sizes_are_those_that_were_tried_and_no_more():
    shown = " ".join(text(PROBE, 200).split())
    assert "1, 2, 4 another program at 1; one program but for sizes and literal values, at 2, 4 works" in shown
    assert "1, 3 one program but for sizes, at every size tried fails: KeyError: no" in shown
    assert "fails at 5 (5: TypeError: no)" in shown
    assert "Sizes that were not tried may decide the program all the same." in shown


def test_a_call_that_fails_is_said_first_with_its_explanation():
    failure = Failure("E", "branch-on-value", file="/p/train.py", line=4, text="`x > 0` is traced")
    control = Result(CONTROL.factor, True, error=ArmError("E", "long", "/p/train.py", 4, failure))
    shown = text(Probe("step", "/p/train.py", 3, "jitted", (), (control,), ()))
    assert "The call itself fails" in shown
    assert "branch-on-value" in shown


def test_a_control_that_retraces_is_said_first():
    control = Result(CONTROL.factor, True, delta="identical")
    assert "no arm can be told from it" in text(Probe("step", "", 0, "jitted", (), (control,), ()))


def test_the_json_fits_its_schema():
    jsonschema = pytest.importorskip("jsonschema")
    told = probe_dict(PROBE, "/p")
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(told, schema())
    assert (told["format"], told["version"], told["file"]) == ("whyjit-probe", 1, "train.py")
    assert told["arms"][3]["error"]["error"] is None
    assert told["arms"][3]["traced"] is False
    assert told["arms"][3]["ran"] is False
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**told, "verdicts": [{"kind": "static", "path": None, "verdict": "fine"}]}, schema())


def test_every_kind_and_verdict_is_in_the_schema():
    from typing import get_args

    from whyjit.experiment.plan import KINDS
    from whyjit.model.probe import VerdictWord

    content = schema()["$defs"]
    assert set(content["kind"]["enum"]) == {*KINDS, "control"} - {"sizes"}
    assert set(content["verdict"]["properties"]["verdict"]["enum"]) == set(get_args(VerdictWord))


def test_nothing_of_a_message_becomes_html():
    shown = fragment(compose.probe(PROBE))
    assert "shapes &lt;differ&gt;" in shown
    assert "<differ>" not in shown
    assert "| " in markdown.render(compose.probe(PROBE))


def test_axes_that_change_together_are_shortened():
    path = ", ".join(f"p[{at}].shape[0]" for at in range(9))
    factor = Factor("shape", path, "size 2", "size 3")
    shown = text(Probe("f", "", 0, "jitted", (), (CONTROL, Result(factor, True, delta="shapes")), ()))
    assert "and 5 more" in " ".join(shown.split())


ROLES = Roles(
    *("step", "/p/train.py", 3, "staged"),
    (RuntimeValue("x", "f32[4]", True, "nothing"), RuntimeValue("n", "i32[]", None, "shape", "/p/train.py:4: x[:n]")),
    (Metadata("p", "dict of ['w']"),),
    (
        StaticRole("mode", "'a'", "'b'", "structure", (RoleLine("+", "/p/train.py", 5, "y / 2", ("div", "div")),)),
        StaticRole("tag", "1", "2", "identical"),
        *(StaticRole(f"net.f{at}", str(at), why="no other value") for at in range(6)),
    ),
    (Constant("TABLE", "f32[1000]", 4000),),
)


def test_roles_show_every_input():
    shown = terminal.render(compose.roles(ROLES, directory="/p"), width=120)
    for part in (
        *("inputs of step (train.py:3)", "a shape: train.py:4: x[:n]", "dict of ['w']", "a different program with 'b'"),
        *("train.py:5: `y / 2` (only with 'b': div)", "nothing with 2", "6 inside net", "4.0 kB"),
    ):
        assert part in shown


def test_roles_as_json_hold_everything():
    jsonschema = pytest.importorskip("jsonschema")
    told = roles_dict(ROLES, "/p")
    jsonschema.Draft202012Validator.check_schema(roles_schema())
    jsonschema.validate(told, roles_schema())
    assert (told["format"], told["version"], told["file"]) == ("whyjit-roles", 1, "train.py")
    assert len(told["statics"]) == 8
    assert told["statics"][0]["lines"][0]["file"] == "train.py"
    assert told["values"][1] == {
        "path": "n",
        "type": "i32[]",
        "used": None,
        "reaches": "shape",
        "why": "train.py:4: x[:n]",
    }
