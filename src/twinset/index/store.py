"""What the places of an index have in common: a folder (``folder``), a database (``postgres``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from itertools import accumulate
from typing import NamedTuple, ParamSpec, Protocol, TypeVar
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError, TwinsetError
from twinset.finding.candidates.base import ENDLESS
from twinset.index.entries import Bodies, DamagedDocumentError, Entries
from twinset.model import FeatureLists, Features, Ints, Ragged

Numbers = NDArray[np.uint32]
Given = ParamSpec("Given")
Result = TypeVar("Result")
ATTEMPTS = 10
"""Times that something is read where the connection is lost again and again."""


class IndexBusyError(TwinsetError):
    """Another program writes to the index."""


class UnreachableError(TwinsetError):
    """The place of the index does not answer; it may do so later."""


class LostConnectionError(UnreachableError):
    """It answered, and then the connection was lost: what was read can be read again."""


class DiskFullError(ReportError):
    """There is no room for a change, of which nothing was kept."""


def read_anew(read: Callable[Given, Result]) -> Callable[Given, Result]:
    """Read all of it once more where the connection is lost, since each one is of its moment."""

    @wraps(read)
    def reading(*given: Given.args, **named: Given.kwargs) -> Result:
        for _ in range(ATTEMPTS - 1):
            with suppress(LostConnectionError):
                return read(*given, **named)
        return read(*given, **named)

    return reading


class IdTakenError(TwinsetError):
    """An id that the index has with another text, or that the input itself has ``twice``."""

    def __init__(self, ids: Sequence[str], twice: bool = False) -> None:
        self.ids, self.twice = list(dict.fromkeys(ids)), twice
        super().__init__(
            f"the input has {self.name} more than once, with different texts: replace (--replace, "
            "replace=True) takes the last, or give each an id of its own (another field: index "
            "create --id)"
            if twice
            else f"the index has {self.name} with another text: replace it (--replace, "
            "replace=True), or give another id"
        )

    @property
    def name(self) -> str:
        """The first id, and how many others there are."""
        others = len(self.ids) - 1
        return f"the id {self.ids[0]!r}" + (f" (and {others:,} more)" if others else "")


Row = tuple[int, str, int, int, int, bytes | None]
"""Number, id, digest, size, seal and body of a document as a table holds it."""


@dataclass(slots=True)
class KeptDocuments:
    """Documents as they are read back; one row of each column is a document."""

    ids: list[str]
    digests: Features
    sizes: NDArray[np.uint32]
    bodies: Bodies

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> KeptDocuments:
        """Rows of a table; a damaged one is refused, but for what comes without its body."""
        for row in rows:
            if row[5] is not None and (fault := fault_of(row)):
                raise DamagedDocumentError(fault)
        data = [row[5] or b"" for row in rows]
        ends = np.array([0, *accumulate(map(len, data))])
        try:
            digests = np.array([row[2] for row in rows], np.int64).view(np.uint64)
            sizes = np.array([row[3] for row in rows], np.uint32)
        except (TypeError, ValueError, OverflowError):
            raise DamagedDocumentError("a document is not what was written") from None
        bodies = Ragged(np.frombuffer(b"".join(data), np.uint8), ends)
        return cls([row[1] for row in rows], digests, sizes, bodies)


def rows_of(entries: Entries, numbers: Numbers) -> Iterator[Row]:
    """Documents as a table holds them."""
    columns = zip(
        numbers.tolist(),
        entries.ids.to_pylist(),
        entries.digests.view(np.int64).tolist(),
        entries.sizes.tolist(),
        (body.tobytes() for body in entries.bodies),
        strict=True,
    )
    return (
        (number, id, digest, size, _seal(number, id, digest, size, body), body)
        for number, id, digest, size, body in columns
    )


def _seal(number: int, id: str, digest: int, size: int, body: bytes) -> int:
    return crc32(body, crc32(b"%d %d %d " % (number, digest, size) + id.encode()))


def fault_of(row: Row) -> str:
    """What is wrong with a document that was read; nothing where it is what was written."""
    number, id, digest, size, seal, body = row
    try:
        if _seal(number, id, digest, size, body) == seal:  # type: ignore[arg-type]
            return ""
    except (TypeError, AttributeError):  # of values that none would have
        pass
    return f"the document {id!r} is not what was written: remove it, and add it again"


def whole_of(rows: Sequence[Row], on_fault: Callable[[str], None] | None) -> Sequence[Row]:
    """The documents that are what was written; what is wrong with the others is said."""
    if on_fault is None:
        return rows
    faults = [fault_of(row) for row in rows]
    for fault in filter(None, faults):
        on_fault(fault)
    return [row for row, fault in zip(rows, faults, strict=True) if not fault]


@dataclass(slots=True)
class EntriesWritten:
    """What became of entries, row by row: ``added``, ``replaced`` or neither (it is unchanged).

    A row that a later one of its id has replaced counts as that.
    """

    added: NDArray[np.bool_]
    replaced: NDArray[np.bool_]


class Sharers(NamedTuple):
    """Rows of keys and the documents that share ``times`` of these, each pair once, sorted.

    ``totals`` says for each row of keys how many documents there are, listed or not.
    """

    rows: Ints
    numbers: Numbers
    times: Numbers
    totals: Ints

    def nearest(self, crowd: Crowd) -> Sharers:
        """In any order, and all of them: sorted, and of a crowd those that are compared."""
        rows, numbers, times, totals = self
        order = np.lexsort((numbers, -times.astype(np.int64), rows))
        rank = np.arange(len(rows)) - np.searchsorted(rows[order], rows[order])
        order = order[(rank < crowd.few) | (totals[rows[order]] <= crowd.dense)]
        order = order[np.lexsort((numbers[order], rows[order]))]
        return Sharers(rows[order], numbers[order], times[order], totals)


class Crowd(NamedTuple):
    """Of more than ``dense`` documents the ``few`` that share the most keys are compared."""

    dense: int
    few: int


NO_CROWD = Crowd(ENDLESS, 0)


class SearchedEntries(Protocol):
    """Documents by their numbers, among which others are looked for."""

    def search(self, keys: FeatureLists, crowd: Crowd = NO_CROWD) -> Sharers:
        """The documents that share keys with each row of ``keys``; of a crowd the nearest."""
        ...

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        ...


class StoreView(SearchedEntries, Protocol):
    """The index as it is at one moment, whatever others write meanwhile."""

    def known(self, ids: pa.Array) -> dict[int, tuple[int, int]]:
        """For rows whose id is there the number and the digest of that document."""
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
    names = ids.to_pylist()
    place = {name: row for row, name in enumerate(names)}
    last = np.array([place[name] for name in names], np.int64)
    outdated = digests != digests[last]
    for row in np.flatnonzero(last != np.arange(count)).tolist():
        added[row] = False
        if outdated[row] and not replace:
            taken.append(names[row])
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
            taken.append(names[row])
    if taken:
        raise IdTakenError(taken)
    return (
        np.flatnonzero(added | replaced),
        np.array(gone, np.int64),
        EntriesWritten(added, replaced | outdated),
    )
