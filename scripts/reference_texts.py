"""What the pages of docs/reference say of their own, around what is made from the code."""

COMMANDS = """# Commands

`whyjit --help` lists them, and `whyjit COMMAND --help` prints what stands here; `python -m whyjit` is the same command.
How each is used, with what it prints, is in the [how-to guides](../README.md#how-to-guides).

## Exit status

| status | meaning |
|---|---|
| 0 | fine |
| 1 | a limit is exceeded (`check`), a hazard was found (`lint`), an exercise is not solved (`learn check`), or the \
program failed when it was run again (`fix --verify-run`) |
| 2 | wrong usage, input that cannot be read, no JAX: one line on standard error says what to do |
| 130 | interrupted |

`whyjit run` ends with the program's own exit status, and with its own traceback where it fails.

## Output

What a command was asked for goes to standard output, and everything else to standard error. The summary of `whyjit run`
goes to standard error, too, since standard output is the program's.
"""

SETTINGS = """# Settings

A setting is taken from `[tool.whyjit]` in pyproject.toml (the nearest one, from the working directory upwards), then
from the environment, then from a command's option: the later wins. From the first two, a notebook takes `out`, `calls`,
`redact`, `max_specializations` and `max_rows`, `whyjit.record()` the last three of these, and the pytest plugin and the
OpenTelemetry export `redact`.

```toml
[tool.whyjit]
out = "runs"
keep_arguments = true
```

| setting | what it does | values | default | environment | option of `whyjit run` |
|---|---|---|---|---|---|
"""

SETTINGS_END = """
A switch is `true` or `false`; in the environment `1`, `yes` and `on`, `0`, `no` and `off` will do, too. A path in
pyproject.toml is relative to that file. A setting that does not exist, or a value that is not valid, is refused with
exit status 2.

`[tool.whyjit.budget]` holds the limits of `whyjit check`; see
[Hold a program to a budget](../how-to/budgets.md#the-limits).

## Other variables

| variable | what it does |
|---|---|
| `NO_COLOR`, `TERM=dumb` | no colours, with `color = "auto"` |
| `FORCE_COLOR` | colours where the output is no terminal, with `color = "auto"` |
| `COLUMNS` | the width of what is printed; else the terminal's, or 100 |
| `GITHUB_WORKSPACE` | the checkout, for the annotations of `whyjit check --github` |
| `GITHUB_STEP_SUMMARY` | the file that `whyjit check --github` appends the job's summary to |

Variables that begin with `WHYJIT_RUN_` or `WHYJIT_EXPERIMENT` are how whyjit speaks to the processes it starts.
"""

CODES = """# Codes

`whyjit explain CODE` prints the same as this page. A report names the code of each finding, of each kind of cause, and
of each error that it explains.
"""

GROUPS = {
    "Findings": """A finding is a problem of a function, or of a run. A report begins with those that may be a wrong
result; the others follow by the seconds that their remedy would save.
""",
    "Notes": """A note is no problem by itself.
""",
    "Causes": """The kind of a cause says why JAX traced or compiled: what differs from the nearest earlier
specialization.
""",
    "Errors": """The code of an error says what was asked of a traced value, or what JAX could not take.
""",
}

JSON = """# JSON formats

Every format has a name and a version, and its JSON Schema (draft 2020-12) is in the package, in `whyjit/present/`; from
Python, `whyjit.present.schemas.load(NAME)`. Keys are only ever added, so a reader ignores those that it does not know.
Times are seconds; columns count from 0, lines and numbers of specializations from 1.

"""

PYTHON = """# Python

`import whyjit` imports neither JAX nor anything that takes long. Whatever whyjit refuses is a `whyjit.WhyjitError`;
`whyjit.__version__` is its version.
"""

TABLES = """# Tables of an export

`whyjit export RUN -o DIR` writes these tables, each as a Parquet file of its name, or all of them into one DuckDB
database with `--format duckdb`. Columns are only ever added. Times are seconds; moments are seconds since the recording
of their process began. What is not known or does not apply is NULL.

Worked queries are in [Query a run with SQL](../how-to/query-a-run.md).

The five counts (`traces`, `lowerings`, `compiles`, `persistent_cache_hits`, and `misses` of the fast path) are kept
apart; none stands in for another. To add up seconds of tracing, take `own_s` or `trace_own_s`: the others count what is
traced inside a function again.
"""
