"""Reading in tests: everything a source yields, checked to be well formed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.model import Documents, Fault
from twinset.model.outcomes import Outcomes
from twinset.plan import ReadOptions
from twinset.plan.reading import OutputForm
from twinset.reading import Inputs, open_inputs
from twinset.system.remote import Place
from twinset.writing import write_documents


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


def outcomes(keep: Any) -> Outcomes:
    """What a run might have decided: every third cluster, and the first kept one for the others."""
    keep = np.asarray(keep, bool)
    number = np.arange(len(keep))
    kept_id = pa.array(
        [None if stays else f'"a", <{i}> é' for i, stays in enumerate(keep)], pa.string()
    )
    score = np.where(keep, np.nan, 0.5 + number / 7e3)
    return Outcomes(keep, np.where(number % 3 == 0, -1, number // 3), kept_id, score)


class Split(NamedTuple):
    kept: Place
    removed: Place


def split(inputs: Inputs, keep: Any, folder: Place) -> Split:
    """The documents whose ``keep`` is true below ``kept``, the others below ``removed``."""
    written = write_documents(inputs, outcomes(keep), folder, OutputForm())
    return Split(written.place("kept"), written.place("removed"))


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
