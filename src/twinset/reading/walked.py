"""What a walk through folders comes upon: files to be read, and files that hold no documents.

The latter are what twinset has written, and lists about documents.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import ReadError
from twinset.model import Features
from twinset.reading.ledger import FileState, FileStates
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

    ``mark`` is the same for all names of one file, and ``size`` None where nobody knows it.
    """

    path: RemotePath | str
    mark: Hashable
    state: FileState
    size: int | None
    is_linked: bool = False
    is_regular: bool = True

    @classmethod
    def here(cls, path: str, status: os.stat_result, is_linked: bool = False) -> WalkedFile:
        """A file of this machine."""
        mark = (status.st_dev, status.st_ino)
        is_regular = stat.S_ISREG(status.st_mode)
        return cls(path, mark, FileState.of(status), status.st_size, is_linked, is_regular)

    @property
    def place(self) -> Place:
        """The path, made only where it is needed: there may be a million files."""
        return Path(self.path) if isinstance(self.path, str) else self.path

    @classmethod
    def elsewhere(cls, path: RemotePath) -> WalkedFile:
        """A file of another one."""
        status = path.status()
        state = FileState(status.bytes or 0, status.modified)
        return cls(path, (path.scheme, path.path), state, status.bytes)


REGULAR, FOLDER = 1, 2
"""Kinds of entries; anything else is a pipe, a socket or a device."""


class WalkedFiles(Sequence[WalkedFile]):
    """Files of this machine as columns: there may be a million."""

    __slots__ = ("_are_linked", "_are_regular", "_devices", "_inodes", "paths", "states")

    def __init__(
        self,
        paths: list[str],
        states: FileStates,
        devices: Features,
        inodes: Features,
        are_linked: NDArray[np.bool_],
        are_regular: NDArray[np.bool_],
    ) -> None:
        self.paths, self.states = paths, states
        self._devices, self._inodes = devices, inodes
        self._are_linked, self._are_regular = are_linked, are_regular

    @classmethod
    def joined(cls, parts: Sequence[WalkedFiles]) -> WalkedFiles:
        """The files of several folders, one behind the other."""
        sizes = [np.empty(0, np.int64), *(part.states.bytes for part in parts)]
        times = [np.empty(0, np.int64), *(part.states.modified for part in parts)]
        return cls(
            list(chain.from_iterable(part.paths for part in parts)),
            FileStates(np.concatenate(sizes), np.concatenate(times)),
            np.concatenate([np.empty(0, np.uint64), *(part._devices for part in parts)]),
            np.concatenate([np.empty(0, np.uint64), *(part._inodes for part in parts)]),
            np.concatenate([np.empty(0, bool), *(part._are_linked for part in parts)]),
            np.concatenate([np.empty(0, bool), *(part._are_regular for part in parts)]),
        )

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, at: int) -> WalkedFile: ...

    @overload
    def __getitem__(self, at: slice) -> WalkedFiles: ...

    def __getitem__(self, at: int | slice) -> WalkedFile | WalkedFiles:
        if isinstance(at, slice):
            return self.take(range(len(self))[at])
        state, mark = self.states[at], (int(self._devices[at]), int(self._inodes[at]))
        are = bool(self._are_linked[at]), bool(self._are_regular[at])
        return WalkedFile(self.paths[at], mark, state, state.bytes, *are)

    def take(self, rows: Sequence[int]) -> WalkedFiles:
        """Some of the files."""
        if len(rows) == len(self):
            return self
        at = np.array(rows, np.int64)
        return WalkedFiles(
            [self.paths[row] for row in rows],
            self.states.take(at),
            self._devices[at],
            self._inodes[at],
            self._are_linked[at],
            self._are_regular[at],
        )

    @property
    def are_plainly_distinct(self) -> bool:
        """Whether all are regular, by their own names, and no two of them the same file."""
        if self._are_linked.any() or not self._are_regular.all():
            return False
        if len(self) and (self._devices == self._devices[0]).all():
            return len(np.unique(self._inodes)) == len(self)
        return len(set(self.marks())) == len(self)

    def marks(self) -> Iterator[tuple[int, int]]:
        """The mark of each file."""
        return zip(self._devices.tolist(), self._inodes.tolist(), strict=True)


class FolderEntries(NamedTuple):
    """What the system says of names in a folder; ``faults`` are numbers of errors, or 0."""

    faults: NDArray[np.int32]
    are_links: NDArray[np.bool_]
    kinds: NDArray[np.uint8]
    devices: Features
    inodes: Features
    states: FileStates

    @classmethod
    def asked(cls, above: str, names: Sequence[str], threads: int) -> FolderEntries:
        """What it says of these names behind ``above``, where links lead to.

        It is asked for all of them at once: a million calls from Python take longer than their
        answers.
        """
        joined = os.fsencode("".join([f"{above}{name}\0" for name in names]))
        columns = _kernels.file_states(np.frombuffer(joined, np.uint8), threads)
        faults, links, kinds, devices, inodes, sizes, modified = columns
        states = FileStates(sizes, modified)
        return cls(faults, links.view(bool), kinds, devices, inodes, states)

    def files(self, paths: list[str], begin: int, end: int, are_linked: bool) -> WalkedFiles:
        """The entries from ``begin`` to ``end``, all of them files."""
        inside = slice(begin, end)
        return WalkedFiles(
            paths,
            self.states[inside],
            self.devices[inside],
            self.inodes[inside],
            self.are_links[inside] | are_linked,
            self.kinds[inside] == REGULAR,
        )


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
