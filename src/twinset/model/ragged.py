"""Rows of unlike length in one array, the shape that kernels and Arrow share.

Whatever is a list per document, sentence or cluster is a `Ragged`: the values of all rows lie one
after the other, and the offsets say where each row begins. A row is a view, so reading copies
nothing. An array that runs parallel to the values (weights, counts) has the same rows: `like`.
The plain arrays that the rooms exchange have their names here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self

Ints = NDArray[np.int64]
Features = NDArray[np.uint64]
Floats = NDArray[np.float64]
Value = TypeVar("Value", bound=np.generic)
Other = TypeVar("Other", bound=np.generic)
Lengths = NDArray[Any] | Iterable[int]
AT_ONCE = 1 << 12
"""Rows that are taken at a time: where their values lie fits into the processor's cache."""


def offsets_of(lengths: Lengths) -> Ints:
    """Where rows of these lengths begin in one array; the last entry is the end of the last row."""
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def spread(lengths: NDArray[Any]) -> tuple[Ints, Ints]:
    """For each value of rows of these lengths the number of its row, and its place in the row."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(row))
    place -= np.repeat(offsets_of(lengths)[:-1], lengths)
    return row, place


@dataclass(frozen=True, slots=True, eq=False)
class Ragged(Generic[Value]):
    """Row ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Values before the first offset or after the last one belong to no row.
    """

    values: NDArray[Value]
    offsets: Ints

    @classmethod
    def from_lengths(cls, values: NDArray[Value], lengths: Lengths) -> Self:
        """Values cut into rows of these lengths."""
        return cls(values, offsets_of(lengths))

    @classmethod
    def from_rows(cls, rows: Sequence[Any], dtype: type[Value]) -> Self:
        """A copy of arrays or lists, one row each."""
        parts = [np.asarray(row, dtype) for row in rows]
        return cls(np.concatenate([np.empty(0, dtype), *parts]), offsets_of(map(len, parts)))

    @classmethod
    def concatenate(cls, parts: Sequence[Ragged[Value]], dtype: type[Value]) -> Self:
        """The rows of all parts, one part after the other; a single part is not copied."""
        if len(parts) == 1:
            return cls(parts[0].values, parts[0].offsets)
        values = np.concatenate([np.empty(0, dtype), *(part.flat for part in parts)])
        lengths = [part.lengths for part in parts]
        return cls(values, offsets_of(np.concatenate([np.empty(0, np.int64), *lengths])))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[Value]:
        if not 0 <= row < len(self):
            raise IndexError(f"there are {len(self)} rows, none of number {row}")
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[Value]]:
        for begin, end in pairwise(self.offsets.tolist()):
            yield self.values[begin:end]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        same = np.array_equal(self.lengths, other.lengths)
        return same and np.array_equal(self.flat, other.flat)

    __hash__ = None  # type: ignore[assignment]

    @property
    def lengths(self) -> Ints:
        """The number of values of each row."""
        return self.offsets[1:] - self.offsets[:-1]  # a quarter of the time of np.diff

    @property
    def flat(self) -> NDArray[Value]:
        """The values that belong to rows, in order."""
        return self.values[self.offsets[0] : self.offsets[-1]]

    def owners(self) -> Ints:
        """The number of the row of each value."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def sums(self) -> Floats:
        """The sum of each row, added up from its first value to its last."""
        return np.bincount(self.owners(), self.flat, minlength=len(self)).astype(float)

    def like(self, values: NDArray[Other]) -> Ragged[Other]:
        """The same rows of other values."""
        return Ragged(values, self.offsets)

    def take(self, rows: NDArray[Any]) -> Ragged[Value]:
        """Rows in the order of their numbers, or those that a mask has."""
        if rows.dtype == bool:
            lengths = self.lengths
            return Ragged.from_lengths(self.flat[np.repeat(rows, lengths)], lengths[rows])
        offsets = offsets_of(self.offsets[1:][rows] - self.offsets[:-1][rows])
        values = np.empty(offsets[-1], self.values.dtype)
        for begin in range(0, len(rows), AT_ONCE):
            end = min(begin + AT_ONCE, len(rows))
            places = self.places(rows[begin:end]).values
            values[offsets[begin] : offsets[end]] = self.values[places]
        return Ragged(values, offsets)

    def places(self, rows: NDArray[Any]) -> Ragged[np.int64]:
        """Where the values of these rows lie: for arrays that run parallel to the values."""
        begins = self.offsets[:-1][rows]
        lengths = self.offsets[1:][rows] - begins
        offsets = offsets_of(lengths)
        places = np.arange(offsets[-1])
        places += np.repeat(begins - offsets[:-1], lengths)
        return Ragged(places, offsets)

    def where(self, chosen: NDArray[np.bool_]) -> Ragged[Value]:
        """The rows with their chosen values alone."""
        return Ragged(self.values[chosen], offsets_of(chosen)[self.offsets])


FeatureLists = Ragged[np.uint64]
