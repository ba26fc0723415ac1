"""The files of the page, and the style sheets made of them.

Colours are custom properties: the light ones stand with the blocks, the dark ones in a file of their own, since each
place has its own way to say that it is dark.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

# How notebooks mark their theme: JupyterLab, Visual Studio Code, Colab. Whoever marks none follows the system.
_DARK_NOTEBOOKS = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", '[theme="dark"]')
_MARKED = ("[data-jp-theme-light]", "[data-vscode-theme-kind]", "[theme]")


@cache
def asset(name: str) -> str:
    """One of the files beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def template(name: str) -> Any:
    """A template, in which all text is escaped."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(asset(name))


def page_style() -> str:
    """The style sheet of a page: dark where the system is, unless the page's button says otherwise; on paper light."""
    dark = asset("dark.css")
    return (
        f"{asset('blocks.css')}"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) .whyjit {{\n{dark}}} }}\n"
        f"@media screen {{ [data-theme=dark] .whyjit {{\n{dark}}} }}\n"
        f"{asset('page.css')}"
    )


def fragment_style() -> str:
    """The style sheet of a piece of a notebook: it touches nothing outside, and what is outside does not touch it."""
    dark = asset("dark.css")
    marked = ", ".join(f"{sign} .whyjit" for sign in _DARK_NOTEBOOKS)
    unmarked = "".join(f":not({sign})" for sign in _MARKED)
    return (
        f"{asset('blocks.css')}"
        f"@media (prefers-color-scheme: dark) {{ :root{unmarked} body{unmarked} .whyjit {{\n{dark}}} }}\n"
        f"{marked} {{\n{dark}}}\n"
        f"{asset('notebook.css')}"
    )
