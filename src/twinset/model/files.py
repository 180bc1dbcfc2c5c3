"""Plain files as documents: where each one is, its size and age, and which have the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twinset.model.ragged import Ints

if TYPE_CHECKING:
    import pyarrow as pa

DIGEST_BYTES = 16
"""The length of a digest: BLAKE2b of the bytes on the disk."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of plain files, one row per document; all null where one is no plain file.

    ``path`` (binary) is ``os.fsencode`` of the absolute path. ``part`` (string) names a document
    inside the file, such as an attachment, and is null for the whole of it. ``modified`` is in
    nanoseconds since 1970. ``digest`` (binary) is null where it was not computed: nothing was read
    of a file whose size no other has. ``without_reader`` marks files that no reader takes, which
    is no fault. Sizes and times are those before the file was read, so that whoever finds the same
    ones later knows that the file is the one that was read.
    """

    path: pa.Array
    part: pa.Array
    bytes: Ints
    modified: Ints
    digest: pa.Array
    without_reader: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.bytes)

    @property
    def are_whole(self) -> NDArray[np.bool_]:
        """Documents that are a file, from its first byte to its last."""
        from twinset.model.columns import valid

        return valid(self.path) & ~valid(self.part)

    def take(self, rows: Ints) -> FileFacts:
        """The facts of these rows, in their order."""
        from twinset.model.columns import column

        places = column(rows)
        return FileFacts(
            self.path.take(places),
            self.part.take(places),
            self.bytes[rows],
            self.modified[rows],
            self.digest.take(places),
            self.without_reader[rows],
        )

    @classmethod
    def joined(cls, rows: Sequence[FileFacts | int]) -> FileFacts | None:
        """The facts of several batches; a number stands for so many documents that are no files.

        None where there are no files at all.
        """
        import pyarrow as pa

        if not any(isinstance(facts, FileFacts) for facts in rows):
            return None
        every = [facts if isinstance(facts, FileFacts) else cls._none(facts) for facts in rows]
        return cls(
            pa.concat_arrays([facts.path for facts in every]),
            pa.concat_arrays([facts.part for facts in every]),
            np.concatenate([facts.bytes for facts in every]),
            np.concatenate([facts.modified for facts in every]),
            pa.concat_arrays([facts.digest for facts in every]),
            np.concatenate([facts.without_reader for facts in every]),
        )

    @classmethod
    def _none(cls, count: int) -> FileFacts:
        import pyarrow as pa

        zeros = np.zeros(count, np.int64)
        return cls(
            pa.nulls(count, pa.large_binary()),
            pa.nulls(count, pa.string()),
            zeros,
            zeros,
            pa.nulls(count, pa.binary()),
            np.zeros(count, bool),
        )

    def take_part(self) -> bool:
        """Whether there is a file that can be compared byte for byte with others."""
        from twinset.model.columns import valid

        known = valid(self.digest) | self.without_reader
        return bool((known & (self.bytes > 0)).any())

    def contents(self) -> Ints:
        """For each document the first one with the same bytes, itself where there is none.

        Only whole files count, and none that has no bytes.
        """
        from twinset.model.columns import column, numbers, valid

        first = np.arange(len(self))
        rows = np.flatnonzero(self.are_whole & (self.bytes > 0) & valid(self.digest))
        if len(rows):
            codes = numbers(self.digest.take(column(rows)).dictionary_encode().indices)
            _, where = np.unique(codes, return_index=True)
            first[rows] = rows[where[codes]]
        return first
