"""What `dedup` leaves, in the caller's own type; and what was decided as a table."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.engine.outcomes import clusters_of
from twinset.errors import TwinsetError
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import column

if TYPE_CHECKING:
    import pandas
    import polars

    from twinset.report.numbered import KnownNumbers


class OffersSelection:
    """Results of a run that hand over the documents themselves.

    ``saved`` says where they were saved last: the ``folder`` and, in it, what was ``kept`` and
    ``removed``.
    """

    documents: pa.Table
    clusters: pa.Table
    keep: NDArray[np.bool_] | None
    source: Any
    saved: dict[str, Any]
    row_numbers: KnownNumbers | None

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which documents stay, in reading order."""
        if self.keep is None:
            raise TwinsetError(
                "find decides nothing about what stays: call twinset.dedup with the same arguments"
            )
        return self.keep

    @property
    def kept(self) -> Any:
        """The documents that stay, in the type that was handed over and in its order.

        What can be iterated only once is a list. Of paths it is the path of the kept documents once
        `save` has written them; of a list of plain files, those of them that stay.
        """
        return self._selected("kept", self.mask)

    @property
    def removed(self) -> Any:
        """The documents that go, as `kept` has those that stay."""
        return self._selected("removed", ~self.mask)

    @property
    def kept_indices(self) -> Ints:
        """The positions of the documents that stay, in reading order."""
        return np.flatnonzero(self.mask)

    @property
    def removed_indices(self) -> Ints:
        """The positions of the documents that go, in reading order."""
        return np.flatnonzero(~self.mask)

    @property
    def members(self) -> Ints | None:
        """The numbers of the documents in the clusters, row by row, where the run has told."""
        return None if self.row_numbers is None else self.row_numbers.member

    def decisions(self) -> pa.Table:
        """One row per document: id, cluster, keep, kept_id, score and status.

        ``kept_id`` is what stays in the place of a removed document, and ``score`` their
        similarity. After `find` nothing is decided, and ``keep`` is null, too. Of several clusters
        that a document is in, it has the one with the lowest number.
        """
        rows = self.documents
        count, names = rows.num_rows, rows.column_names
        cluster = clusters_of(rows["id"].combine_chunks(), self.clusters, self.members)
        decided = self.keep is not None and "kept_as" in names
        return pa.table(
            {
                "id": rows["id"],
                "cluster": column(cluster, missing=cluster < 0),
                "keep": pa.nulls(count, pa.bool_()) if self.keep is None else column(self.keep),
                "kept_id": rows["kept_as"] if decided else pa.nulls(count, pa.large_string()),
                "score": rows["kept_score"] if decided else pa.nulls(count, pa.float64()),
                "status": rows["status"],
            }
        )

    def to_pandas(self) -> pandas.DataFrame:
        """What was decided on each document, as `decisions` has it."""
        pd = _library("pandas")
        return self.decisions().to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)

    def to_polars(self) -> polars.DataFrame:
        """What was decided on each document, as `decisions` has it."""
        frame: polars.DataFrame = _library("polars").from_arrow(self.decisions())
        return frame

    def _selected(self, name: str, mask: NDArray[np.bool_]) -> Any:
        if hasattr(self.source, "select"):
            return self.source.select(mask)
        files = getattr(self.source, "named_files", None)
        if files:
            removed = self._removed_files()
            goes = (os.fsencode(os.path.abspath(file)) in removed for file in files)
            return type(files)(
                file
                for file, is_gone in zip(files, goes, strict=True)
                if is_gone == (name == "removed")
            )
        if "folder" not in self.saved:
            raise TwinsetError(
                f"documents that were read from files are {name} as files: call "
                f"findings.save(folder) first, then .{name} is their path"
            )
        if name not in self.saved:
            folder = self.saved["folder"]
            raise TwinsetError(f"{folder}: the {name} documents were not written; save them again")
        return self.saved["folder"] / self.saved[name]

    def _removed_files(self) -> set[bytes]:
        """The plain files that go; what could not be read stays."""
        rows = self.documents.select(["file", "part"]).filter(column(~self.mask))
        return set(rows.filter(pc.is_null(rows["part"]))["file"].to_pylist())


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise TwinsetError(f"{name} is not installed: pip install {name}") from None
