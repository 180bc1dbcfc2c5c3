"""Which documents the tables of a run name, by their numbers: their rows in the table of documents.

A run knows them. Of a report that was opened, and of results that others put together, they are
looked up by the ids, which takes longer than most of what they are asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.model.columns import numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.model import Ints
    from twinset.report.results import Results


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers of a run; -1 where a table names no document.

    ``leader`` is what represents the class of each document, ``target`` what is kept in its place
    (itself for a document that stays; None after `find`). ``member`` and ``anchor`` are those of
    the rows of the clusters, ``left`` and ``right`` those of the pairs.
    """

    leader: Ints
    member: Ints
    anchor: Ints
    left: Ints
    right: Ints
    target: Ints | None = None

    @cached_property
    def goes(self) -> Ints:
        """The documents that are removed, in reading order."""
        if self.target is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.target != np.arange(len(self.target)))

    @cached_property
    def stays(self) -> Ints:
        """What is kept in the place of each of them."""
        return self.goes if self.target is None else self.target[self.goes]


class FoundNumbers:
    """The same, looked up by the ids in the tables, each column when it is asked for."""

    def __init__(self, results: Results) -> None:
        self._results = results

    @cached_property
    def leader(self) -> Ints:
        """For every document the number of the one that represents its class."""
        representative = self._numbers(self._results.documents["same_as"])
        return np.where(representative < 0, np.arange(len(representative)), representative)

    @cached_property
    def member(self) -> Ints:
        """The members of the clusters."""
        return self._numbers(self._results.clusters["id"])

    @cached_property
    def anchor(self) -> Ints:
        """The anchors that these are held against."""
        return self._numbers(self._results.clusters["anchor"])

    @cached_property
    def left(self) -> Ints:
        """The documents on the left of the pairs."""
        return self._numbers(self._results.pairs["left"])

    @cached_property
    def right(self) -> Ints:
        """The documents on the right of the pairs."""
        return self._numbers(self._results.pairs["right"])

    @cached_property
    def goes(self) -> Ints:
        """The documents that are removed, in reading order."""
        import pyarrow.compute as pc

        removed = pc.is_valid(self._results.documents["kept_as"])
        return numbers(pc.indices_nonzero(removed)).astype(np.int64)

    @cached_property
    def stays(self) -> Ints:
        """What is kept in the place of each of them."""
        kept_as = self._results.documents["kept_as"]
        return self._numbers(kept_as.drop_null())

    def _numbers(self, column: pa.ChunkedArray) -> Ints:
        import pyarrow.compute as pc

        ids = self._results.documents["id"]
        places = pc.index_in(column.cast(ids.type), value_set=ids, skip_nulls=True)
        return np.asarray(numbers(places, missing=-1), dtype=np.int64)


def numbers_of(results: Results) -> KnownNumbers | FoundNumbers:
    """Those of the run, or else those that its tables show."""
    return getattr(results, "row_numbers", None) or FoundNumbers(results)
