"""Every kind of data that a program can hand over: how one is made, and filtered by hand.

A new kind is one line of `KINDS`.
"""

from __future__ import annotations

import importlib.util
from collections import OrderedDict, UserDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

ROWS = [
    {"id": 7, "text": "the heron stands in the reeds and waits for a fish", "stars": 1},
    {"id": 8, "text": "a train crosses the long bridge at night", "stars": 2},
    {"id": 9, "text": "the heron stands in the reeds and waits for a fish", "stars": 3},
    {"id": 10, "text": "nobody knows who painted the door of the mill", "stars": 4},
    {"id": 11, "text": "a train crosses the long bridge at night", "stars": 5},
]
MASK = [True, True, False, True, False]
IDS = ["7", "8", "9", "10", "11"]
POSITIONS = ["0", "1", "2", "3", "4"]
TEXTS = [row["text"] for row in ROWS]
TABLE = pa.Table.from_pylist(ROWS).replace_schema_metadata({"made by": "hand"})

ODD = object()


@dataclass(frozen=True)
class KindCase:
    """One kind of data: its rows, the same filtered by hand, and plain values to compare by."""

    name: str
    make: Callable[[], Any]
    filtered: Callable[[Any, list[bool]], Any]
    plain: Callable[[Any], Any] = lambda data: data
    ids: tuple[str, ...] = tuple(IDS)
    needs: str = "pyarrow"
    kept_type: type | None = None

    def skip_without_library(self) -> None:
        if importlib.util.find_spec(self.needs) is None:
            pytest.skip(f"{self.needs} is not installed: pip install {self.needs}")


def _compressed(data: Any, mask: list[bool]) -> Any:
    return type(data)(compress(data, mask))


def _items(data: Any, mask: list[bool]) -> Any:
    return type(data)(compress(data.items(), mask))


def _filtered(data: Any, mask: list[bool]) -> Any:
    return data.filter(pa.array(mask))


def _reader(data: Any, mask: list[bool]) -> Any:
    return TABLE.filter(pa.array(mask)).to_reader()


def _located(data: Any, mask: list[bool]) -> Any:
    return data[np.array(mask)]


def _chosen(data: Any, mask: list[bool]) -> Any:
    return data.select([i for i, keep in enumerate(mask) if keep])


def _arrow(data: Any) -> Any:
    return data.schema, data.schema.metadata, data.to_pylist()


def _read(data: Any) -> Any:
    return _arrow(data.read_all())


def _scanned(data: Any) -> Any:
    return _arrow(data.to_table())


def _pandas_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame(ROWS)
    frame["odd"] = [ODD, {1, 2}, len, 5, None]  # Arrow takes no such column
    frame["kind"] = pd.Categorical(["a", "b", "a", "b", "a"])
    frame.index = pd.Index(["v", "w", "x", "y", "z"], name="letter")
    frame.attrs["made by"] = "hand"
    return frame


def _pandas_plain(data: Any) -> Any:
    lists = [data[name].tolist() for name in data.columns]
    return lists, data.dtypes.tolist(), data.index.tolist(), data.index.name, data.attrs


def _pandas_series() -> Any:
    import pandas as pd

    return pd.Series(TEXTS, index=IDS, name="body")


def _polars_frame() -> Any:
    import polars as pl

    return pl.from_arrow(TABLE).with_columns(pl.Series("kind", list("abaab"), pl.Categorical))


def _polars_plain(data: Any) -> Any:
    frame = data.lazy().collect()
    return frame.schema, frame.rows()


def _polars_series() -> Any:
    import polars as pl

    return pl.Series("body", TEXTS)


def _dataset() -> Any:
    from datasets import ClassLabel, Dataset, Features, Value

    rows = {"id": [7, 8, 9, 10, 11], "text": TEXTS, "kind": [0, 1, 0, 1, 0]}
    features = {"id": Value("int64"), "text": Value("string"), "kind": ClassLabel(2)}
    dataset = Dataset.from_dict(rows, Features(features), split="train")
    return dataset.with_format("numpy")


def _dataset_plain(data: Any) -> Any:
    return data.features, str(data.split), data.format["type"], data.with_format(None).to_list()


def _stream() -> Any:
    return _dataset().to_iterable_dataset(num_shards=2)


def _stream_plain(data: Any) -> Any:
    return data.features, [{**row, "id": int(row["id"])} for row in data.with_format(None)]


def _stream_filtered(data: Any, mask: list[bool]) -> Any:
    return _chosen(_dataset(), mask)


def _splits() -> Any:
    from datasets import DatasetDict

    return DatasetDict(train=_dataset().select(range(3)), test=_dataset().select([3, 4]))


def _streams() -> Any:
    from datasets import IterableDatasetDict

    return IterableDatasetDict(
        {name: part.to_iterable_dataset() for name, part in _splits().items()}
    )


