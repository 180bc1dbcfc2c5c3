"""Data in memory as documents: batches of it, and the choice of some in the caller's own type."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
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
from twinset.plan.spec import suggestion
from twinset.reading.faults import Faults
from twinset.reading.inputs import as_compared
from twinset.reading.memory.items import ItemSequence
from twinset.reading.memory.kind import NAME, Mask, MemoryKind, ensure_unchanged, is_of, type_name
from twinset.reading.memory.tables import (
    ArrowDataset,
    HuggingFaceDataset,
    HuggingFaceStream,
    PandasFrame,
    TextArray,
    frame_of,
)
from twinset.reading.repeated import Repetition
from twinset.reading.source import ReadJob, Source

_LONGEST_FAULT = 200  # characters
_ACCEPTED = (
    "a list of texts, of (id, text) pairs or of dicts, a dict of id -> text, or a table or column "
    "of Arrow, pandas, Polars, Hugging Face datasets or DuckDB"
)
# Libraries whose faults become ours; an exception of the user's own generator goes through.
_LIBRARIES = {"pyarrow", "pandas", "polars", "datasets", "duckdb"}
_KINDS = (
    ("pyarrow", ("Array", "ChunkedArray"), TextArray),
    ("polars", ("Series",), TextArray),
    ("pyarrow", ("Dataset",), ArrowDataset),
    ("pandas", ("DataFrame",), PandasFrame),
    ("pandas", ("Series",), TextArray),
    ("datasets", ("Dataset",), HuggingFaceDataset),
    ("datasets", ("IterableDataset",), HuggingFaceStream),
    ("numpy", ("ndarray",), TextArray),
)
"""Classes by library and name, so that no library is imported to tell them; their readers."""


@dataclass
class MemoryDocuments:
    """Documents of one collection or of several splits; ``counts`` is known after reading."""

    data: Any
    parts: dict[str, MemoryKind]
    options: ReadOptions
    references: frozenset[str] = frozenset()
    total_bytes: int = 0
    repetition: Repetition = field(default_factory=Repetition)
    counts: dict[str, int] = field(default_factory=dict)

    def batches(self) -> Iterator[Batch]:
        """Stream the documents from the beginning."""
        return as_compared(self.repetition, self._streamed(), self.options)

    def select(self, mask: Mask) -> Any:
        """The documents of the mask in the type of the data; every access makes a new object."""
        selected, first = {}, 0
        ensure_unchanged(sum(self.counts.values()), mask)
        with library_faults(self.data):
            for name, part in self.parts.items():
                last = first + self.counts[name]
                selected[name] = part.select(mask[first:last])
                first = last
            if not _has_splits(self.data):
                return selected[NAME]
            return type(self.data)({name: selected[str(name)] for name in self.data})

    def describe(self) -> list[dict[str, Any]]:
        """The parts, for the manifest."""
        return [
            {
                "source": name,
                "documents": self.counts.get(name, 0),
                **({"reference": True} if name in self.references else {}),
            }
            for name in self.parts
        ]

    def _streamed(self) -> Iterator[Batch]:
        for name, part in self.parts.items():
            count = 0
            prefix = f"{name}:" if len(self.parts) > 1 else ""
            with library_faults(self.data):
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
    with library_faults(data):
        if _has_splits(data):
            parts = {str(name): opened(split) for name, split in data.items()}
        else:
            parts = {NAME: opened(data)}
        for name, part in parts.items():
            try:
                part.check(options, strict)
            except TwinsetError as fault:
                where = f"split '{name}': " if _has_splits(data) else ""
                raise TwinsetError(f"{where}{fault}") from None
    references = _references(data, list(parts), options) if strict else frozenset()
    return MemoryDocuments(data, parts, options, references)


def opened(data: Any) -> MemoryKind:
    """The reader for the type of the data; raises for what is no collection of documents."""
    if isinstance(data, str | bytes) or hasattr(data, "__fspath__"):
        remedy = f"give {_ACCEPTED}, or open files by their names"
        raise TwinsetError(f"one {type(data).__name__} is not a collection; {remedy}")
    for library, names, kind in _KINDS:
        if is_of(data, library, *names):
            return kind(data)
    if (frame := frame_of(data)) is not None:
        return frame
    if isinstance(data, Iterable):
        return ItemSequence(data)
    raise TwinsetError(f"cannot take documents from {type_name(data)}; give {_ACCEPTED}")


def _has_splits(data: Any) -> bool:
    return is_of(data, "datasets", "DatasetDict", "IterableDatasetDict")


def _references(data: Any, names: list[str], options: ReadOptions) -> frozenset[str]:
    for name in options.reference:
        if names == [NAME]:
            raise TwinsetError(
                f"reference '{name}' names a folder, or a split of a DatasetDict, and "
                f"{type_name(data)} has no splits; hand over a DatasetDict"
            )
        if name not in names:
            raise TwinsetError(f"there is no split '{name}'; {suggestion(name, names)}")
    return frozenset(options.reference)


@contextmanager
def library_faults(data: Any) -> Iterator[None]:
    """Raise exceptions of `_LIBRARIES` as ours, with the type of the data and a remedy."""
    try:
        yield
    except Exception as fault:
        classes = type(fault).__mro__
        if not _LIBRARIES & {cls.__module__.split(".")[0].lstrip("_") for cls in classes}:
            raise
        first, _, rest = str(fault).partition("\n")
        words = " ".join((f"{first} {rest}" if first.rstrip().endswith(":") else first).split())
        words = words[:_LONGEST_FAULT].rstrip(" .:") or type(fault).__name__
        raise TwinsetError(
            f"cannot read documents from {type_name(data)} ({words}); mend the data, or hand over "
            "a table of strings"
        ) from fault


def _numbered(batch: Batch, prefix: str) -> Batch:
    """Give documents without an id their position in their part, from 0 as in a list."""
    if batch.ids.null_count == 0:
        return batch
    names = column(batch.places - 1).cast(pa.string())
    if prefix:
        names = pc.binary_join_element_wise(scalar(prefix), names, scalar(""))
    return dataclasses.replace(batch, ids=pc.coalesce(batch.ids.cast(pa.string()), names))
