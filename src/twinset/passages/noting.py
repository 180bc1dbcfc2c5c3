"""What a pass over documents sees of them: ids, sources, places, lengths, faults."""

from __future__ import annotations

from collections import Counter
from dataclasses import field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.engine.columns import NumberColumn, RunColumn, TextColumn
from twinset.engine.documents import distinct_ids, ids_of
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Fault, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers

MOST_FAULTS = 100


@dataclass
class ReadDocuments:
    """What is known of the documents after the first pass; arrays are indexed by their number."""

    ids: pa.Array
    sources: list[str]
    source: Ints
    places: Ints
    characters: Ints
    reference: NDArray[np.bool_]
    faults: list[Fault]
    fault_counts: Counter[str]
    read_counts: Counter[str]
    repeated_ids: int

    def __len__(self) -> int:
        return len(self.characters)


@dataclass
class DocumentNotes:
    """Collects what a pass sees of the documents."""

    ids: TextColumn = field(default_factory=TextColumn)
    places: NumberColumn = field(default_factory=NumberColumn)
    characters: NumberColumn = field(default_factory=NumberColumn)
    source: RunColumn = field(default_factory=lambda: RunColumn(np.uint32))
    reference: RunColumn = field(default_factory=lambda: RunColumn(bool))
    sources: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    fault_counts: Counter[str] = field(default_factory=Counter)
    read_counts: Counter[str] = field(default_factory=Counter)

    def take(self, batch: Batch, characters: Ints | None = None) -> None:
        """Note the documents of a batch, their ``characters`` if known, and its faults."""
        for fault in batch.faults:
            self.fault_counts[fault.kind] += 1
            if self.fault_counts[fault.kind] <= MOST_FAULTS:
                self.faults.append(fault)
        self.read_counts.update(batch.counts)
        if not len(batch):
            return
        self.ids.append(ids_of(batch))
        self.places.append(batch.places)
        if characters is None:
            lengths = pc.fill_null(pc.utf8_length(batch.texts), 0).cast(pa.int64())
            characters = numbers(lengths)
        self.characters.append(characters)
        number = self.sources.setdefault(batch.source, len(self.sources))
        self.source.append(number, len(batch))
        self.reference.append(batch.is_reference, len(batch))

    def finish(self, threads: int) -> ReadDocuments:
        """What is known once all were seen."""
        ids, repeated = distinct_ids(self.ids.finish(), threads)
        return ReadDocuments(
            ids,
            list(self.sources),
            self.source.finish(),
            self.places.finish(),
            self.characters.finish().astype(np.int64),
            self.reference.finish(),
            self.faults,
            self.fault_counts,
            self.read_counts,
            repeated,
        )
