"""What a search for spans has found, and the folder that it is saved in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.lazy_dataclass import dataclass
from twinset.model import Documents
from twinset.model.columns import column
from twinset.passages.noting import ReadDocuments
from twinset.passages.numbering import Occurrences
from twinset.passages.options import SpanOptions
from twinset.passages.page import headline, spans_page
from twinset.passages.removing import cleaned_texts
from twinset.passages.report import (
    Cut,
    documents_table,
    manifest_of,
    stretches_table,
    write_report,
)
from twinset.passages.stretches import Stretches, repeated, united
from twinset.reading import Inputs
from twinset.system.remote import Place


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
        about = documents_table(read, covered_characters)
        command = {
            "command": "spans",
            "options": asdict(options),
            "read": asdict(documents.options) if isinstance(documents, Inputs) else {},
        }
        own = covered_characters[~np.asarray(read.reference)]
        totals = {
            "spans": rows.spans,
            "places": len(rows.span),
            "documents_with_spans": int(np.count_nonzero(own)),
            "repeated_characters": int(own.sum()),
        }
        manifest = manifest_of(command, documents, read, totals, timings, threads)
        return cls(spans, about, manifest, rows, read, documents)

    def removed(self, every: bool = False) -> pa.Table:
        """What goes where repeats are removed: ``id``, ``start`` and ``end``.

        All places of a span but the first, or ``every`` one; where these touch, they are one.
        """
        return stretches_table(self.read, self._removed(every))

    def cleaned(self, every: bool = False) -> pa.Table:
        """``id`` and ``text`` of the documents without what `removed` names, read again."""
        return cleaned_texts(self.source, self.read, self._removed(every))

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
        cut = None
        if remove or remove_all:
            named = "all" if remove_all else "all but the first"
            cut = Cut(self._removed(remove_all), named)
        target, saved = write_report(
            folder,
            force,
            language,
            self.manifest,
            {"spans": self.spans, "documents": self.documents},
            lambda manifest: spans_page(manifest, self.rows, self.read.ids, self.source, language),
            self.source,
            self.read.ids,
            cut,
        )
        self.saved.update(saved)
        return target

    def __repr__(self) -> str:
        return f"<twinset: {headline(self.manifest)}>"
