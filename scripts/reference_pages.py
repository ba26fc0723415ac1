"""Write the pages of docs/reference from the code that they describe.

python scripts/reference_pages.py
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import reference_texts

import pytest_whyjit
import whyjit
from whyjit import cli, settings
from whyjit.analyse import pages
from whyjit.analyse.page import Page
from whyjit.export.tables import TABLES
from whyjit.notebook.magics import Magics
from whyjit.present import function_json, schemas

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Written by scripts/reference_pages.py: change the code that it describes, then `make reference`. -->\n"

# What gives each format, by the name of its schema.
SOURCES = {
    "report": "`whyjit report --format json`, `whyjit run --json FILE`, `Recorded.report()`",
    "function": "`whyjit why FUNCTION --json FILE`",
    "ledger": "`whyjit ledger FUNCTION --json FILE`",
    "program": "`whyjit show FUNCTION --json FILE`",
    "roles": "`whyjit show FUNCTION --roles --json FILE`, `whyjit.roles(...).report()`",
    "compare": "`whyjit compare BEFORE AFTER --format json`, `Compared.report()`",
    "check": "`whyjit check --format json`",
    "processes": "`whyjit processes --format json`",
    "cache": "`whyjit cache RUN_A RUN_B --format json`",
    "probe": "`whyjit probe --json FILE`, `Probed.report()`",
    "advice": "`whyjit advise --json FILE`",
    "doctor": "`whyjit doctor --json FILE`",
}
# The names by purpose, each with the values that it gives.
NAMES = {
    "Record and read": ("record", "load", "whyjit.api:Recorded", "compare", "whyjit.comparing:Compared"),
    "Hold to a number": ("frozen", "expect", "FrozenError", "FrozenWarning", "ExpectationError"),
    "Explain an error": ("explain", "whyjit.explaining:Explanation"),
    "Experiment": ("probe", "whyjit.probing:Probed", "roles", "whyjit.inputs:InputRoles"),
    "Change the program": (
        *("advise", "whyjit.advising:Advices", "whyjit.model.advice:Advice", "whyjit.rewrite.advisers:Limits"),
        *("bucketed", "whyjit.model.padding:Safety", "whyjit.model.padding:Leak"),
    ),
    "Export": ("whyjit.export.opentelemetry:instrument", "whyjit.export.opentelemetry:Instrumentation"),
    "Errors": ("WhyjitError",),
}
_INTERNAL = {"document", "run"}
_COUNTS = {"max_specializations", "max_rows"}


def commands() -> str:
    """Every command with its options."""
    parts = [reference_texts.COMMANDS]
    for title, names in cli.SECTIONS.items():
        parts.append(f"## {title}\n")
        for name in names:
            command = cli.command.get_command(click.Context(cli.command), name)
            parts += _command(name, command)
    return "\n".join(parts)


def _command(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"whyjit {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"### whyjit {name}\n"
    yield f"```text\nwhyjit {name} {usage}\n```\n"
    for block in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        yield f"```text\n{block.removeprefix(chr(8)).strip()}\n```\n" if block.startswith("\b") else f"{block}\n"
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        lines = [f"| `{_cell(_option(option))}` | {_cell(_meaning(option))} |" for option in options]
        yield "\n".join(["| option | |", "|---|---|", *lines, ""])


def _option(option: click.Option) -> str:
    names = ", ".join(option.opts) + "".join(f" / {name}" for name in option.secondary_opts)
    choices = f"[{'|'.join(option.type.choices)}]" if isinstance(option.type, click.Choice) else ""
    return f"{names} {option.metavar or choices}".strip()


def _meaning(option: click.Option) -> str:
    default = f" Default: {option.default}." if option.show_default else ""
    return f"{option.help}{default}"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def settings_page() -> str:
    """Every setting with its default, its variable and its option."""
    options = {
        option.name: " / ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
        for option in cli.command.get_command(click.Context(cli.command), "run").params
    }
    defaults = settings.Settings()
    rows = []
    for name, kind in settings.KINDS.items():
        default = getattr(defaults, name)
        shown = str(default).lower() if isinstance(default, bool) else f"{default:,}" if name in _COUNTS else default
        variable, option = f"`WHYJIT_{name.upper()}`", options.get(name, "")
        rows.append(f"| `{name}` | {kind.what} | {kind.values} | {shown} | {variable} | {option} |")
    return reference_texts.SETTINGS + "\n".join(rows) + "\n" + reference_texts.SETTINGS_END


def codes() -> str:
    """The page of every code."""
    parts = [reference_texts.CODES]
    for title, group in pages.groups().items():
        links = " · ".join(f"[{page.code}](#{page.code})" for page in group)
        parts.append(f"## {title}\n\n{reference_texts.GROUPS[title]}\n{links}\n")
        parts += [_code(page) for page in group]
    return "\n".join(parts)


def _code(page: Page) -> str:
    parts = [f"### {page.code}\n", f"*{page.title}.* {page.what}\n", f"**Why.** {page.why}\n"]
    if page.before is not None:
        parts.append(f"```python\n{page.before.source.strip()}\n```\n")
    parts.append(f"**What to do.** {page.todo}\n")
    if page.after is not None:
        parts.append(f"```python\n{page.after.source.strip()}\n```\n")
    parts.append(f"**When to ignore it.** {page.ignore}\n")
    return "\n".join(parts)


def json_page() -> str:
    """Every key of every format."""
    parts = [reference_texts.JSON + "| format | what gives it | schema |\n|---|---|---|"]
    every = {name: _schema(name) for name in SOURCES}
    for name, schema in every.items():
        form = schema["properties"]["format"]["const"]
        file = f"`{name}.schema.json`" if name not in _DERIVED else "made of the report's"
        parts.append(f"| [`{form}`](#{form}) | {SOURCES[name]} | {file} |")
    parts.append("")
    for name, schema in every.items():
        form = schema["properties"]["format"]["const"]
        what = schema.get("description", "").removesuffix("Keys are only ever added.").strip()
        home = "report" if name in _DERIVED else name
        parts.append(f"## {form}\n\n{_DERIVED.get(name, what)}\n\n{_keys(schema, schema, home)}")
        if name in _DERIVED:
            continue
        for part, node in schema.get("$defs", {}).items():
            if any(_flat(node)):
                parts.append(f"### {name}: {part}\n")
                parts += [f"{node['description']}\n"] if "description" in node else []
                parts.append(_keys(node, schema, name))
    return "\n".join(parts)


# Formats whose schemas are made of parts of the report's.
_DERIVED = {
    "function": "One function of a report, and the process that it ran in.",
    "ledger": "The call ledger of one function, a row for equal calls in a row, and the specializations that it names.",
}


def _schema(name: str) -> dict[str, Any]:
    derived = {"function": function_json.function_schema, "ledger": function_json.ledger_schema}
    return derived[name]() if name in derived else schemas.load(name)


def _keys(node: dict[str, Any], schema: dict[str, Any], name: str) -> str:
    """The keys of an object as a table; `name` is that of the schema whose parts they refer to."""
    rows = (
        f"| `{path}` | {_type(value, schema, name)} | {_cell(value.get('description', ''))} |"
        for path, value in _flat(node)
    )
    return "\n".join(["| key | type | |", "|---|---|---|", *rows, ""])


def _flat(node: dict[str, Any], before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys of an object, those of unnamed objects inside it under their path."""
    for choice in (node, *node.get("allOf", ()), *node.get("oneOf", ()), *node.get("anyOf", ())):
        for name, value in choice.get("properties", {}).items():
            yield f"{before}{name}", value
            yield from _flat(value, f"{before}{name}.")
            if isinstance(value.get("items"), dict):
                yield from _flat(value["items"], f"{before}{name}[].")


