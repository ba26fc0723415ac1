"""Source files as text, byte for byte: what is read and written again unchanged is the same file."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import tokenize
from pathlib import Path
from typing import NamedTuple

from whyjit.errors import WhyjitError


class Source(NamedTuple):
    """A file's text with its line ends as they are, the encoding it is in, and the SHA-256 of its bytes."""

    path: Path
    text: str
    encoding: str
    digest: str


def read(path: Path) -> Source:
    """A Python file. Raises `WhyjitError` where it cannot be read or its encoding is not what it says."""
    try:
        content = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return Source(path, content.decode(encoding), encoding, digest_of(content))
    except OSError as fault:
        raise WhyjitError(f"cannot read {path}: {fault.strerror}; see that it is there and readable") from fault
    except (SyntaxError, UnicodeDecodeError, LookupError) as fault:
        raise WhyjitError(f"cannot read {path}: {fault}; mend its encoding") from fault


def write(source: Source, text: str) -> None:
    """Put a new text in a file's place, whole or not at all. Its encoding and permissions stay."""
    path = source.path.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(text.encode(source.encoding))
            draft.chmod(path.stat().st_mode & 0o7777)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise WhyjitError(f"cannot write {source.path}: {fault.strerror}; it is as it was") from fault
    except UnicodeEncodeError as fault:
        raise WhyjitError(
            f"cannot write {source.path} in {source.encoding}: {fault.reason}; it is as it was"
        ) from fault


def digest_of(content: bytes) -> str:
    """The digest by which a file is known again."""
    return hashlib.sha256(content).hexdigest()
