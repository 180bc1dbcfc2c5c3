"""The documents, read once: clean texts in an Arrow file that every method streams from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset import _kernels
from twinset.engine.documents import distinct_ids, ids_of
from twinset.engine.progress import Progress
from twinset.engine.streaming import watched
from twinset.model import Batch, Documents, Ints
from twinset.model.columns import column, numbers
from twinset.text import arrow_text

SCHEMA = pa.schema([("text", pa.large_string())])


class StoredTexts:
    """The texts of an Arrow file as documents; their ids are their numbers."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.total_bytes = Path(path).stat().st_size
        self.bytes_read = 0

    def batches(self) -> Iterator[Batch]:
        """The batches, read and not mapped, so that a method needs the memory of a real run."""
        self.bytes_read = first = 0
        with pa.OSFile(self.path) as file:
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                texts = reader.get_batch(number).column(0)
                rows = np.arange(first, first + len(texts), dtype=np.int64)
                ids = pc.cast(column(rows), pa.large_string())
                yield Batch(ids, texts, self.path, rows + 1)
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
    """What the methods are compared on; ``digest`` changes when any id or text does."""

    texts: StoredTexts
    ids: pa.Array
    digest: str
    inputs: list[dict[str, Any]]
    faults: dict[str, int]

    def __len__(self) -> int:
        return len(self.ids)


def store_documents(
    documents: Documents, path: Path, threads: int, progress: Progress
) -> Collection:
    """Read the documents once and write their texts to an Arrow file."""
    digest = hashlib.sha256()
    ids: list[pa.Array] = []
    faults: dict[str, int] = {}
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, SCHEMA) as writer:
        for batch in watched(documents, "reading", progress):
            for fault in batch.faults:
                faults[fault.kind] = faults.get(fault.kind, 0) + 1
            if not len(batch):
                continue
            texts = batch.texts.cast(pa.large_string())
            writer.write_batch(pa.record_batch([texts], schema=SCHEMA))
            ids.append(ids_of(batch))
            digest.update(_kernels.text_digests(*arrow_text(texts), threads).tobytes())
    unique, _ = distinct_ids(pa.concat_arrays(ids) if ids else pa.array([], pa.large_string()))
    data = unique.buffers()[2] if len(unique) else None
    digest.update(numbers(pc.binary_length(unique)).tobytes())
    digest.update(data or b"")
    describe = getattr(documents, "describe", None)
    inputs = [dict(row) for row in describe()] if describe else []
    return Collection(StoredTexts(path), unique, digest.hexdigest(), inputs, faults)
