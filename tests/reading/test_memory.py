"""Documents from what Python programs hold."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tests.reading.helpers import gather
from twinset.errors import ReadError, TwinsetError
from twinset.plan import ReadOptions
from twinset.reading import from_memory

TABLE = pa.table({"id": ["a", "b"], "text": ["one", "two"], "stars": [3, 4]})


TABLES = [TABLE, TABLE.to_batches()[0], TABLE.to_reader(), TABLE.to_pandas()]


@pytest.mark.parametrize("data", TABLES, ids=lambda data: type(data).__name__)
def test_tables(data: Any) -> None:
    documents = from_memory(data, ReadOptions(order="stars"))
    for _ in range(2):
        found = gather(documents)
        assert found.ids == ["a", "b"]
        assert found.texts == ["one", "two"]
        assert found.places == [1, 2]
        assert found.order == [3.0, 4.0]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
)
def test_string_types(kind: pa.DataType) -> None:
    table = pa.table({"id": pa.array([7, None]), "text": pa.array(["é", None]).cast(kind)})
    found = gather(from_memory(table))
    assert found.ids == ["7", "1"]
    assert found.texts == ["é", None]
    assert found.kinds == [(2, "missing")]


def test_slices_and_chunks() -> None:
    table = pa.concat_tables([TABLE, TABLE]).slice(1, 2)
    assert gather(from_memory(table)).texts == ["two", "one"]


def test_nested_columns() -> None:
    table = pa.table({"m": [{"id": 1, "t": "x"}, {"id": 2, "t": "y"}, None]})
    found = gather(from_memory(table, ReadOptions(id="m.id", text="m.t")))
    assert found.ids == ["1", "2", "2"]
    assert found.texts == ["x", "y", None]


def test_texts_pairs_and_dicts() -> None:
    assert gather(from_memory(["one", "two"])).ids == ["0", "1"]
    for data in ([("a", "one"), (2, "two")], {"a": "one", 2: "two"}, OrderedDict(a="one", b="two")):
        found = gather(from_memory(data))
        assert found.ids[0] == "a"
        assert found.texts == ["one", "two"]


def test_a_generator_can_be_read_twice() -> None:
    documents = from_memory((str(i), f"text {i}") for i in range(20_000))
    assert len(gather(documents).ids) == 20_000
    assert gather(documents).ids[-1] == "19999"


def test_html_and_surrogates_in_memory() -> None:
    assert gather(from_memory(["<p>a<p>b", "x\ud800y"])).texts == ["a\n\nb", "x\ufffdy"]
    assert gather(from_memory(["<p>a"], ReadOptions(html="no"))).texts == ["<p>a"]


def test_bytes_that_are_not_utf8_in_a_table() -> None:
    table = pa.table({"text": pa.array(["да".encode(), "да".encode() + b"\xff"], pa.binary())})
    found = gather(from_memory(table))
    assert found.texts == ["да", "да\ufffd"]
    assert found.kinds == [(2, "encoding")]


def test_missing_values_are_reported() -> None:
    found = gather(from_memory(["a", None]))
    assert found.texts == ["a", None]
    assert found.kinds == [(2, "missing")]
    with pytest.raises(ReadError, match="None"):
        gather(from_memory([None], ReadOptions(on_error="stop")))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a path or text", "one str is not a collection"),
        (5, "cannot take documents from int"),
        ([1, 2], "document 1 is int"),
        ([("a", "b"), ("c", 5)], "text of document 2 is int"),
        ([(1.5, "b")], "id of document 1 is float"),
        (pa.table({"x": ["a"]}), "no column 'text'.*it has x"),
        (pd.DataFrame({"body": ["a"]}), "no column 'text'"),
    ],
    ids=str,
)
def test_wrong_types_are_reported_at_once(data: Any, message: str) -> None:
    with pytest.raises(TwinsetError, match=message):
        from_memory(data)


def test_nothing_at_all() -> None:
    for data in ([], {}, TABLE.slice(0, 0)):
        assert gather(from_memory(data)).texts == []
