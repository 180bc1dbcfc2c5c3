"""Documents that a program has in memory: lists, pairs, Arrow tables and what converts to Arrow."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from twinset.errors import TwinsetError
from twinset.model import Batch, Documents
from twinset.model.columns import text as column_of
from twinset.plan import ReadOptions
from twinset.reading.batches import BatchBuilder, as_text, check_schema, column_batch
from twinset.reading.faults import Faults
from twinset.reading.repeated import Repetition
from twinset.reading.source import ReadJob, Source

NAME = "memory"
_TAKES = (
    "a list of texts, (id, text) pairs, a dict of id -> text, or a table (Arrow, pandas, polars, "
    "Hugging Face datasets)"
)
_ROWS = 1 << 14


@dataclass
class MemoryDocuments:
    """Documents in memory; ``again`` starts a new pass over them."""

    again: Callable[[ReadJob], Iterator[Batch]]
    options: ReadOptions
    total_bytes: int = 0
    repetition: Repetition = field(default_factory=Repetition)

    def batches(self) -> Iterator[Batch]:
        """Stream the documents from the beginning."""
        source = Source(Path(NAME), NAME, NAME, None, self.total_bytes)
        job = ReadJob(source, self.options, Faults(NAME, self.options.on_error))
        batches = map(job.with_pages, map(_numbered, self.again(job)))
        if not self.options.drops_repeated:
            return batches
        if self.repetition.lines is None:
            return self.repetition.without_repeated(batches)
        job.repeated = self.repetition.lines
        return batches


def _numbered(batch: Batch) -> Batch:
    """Documents without an id are called by their position, from 0 as in a list."""
    if batch.ids.null_count == 0:
        return batch
    names = column_of([str(place - 1) for place in batch.places])
    return dataclasses.replace(batch, ids=pc.coalesce(batch.ids.cast(pa.string()), names))


def from_memory(data: Any, options: ReadOptions | None = None) -> Documents:
    """Documents from texts, (id, text) pairs, a dict or a table; wrong types raise at once."""
    options = options or ReadOptions()
    if isinstance(data, (str, bytes, Path)):
        remedy = f"give {_TAKES}, or open files by their names"
        raise TwinsetError(f"one {type(data).__name__} is not a collection; {remedy}")
    batches = _arrow_batches(data)
    if batches is not None:
        return MemoryDocuments(_table_pass(batches, options), options)
    if isinstance(data, Mapping):
        return MemoryDocuments(_pair_pass(list(data.items())), options)
    if not isinstance(data, Iterable):
        raise TwinsetError(f"cannot take documents from {_of(data)}; give {_TAKES}")
    # A generator runs only once; a second pass needs its items.
    return MemoryDocuments(_pair_pass([_pair(item, i) for i, item in enumerate(data)]), options)


def _arrow_batches(data: Any) -> Callable[[], Iterable[pa.RecordBatch]] | None:
    """How to get the data as Arrow batches, any number of times; None when it offers no Arrow."""
    if isinstance(data, pa.RecordBatch):
        return lambda: [data]
    if isinstance(data, pa.Table):
        return lambda: data.to_batches(max_chunksize=_ROWS)
    if isinstance(data, pa.RecordBatchReader):
        table = data.read_all()  # a reader runs only once
        return lambda: table.to_batches(max_chunksize=_ROWS)
    if hasattr(data, "with_format") and hasattr(data, "features"):  # a Hugging Face dataset
        return lambda: _dataset_batches(data)
    if hasattr(data, "__arrow_c_stream__"):
        table = pa.RecordBatchReader.from_stream(data).read_all()
        return lambda: table.to_batches(max_chunksize=_ROWS)
    if type(data).__module__.startswith("pandas.") and hasattr(data, "columns"):
        table = pa.Table.from_pandas(data, preserve_index=False)
        return lambda: table.to_batches(max_chunksize=_ROWS)
    return None


def _dataset_batches(data: Any) -> Iterator[pa.RecordBatch]:
    for table in data.with_format("arrow").iter(batch_size=_ROWS):
        yield from table.combine_chunks().to_batches()


def _table_pass(
    batches: Callable[[], Iterable[pa.RecordBatch]], options: ReadOptions
) -> Callable[[ReadJob], Iterator[Batch]]:
    first = next(iter(batches()), None)
    if first is None:
        return lambda job: iter(())
    _check_columns(first.schema, options)

    def run(job: ReadJob) -> Iterator[Batch]:
        check_schema(job, first.schema)
        row = 1
        for batch in batches():
            yield column_batch(job, batch, row)
            row += batch.num_rows

    return run


def _check_columns(schema: pa.Schema, options: ReadOptions) -> None:
    top = options.text.split(".")[0]
    if options.text not in schema.names and top not in schema.names:
        have = ", ".join(schema.names) or "none"
        raise TwinsetError(
            f"the table has no column '{options.text}' (it has {have}); name the text"
        )


def _pair_pass(pairs: list[tuple[Any, Any]]) -> Callable[[ReadJob], Iterator[Batch]]:
    checked = [(_id(id, i), _text(text, i)) for i, (id, text) in enumerate(pairs)]

    def run(job: ReadJob) -> Iterator[Batch]:
        numbered = iter(enumerate(checked, 1))
        while some := list(itertools.islice(numbered, _ROWS)):
            rows = BatchBuilder()
            for place, (id, text) in some:
                if text is None:
                    job.faults.add(place, "missing", "the text is None")
                plain = text if text is None else as_text(job, text, place)
                rows.add(id, plain, place, raw=job.raw(text))
            yield rows.batch(job)

    return run


def _pair(item: Any, index: int) -> tuple[Any, Any]:
    if item is None or isinstance(item, str):
        return None, item
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return item[0], item[1]
    raise TwinsetError(
        f"document {index + 1} is {_of(item)}, neither a text nor an (id, text) pair"
    )


def _id(value: Any, index: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TwinsetError(f"the id of document {index + 1} is {_of(value)}; give text or a number")
    return str(int(value))


def _text(value: Any, index: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TwinsetError(f"the text of document {index + 1} is {_of(value)}; give a str")


def _of(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
