"""Hugging Face datasets: sets, streamed sets, and dictionaries of splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.plan import ReadOptions
from twinset.reading.memory.kind import (
    ROWS,
    Mask,
    MemoryData,
    MemoryKind,
    MemoryTable,
    changed,
    is_of,
)


class HuggingFaceDataset(MemoryTable):
    """A set, of which the columns are read that are needed; other formats of it do not matter."""

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`datasets.Dataset`."""
        return is_of(data, "datasets", "Dataset")

    def columns(self) -> list[str]:
        """Those of the set."""
        return list(self.data.column_names)

    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow, whatever format the set has."""
        if not names:
            return
        chosen = self.data.select_columns(names).with_format("arrow")
        for table in chosen.iter(batch_size=rows):
            yield from table.combine_chunks().to_batches()

    def select(self, mask: Mask) -> Any:
        """A set with the same features, format and split."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        return self.data.select(np.flatnonzero(mask))


class HuggingFaceStream(HuggingFaceDataset):
    """A streamed set, which is read anew in every pass; what is selected is a stream again."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._columns: list[str] | None = None
        self._first: dict[tuple[str, ...], str] = {}

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`datasets.IterableDataset`."""
        return is_of(data, "datasets", "IterableDataset")

    def columns(self) -> list[str]:
        """Those of its features or, where they are not known, of its first row."""
        if self._columns is None:
            names = self.data.column_names
            if names is None:
                names = next(iter(self.data.take(1)), {})
            self._columns = list(names)
        return self._columns

    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow; they must begin as they did when they were looked at first."""
        begin = ""
        for table in super().arrow(names, rows):
            begin = begin or self._begun(names, repr(table.slice(0, 1).to_pylist()))
            yield table
        if not begin:
            self._begun(names, "")

    def _begun(self, names: list[str], first: str) -> str:
        if self._first.setdefault(tuple(names), first) != first:
            raise TwinsetError(
                "this IterableDataset gives other rows when it is read again; collect it first, as "
                "a Dataset or a list"
            )
        return first

    def select(self, mask: Mask) -> Any:
        """A stream that passes over the other rows."""
        from datasets import IterableDataset

        data, format = self.data, getattr(self.data, "_formatting", None)
        stream = IterableDataset.from_generator(
            selected_rows,
            features=data.features,
            gen_kwargs={"data": data.with_format(None), "mask": mask},
            **({} if data.split is None else {"split": data.split}),
        )
        return stream.with_format(format.format_type) if format is not None else stream


def selected_rows(data: Any, mask: Mask) -> Iterator[Any]:
    """The rows of the mask; the data must still have as many as when they were read."""
    count = 0
    for row in data:
        if count < len(mask) and mask[count]:
            yield row
        count += 1
    if count != len(mask):
        raise TwinsetError(
            f"the stream has {count:,} rows now and had {len(mask):,} when it was read; collect it "
            "first, as a Dataset or a list"
        )


class HuggingFaceSplits(MemoryData):
    """A dictionary of splits, which are one collection in their order."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        stream = is_of(data, "datasets", "IterableDatasetDict")
        kind = HuggingFaceStream if stream else HuggingFaceDataset
        self._parts: dict[str, MemoryKind] = {
            str(name): kind(split) for name, split in data.items()
        }

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`datasets.DatasetDict` and `datasets.IterableDatasetDict`."""
        return is_of(data, "datasets", "DatasetDict", "IterableDatasetDict")

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where a split does not have the columns."""
        for name, part in self._parts.items():
            try:
                part.check(options, strict)
            except TwinsetError as fault:
                raise TwinsetError(f"split '{name}': {fault}") from None

    def parts(self) -> dict[str, MemoryKind]:
        """The splits."""
        return dict(self._parts)

    def joined(self, parts: dict[str, Any]) -> Any:
        """A dictionary of the same splits, of which some may be empty."""
        names = {str(name): name for name in self.data}
        return type(self.data)({names[name]: part for name, part in parts.items()})
