"""What a walk through folders comes upon: files to be read, and files that hold no documents.

The latter are what twinset has written, and lists about documents.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Hashable
from pathlib import Path
from typing import NamedTuple

from twinset.errors import ReadError
from twinset.system.remote import Place, RemotePath


class PassedOver(NamedTuple):
    """A file that is not read though nothing is wrong with it, and the name it is counted by."""

    path: str
    reason: str


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is passed over, as the mark that Hadoop leaves is."""
    return name[0] == "." or name == "_SUCCESS"


class WalkedFile(NamedTuple):
    """A file below a folder; ``is_linked`` where a link leads to it or to a folder above it.

    ``mark`` is the same for all names of one file, and ``bytes`` None where nobody knows its size.
    """

    path: RemotePath | str
    mark: Hashable
    bytes: int | None
    modified: int
    is_linked: bool = False
    is_regular: bool = True

    @classmethod
    def here(cls, path: str, status: os.stat_result, is_linked: bool = False) -> WalkedFile:
        """A file of this machine."""
        mark, is_regular = (status.st_dev, status.st_ino), stat.S_ISREG(status.st_mode)
        return cls(path, mark, status.st_size, status.st_mtime_ns, is_linked, is_regular)

    @classmethod
    def elsewhere(cls, path: RemotePath) -> WalkedFile:
        """A file of another one."""
        status = path.status()
        return cls(path, (path.scheme, path.path), status.bytes, status.modified)

    @property
    def place(self) -> Place:
        """The path, made only where it is needed: there may be a million files."""
        return Path(self.path) if isinstance(self.path, str) else self.path


MANIFEST = "manifest.json"
LARGEST = 64 << 20
LISTS = (
    {"left", "right"},
    {"id1", "id2"},
    {"id_a", "id_b"},
    {"original", "copy"},
    {"removed", "kept"},
    {"id", "cluster"},
)
# Columns that a list may have beside its ids; a file with any other may hold texts.
FIGURES = {"score", "grade", "label", "similarity", "jaccard", "edit", "reason"}


def documents_of(
    folder: Place, names: Collection[str] | None = None, is_input: bool = True
) -> set[str] | None:
    """The names of the documents in a folder that twinset has written; None for any other folder.

    In a generated collection these are its documents. In a report they are those that ``dedup`` has
    kept, if the report is an input itself. In a folder above it they are copies of the documents
    that lie there, too: beside them the originals would count as copies, and could go.
    ``names`` is what the folder holds, where that is known.
    """
    if names is not None and MANIFEST not in names:
        return None
    manifest = folder / MANIFEST
    try:
        if _size(manifest) > LARGEST:
            return None
        facts = json.loads(manifest.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not isinstance(facts.get("twinset"), str):
        return None
    if facts.get("kind") == "generated":
        return {str(facts.get("documents"))}
    if not is_input:
        return set()
    names = _names(folder) if names is None else names
    return {name for name in names if name.partition(".")[0] == "kept"}


def is_report(folder: Place) -> bool:
    """Whether twinset has written a report into this folder."""
    return documents_of(folder, is_input=False) == set()


def _size(file: Place) -> int:
    return (file.status().bytes or 0) if isinstance(file, RemotePath) else file.stat().st_size


def _names(folder: Place) -> list[str]:
    if not isinstance(folder, RemotePath):
        return [entry.name for entry in folder.iterdir()]
    return list({str(file.relative_to(folder).parts[0]) for file in folder.files_below()})


def refuse_report(folder: Place) -> None:
    """An input that is a report without documents of its own is a mistake worth an error."""
    if documents_of(folder) == set():
        raise ReadError(
            str(folder),
            None,
            "this is a report of twinset, which holds no documents; name the documents it was made "
            f"from, or look into it with 'twinset show {folder}'",
        )


def is_list(head: bytes, text: str) -> bool:
    """Whether these first bytes of a table, whose texts are in ``text``, list pairs or clusters."""
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip().removeprefix("\ufeff")
    for mark in ",\t;":
        names = [name.strip().strip('"').lower() for name in line.split(mark)]
        if text.lower() not in names and any(ids <= set(names) <= ids | FIGURES for ids in LISTS):
            return True
    return False
