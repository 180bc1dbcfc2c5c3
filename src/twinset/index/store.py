"""What an index asks of the place it is kept in: a folder, a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import TwinsetError
from twinset.index.contents import Contents
from twinset.index.entries import Bodies, Entries
from twinset.lazy_dataclass import dataclass
from twinset.model import FeatureLists, Features, Ints, Ragged

Numbers = NDArray[np.uint32]


class IndexBusyError(TwinsetError):
    """Another program writes to the index."""


class IdTakenError(TwinsetError):
    """An id that the index has with another text, or that the input itself has ``twice``."""

    def __init__(self, ids: Sequence[str], twice: bool = False) -> None:
        self.ids, self.twice = list(dict.fromkeys(ids)), twice
        super().__init__(
            f"the input has {self.name} more than once, with different texts: replace (--replace) "
            "takes the last, or give each an id of its own (another field: index create --id)"
            if twice
            else f"the index has {self.name} with another text: replace it (--replace), or give "
            "another id"
        )

    @property
    def name(self) -> str:
        """The first id, and how many others there are."""
        others = len(self.ids) - 1
        return f"the id {self.ids[0]!r}" + (f" (and {others:,} more)" if others else "")


@dataclass(slots=True)
class KeptDocuments:
    """Documents as they are read back; one row of each column is a document."""

    ids: list[str]
    digests: Features
    sizes: NDArray[np.uint32]
    bodies: Bodies

    def take(self, rows: Ints) -> KeptDocuments:
        """Some of the documents."""
        ids = [self.ids[row] for row in rows.tolist()]
        return KeptDocuments(ids, self.digests[rows], self.sizes[rows], self.bodies.take(rows))

    @classmethod
    def joined(cls, parts: Sequence[KeptDocuments]) -> KeptDocuments:
        """The documents of all parts."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            [each for part in parts for each in part.ids],
            np.concatenate([np.empty(0, np.uint64), *(part.digests for part in parts)]),
            np.concatenate([np.empty(0, np.uint32), *(part.sizes for part in parts)]),
            Ragged.concatenate([part.bodies for part in parts], np.uint8),
        )


@dataclass(slots=True)
class EntriesWritten:
    """What became of entries, row by row: ``added``, ``replaced`` or neither (it is unchanged).

    A row that a later one of its id has replaced counts as that.
    """

    added: NDArray[np.bool_]
    replaced: NDArray[np.bool_]


class SearchedEntries(Protocol):
    """Documents by their numbers, among which others are looked for."""

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        ...

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        ...


class StoreView(SearchedEntries, Protocol):
    """The index as it is at one moment, whatever others write meanwhile."""

    def numbers_of(self, ids: pa.Array) -> Ints:
        """The numbers of the documents with these ids; -1 where there is none."""
        ...

    def stretches(self) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        ...


class Store(Protocol):
    """A place that keeps entries."""

    place: str
    contents: Contents

    def view(self, apart: bool = False) -> AbstractContextManager[StoreView]:
        """The index as it is now; one that is ``apart`` may stay open while others are."""
        ...

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns.

        `IdTakenError` where an id is there with another text, unless they ``replace`` it.
        """
        ...

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        ...

    def tidy(self) -> None:
        """Put together what has become many pieces; readers and writers go on meanwhile."""
        ...

    def compact(self) -> None:
        """Rewrite everything without what was removed."""
        ...

    def info(self) -> dict[str, Any]:
        """Counts and sizes."""
        ...

    def check(self) -> list[str]:
        """What is damaged, a sentence each."""
        ...

    def readable(self, on_fault: Callable[[str], None]) -> Iterator[KeptDocuments]:
        """All documents that can be read, where some of the index is damaged."""
        ...

    def roles(self) -> dict[str, tuple[str, str]]:
        """The keys of the service: role and hash by name."""
        ...

    def set_role(self, name: str, role: str | None, hashed: str = "") -> bool:
        """Add a key of the service, or take it back where ``role`` is None; whether it changed."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def resolve(
    ids: pa.Array, digests: Features, known: dict[int, tuple[int, int]], replace: bool
) -> tuple[Ints, Ints, EntriesWritten]:
    """Which rows are written, which older documents go for them, and what is said of each row.

    ``known`` has for rows whose id is there the number and the digest of that document. Of rows
    with one id the last counts, if they may ``replace`` each other or are equal.
    """
    count = len(digests)
    added, replaced = np.ones(count, bool), np.zeros(count, bool)
    gone: list[int] = []
    taken: list[str] = []
    last = _last_of_each(ids)
    outdated = digests != digests[last]
    for row in np.flatnonzero(last != np.arange(count)).tolist():
        added[row] = False
        if outdated[row] and not replace:
            taken.append(ids[row].as_py())
    if taken:
        raise IdTakenError(taken, twice=True)
    for row, (number, digest) in known.items():
        if not added[row]:
            continue
        if int(digests[row]) == digest:
            added[row] = False
        elif replace:
            added[row], replaced[row] = False, True
            gone.append(number)
        else:
            taken.append(ids[row].as_py())
    if taken:
        raise IdTakenError(taken)
    return (
        np.flatnonzero(added | replaced),
        np.array(gone, np.int64),
        EntriesWritten(added, replaced | outdated),
    )


def _last_of_each(ids: pa.Array) -> Ints:
    """For each row the last one with its id."""
    from twinset.index.entries import id_keys

    keys = id_keys(ids)
    count = len(keys)
    unique, place = np.unique(keys, return_inverse=True)
    if len(unique) == count:
        return np.arange(count)
    last = np.zeros(len(unique), np.int64)
    np.maximum.at(last, place.reshape(-1), np.arange(count))
    found: Ints = last[place.reshape(-1)]
    for row in np.flatnonzero(found != np.arange(count)).tolist():
        if ids[row] != ids[int(found[row])]:  # equal keys of different ids
            found[row] = row
    return found
