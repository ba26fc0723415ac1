"""The shape of the project: which layer may import which, what stays lazy, how long a module may be."""

import ast
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "whyjit"

# Every folder of the package, and the layers it may import besides itself.
CORE = {"model", "jaxlink", "observe", "store", "analyse"}
LAYERS = {
    "model": set(),
    "jaxlink": {"model"},
    "observe": {"model", "jaxlink"},
    "store": {"model"},
    "analyse": {"model"},
    "experiment": CORE,
    "rewrite": CORE | {"experiment"},
    "lint": {"model", "analyse"},
    "present": {"model", "analyse"},
    "lesson": {"whyjit"},
}
# What a person meets first: thin, and free to import everything.
FRONTS = {
    *(
        "__init__",
        "__main__",
        "advising",
        "api",
        "cli",
        "checking",
        "comparing",
        "explaining",
        "export",
        "guards",
        "inputs",
        "launch",
        "notebook",
        "probing",
        "pytest_plugin",
        "whole_runs",
    ),
    "settings",
}
# Modules that every layer may import, but for `model`, which imports nothing of ours.
SHARED = {"errors"}

ONLY_IN_JAXLINK = ("jax", "jaxlib")
LAZY = ("jax", "jaxlib", "rich", "libcst")
LINE_LIMIT = 400


def layer_of(module):
    """`whyjit.store.schema` belongs to `store`; the package itself is `whyjit`, the public API."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "whyjit"


def imports_of(source, module):
    """Every module that a source file imports, wherever in the file, by its full name."""
    package = module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *filter(None, [node.module])])
            # `from whyjit import store` imports the layer `store`, not the public API.
            names = [f"whyjit.{alias.name}" for alias in node.names] if origin == "whyjit" else [origin]
            yield from (name if (PACKAGE / layer_of(name)).is_dir() else origin for name in names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant))


def broken_rules(source, module):
    """What a module imports against the table, as sentences."""
    own = layer_of(module)
    for name in sorted(set(imports_of(source, module))):
        top = name.split(".")[0]
        if top in ONLY_IN_JAXLINK and own != "jaxlink":
            yield f"{module} imports {name}: only jaxlink may"
        if top == "whyjit" and own not in FRONTS:
            target = layer_of(name)
            allowed = {own} | LAYERS.get(own, set()) | (SHARED if own != "model" else set())
            if target not in allowed:
                yield f"{module} imports {name}: {own} may import {', '.join(sorted(allowed))}"


# Programs that ship as text, for a reader and for a process of their own.
PROGRAMS = PACKAGE / "lesson" / "exercises"


def modules():
    """Path and full name of every module in the package."""
    for path in sorted(set(PACKAGE.rglob("*.py")) - set(PROGRAMS.rglob("*.py"))):
        yield path, ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_every_folder_and_module_has_a_place_in_the_table():
    found = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir() if path.suffix != ".typed"}
    assert found - {"__pycache__"} <= set(LAYERS) | FRONTS | SHARED


def test_imports_point_from_later_layers_to_earlier_ones():
    broken = [rule for path, module in modules() for rule in broken_rules(path.read_text(), module)]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("whyjit.model.signature", "import jax"),
        ("whyjit.model.signature", "import whyjit.jaxlink.missing"),
        ("whyjit.model.signature", "from whyjit import api"),
        ("whyjit.model.signature", "from ..store import schema"),
        ("whyjit.store.schema", "def f():\n    from jax._src import core"),
        ("whyjit.store.schema", "import importlib\nimportlib.import_module('jaxlib')"),
        ("whyjit.store.schema", "from whyjit import observe"),
        ("whyjit.observe.calls", "from whyjit.analyse import explain"),
        ("whyjit.analyse.explain", "from whyjit.store.read import load"),
        ("whyjit.present.compose.summary", "from ...store import read"),
        ("whyjit.errors", "from whyjit.store import read"),
        ("whyjit.model.signature", "from whyjit.errors import WhyjitError"),
        ("whyjit.cli.run", "import jax.numpy as jnp"),
    ],
)
def test_a_wrong_import_is_noticed(module, source):
    assert list(broken_rules(source, module))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("whyjit.model.recording", "from whyjit.model.signature import Signature"),
        ("whyjit.jaxlink.doors", "from jax._src import pjit\nfrom .missing import Missing"),
        ("whyjit.observe.calls", "from whyjit import jaxlink, model"),
        ("whyjit.present.compose.summary", "from whyjit.analyse import explain\nfrom ..document import Row"),
        ("whyjit.store.read", "from whyjit.errors import WhyjitError"),
        ("whyjit.cli.run", "from whyjit.store import read"),
    ],
)
def test_a_right_import_passes(module, source):
    assert not list(broken_rules(source, module))


def loaded_by(statement, names):
    """Which of the named packages a fresh Python has loaded after a statement."""
    code = f"import sys; {statement}; print(*sorted(set(sys.modules) & set({names!r})))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_importing_whyjit_loads_neither_jax_nor_rich_nor_libcst():
    assert loaded_by("import whyjit", LAZY) == []


def test_loading_such_a_package_would_be_noticed():
    assert loaded_by("import whyjit, rich, libcst", LAZY) == ["libcst", "rich"]


def test_every_public_name_exists():
    import whyjit

    assert whyjit.__all__
    assert [name for name in whyjit.__all__ if not hasattr(whyjit, name)] == []


def tracked_files():
    """Every text file that is, or is about to be, in the repository."""
    try:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for path in map(ROOT.joinpath, listing.splitlines()) if path.is_file()]


def test_no_module_is_longer_than_the_limit():
    lengths = {path: len(path.read_text().splitlines()) for path in tracked_files() if path.suffix == ".py"}
    assert {str(path): lines for path, lines in lengths.items() if lines > LINE_LIMIT} == {}


def of_one_machine():
    """A pattern for what belongs to one machine or network: its folders, its name, its package index."""
    folders = {"/work", "/root", str(Path.home()), str(ROOT), sys.prefix} - {sys.base_prefix}
    words = [rf"(?<![\w.]){re.escape(folder)}(?=/)" for folder in folders if folder != "/"]
    words += [r"--?(?:extra-)?index-url", "--find-links", r"\b(?:pypi\.org|pythonhosted|npmjs)\b", r"\blocalhost:\d"]
    if len(platform.node()) > 4:
        words.append(rf"\b{re.escape(platform.node())}\b")
    return re.compile("|".join(words))


def test_the_tree_names_no_machine_and_no_package_index():
    found, pattern = [], of_one_machine()
    for path in tracked_files():
        if path == Path(__file__).resolve():
            continue
        text = path.read_bytes().decode(errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", [f"cd {ROOT}/src", "pip install --index-url x", "see pypi.org"])
def test_such_a_name_would_be_noticed(text):
    assert of_one_machine().search(text)
