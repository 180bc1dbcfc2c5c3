"""What spans and units have in common: documents without their repeats, and the report folder."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from twinset.errors import ReportError
from twinset.model import Documents, Ints
from twinset.model.columns import column
from twinset.model.outcomes import Cuts
from twinset.model.schema import arrow_types
from twinset.pages.language import number, percent, speaker
from twinset.plan.spec import name_in
from twinset.reading import Inputs
from twinset.reading.arrays import filtered, replaced
from twinset.result.result import Result, made
from twinset.result.words import masked
from twinset.run.manifest import inputs_of, peak_memory, unread_of
from twinset.run.passages.searching import Occurrences, ReadDocuments, Stretches
from twinset.system.remote import Place
from twinset.writing import CutDocuments, ensure_cuttable, write_cut
from twinset.writing.notes import without

LONG_TEXTS = dict.fromkeys(("id", "text"), pa.large_string())
SCHEMA = pa.schema({**arrow_types("removed"), **LONG_TEXTS})


def ensure_removable(documents: Any) -> None:
    """Raise where repeats cannot be cut out of these documents, before hours of work."""
    if not isinstance(documents, Inputs):
        raise ReportError(
            "remove is for documents of files, and these were handed over in memory: "
            "findings.cleaned() has their texts without the repeats"
        )
    ensure_cuttable(documents)


def write_without(
    documents: Inputs, ids: pa.Array, stretches: Stretches, files: Path, folder: Place
) -> CutDocuments:
    """Write the documents below a folder, and what they lose to ``removed.parquet``."""
    cuts = _cuts(stretches, len(ids))
    written = write_cut(documents, cuts, folder)
    import pyarrow.parquet as pq

    with pq.ParquetWriter(files / "removed.parquet", SCHEMA, compression="zstd") as table:
        for batch in _removed_texts(documents, ids, cuts):
            table.write_batch(batch)
    return written


def cleaned_texts(documents: Documents, read: ReadDocuments, stretches: Stretches) -> pa.Table:
    """``id`` and ``text`` of every document but references, without the stretches."""
    cuts, before = _cuts(stretches, len(read)), 0
    texts: list[pa.Array] = []
    for batch in documents.batches():
        own = cuts.slice(before, len(batch))
        before += len(batch)
        if not batch.is_reference:
            new = {n: without(batch.texts[n].as_py(), gaps) for n, gaps in own.documents()}
            texts.append(replaced(batch.texts, new))
    ids = filtered(read.ids, ~np.asarray(read.reference))
    return pa.table({"id": ids, "text": pa.chunked_array(texts, pa.large_string())})


def _cuts(stretches: Stretches, documents: int) -> Cuts:
    first = np.searchsorted(stretches.document, np.arange(documents + 1))
    return Cuts(first, stretches.start, stretches.end)


def _removed_texts(documents: Inputs, ids: pa.Array, cuts: Cuts) -> Iterator[pa.RecordBatch]:
    """The stretches of each batch that loses some, with their texts."""
    before = 0
    for batch in documents.batches():
        own = cuts.slice(before, len(batch))
        rows: list[tuple[str, int, int, str]] = []
        for row, stretches in own.documents():
            text, id = batch.texts[row].as_py(), ids[before + row].as_py()
            rows += [(id, start, end, text[start:end]) for start, end in stretches]
        before += len(batch)
        if rows:
            columns = [
                pa.array(values, kind)
                for values, kind in zip(zip(*rows, strict=True), SCHEMA.types, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


SHOWN = 50
PLACES = 6
LONG = 600
"""Characters of a span that are shown."""


def spans_said(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """What was found, and how much of the text it takes."""
    say, totals, options = speaker(language, "spans"), manifest["totals"], manifest["options"]
    least = say(f"least_{options['unit']}", n=options["least"])
    if not totals["spans"]:
        return [say("none", least=least)]
    spans, places = say("spans", n=totals["spans"]), say("places", n=totals["places"])
    share = totals["repeated_characters"] / max(totals["characters"], 1)
    return [
        say("found", n=totals["spans"], spans=spans, least=least, places=places),
        say(
            "covered",
            share=percent(language, share),
            n=totals["documents_with_spans"],
            documents=number(language, totals["documents"]),
        ),
    ]


def units_said(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """Which units stand in several places, and how much goes where the repeats are dropped."""
    say, totals = speaker(language, "spans"), manifest["totals"]
    level = name_in(manifest["plan"]["level"])
    if not totals["repeated_units"]:
        return [say(f"none_{level}"), *masked(manifest, language)]
    units = say(f"units_{level}", n=totals["repeated_units"])
    share = totals["dropped_characters"] / max(totals["characters"], 1)
    key, emptied = "dropped" if manifest["command"] == "dedup" else "may_go", []
    if totals["emptied_documents"]:
        emptied = [say(f"{key}_whole", n=totals["emptied_documents"])]
    return [
        say("found_units", units=units, places=say("places", n=totals["places"])),
        say(
            key,
            units=number(language, totals["same_as_others"]),
            share=percent(language, share),
        ),
        *emptied,
        *masked(manifest, language),
    ]


def _largest(
    rows: Occurrences, ids: pa.Array, documents: Documents, weights: Ints
) -> list[dict[str, Any]]:
    """The spans whose repeats take most text, each with its first places."""
    begins = np.flatnonzero(rows.is_first)
    sizes = np.diff(np.append(begins, len(rows.span)))
    weight = (sizes - 1) * weights[begins]
    chosen = np.argsort(-weight, kind="stable")[:SHOWN]
    texts = texts_of(documents, np.unique(rows.document[begins[chosen]]))
    shown = []
    for span in chosen.tolist():
        first, size = int(begins[span]), int(sizes[span])
        text = texts.get(int(rows.document[first]), "")[rows.start[first] : rows.end[first]]
        places = range(first, first + min(size, PLACES))
        shown.append(
            {
                "number": span,
                "size": size,
                "units": int(rows.units[first]),
                "text": text[:LONG] + ("…" if len(text) > LONG else ""),
                "places": [
                    (
                        ids[int(rows.document[row])].as_py(),
                        int(rows.start[row]),
                        int(rows.end[row]),
                    )
                    for row in places
                ],
                "rest": max(size - PLACES, 0),
            }
        )
    return shown


def texts_of(source: Documents, documents: Ints) -> dict[int, str]:
    """The texts of some documents by number, read again as far as the last of them."""
    texts: dict[int, str] = {}
    before = 0
    for batch in copy.copy(source).batches() if len(documents) else ():
        begin, end = np.searchsorted(documents, [before, before + len(batch)])
        for document in documents[begin:end].tolist():
            texts[document] = batch.texts[document - before].as_py() or ""
        before += len(batch)
        if end == len(documents):
            break
    return texts


@dataclass(frozen=True, repr=False, kw_only=True)
class Repeats(Result):
    """What spans and units have in common.

    ``documents`` has a row for every document, with its ``characters`` and how many of these are
    ``repeated``. ``saved`` says where the documents without repeats are, once they are written.
    """

    TEMPLATE = "paper/spans.html"
    WEIGHT: ClassVar[Literal["units", "characters"]] = "units"
    documents: pa.Table
    manifest: dict[str, Any]
    rows: Occurrences
    read: ReadDocuments
    source: Any
    saved: dict[str, Any] = field(default_factory=dict)

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """The largest spans."""
        rows, by_units = self.rows, self.WEIGHT == "units"
        weights = rows.units if by_units else rows.end - rows.start
        return {
            "spans": _largest(rows, self.read.ids, self.source, weights),
            "more": rows.spans > SHOWN,
            "unit": self.manifest["options"]["unit"] if by_units else "word",
        }

    def _without(self, stretches: Stretches, named: str) -> Callable[[Path, Place], dict[str, Any]]:
        """Writes the documents without these stretches, and what they lose."""
        ensure_removable(self.source)

        def write(files: Path, folder: Place) -> dict[str, Any]:
            done = write_without(self.source, self.read.ids, stretches, files, folder)
            self.saved.update(cleaned=done.written.path, uncut=done.uncut)
            written = {"cleaned": asdict(done.written)}
            return {"removed": named, "written": written, "uncut": done.uncut}

        return write

    def _table(self, stretches: Stretches) -> pa.Table:
        """Stretches of documents: ``id``, ``start`` and ``end``."""
        ids = self.read.ids.take(column(stretches.document))
        places = {"start": column(stretches.start), "end": column(stretches.end)}
        return pa.table({"id": ids, **places})


def documents_table(read: ReadDocuments, repeated: Ints) -> pa.Table:
    """A row for every document, with how many of its characters are ``repeated``."""
    return pa.table({**read.placed(), "repeated": column(repeated)})


def manifest_of(
    command: Mapping[str, Any],
    documents: Documents,
    read: ReadDocuments,
    totals: Mapping[str, int],
    timings: Mapping[str, float],
    threads: int,
) -> dict[str, Any]:
    """What was done to which inputs; ``command`` says by which options.

    Totals are of the documents that were asked about, without those of references.
    """
    own = ~np.asarray(read.reference)
    characters = int(read.characters[own].sum())
    return {
        **run_facts(timings, threads),
        **command,
        **read_facts(documents, read),
        "totals": {"documents": int(np.count_nonzero(own)), "characters": characters, **totals},
    }


def run_facts(timings: Mapping[str, float], threads: int) -> dict[str, Any]:
    """By which version, when and at which cost something was found."""
    return {
        **made(),
        "timings": dict(timings),
        "cpu_seconds": round(time.process_time(), 3),
        "peak_memory_mb": peak_memory(),
        "threads": threads,
    }


def read_facts(documents: Documents, read: ReadDocuments) -> dict[str, Any]:
    """What was read, and what could not be."""
    return {
        "inputs": inputs_of(documents, read.sources, read.source),
        "faults": dict(read.fault_counts),
        "first_faults": [asdict(fault) for fault in read.faults],
        **unread_of(documents),
    }
