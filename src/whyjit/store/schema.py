"""The SQL of a recording's file, and what each version of it changed.

A file names itself twice: by SQLite's `application_id`, which tells a recording from any other database, and by
`user_version`, which holds the schema's version. Both stand in the file's first hundred bytes.
"""

from __future__ import annotations

from typing import Literal

Event = Literal["hit", "miss", "new"]

SUFFIX = ".whyjit"
APPLICATION_ID = 0x776A6974  # "wjit"

# One line for each version of the schema. A change of it comes with a step in `migrations.py`.
#
# 1: the first schema.
# 2: leaves and nodes of signatures have tables of their own, for 10,000 specializations of a function with 100 leaves
#    differ in a few of them; `failure` marks the one that ended the program; `meta` names the parent process.
SCHEMA_VERSION = 2

SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};

-- format, whyjit (its version), environment (JSON), argv (JSON), started (Unix time), parent (process id, 0 for the one
-- started by hand), seconds (how long it has been recorded), complete ("1" once the recording ended in good order),
-- sources (JSON: the SHA-256 of each of the user's files, see `sources.py`; not in those of a killed process).
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Bodies are msgpack of the types in `whyjit.model`; columns beside them are for queries, and for what changes often.
CREATE TABLE function (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    qualname TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    origin TEXT NOT NULL,
    body BLOB NOT NULL
);

-- `nodes`, `leaves` and `outputs` are msgpack arrays of ids (outputs are leaves too). The counts in a body are out of
-- date: `tally` has them.
CREATE TABLE specialization (
    function INTEGER NOT NULL,
    number INTEGER NOT NULL,
    nodes BLOB NOT NULL,
    leaves BLOB NOT NULL,
    outputs BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (function, number)
);

CREATE TABLE tally (
    function INTEGER NOT NULL,
    number INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    nested_calls INTEGER NOT NULL,
    misses INTEGER NOT NULL,
    traces INTEGER NOT NULL,
    compiles INTEGER NOT NULL,
    PRIMARY KEY (function, number)
) WITHOUT ROWID;

CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE leaf (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE call_site (
    id INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    function TEXT NOT NULL
);

-- No index by function: rows are written twice a second while the program runs, and read seldom, by a scan.
-- event: 0 hit, 1 miss, 2 new.
CREATE TABLE ledger (
    position INTEGER PRIMARY KEY,
    function INTEGER NOT NULL,
    specialization INTEGER NOT NULL,
    event INTEGER NOT NULL,
    call_site INTEGER NOT NULL,
    count INTEGER NOT NULL,
    moment REAL NOT NULL,
    traces INTEGER NOT NULL,
    compiles INTEGER NOT NULL,
    nested INTEGER NOT NULL
);

CREATE TABLE failure (
    id INTEGER PRIMARY KEY,
    uncaught INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL
);

CREATE TABLE gap (
    what TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (what, reason)
) WITHOUT ROWID;

CREATE TABLE stale (
    function INTEGER NOT NULL,
    specialization INTEGER NOT NULL,
    path TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (function, specialization, path)
);

-- Work that JAX did for no function that was seen.
CREATE TABLE unattributed (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE program (
    key TEXT PRIMARY KEY,
    body BLOB NOT NULL
);
"""

EVENTS: tuple[Event, ...] = ("hit", "miss", "new")
