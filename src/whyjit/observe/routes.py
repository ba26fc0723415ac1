"""Plain Python expressions that reach an argument's leaves, for picks."""

from __future__ import annotations

import re

# Keys as `keystr` prints them: an index, a string or number key, an attribute.
_STEP = re.compile(r"\[(?:\d+|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")\]|\.[A-Za-z_]\w*")


def routes(names: dict[str, str], paths: list[str]) -> dict[str, str]:
    """For each leaf path that plain access can reach: an expression over `args` and `kwargs`.

    `names` gives the expression of each argument by its name; the longest name that begins the path is the argument.
    """
    found: dict[str, str] = {}
    for path in paths:
        name = max((name for name in names if _begins(path, name)), key=len, default=None)
        if name is None:
            continue
        rest = path[len(name) :]
        if "".join(_STEP.findall(rest)) == rest:
            found[path] = names[name] + rest
    return found


def _begins(path: str, name: str) -> bool:
    return path.startswith(name) and (len(path) == len(name) or path[len(name)] in ".[")


def argument_expressions(given_names: list[tuple[str, bool]]) -> dict[str, str]:
    """The expression of each argument: `args[2]`, `kwargs['x']`. `given_names`: (name, is it positional), in order."""
    found: dict[str, str] = {}
    at = 0
    for name, positional in given_names:
        if positional:
            found[name] = f"args[{at}]"
            at += 1
        elif name.isidentifier():
            found[name] = f"kwargs[{name!r}]"
    return found