def _type(node: dict[str, Any], schema: dict[str, Any], name: str) -> str:
    """The type of a value; of a part of the schema with keys of its own, a link to them."""
    if "$ref" in node:
        part = node["$ref"].removeprefix("#/$defs/")
        found = schema["$defs"][part]
        return f"[{part}](#{name}-{part})" if any(_flat(found)) else _type(found, schema, name)
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join("null" if value is None else f"`{value}`" for value in node["enum"])
    for many in ("anyOf", "oneOf"):
        if many in node:
            return " or ".join(_type(each, schema, name) for each in node[many])
    kind = node.get("type", "object")
    if kind == "array":
        return f"list of {_type(node.get('items', {}), schema, name)}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def python() -> str:
    """Every public name, and what its functions return."""
    parts = [reference_texts.PYTHON]
    for title, names in NAMES.items():
        parts.append(f"## {title}\n")
        for name in names:
            module, _, own = name.rpartition(":")
            value = getattr(importlib.import_module(module) if module else whyjit, own)
            shown = f"whyjit.{own}" if module in ("", "whyjit.export.opentelemetry") and own in whyjit.__all__ else own
            shown = f"{module}.{own}" if own == "instrument" else shown
            parts += _class(shown, value) if inspect.isclass(value) else _function(shown, value)
    return "\n".join([*parts, *_pytest(), *_ipython()])


