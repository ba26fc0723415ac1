"""Makes `schema-1.whyjit`: a recording as whyjit wrote it when the schema was 1, to test that it can still be read.

python tests/golden/store/make_schema_1.py
"""

import json
import sqlite3
from pathlib import Path

import msgspec

SCHEMA_1 = """
PRAGMA application_id = 0x776A6974;
PRAGMA user_version = 1;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE function (id INTEGER PRIMARY KEY, name TEXT NOT NULL, qualname TEXT NOT NULL, file TEXT NOT NULL,
    line INTEGER NOT NULL, origin TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE specialization (function INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (function, number));
CREATE TABLE tally (function INTEGER NOT NULL, number INTEGER NOT NULL, calls INTEGER NOT NULL,
    nested_calls INTEGER NOT NULL, misses INTEGER NOT NULL, traces INTEGER NOT NULL, compiles INTEGER NOT NULL,
    PRIMARY KEY (function, number)) WITHOUT ROWID;
CREATE TABLE call_site (id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, function TEXT NOT NULL);
CREATE TABLE ledger (position INTEGER PRIMARY KEY, function INTEGER NOT NULL, specialization INTEGER NOT NULL,
    event INTEGER NOT NULL, call_site INTEGER NOT NULL, count INTEGER NOT NULL, moment REAL NOT NULL,
    traces INTEGER NOT NULL, compiles INTEGER NOT NULL, nested INTEGER NOT NULL);
CREATE TABLE failure (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE gap (what TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (what, reason)) WITHOUT ROWID;
CREATE TABLE stale (function INTEGER NOT NULL, specialization INTEGER NOT NULL, path TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (function, specialization, path));
CREATE TABLE unattributed (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE program (key TEXT PRIMARY KEY, body BLOB NOT NULL);
"""

ENVIRONMENT = {
    "python": "3.11.7",
    "jax": "0.6.2",
    "jaxlib": "0.6.2",
    "platform": "cpu",
    "argv": ["train.py"],
    "directory": "/home/user",
    "pid": 4711,
    "started": 1764457998.5,
}
FUNCTION = {"id": 1, "name": "step", "qualname": "step", "file": "train.py", "line": 3, "origin": "user"}
SITE = {"file": "train.py", "line": 9, "function": "main"}


def specialization(number, rows):
    """One whose first argument has so many rows."""
    leaf = {"path": "batch['x']", "shape": [rows, 64], "dtype": "float32"}
    same = {"path": "batch['y']", "shape": [], "dtype": "float32", "weak_type": True}
    signature = {
        "form": {"parameters": [["batch", "positional"]]},
        "nodes": [{"path": "batch", "container": "dict", "keys": ["x", "y"]}],
        "leaves": [leaf, same],
        "statics": [{"path": "mode", "type": "str", "text": "'sum'", "look": "5a"}],
    }
    stages = [{"kind": kind, "start": float(number), "seconds": 0.5} for kind in ("trace", "lower", "compile")]
    return {"function": 1, "number": number, "signature": signature, "call_site": SITE, "stages": stages}


def main():
    path = Path(__file__).with_name("schema-1.whyjit")
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA_1)
    meta = {"format": "whyjit", "whyjit": "0.0.1", "argv": '["train.py"]', "started": "1764457998.5"}
    meta |= {"environment": json.dumps(ENVIRONMENT), "seconds": "12.5", "complete": "1"}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
    pack = msgspec.msgpack.encode
    connection.execute("INSERT INTO function VALUES (1, 'step', 'step', 'train.py', 3, 'user', ?)", [pack(FUNCTION)])
    for number, rows, calls in ((1, 32, 30), (2, 17, 1)):
        body = pack(specialization(number, rows))
        connection.execute("INSERT INTO specialization VALUES (1, ?, ?)", [number, body])
        connection.execute("INSERT INTO tally VALUES (1, ?, ?, 0, 1, 1, 1)", [number, calls])
    connection.execute("INSERT INTO call_site VALUES (1, 'train.py', 9, 'main')")
    connection.execute("INSERT INTO ledger VALUES (1, 1, 1, 2, 1, 1, 0.5, 1, 1, 0)")
    connection.execute("INSERT INTO ledger VALUES (2, 1, 1, 0, 1, 29, 0.9, 1, 1, 0)")
    connection.execute("INSERT INTO ledger VALUES (3, 1, 2, 2, 1, 1, 1.5, 2, 2, 0)")
    failure = {"error": "TracerBoolConversionError", "code": "branch-on-value", "function": "step"}
    connection.execute("INSERT INTO failure (body) VALUES (?)", [pack(failure)])
    connection.execute("INSERT INTO gap VALUES ('hits', 'this JAX has no post-call hook')")
    connection.commit()
    connection.close()


if __name__ == "__main__":
    main()
