"""Write docs/reference/tables.md from the tables themselves."""

from __future__ import annotations

from pathlib import Path

from whyjit.export.tables import TABLES

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "tables.md"
HEAD = """# Tables of an export

`whyjit export RUN -o DIR` writes these tables, each as a Parquet file of its name, or all of them into one DuckDB
database with `--format duckdb`. Columns are only ever added. Times are seconds; moments are seconds since the recording
of their process began. What is not known or does not apply is NULL.

Worked queries are in [Query a run with SQL](../how-to/query-a-run.md).

The five counts (`traces`, `lowerings`, `compiles`, `persistent_cache_hits`, and `misses` of the fast path) are kept
apart; none stands in for another. To add up seconds of tracing, take `own_s` or `trace_own_s`: the others count what is
traced inside a function again.
"""


def page() -> str:
    """The page as it should be."""
    parts = [HEAD]
    for table in TABLES:
        rows = [f"| `{column.name}` | `{column.type}` | {column.what} |" for column in table.columns]
        parts.append(
            "\n".join([f"## {table.name}", "", table.what, "", "| column | type | |", "|---|---|---|", *rows, ""])
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
