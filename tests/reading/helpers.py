"""Reading in tests: everything a source yields, checked to be well formed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from twinset.model import Documents, Fault
from twinset.plan import ReadOptions
from twinset.reading import open_inputs


class Found(NamedTuple):
    ids: list[str | None]
    texts: list[str | None]
    places: list[int]
    order: list[float]
    faults: list[Fault]
    raw: list[bytes | None]

    @property
    def kinds(self) -> list[tuple[int | None, str]]:
        return [(fault.line, fault.kind) for fault in self.faults]


def gather(documents: Documents) -> Found:
    found = Found([], [], [], [], [], [])
    for batch in documents.batches():
        assert batch.ids.type == pa.string()
        assert batch.texts.type == pa.large_string()
        assert len(batch.ids) == len(batch.texts) == len(batch.places)
        batch.ids.validate(full=True)
        batch.texts.validate(full=True)
        found.ids.extend(batch.ids.to_pylist())
        found.texts.extend(batch.texts.to_pylist())
        found.places.extend(batch.places.tolist())
        found.order.extend(batch.order.tolist() if batch.order is not None else [])
        found.faults.extend(batch.faults)
        if batch.raw is not None:
            assert batch.raw.type == pa.large_binary()
            batch.raw.validate(full=True)
            found.raw.extend(batch.raw.to_pylist())
    return found


def read(*paths: Path | str, batch_bytes: int = 1 << 20, threads: int = 2, **options: Any) -> Found:
    return gather(
        open_inputs(paths, ReadOptions(**options), batch_bytes=batch_bytes, threads=threads)
    )