def _splits_filtered(data: Any, mask: list[bool]) -> Any:
    chosen = {"train": _chosen(data["train"], mask[:3]), "test": _chosen(data["test"], mask[3:])}
    return type(data)(chosen)


def _streams_filtered(data: Any, mask: list[bool]) -> Any:
    return _splits_filtered(_splits(), mask)


def _splits_plain(data: Any) -> Any:
    return {name: _dataset_plain(part) for name, part in data.items()}


def _streams_plain(data: Any) -> Any:
    return {name: _stream_plain(part) for name, part in data.items()}


def _relation() -> Any:
    import duckdb

    connection = duckdb.connect()
    return connection.from_arrow(TABLE).project('*, id::HUGEINT AS huge, \'a\' AS "odd "" name"')


def _relation_filtered(data: Any, mask: list[bool]) -> Any:
    kept = [row["id"] for row, keep in zip(ROWS, mask, strict=True) if keep]
    return data.filter(f"id IN ({', '.join(map(str, kept))})" if kept else "false")


def _relation_plain(data: Any) -> Any:
    return data.columns, list(map(str, data.types)), sorted(data.fetchall())


def _files() -> Any:
    import pyarrow.dataset

    return pyarrow.dataset.dataset(
        [pyarrow.dataset.dataset(TABLE[:2]), pyarrow.dataset.dataset(TABLE[2:])]
    )


def _dataset_in_memory(data: Any, mask: list[bool]) -> Any:
    import pyarrow.dataset

    return pyarrow.dataset.dataset(TABLE.filter(pa.array(mask)))


def _polars_filter(data: Any, mask: list[bool]) -> Any:
    import polars as pl

    return data.filter(pl.Series(mask))


class Stream:
    """The least that offers Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


def _generated(data: Any, mask: list[bool]) -> Any:
    return list(compress(TEXTS, mask))


PAIRS = list(zip(IDS, TEXTS, strict=True))
NUMBERED = tuple(POSITIONS)
KINDS = [
    KindCase("list of texts", lambda: list(TEXTS), _compressed, ids=NUMBERED),
    KindCase("tuple of texts", lambda: tuple(TEXTS), _compressed, ids=NUMBERED),
    KindCase("generator", lambda: iter(TEXTS), _generated, ids=NUMBERED, kept_type=list),
    KindCase("list of pairs", lambda: list(PAIRS), _compressed),
    KindCase("list of dicts", lambda: [dict(row) for row in ROWS], _compressed),
    KindCase("dict", lambda: dict(PAIRS), _items),
    KindCase("ordered dict", lambda: OrderedDict(PAIRS), _items),
    KindCase("user dict", lambda: UserDict(PAIRS), _items),
    KindCase("numpy", lambda: np.array(TEXTS), _located, np.ndarray.tolist, NUMBERED, "numpy"),
    KindCase("Arrow table", lambda: TABLE, _filtered, _arrow),
    KindCase("Arrow batch", lambda: TABLE.to_batches()[0], _filtered, _arrow),
    KindCase("Arrow reader", TABLE.to_reader, _reader, _read),
    KindCase("Arrow array", lambda: pa.array(TEXTS), _filtered, pa.Array.to_pylist, NUMBERED),
    KindCase("chunks", lambda: TABLE["text"], _filtered, pa.ChunkedArray.to_pylist, NUMBERED),
    KindCase("Arrow dataset", _files, _dataset_in_memory, _scanned),
    KindCase(
        "Arrow stream", Stream, lambda d, m: TABLE.filter(pa.array(m)), _arrow, kept_type=pa.Table
    ),
    KindCase("pandas frame", _pandas_frame, _located, _pandas_plain, needs="pandas"),
    KindCase(
        "pandas series", _pandas_series, _located, lambda s: (s.to_dict(), s.name), needs="pandas"
    ),
    KindCase(
        "Polars frame", _polars_frame, lambda d, m: d.filter(m), _polars_plain, needs="polars"
    ),
    KindCase(
        "Polars lazy frame",
        lambda: _polars_frame().lazy(),
        lambda d, m: _polars_filter(d.collect(), m).lazy(),
        _polars_plain,
        needs="polars",
    ),
    KindCase(
        "Polars series",
        _polars_series,
        _polars_filter,
        lambda s: (s.name, s.dtype, s.to_list()),
        NUMBERED,
        "polars",
    ),
    KindCase("Hugging Face set", _dataset, _chosen, _dataset_plain, needs="datasets"),
    KindCase("Hugging Face stream", _stream, _stream_filtered, _stream_plain, needs="datasets"),
    KindCase("splits", _splits, _splits_filtered, _splits_plain, needs="datasets"),
    KindCase("streamed splits", _streams, _streams_filtered, _streams_plain, needs="datasets"),
    KindCase("DuckDB relation", _relation, _relation_filtered, _relation_plain, needs="duckdb"),
]
