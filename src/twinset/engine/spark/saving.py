"""The report of a run on Spark: tables as folders of parts, the rest from aggregates.

A folder of this machine, or one that all machines of the cluster share, appears under its name when
it is complete. Elsewhere the manifest is written last: without it nothing is a report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinset.engine.spark.blocks import DOCUMENT
from twinset.engine.spark.files import SparkFolder
from twinset.engine.spark.page_rows import PLACED, PageRows
from twinset.engine.spark.sources import as_pattern
from twinset.engine.spark.tables import SparkTables
from twinset.engine.spark.texts import Place
from twinset.lazy_dataclass import dataclass
from twinset.report.folder import TABLES, manifest_text
from twinset.report.page import page_and_lattices
from twinset.report.places import MANIFEST
from twinset.report.select import PageChoice
from twinset.report.staging import staged

if TYPE_CHECKING:
    from twinset.report.lattices import LatticeDrawing

PAGE = "report.html"
ReadTexts = Callable[[Mapping[Place, int]], dict[int, str]]


def save(
    tables: SparkTables,
    manifest: dict[str, Any],
    folder: str,
    *,
    force: bool,
    language: str,
    write_documents: Callable[[str], dict[str, Any]] | None,
    texts: ReadTexts,
) -> str:
    """Write the report; ``write_documents`` adds kept and removed ones and says what it wrote."""
    inputs = [str(entry["source"]) for entry in manifest["inputs"]]
    if "://" not in folder or folder.startswith("file://"):
        local = folder.removeprefix("file://")
        with staged(local, force, inputs) as staging:
            place = SparkFolder(tables.work.session, f"file:{os.path.abspath(staging)}")
            _fill(tables, manifest, place, language, write_documents, texts)
        return local
    place = SparkFolder(tables.work.session, folder)
    if force:
        place.clear()
    _fill(tables, manifest, place, language, write_documents, texts)
    return folder


def _fill(
    tables: SparkTables,
    manifest: dict[str, Any],
    place: SparkFolder,
    language: str,
    write_documents: Callable[[str], dict[str, Any]] | None,
    texts: ReadTexts,
) -> None:
    named = {name: getattr(tables, name) for name in TABLES} | tables.more
    written = {name: _written(table, place, name) for name, table in named.items()}
    if write_documents is not None:
        manifest["written"] = write_documents(place.address)
    page, _ = page_and_lattices(PageResults(tables, written, manifest, texts), language)
    place.write(PAGE, page.encode("utf-8", "replace"))
    place.write(MANIFEST, manifest_text(manifest))


def _written(table: Any, place: SparkFolder, name: str) -> Any:
    """The table as it is read from the report."""
    address = place.path(f"{name}.parquet")
    table.write.parquet(address)
    return place.session.read.schema(table.schema).parquet(as_pattern(address))


@dataclass(frozen=True)
class PageResults:
    """As much of the results as the page shows; the tables themselves stay where they are."""

    tables: SparkTables
    written: Mapping[str, Any]
    manifest: dict[str, Any]
    read_texts: ReadTexts

    repeated = boilerplate = None

    @property
    def lattices(self) -> list[LatticeDrawing]:
        """None are drawn."""
        return []

    @property
    def more(self) -> dict[str, pa.Table]:
        """None are shown."""
        return {}

    @cached_property
    def _rows(self) -> PageRows:
        return self.tables.page_rows(self.written)

    @cached_property
    def shown(self) -> PageChoice:
        """The largest clusters, the pairs nearest to the threshold, and the sizes of clusters."""
        rows = self._rows
        return PageChoice(rows.clusters, rows.calls, _spans(self.tables.figures.spans))

    @cached_property
    def documents(self) -> pa.Table:
        """The documents that are shown."""
        return pa.Table.from_pylist(self._rows.documents, schema=PLACED)

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs that are shown."""
        rows = [call._asdict() for call in self._rows.calls]
        return pa.Table.from_pylist(rows, schema=_PAIRS)

    @cached_property
    def clusters(self) -> pa.Table:
        """The first members of the clusters that are shown."""
        return self._rows.members

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of documents in clusters."""
        known = ((row["id"], self._rows.texts.get(row["number"])) for row in self._named(ids))
        return {id: texts[0] for id, texts in known if texts is not None and texts[0] is not None}

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of a few documents, some of them from another pass over the input."""
        rows, texts = list(self._named(ids)), dict[str, str]()
        for row in rows:
            _, text = self._rows.texts.get(row["number"], (None, None))
            if text is not None:
                texts[row["id"]] = text
        others = {row["number"]: row for row in rows if row["id"] not in texts}
        if others:
            places = {tuple(row[name] for name in DOCUMENT): n for n, row in others.items()}
            for number, text in self.read_texts(places).items():
                texts[others[number]["id"]] = text
        return texts

    def _named(self, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The documents of these ids among those that are shown."""
        chosen = set(ids)
        return (row for row in self._rows.documents if row["id"] in chosen)


_PAIRS = pa.schema(
    {"left": pa.string(), "right": pa.string(), "score": pa.float64(), "kind": pa.string()}
)


def _spans(counts: Sequence[int]) -> list[tuple[int, int, int]]:
    """How many clusters have 2, 3 to 4, 5 to 8, ... documents."""
    return [(2 ** (n - 1) + 1, 2**n, count) for n, count in enumerate(counts, 1)]
