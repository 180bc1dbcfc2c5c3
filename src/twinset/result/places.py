"""Where the files of a report are written, and the names among them that everybody knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from twinset.errors import ReportError
from twinset.system import files
from twinset.system.remote import Place, is_remote

MANIFEST = "manifest.json"
FOLDER = "folder"
"""The entry of a manifest elsewhere that names the folder below it with the other files."""
DECISIONS = "decisions.jsonl"
"""What people have decided on a report outlives it: the report that replaces it inherits it."""


_COPY = {
    "s3": "aws s3 sync {address} report",
    "gs": "gcloud storage rsync --recursive {address} report",
    "gcs": "gcloud storage rsync --recursive {address} report",
}


@dataclass(frozen=True)
class ReportPlaces:
    """The folders of a report that is being written.

    ``files`` is a local folder for what is small: tables, lists, the page. ``documents`` is where
    kept, removed and annotated documents go: the same folder or, for a report elsewhere, one there,
    since they may be larger than the disk.
    """

    files: Path
    documents: Place


def ensure_local(folder: object, purpose: str, remedy: str = "") -> None:
    """Refuse an address where only a folder of this machine will do.

    The remedy is to copy the report there, unless another is given.
    """
    if not is_remote(folder):
        return
    copy = _COPY.get(str(folder).partition("://")[0], "").format(address=folder)
    how = f"'{copy}' copies it to the folder report" if copy else "copy it to this machine first"
    raise ReportError(f"{folder} is an address, and {purpose} a local folder; {remedy or how}")


def is_table(file: Path) -> bool:
    """Whether a table is there, as a file or as a folder of parts; a device is none."""
    return file.is_file() or file.is_dir()


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
