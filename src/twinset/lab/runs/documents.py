"""The documents, read once: clean texts in an Arrow file that every method streams from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.engine.documents import distinct_ids, ids_of
from twinset.engine.progress import Progress
from twinset.engine.streaming import watched
from twinset.model import Batch, Documents, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers
from twinset.text import arrow_text

TEXT = pa.field("text", pa.large_string())
RAW = pa.field("raw", pa.large_binary())


class StoredTexts:
    """The texts of an Arrow file, with ``raw`` also their bytes, as documents.

    Their ids are their numbers.
    """

    def __init__(self, path: str | Path, *, raw: bool = False) -> None:
        self.path, self.raw = str(path), raw
        self.total_bytes = Path(path).stat().st_size
        self.bytes_read = 0

    def batches(self) -> Iterator[Batch]:
        """The batches, read and not mapped, so that a method needs the memory of a real run."""
        self.bytes_read = first = 0
        with pa.OSFile(self.path) as file:
            fields = [0, 1] if self.raw else [0]
            chosen = pa.ipc.IpcReadOptions(included_fields=fields)
            reader = pa.ipc.open_file(file, options=chosen)
            for number in range(reader.num_record_batches):
                texts, *raw = reader.get_batch(number).columns
                rows = np.arange(first, first + len(texts), dtype=np.int64)
                ids = pc.cast(column(rows), pa.large_string())
                yield Batch(ids, texts, self.path, rows + 1, raw=raw[0] if raw else None)
                first += len(texts)
                self.bytes_read = self.total_bytes * (number + 1) // reader.num_record_batches

    def texts(self, numbers: Ints) -> dict[int, str]:
        """The texts of some documents by their numbers; null ones are empty."""
        texts: dict[int, str] = {}
        for batch in self.batches():
            first = int(batch.places[0]) - 1 if len(batch) else 0
            inside = numbers[(numbers >= first) & (numbers < first + len(batch))]
            for number in inside.tolist():
                texts[number] = batch.texts[number - first].as_py() or ""
        return texts


@dataclass(frozen=True)
class Collection:
    """What the methods are compared on.

    ``digest`` changes when any id or text does, ``raw_digest`` when any of the bytes does that the
    texts were made of; it is empty where these are not stored.
    """

    texts: StoredTexts
    ids: pa.Array
    digest: str
    raw_digest: str
    inputs: list[dict[str, Any]]
    faults: dict[str, int]

    def __len__(self) -> int:
        return len(self.ids)


def store_documents(
    documents: Documents, path: Path, threads: int, progress: Progress, *, raw: bool = False
) -> Collection:
    """Read the documents once and write their texts, with ``raw`` also bytes, to an Arrow file."""
    digest, raw_digest = hashlib.sha256(), hashlib.sha256()
    ids: list[pa.Array] = []
    faults: dict[str, int] = {}
    schema = pa.schema([TEXT, RAW] if raw else [TEXT])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in watched(documents, "reading", progress):
            for fault in batch.faults:
                faults[fault.kind] = faults.get(fault.kind, 0) + 1
            if not len(batch):
                continue
            columns = [batch.texts.cast(pa.large_string())]
            if raw:
                own = batch.texts if batch.raw is None else batch.raw
                columns.append(own.cast(pa.large_binary()))
            writer.write_batch(pa.record_batch(columns, schema=schema))
            ids.append(ids_of(batch))
            for total, values in zip((digest, raw_digest), columns, strict=False):
                total.update(_kernels.text_digests(*arrow_text(values), threads).tobytes())
    unique, _ = distinct_ids(pa.concat_arrays(ids) if ids else pa.array([], pa.large_string()))
    data = unique.buffers()[2] if len(unique) else None
    digest.update(numbers(pc.binary_length(unique)).tobytes())
    digest.update(data or b"")
    describe = getattr(documents, "describe", None)
    inputs = [dict(row) for row in describe()] if describe else []
    raw_hex = raw_digest.hexdigest() if raw else ""
    return Collection(StoredTexts(path), unique, digest.hexdigest(), raw_hex, inputs, faults)
