"""Which axes go together, and where the wrapper is put in a source."""

import ast

import pytest
from analyse_builders import leaf, report, spec, static

from whyjit.rewrite.buckets import families, patch

AXES, SIZES = {"x": (0,)}, (8, 16)
CALL = 'whyjit.bucketed(axis={"x": 0}, sizes=(8, 16))'


@pytest.mark.parametrize(
    ("source", "qualname", "wanted"),
    [
        ("@jax.jit\ndef f(x): ...\n", "f", f"@{CALL}\n@jax.jit\ndef f(x): ...\n"),
        (
            "# why\n@other\n@partial(jit, static_argnums=1)  # so\ndef f(x, n): ...\n",
            "f",
            f"# why\n@other\n@{CALL}\n@partial(jit, static_argnums=1)  # so\ndef f(x, n): ...\n",
        ),
        (
            "class A:\n    @staticmethod\n    # note\n    @jax.jit\n    def f(x): ...\n",
            "A.f",
            f"class A:\n    @staticmethod\n    # note\n    @{CALL}\n    @jax.jit\n    def f(x): ...\n",
        ),
        (
            "def f(x): ...\ng = jax.jit(f, donate_argnums=0)\n",
            "f",
            'def f(x): ...\ng = whyjit.bucketed(jax.jit(f, donate_argnums=0), axis={"x": 0}, sizes=(8, 16))\n',
        ),
    ],
)
def test_the_wrapper_is_put_around_the_jit(source, qualname, wanted):
    changed = patch.bucketed(f"import jax\n\n{source}", qualname, AXES, SIZES)
    assert changed == f"import jax\nimport whyjit\n\n{wanted}"
    ast.parse(changed)


@pytest.mark.parametrize(
    ("source", "qualname"),
    [
        ("def f(x): ...\n", "f"),
        ("def f(x): ...\na = jax.jit(f)\nb = jax.jit(f)\n", "f"),
        ("def make():\n    @jax.jit\n    def f(x): ...\n    return f\n", "f"),
        ("def f(x): ...\ndef main():\n    return jax.jit(f)\n", "f"),
        ("if a:\n    @jax.jit\n    def f(x): ...\nelse:\n    @jax.jit\n    def f(x): ...\n", "f"),
    ],
)
def test_where_there_is_no_single_jit_nothing_is_changed(source, qualname):
    assert patch.bucketed(source, qualname, AXES, SIZES) is None


def test_an_import_that_is_there_is_not_added_again():
    changed = patch.bucketed("import whyjit\n\n@jax.jit\ndef f(x): ...\n", "f", {"b['x']": (0, 1)}, (8,))
    assert changed is not None
    assert changed.count("import whyjit") == 1
    assert """axis={"b['x']": (0, 1)}, sizes=(8,)""" in changed


def family(*specs):
    return families.family_of(report(*specs))


def test_axes_that_always_have_one_size_go_together():
    found = family(
        *(
            spec(n, leaf("x", size, 4), leaf("m", size, size), leaf("w", 4, 4), calls=n)
            for n, size in ((1, 3), (2, 5), (3, 9))
        )
    )
    assert found.axes == {"x": (0,), "m": (0, 1)}
    assert found.counts == {3: 1, 5: 2, 9: 3}
    assert found.others == ()
    assert families.argument(found) == {"x": (0,), "m": (0, 1)}
    assert (found.programs([9]), found.programs([5, 9]), found.programs([3, 5, 9])) == (1, 2, 3)


def test_one_or_two_sizes_are_no_family():
    assert family(spec(1, leaf("x", 3)), spec(2, leaf("x", 5))) is None
    assert family(spec(1, leaf("x", 3)), spec(2, leaf("x", 3, dtype="int32"))) is None


def test_axes_that_vary_beside_it_are_named():
    found = family(*(spec(n, leaf("x", size), leaf("y", size + 1)) for n, size in ((1, 3), (2, 5), (3, 9))))
    assert found.axes == {"x": (0,)}
    assert found.others == (("y", 0),)
    assert found.programs([9]) == 3


def test_an_argument_is_named_whole_where_all_its_arrays_go_together():
    whole = [spec(n, leaf("b['x']", n, 4), leaf("b['y']", n), leaf("b['s']")) for n in (3, 5, 6)]
    assert families.argument(family(*whole)) == {"b": (0,)}
    part = [spec(n, leaf("b['x']", n, 4), leaf("b['w']", 4, 4)) for n in (3, 5, 6)]
    assert families.argument(family(*part)) == {"b['x']": (0,)}


def test_failed_and_uncalled_specializations_do_not_count():
    some = [spec(1, leaf("x", 3)), spec(2, leaf("x", 5), calls=0), spec(3, leaf("x", 7), error="TypeError")]
    assert family(*some) is None


def test_statics_count_as_programs_of_their_own():
    found = family(*(spec(n, leaf("x", n), static("mode", n % 2)) for n in (3, 4, 5)))
    assert found.programs([8]) == 2


def test_calls_of_other_kinds_belong_to_it_where_they_have_the_axes():
    usual = [spec(n, leaf("x", n), leaf("m", n)) for n in (3, 5, 6)]
    found = family(*usual, spec(7, leaf("x", 7, dtype="int32"), leaf("m", 7)), spec(8, leaf("x", 9)))
    assert found.counts == {3: 1, 5: 1, 6: 1, 7: 1, 9: 1}
    assert found.odd == 0
    assert found.programs([16]) == 3


def test_calls_that_the_wrapper_could_not_take_are_counted():
    usual = [spec(n, leaf("x", n), leaf("m", n)) for n in (3, 5, 6)]
    others = [
        spec(7, leaf("x", 4, dtype="int32"), leaf("m", 5)),
        spec(8, leaf("x"), leaf("m")),
        spec(9, leaf("y", 4)),
        spec(10, leaf("x", 4), leaf("m", 4), transforms=("vmap",)),
    ]
    found = family(*usual, *others)
    assert found.odd == 4
    assert len(found.specs) == 3
