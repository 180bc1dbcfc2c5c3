"""The kinds of data in memory, in the order in which they are tried."""

from __future__ import annotations

from typing import Any

from twinset.errors import TwinsetError
from twinset.reading.memory.arrow_data import (
    ArrowDataset,
    ArrowReader,
    ArrowStream,
    ArrowTable,
    TextArray,
)
from twinset.reading.memory.duckdb_data import DuckDBRelation
from twinset.reading.memory.hugging_face import (
    HuggingFaceDataset,
    HuggingFaceSplits,
    HuggingFaceStream,
)
from twinset.reading.memory.kind import MemoryData, type_name
from twinset.reading.memory.pandas_data import PandasFrame, PandasSeries
from twinset.reading.memory.polars_data import PolarsFrame, PolarsLazyFrame, PolarsSeries
from twinset.reading.memory.sequences import ItemSequence, NumpyArray, TextsById

KINDS: tuple[type[MemoryData], ...] = (
    ArrowTable,
    ArrowReader,
    TextArray,
    ArrowDataset,
    PandasFrame,
    PandasSeries,
    PolarsFrame,
    PolarsLazyFrame,
    PolarsSeries,
    HuggingFaceDataset,
    HuggingFaceStream,
    HuggingFaceSplits,
    DuckDBRelation,
    ArrowStream,
    NumpyArray,
    TextsById,
    ItemSequence,
)
_TAKES = (
    "a list of texts, of (id, text) pairs or of dicts, a dict of id -> text, or a table or column "
    "of Arrow, pandas, Polars, Hugging Face datasets or DuckDB"
)
# Whose faults are said in a sentence; what the user's own generator raises is not touched.
_LIBRARIES = ("pyarrow", "pandas", "polars", "datasets", "duckdb")


def opened(data: Any) -> MemoryData:
    """The data by its kind; what is no collection of documents raises."""
    if isinstance(data, str | bytes) or hasattr(data, "__fspath__"):
        remedy = f"give {_TAKES}, or open files by their names"
        raise TwinsetError(f"one {type(data).__name__} is not a collection; {remedy}")
    for kind in KINDS:
        if kind.takes(data):
            return kind(data)
    raise TwinsetError(f"cannot take documents from {type_name(data)}; give {_TAKES}")


def of_library(fault: Exception) -> bool:
    """Whether a library raised this about its data."""
    names = {cls.__module__.split(".")[0].lstrip("_") for cls in type(fault).__mro__}
    return bool(names & set(_LIBRARIES))
