"""What a format is: one class with one method, `read`; the base classes give the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Batch, Ints
from twinset.reading.formats import never
from twinset.reading.source import ReadJob

ROW, FRAME, OTHER, MORE = range(4)
"""What a record is: a document, part of what every output needs (a header), neither, or more of the
record before it, which is too long for one block."""
Row = dict[str, Any]


class RecordBytes(NamedTuple):
    """Consecutive records as bytes, valid until the next ones are asked for, and where each ends.

    ``missing`` is what the last one lacks before records of another source can follow it.
    """

    data: Any
    ends: Ints
    kinds: NDArray[np.uint8]
    missing: bytes = b""

    @classmethod
    def single(cls, data: Any, kind: int = ROW) -> RecordBytes:
        """One record, or a piece of one."""
        return cls(data, np.array([len(data)]), np.array([kind], np.uint8))


class Rows(NamedTuple):
    """Documents with all their fields; None for one that cannot be read, whose bytes are apart."""

    rows: Sequence[Row | None] | pa.RecordBatch
    unread: bytes = b""


class FileFormat:
    """A format of records, a file of which is one `Source`.

    ``sniff`` says whether a file with these first bytes is of the format, and ``has_fields`` that
    records have named fields, of which ``--text`` and ``--id`` name some.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()
    has_fields: ClassVar[bool] = False
    sniff: ClassVar[Any] = staticmethod(never)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """The documents of the source, batch by batch, always in the same order."""
        raise NotImplementedError

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The documents with all their fields, a row for each document that `read` has."""
        for batch in self.read(job):
            pairs = zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True)
            yield Rows([None if text is None else {"id": id, "text": text} for id, text in pairs])

    def shape(self, job: ReadJob) -> str:
        """What files of this format must have in common to be joined in one: their columns."""
        return ""

    def delimiter_of(self, job: ReadJob) -> str:
        """What separates the fields of a line, where lines have fields."""
        return ","


class RecordFormat(FileFormat):
    """A format whose records can be copied as bytes; others are written as rows.

    ``joint`` stands between records of two sources, None where these cannot follow each other.
    """

    joint: ClassVar[bytes | None] = None

    def records(self, job: ReadJob) -> Iterator[RecordBytes]:
        """All bytes of the source as records, with as many rows as `read` has documents."""
        raise NotImplementedError


def distinct(names: Sequence[str]) -> list[str]:
    """The names, the second ``x`` called ``x_2``: none may hide another."""
    used, times = set(names), Counter[str]()
    found: list[str] = []
    for name in names:
        times[name] += 1
        if times[name] > 1:
            while f"{name}_{times[name]}" in used:
                times[name] += 1
            found.append(f"{name}_{times[name]}")
            used.add(found[-1])
        else:
            found.append(name)
    return found
