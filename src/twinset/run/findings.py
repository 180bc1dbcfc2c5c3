"""What a run found: Arrow tables with ids, and the manifest."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError, TwinsetError
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, equal, numbers, text, valid
from twinset.model.flow import WritingMeter
from twinset.plan.reading import OutputForm
from twinset.result.folder import ShownResults

if TYPE_CHECKING:
    import pandas
    import polars

    from twinset.finding.clusters.base import ImageClusters
    from twinset.finding.clusters.lattice import ComponentLattice
    from twinset.model.outcomes import Outcomes
    from twinset.result import ReportPlaces
    from twinset.run.parts import PartsFolder
    from twinset.system.remote import Place


def outcomes_of(
    documents: pa.Table, clusters: pa.Table, keep: NDArray[np.bool_] | None = None
) -> Outcomes:
    """One entry per row of the documents; without ``keep`` those go that another one replaces."""
    ids = documents["id"].combine_chunks()
    kept_as = documents["kept_as"].combine_chunks()
    if keep is None:
        keep = ~valid(kept_as)
    score: Floats = numbers(documents["kept_score"])
    unread = equal(documents["status"].combine_chunks(), "bad")
    from twinset.model.outcomes import Outcomes

    return Outcomes(keep, clusters_of(ids, clusters), kept_as, score, unread)


def clusters_of(ids: pa.Array, clusters: pa.Table) -> Ints:
    """The lowest number of the clusters that each document is in, -1 outside of them."""
    outside = np.iinfo(np.int64).max
    lowest: Ints = np.full(len(ids), outside, dtype=np.int64)
    if clusters.num_rows:
        member = numbers(pc.index_in(clusters["id"].combine_chunks(), value_set=ids))
        np.minimum.at(lowest, member, numbers(clusters["cluster"]))
    lowest[lowest == outside] = -1
    return lowest


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise TwinsetError(f"{name} is not installed: pip install {name}") from None


Export = Callable[[], Iterable[bytes | memoryview]]
"""A file of the report, part by part."""


@dataclass(frozen=True, repr=False)
class Findings(ShownResults):
    """The result of `find` or `dedup`: ``documents``, ``pairs`` and ``clusters`` as Arrow tables.

    ``keep`` has one entry per document in reading order and is there only after `dedup`. ``more``
    holds tables that not every run makes: ``groups`` of documents that share a key, the word
    ``statistics`` of the collection, the lines that were ``repeated`` on pages, the ``boilerplate``
    of documents, and what a kind of cluster adds, as the ``components`` that closed sets lie in.
    ``exports`` are files of the report that are written only when it is saved. ``image_clusters``
    is what was found in the images, where clusters are searched there. The ``parts`` that a run has
    kept for another one go when the report is saved. ``saved`` says where they were saved last: the
    ``folder`` and, in it, what was ``kept`` and ``removed``. ``writers`` is how many threads may
    write the report: each holds a piece of a table in memory. ``older`` are the documents that
    these were held against, which are not among ``documents``. ``writing`` is watched meanwhile.
    """

    documents: pa.Table
    pairs: pa.Table
    clusters: pa.Table
    manifest: dict[str, Any]
    keep: NDArray[np.bool_] | None = None
    head: Callable[[int], str] = field(repr=False, default=lambda number: "")
    source: Any = field(repr=False, default=None)
    more: dict[str, pa.Table] = field(repr=False, default_factory=dict)
    exports: dict[str, Export] = field(repr=False, default_factory=dict)
    image_clusters: ImageClusters | None = field(repr=False, default=None)
    saved: dict[str, Any] = field(repr=False, default_factory=dict)
    parts: PartsFolder | None = field(repr=False, default=None)
    writers: int | None = field(repr=False, default=None)
    older: Any = field(repr=False, default=None)
    writing: Any = field(repr=False, default_factory=WritingMeter)

    @cached_property
    def lattices(self) -> list[ComponentLattice]:
        """With clusters that lie in a lattice: those most worth a look."""
        if self.image_clusters is None:
            return []
        return self.image_clusters.lattices(self.documents["id"].combine_chunks())

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, read again."""
        from twinset.reading import Inputs
        from twinset.result.texts import picked, places_of

        places, source = places_of(self.documents, ids), self.source
        if isinstance(source, Inputs):
            source = copy.copy(source)
            source.sources = [opened for opened in source.sources if opened.name in places]
        return dict(picked(source.batches(), places)) if places else {}

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The first lines of these documents."""
        rows = rows_of(self.documents["id"], ids)
        return {id: self.head(row) for id, row in zip(ids, rows, strict=True) if row >= 0}

    def save(
        self,
        folder: str | Place,
        force: bool = False,
        language: str = "en",
        *,
        annotate: bool = False,
        no_split: bool = False,
        to: str | None = None,
        shards: int | None = None,
    ) -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older report.

        ``folder`` may be an address, such as ``s3://bucket/report``. ``language`` is that of
        ``report.html``: ``en`` or ``ru``.

        After `dedup` of files it also holds the kept and the removed documents, in their format,
        unless ``no_split`` leaves them away. ``annotate`` writes all documents, with the fields
        ``twinset_cluster``, ``twinset_keep``, ``twinset_kept_id`` and ``twinset_score``; ``shards``
        is the number of files, ``to`` another format (``jsonl.gz``).
        """
        from twinset.result import write

        form = OutputForm.make(annotate=annotate, no_split=no_split, to=to, shards=shards)
        if form != OutputForm() and not hasattr(self.source, "again"):
            raise ReportError(
                "annotate, no_split, to and shards are for documents of files, and these were "
                "handed over in memory: take findings.kept and findings.to_pandas(), and save with "
                "the folder alone"
            )
        place = write(self, folder, force, lambda places: self._add(places, form), language)
        self.saved["folder"] = place
        if self.parts is not None:
            self.parts.remove()
        return place

    @property
    def place(self) -> Place | None:
        """Where the report was saved last; None before."""
        return self.saved.get("folder")

    def write_to(
        self, file: IO[bytes], *, annotate: bool = False, to: str | None = None
    ) -> dict[str, Any]:
        """Write the kept documents to a file that is open for bytes, all inputs as one.

        With ``annotate`` it is all documents, with what was decided on each, and with ``to``
        another format. In their own format they are not compressed. What was written is returned
        as the manifest of a report has it; ``unread`` counts records that cannot be read and are
        left out of another format.
        """
        form = OutputForm.make(annotate=annotate, to=to)
        from twinset.reading import Inputs
        from twinset.writing import stream_documents

        if not isinstance(self.source, Inputs):
            raise TwinsetError("only documents of files are written; findings.kept has the others")

        written = stream_documents(self.source, self.outcomes(), file, form, self.writing)
        return {name: asdict(route) for name, route in written.items()}

    def outcomes(self) -> Outcomes:
        """What was decided on each document, after `dedup`."""
        return outcomes_of(self.documents, self.clusters, self.mask)

    def _add(self, places: ReportPlaces, form: OutputForm) -> None:
        for name, export in self.exports.items():
            with (places.files / name).open("wb") as file:
                file.writelines(export())
        if self.keep is not None and hasattr(self.source, "again"):
            from twinset.writing import write_documents

            means = self.outcomes(), places.documents, form, self.writing
            written = write_documents(self.source, *means)
            self.manifest["written"] = written.described()
            self.saved.clear()
            self.saved.update({name: route.path for name, route in written.routes.items()})

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

    def decisions(self) -> pa.Table:
        """One row per document: id, cluster, keep, kept_id, score and status.

        ``kept_id`` is what stays in the place of a removed document, and ``score`` their
        similarity. After `find` nothing is decided, and ``keep`` is null, too. Of several clusters
        that a document is in, it has the one with the lowest number.
        """
        rows = self.documents
        count, names = rows.num_rows, rows.column_names
        cluster = clusters_of(rows["id"].combine_chunks(), self.clusters)
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


def rows_of(known: pa.ChunkedArray, ids: Sequence[str]) -> list[int]:
    """The rows in which these ids stand, -1 where there is none."""
    if not ids:
        return []
    found = pc.index_in(text(list(ids)).cast(known.type), value_set=known)
    listed: list[int] = numbers(found, missing=-1).tolist()
    return listed
