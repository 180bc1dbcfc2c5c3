"""Data in memory as documents: batches of it, and the choice of some in the caller's own type."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.model import Batch
from twinset.model import compute as pc
from twinset.model.columns import column, scalar
from twinset.plan import ReadOptions
from twinset.reading.faults import Faults
from twinset.reading.memory.kind import NAME, Mask, MemoryData, MemoryKind, changed, type_name
from twinset.reading.memory.kinds import of_library, opened
from twinset.reading.repeated import Repetition
from twinset.reading.source import ReadJob, Source
from twinset.spec import suggestion

_MOST_SAID = 200


@dataclass
class MemoryDocuments:
    """Documents in memory; ``counts`` has the number of those in each part that was read."""

    data: MemoryData
    options: ReadOptions
    references: frozenset[str] = frozenset()
    total_bytes: int = 0
    repetition: Repetition = field(default_factory=Repetition)
    counts: dict[str, int] = field(default_factory=dict)

    def batches(self) -> Iterator[Batch]:
        """Stream the documents from the beginning."""
        return self.repetition.as_compared(self._streamed(), self.options)

    def select(self, mask: Mask) -> Any:
        """The documents of the mask in the type of the data; every access makes a new object."""
        parts, selected, first = self.data.parts(), {}, 0
        if len(mask) != sum(self.counts.values()):
            raise changed(sum(self.counts.values()), mask)
        with said_in_a_sentence(self.data.data):
            for name, part in parts.items():
                last = first + self.counts[name]
                selected[name] = part.select(mask[first:last])
                first = last
            return self.data.joined(selected)

    def describe(self) -> list[dict[str, Any]]:
        """The parts, for the manifest."""
        return [
            {
                "source": name,
                "documents": self.counts.get(name, 0),
                **({"reference": True} if name in self.references else {}),
            }
            for name in self.data.parts()
        ]

    def _streamed(self) -> Iterator[Batch]:
        parts = self.data.parts()
        for name, part in parts.items():
            count = 0
            prefix = f"{name}:" if len(parts) > 1 else ""
            with said_in_a_sentence(self.data.data):
                for batch in self._read(name, part):
                    count += len(batch)
                    yield _numbered(batch, prefix)
            self.counts[name] = count

    def _read(self, name: str, part: MemoryKind) -> Iterator[Batch]:
        source = Source(Path(name), name, NAME, None, 0)
        job = ReadJob(source, self.options, Faults(name, self.options.on_error))
        if self.options.drops_repeated:
            job.repeated = self.repetition.lines
        for batch in map(job.with_pages, part.batches(job)):
            yield dataclasses.replace(batch, is_reference=name in self.references)


def from_memory(
    data: Any, options: ReadOptions | None = None, *, strict: bool = False
) -> MemoryDocuments:
    """Documents from what a program holds; wrong types raise at once.

    With ``strict``, so does an option that names what the data does not have.
    """
    options = options or ReadOptions()
    with said_in_a_sentence(data):
        collection = opened(data)
        collection.check(options, strict)
    references = _references(collection, options) if strict else frozenset()
    return MemoryDocuments(collection, options, references)


def _references(data: MemoryData, options: ReadOptions) -> frozenset[str]:
    names = list(data.parts())
    for name in options.reference:
        if names == [NAME]:
            raise TwinsetError(
                f"reference '{name}' names a folder, or a split of a DatasetDict, and "
                f"{type_name(data.data)} has no splits; hand over a DatasetDict"
            )
        if name not in names:
            raise TwinsetError(f"there is no split '{name}'; {suggestion(name, names)}")
    return frozenset(options.reference)


@contextmanager
def said_in_a_sentence(data: Any) -> Iterator[None]:
    """Faults of the libraries as ours."""
    try:
        yield
    except Exception as fault:
        if not of_library(fault):
            raise
        first, _, rest = str(fault).partition("\n")
        words = " ".join((f"{first} {rest}" if first.rstrip().endswith(":") else first).split())
        words = words[:_MOST_SAID].rstrip(" .:") or type(fault).__name__
        raise TwinsetError(
            f"cannot read documents from {type_name(data)} ({words}); mend the data, or hand over "
            "a table of strings"
        ) from fault


def _numbered(batch: Batch, prefix: str) -> Batch:
    """Documents without an id are called by their position in their part, from 0 as in a list."""
    if batch.ids.null_count == 0:
        return batch
    names = column(batch.places - 1).cast(pa.string())
    if prefix:
        names = pc.binary_join_element_wise(scalar(prefix), names, scalar(""))
    return dataclasses.replace(batch, ids=pc.coalesce(batch.ids.cast(pa.string()), names))
