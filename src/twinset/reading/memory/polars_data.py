"""Polars: frames, lazy frames and series."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from twinset.reading.memory.arrow_data import TextArray
from twinset.reading.memory.kind import ROWS, Mask, MemoryTable, changed, is_of


class PolarsFrame(MemoryTable):
    """A frame; ``frame`` has the rows."""

    def __init__(self, data: Any, frame: Any = None) -> None:
        super().__init__(data)
        self.frame = data if frame is None else frame

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`polars.DataFrame`."""
        return is_of(data, "polars", "DataFrame")

    def columns(self) -> list[str]:
        """Those of the frame."""
        return list(self.frame.columns)

    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Slices, converted one by one."""
        chosen = self.frame.select(names)
        for first in range(0, self.frame.height, rows):
            table = chosen.slice(first, rows).to_arrow()
            yield from table.combine_chunks().to_batches()

    def select(self, mask: Mask) -> Any:
        """A frame of the same schema."""
        if self.frame.height != len(mask):
            raise changed(self.frame.height, mask)
        return self.frame.filter(_flags(mask))


class PolarsLazyFrame(PolarsFrame):
    """A lazy frame, which is collected once; what is selected is lazy again."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, data.collect())

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`polars.LazyFrame`."""
        return is_of(data, "polars", "LazyFrame")

    def select(self, mask: Mask) -> Any:
        """A lazy frame over the collected rows."""
        return super().select(mask).lazy()


class PolarsSeries(TextArray):
    """A series of texts, without ids."""

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`polars.Series`."""
        return is_of(data, "polars", "Series")

    def slices(self, rows: int = ROWS) -> Iterator[pa.Array]:
        """Slices, converted one by one."""
        for first in range(0, len(self.data), rows):
            yield self.data.slice(first, rows).to_arrow()

    def select(self, mask: Mask) -> Any:
        """A series of the same name and type."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        return self.data.filter(_flags(mask))


def _flags(mask: Mask) -> Any:
    import polars

    return polars.Series(mask)
