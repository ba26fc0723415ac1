"""The tests see the same surroundings on every machine, and hand them on to the processes that they start."""

import os
import tempfile

# What changes how Python, pytest, JAX, rich, git or whyjit behave or print.
_PREFIXES = ("WHYJIT_", "JAX_", "XLA_", "GITHUB_", "GIT_", "PYTHON", "JUPYTER_", "IPYTHON")
_NAMES = (
    *("CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PY_COLORS"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"),
)
_KEPT = {"PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "WHYJIT_UPDATE_GOLDEN"}

for _name in set(os.environ) - _KEPT:
    if _name in _NAMES or _name.startswith(_PREFIXES):
        del os.environ[_name]

os.environ |= {
    "JAX_PLATFORMS": "cpu",
    "TERM": "xterm",
    # XLA writes to standard error what took it long, which is the machine's affair.
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # Nobody's settings of git, no repository around the folder for temporary files, and a checkout of any owner.
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": os.path.realpath(tempfile.gettempdir()),
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