def _pytest() -> Iterator[str]:
    yield "## pytest\n"
    yield "The plugin comes with whyjit; see [Test what JAX compiles](../how-to/pytest.md).\n"
    mark, _, what = pytest_whyjit.MARK.partition(": ")
    fixture = inspect.getdoc(pytest_whyjit.whyjit_ledger) or ""
    yield f"| | |\n|---|---|\n| the option `--whyjit` | {_cell(pytest_whyjit.OPTION)} |"
    yield f"| the mark `{_cell(mark)}` | {_cell(what)} |\n| the fixture `whyjit_ledger` | {_cell(fixture)} |\n"


def _ipython() -> Iterator[str]:
    yield "## IPython\n"
    yield "After `%load_ext whyjit`; see [Use whyjit in a notebook](../how-to/use-in-a-notebook.md).\n"
    for kind, magic in (("line", Magics.line), ("cell", Magics.cell)):
        yield f"### The {kind} magic\n"
        yield _markdown((inspect.getdoc(magic) or "").replace("\n%", "\n    %"))


def _class(name: str, value: type) -> Iterator[str]:
    yield f"### {name}\n"
    yield _markdown(inspect.getdoc(value) or "")
    for own, member in vars(value).items():
        if own.startswith("_") or own in _INTERNAL:
            continue
        if isinstance(member, property):
            yield f"`{own}`: {_markdown(inspect.getdoc(member) or '')}"
        elif inspect.isfunction(member):
            yield f"`{own}{_signature(member)}`: {_markdown(inspect.getdoc(member) or '')}"


def _function(name: str, value: Callable[..., Any]) -> Iterator[str]:
    yield f"### {name}\n"
    overloads = typing.get_overloads(value)
    signature = _signature(overloads[-1] if overloads else value)
    yield f"```python\n{name}{signature}\n```\n"
    yield _markdown(inspect.getdoc(value) or "")


def _signature(value: Callable[..., Any]) -> str:
    signature = inspect.signature(value)
    parameters = [each for each in signature.parameters.values() if each.name != "self"]
    text = re.sub(r"'([^']*)'", r"\1", str(signature.replace(parameters=parameters)))
    # A default that is a text is quoted, as annotations are in `inspect`'s own text.
    for each in parameters:
        if isinstance(each.default, str):
            text = text.replace(f"= {each.default}", f'= "{each.default}"')
    return text


def _markdown(text: str) -> str:
    """A docstring as Markdown: its lists of arguments and errors become lists."""
    parts = []
    for block in re.split(r"\n\n(?=\S)", text):
        head, _, rest = block.partition("\n")
        if head in ("Arguments:", "Raises:"):
            entries = re.split(r"\n(?=\S)", textwrap.dedent(rest))
            lines = (re.sub(r"\s+", " ", entry).partition(": ") for entry in entries)
            parts.append("\n".join([f"{head}\n", *(f"- `{name}`: {what}" for name, _, what in lines)]))
        else:
            parts.append(block)
    return "\n\n".join(parts) + "\n"


def tables() -> str:
    """The tables of an export."""
    parts = [reference_texts.TABLES]
    for table in TABLES:
        rows = [f"| `{column.name}` | `{column.type}` | {column.what} |" for column in table.columns]
        parts.append(
            "\n".join([f"## {table.name}\n", table.what, "", "| column | type | |", "|---|---|---|", *rows, ""])
        )
    return "\n".join(parts)


PAGES = {
    "commands.md": commands,
    "settings.md": settings_page,
    "codes.md": codes,
    "python.md": python,
    "json.md": json_page,
    "tables.md": tables,
}


def page(name: str) -> str:
    """A page as it should be."""
    head, _, rest = PAGES[name]().partition("\n")
    return f"{head}\n\n{NOTE}{rest}"


if __name__ == "__main__":
    for each in PAGES:
        (FOLDER / each).write_text(page(each), encoding="utf-8")
        print(f"wrote docs/reference/{each}")
