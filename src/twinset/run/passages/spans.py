"""Spans: the result of a search for exact spans (`searching`), with its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from twinset.model import Documents
from twinset.model.columns import column
from twinset.plan import Resources
from twinset.reading import Inputs
from twinset.run.passages.options import SpanOptions
from twinset.run.passages.report import (
    Repeats,
    cleaned_texts,
    documents_table,
    manifest_of,
    spans_said,
)
from twinset.run.passages.searching import (
    Grams,
    Occurrences,
    ReadDocuments,
    RunSearch,
    Stretches,
    numbered,
    repeated,
    united,
)
from twinset.run.progress import Clock, Progress, Silent
from twinset.system.remote import Place


@dataclass(frozen=True, repr=False, kw_only=True)
class SpanFindings(Repeats):
    """The result of `spans`: ``spans`` and ``documents`` as Arrow tables, and the ``manifest``.

    ``spans`` has a row for every place of a span: ``span`` (its number), ``id``, ``start`` and
    ``end`` (characters of the text as it is stored) and ``units``. ``documents`` has a row for
    every document, with its ``characters`` and how many of these are ``repeated``.
    """

    spans: pa.Table

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
        covered = united(rows.document, rows.start, rows.end, read.characters)
        characters = covered.characters(len(read))
        command = {
            "command": "spans",
            "options": asdict(options),
            "read": asdict(documents.options) if isinstance(documents, Inputs) else {},
        }
        own = characters[~np.asarray(read.reference)]
        totals = {
            "spans": rows.spans,
            "places": len(rows.span),
            "documents_with_spans": int(np.count_nonzero(own)),
            "repeated_characters": int(own.sum()),
        }
        return cls(
            spans=pa.table({"span": numbers.pop("span"), "id": ids, **numbers}),
            documents=documents_table(read, characters),
            manifest=manifest_of(command, documents, read, totals, timings, threads),
            rows=rows,
            read=read,
            source=documents,
        )

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those of the folder."""
        return {"spans": self.spans, "documents": self.documents}

    def said(self, language: str = "en") -> list[str]:
        """What was found."""
        return spans_said(self.manifest, language)

    def removed(self, every: bool = False) -> pa.Table:
        """What goes where repeats are removed: ``id``, ``start`` and ``end``.

        All places of a span but the first, or ``every`` one; where these touch, they are one.
        """
        return self._table(self._removed(every))

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
        also = None
        if remove or remove_all:
            named = "all" if remove_all else "all but the first"
            also = self._without(self._removed(remove_all), named)
        return self._write(folder, force, language, also)


def find_spans(
    documents: Documents,
    options: SpanOptions,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> SpanFindings:
    """The spans of some documents; the same whatever the threads and the memory."""
    resources, progress = resources or Resources.make(), progress or Silent()
    clock = Clock()
    grams = Grams.of(options.unit, options.least)
    search = RunSearch(documents, grams, resources, progress)
    read = search.read()
    clock.lap("read and sample")
    runs = search.runs()
    clock.lap("count and join")
    rows = numbered(
        runs, options.least, np.asarray(read.reference), by_length=options.unit != "word"
    )
    clock.lap("number")
    return SpanFindings.of(documents, read, rows, options, clock.seconds, resources.threads)
