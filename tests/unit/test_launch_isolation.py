"""whyjit's imports do not see the program's modules, nor the program whyjit's."""

import sys

import pytest

from whyjit.launch.isolation import own_imports


@pytest.fixture
def modules():
    """Modules as they were, afterwards."""
    path, before = list(sys.path), dict(sys.modules)
    yield path
    sys.path[:] = path
    sys.modules.clear()
    sys.modules.update(before)


def forget(*names):
    for name in names:
        sys.modules.pop(name, None)


def test_a_module_that_the_program_has_imported_is_put_aside_and_given_back(tmp_path, modules):
    (tmp_path / "wave.py").write_text("x = 'own'")
    sys.path.insert(0, str(tmp_path))
    forget("wave")
    import wave

    theirs = wave
    assert theirs.x == "own"
    with own_imports(modules):
        assert str(tmp_path) not in sys.path
        import wave

        assert not hasattr(wave, "x")
    assert sys.modules["wave"] is theirs
    assert sys.path[0] == str(tmp_path)


def test_a_module_that_the_program_may_import_later_is_its_own(tmp_path, modules):
    (tmp_path / "wave.py").write_text("x = 'own'")
    (tmp_path / "sndhdr").mkdir()
    sys.path.insert(0, str(tmp_path))
    forget("wave", "colorsys")
    with own_imports(modules):
        import colorsys
        import wave

        assert not hasattr(wave, "x")
    assert sys.modules["colorsys"] is colorsys
    import wave

    assert wave.x == "own"


def test_the_programs_own_packages_stay(tmp_path, modules):
    for name in ("whyjit", "jax", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    sys.path.insert(0, str(tmp_path))
    import mine

    import whyjit

    with own_imports(modules):
        import whyjit.launch.target
    assert sys.modules["mine"] is mine
    assert sys.modules["whyjit"] is whyjit
    assert "whyjit.launch.target" in sys.modules


def test_the_path_is_put_back_after_an_error(tmp_path, modules):
    sys.path.insert(0, str(tmp_path))
    with pytest.raises(ImportError), own_imports(modules):
        import no_such_module_at_all  # noqa: F401
    assert sys.path[0] == str(tmp_path)
