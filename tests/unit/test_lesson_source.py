"""The lesson's text: all of it is well-formed, and it asks as much as it should."""

import pytest

from whyjit.lesson import catalogue, source
from whyjit.lesson.model import Exercise, Prediction, Program, Prose, Question

PARTS = source.parts()
STEPS = [step for part in PARTS for step in part.steps]


def steps(kind):
    return [step for step in STEPS if isinstance(step, kind)]


def test_it_takes_about_an_hour():
    assert 55 <= sum(part.minutes for part in PARTS) <= 70
    assert [part.number for part in PARTS] == list(range(1, len(PARTS) + 1))


def test_questions_have_one_right_answer_hints_and_reasons():
    asked = steps(Question)
    assert len(asked) >= 6
    for question in asked:
        assert 0 <= question.answer < len(question.options)
        assert question.hints
        assert question.reasoning
    ids = [step.id for step in [*asked, *steps(Prediction)]]
    assert len(ids) == len(set(ids))


def test_predictions_are_about_a_program_of_their_part():
    for part in PARTS:
        for step in part.steps:
            if isinstance(step, Prediction):
                assert f"def {step.function}" in part.program(step.program).source


def test_every_exercise_has_its_place_in_the_order_of_their_numbers():
    assert [step.name for step in steps(Exercise)] == [task.name for task in catalogue.tasks()]
    for task in catalogue.tasks():
        assert len(task.hints) >= 2
        compile(task.text("starter.py"), "starter.py", "exec")


def test_a_part_is_read():
    text = """# Title (3 minutes)

Some *prose*.

```python program one commands="ledger f; why f" times=2
f()
```

```python
not run
```

```question
id = "q"
prompt = "?"
options = ["yes", "no"]
answer = "b"
hints = ["h"]
reasoning = "r"
```

```exercise practice
```
"""
    part = source.parse(1, text)
    assert (part.title, part.minutes) == ("Title", 3)
    assert part.steps == (
        Prose("Some *prose*."),
        Program("one", "f()\n", ("ledger f", "why f"), times=2),
        Prose("```python\nnot run\n```"),
        Question("q", "?", ("yes", "no"), 1, ("h",), "r"),
        Exercise("practice"),
    )


def test_a_part_without_its_heading_is_refused():
    with pytest.raises(ValueError, match="does not begin with a heading"):
        source.parse(2, "Title\n")
