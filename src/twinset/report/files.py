"""Single files that a command writes for its user: never over an older one unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twinset.errors import ReportError
from twinset.system import files
from twinset.system.remote import is_remote


def ensure_free_file(path: str | os.PathLike[str], force: bool, example: str) -> None:
    """Refuse to write over a file, to a folder, or where there is none; a pipe may be named."""
    _ensure_local(path)
    target = Path(path)
    if target.is_dir():
        raise ReportError(f"{target} is a folder: name a file, as {target / example}")
    if target.exists() and not force and not files.is_special(target):
        raise ReportError(f"{target} exists: choose another name, or --force to replace it")
    if not target.parent.is_dir():
        raise ReportError(f"there is no folder {target.parent}: make it, or choose another")


def write_file(path: str | os.PathLike[str], data: bytes) -> Path:
    """A file with these bytes."""
    with fresh_file(path) as draft:
        draft.write_bytes(data)
    return Path(path)


@contextmanager
def fresh_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name to write to, which becomes ``path`` when all has been written."""
    _ensure_local(path)
    try:
        with files.fresh_file(path) as draft:
            yield draft
    except OSError as fault:
        raise ReportError(
            f"{path}: cannot be written ({fault.strerror}); check the free space and the rights"
        ) from None


def _ensure_local(path: object) -> None:
    if is_remote(path):
        raise ReportError(f"{path} is an address, and this is written to a local file; name one")
