"""What a search for spans has found, and the folder that it is saved in."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from twinset._version import VERSION
from twinset.engine.manifest import inputs_of, peak_memory, unread_of
from twinset.lazy_dataclass import dataclass
from twinset.model import Documents
from twinset.model.columns import column, words
from twinset.pages.language import ensure_known
from twinset.passages.numbering import Occurrences
from twinset.passages.options import SpanOptions
from twinset.passages.page import headline, spans_page
from twinset.passages.removing import ensure_removable, write_without
from twinset.passages.searching import ReadDocuments
from twinset.passages.stretches import Stretches, repeated, united
from twinset.reading import Inputs
from twinset.report import staged
from twinset.report.folder import manifest_text
from twinset.report.places import MANIFEST
from twinset.report.tables import write_parquet
from twinset.system.remote import Place, place_of


@dataclass(frozen=True)
class SpanFindings:
    """The result of `spans`: ``spans`` and ``documents`` as Arrow tables, and the ``manifest``.

    ``spans`` has a row for every place of a span: ``span`` (its number), ``id``, ``start`` and
    ``end`` (characters of the text as it is stored) and ``units``. ``documents`` has a row for
    every document, with its ``characters`` and how many of these are ``repeated``.
    """

    spans: pa.Table
    documents: pa.Table
    manifest: dict[str, Any]
    rows: Occurrences = field(repr=False)
    read: ReadDocuments = field(repr=False)
    source: Any = field(repr=False)
    saved: dict[str, Any] = field(repr=False, default_factory=dict)

    @classmethod
    def of(
        cls,
        documents: Documents,
        read: ReadDocuments,
        rows: Occurrences,
        options: SpanOptions,
        timings: Mapping[str, float],
        threads: int,
    ) -> SpanFindings:
        """The tables and the manifest of the places."""
        numbers = {name: column(values) for name, values in rows._asdict().items()}
        ids = read.ids.take(numbers.pop("document"))
        spans = pa.table({"span": numbers.pop("span"), "id": ids, **numbers})
        covered = united(rows.document, rows.start, rows.end, read.characters)
        covered_characters = covered.characters(len(read))
        about = pa.table(
            {
                "id": read.ids,
                "source": words(read.source, read.sources),
                "place": column(read.places.astype(np.int64)),
                "characters": column(read.characters),
                "repeated": column(covered_characters),
            }
        )
        manifest = {
            "twinset": VERSION,
            "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": "spans",
            "options": asdict(options),
            "read": asdict(documents.options) if isinstance(documents, Inputs) else {},
            "inputs": inputs_of(documents, read.sources, read.source),
            "totals": {
                "documents": len(read),
                "characters": int(read.characters.sum()),
                "spans": rows.spans,
                "places": len(rows.span),
                "documents_with_spans": int(np.count_nonzero(covered_characters)),
                "repeated_characters": int(covered_characters.sum()),
            },
            "faults": dict(read.fault_counts),
            "first_faults": [asdict(fault) for fault in read.faults],
            **unread_of(documents),
            "timings": dict(timings),
            "cpu_seconds": round(time.process_time(), 3),
            "peak_memory_mb": peak_memory(),
            "threads": threads,
        }
        return cls(spans, about, manifest, rows, read, documents)

    def removed(self, every: bool = False) -> pa.Table:
        """What goes where repeats are removed: ``id``, ``start`` and ``end``.

        All places of a span but the first, or ``every`` one; where these touch, they are one.
        """
        stretches = self._removed(every)
        return pa.table(
            {
                "id": self.read.ids.take(column(stretches.document)),
                "start": column(stretches.start),
                "end": column(stretches.end),
            }
        )

    def _removed(self, every: bool) -> Stretches:
        is_reference = np.asarray(self.read.reference)
        return repeated(self.rows, self.read.characters, is_reference, every)

    def save(
        self,
        folder: str | Place,
        force: bool = False,
        language: str = "en",
        *,
        remove: bool = False,
        remove_all: bool = False,
    ) -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older one.

        ``remove`` also writes the documents without the places of spans but the first of each,
        ``remove_all`` without any: every other byte stays as it is. ``removed.parquet`` has what
        is missing there.
        """
        ensure_known(language)
        if remove or remove_all:
            ensure_removable(self.source)
        target = place_of(folder)
        inputs = [str(entry["source"]) for entry in self.manifest["inputs"]]
        with staged(target, force, inputs) as files:
            manifest = dict(self.manifest)
            if remove or remove_all:
                documents = files if isinstance(target, Path) else target
                cut = write_without(
                    self.source, self.read.ids, self._removed(remove_all), files, documents
                )
                manifest["removed"] = "all" if remove_all else "all but the first"
                manifest["written"] = {"cleaned": asdict(cut.written)}
                manifest["uncut"] = cut.uncut
                self.saved.update(cleaned=target / cut.written.path, uncut=cut.uncut)
            write_parquet(self.spans, files / "spans.parquet", self.manifest["threads"])
            write_parquet(self.documents, files / "documents.parquet", self.manifest["threads"])
            page = spans_page(manifest, self.rows, self.read.ids, self.source, language)
            (files / "report.html").write_bytes(page.encode("utf-8", "replace"))
            (files / MANIFEST).write_bytes(manifest_text(manifest))
        return target

    def __repr__(self) -> str:
        return f"<twinset: {headline(self.manifest)}>"
