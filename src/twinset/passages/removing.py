"""Documents without their repeats, and a table of what is missing there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import ReportError
from twinset.model import Documents
from twinset.model.outcomes import Cuts
from twinset.passages.noting import ReadDocuments
from twinset.passages.stretches import Stretches
from twinset.reading import Inputs
from twinset.reading.arrays import filtered, replaced
from twinset.reading.output.cutting import without
from twinset.reading.output.writing import CutDocuments, ensure_cuttable, write_cut
from twinset.system.remote import Place

SCHEMA = pa.schema(
    [
        ("id", pa.large_string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("text", pa.large_string()),
    ]
)


def ensure_removable(documents: Any) -> None:
    """Raise where repeats cannot be cut out of these documents, before hours of work."""
    if not isinstance(documents, Inputs):
        raise ReportError(
            "remove is for documents of files, and these were handed over in memory: "
            "findings.cleaned() has their texts without the repeats"
        )
    ensure_cuttable(documents.again())


def write_without(
    documents: Inputs, ids: pa.Array, stretches: Stretches, files: Path, folder: Place
) -> CutDocuments:
    """Write the documents below a folder, and what they lose to ``removed.parquet``."""
    cuts = _cuts(stretches, len(ids))
    written = write_cut(documents.again(), cuts.slice(documents.reference_documents), folder)
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
        for number, stretches in own.documents():
            text, id = batch.texts[number].as_py(), ids[before + number].as_py()
            rows += [(id, start, end, text[start:end]) for start, end in stretches]
        before += len(batch)
        if rows:
            columns = [
                pa.array(values, kind)
                for values, kind in zip(zip(*rows, strict=True), SCHEMA.types, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
