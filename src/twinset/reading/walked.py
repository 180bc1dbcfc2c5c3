"""What a walk through folders comes upon: files that may be read, and files that are not."""

from __future__ import annotations

import os
import stat
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from twinset import _kernels
from twinset.reading.ledger import FileState
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
        return cls(path, str(path), state, status.bytes)


REGULAR, FOLDER = 1, 2
"""Kinds of entries; anything else is a pipe, a socket or a device."""


class FolderEntry(NamedTuple):
    """What the system says of a name in a folder; ``fault`` is the number of an error, or 0."""

    fault: int
    is_link: int
    kind: int
    mark: tuple[int, int]
    state: FileState


def asked_entries(above: str, names: Sequence[str], threads: int) -> Iterator[FolderEntry]:
    """What the system says of these names behind ``above``, where links lead to.

    It is asked for all of them at once: a million calls from Python take longer than their answers.
    """
    joined = os.fsencode("".join([f"{above}{name}\0" for name in names]))
    columns = _kernels.file_states(np.frombuffer(joined, np.uint8), threads)
    faults, links, kinds, devices, inodes, sizes, modified = (c.tolist() for c in columns)
    marks, states = zip(devices, inodes, strict=True), map(FileState, sizes, modified)
    return map(FolderEntry, faults, links, kinds, marks, states)
