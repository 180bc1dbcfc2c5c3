"""Documents from what Python programs hold."""

from __future__ import annotations

import math
import warnings
from collections import OrderedDict
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import twinset
from tests.reading.helpers import gather
from tests.reading.kinds import ROWS, TEXTS
from twinset.errors import ReadError, TwinsetError
from twinset.plan import ReadOptions
from twinset.reading.arrays import filtered
from twinset.reading.memory import from_memory

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
    found = gather(from_memory([("a", "<p>a<p>b"), ("b", "x\ud800y"), ("c\udc00", "c")]))
    assert (found.ids, found.texts) == (["a", "b", "2"], ["a\n\nb", None, "c"])
    assert sorted(found.kinds) == [(2, "encoding"), (3, "encoding")]
    assert gather(from_memory(["<p>a"], ReadOptions(html="no"))).texts == ["<p>a"]


def test_missing_values_are_reported() -> None:
    found = gather(from_memory(["a", None]))
    assert found.texts == ["a", None]
    assert found.kinds == [(2, "missing")]
    with pytest.raises(ReadError, match="None"):
        gather(from_memory([None], ReadOptions(on_error="stop")))


class Odd:
    """What no library converts."""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a path or text", "one str is not a collection"),
        (5, "cannot take documents from int"),
        ([1, 2], "document 1 is int"),
        ([b"a"], "document 1 is bytes.*decode it first"),
        (iter([Path("a.txt")]), "document 1 is .*PosixPath.*paths are taken in a list"),
        ([("a", "b"), ("c", 5)], "text of document 2 is int"),
        ([(1.5, "b")], "id of document 1 is float"),
        ({"text": ["a", "b"]}, r"text of document 1 is list.*pyarrow\.table"),
        ([{"body": "a"}, {"body": "b"}], "no dict has a field 'text' .they have body"),
        (np.array([1, 2]), "the array holds numbers, not text"),
        (np.array([["a", "b"]]), "the array holds lists, not text"),
        (pa.array([1, 2]), "the array holds numbers, not text"),
        (pa.table({"x": ["a"]}), "no column 'text'.*it has x"),
        (pa.table({"text": [1, 2], "body": ["a", "b"]}), "holds numbers.*did you mean text='body'"),
        (pa.table([["a"], ["b"]], names=["text", "text"]), "several columns 'text'"),
        (pd.DataFrame({"body": ["a"]}), "no column 'text'"),
        (pd.DataFrame({"Text": ["a"], "x": [1]}), r"did you mean text='Text'\?"),
        (pd.DataFrame({"text": [1, 2], "body": ["a", "b"]}), "numbers.*did you mean text='body'"),
        (
            pd.DataFrame({"text": [Odd(), Odd()]}),
            "cannot read documents.*mend the data",
        ),
        (pd.DataFrame({"text": ["a", 5]}), "cannot read documents from pandas.*a table of strings"),
        (pd.Series(["a", "x\ud800y"], dtype=object), "a text holds half of a surrogate pair"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "several columns 'text'"),
        (pd.Series([1.5]), "the array holds numbers, not text"),
        (pl.DataFrame({"txt": ["a"], "x": [1]}), r"did you mean text='txt'\?"),
        (pl.Series([1]), "the array holds numbers, not text"),
        (pl.DataFrame({"text": ["a"]}).lazy().select("nope"), "cannot read documents.*nope"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_wrong_types_are_reported_at_once(data: Any, message: str) -> None:
    with pytest.raises(TwinsetError, match=message):
        from_memory(data)


@pytest.mark.parametrize("data", [ROWS, pa.Table.from_pylist(ROWS), pd.DataFrame(ROWS)])
@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (ReadOptions(id="idd"), "id='id'"),
        (ReadOptions(id="key"), "id='id'"),
        (ReadOptions(order="strs"), "keep='stars:max'"),
    ],
)
def test_a_field_that_was_named_must_be_there(data: Any, options: ReadOptions, meant: str) -> None:
    assert len(gather(from_memory(data, options)).texts) == 5
    with pytest.raises(TwinsetError, match=f"did you mean {meant}"):
        from_memory(data, options, strict=True)


def test_dicts_without_a_text_are_faults_with_their_number() -> None:
    raw = "да".encode() + b"\xff"
    rows = [{"id": 1, "text": "a"}, {"id": 2}, {"id": 3, "text": 5}, {"text": raw, "id": None}]
    found = gather(from_memory(rows))
    assert found.ids == ["1", "2", "3", "3"]
    assert found.texts == ["a", None, None, "да\ufffd"]
    assert found.kinds == [(2, "missing"), (3, "type"), (4, "encoding")]


def test_values_of_pandas_that_are_missing_are_faults_with_their_number() -> None:
    values = ["a", None, float("nan"), b"b", pd.NA]
    found = gather(from_memory(pd.DataFrame({"text": pd.Series(values, dtype=object)})))
    assert found.texts == ["a", None, None, "b", None]
    assert found.kinds == [(2, "missing"), (3, "missing"), (5, "missing")]


U = [UUID(int=5), UUID(int=1 << 127), None]
WRITTEN = [str(U[0]), str(U[1]), "2"]


@pytest.mark.parametrize(
    "data",
    [
        [{"id": id, "text": "a"} for id in U],
        list(zip(U, ["a"] * 3, strict=True)),
        pd.DataFrame({"id": U, "text": "a"}),
        pa.table({"id": pa.array([id and id.bytes for id in U], pa.uuid()), "text": ["a"] * 3}),
        pa.table(
            {"id": pa.array([None, *(i and i.bytes for i in U)], pa.uuid())[1:], "text": ["a"] * 3}
        ),
    ],
    ids=["dicts", "pairs", "pandas", "arrow", "slice"],
)
def test_ids_may_be_uuids(data: Any) -> None:
    assert gather(from_memory(data)).ids == WRITTEN


@pytest.mark.parametrize(
    ("index", "ids"),
    [
        (None, ["0", "1", "2"]),
        (["x", "y", "z"], ["x", "y", "z"]),
        ([4, 9, 5], ["4", "9", "5"]),
        ([*U[:2], UUID(int=3)], [*WRITTEN[:2], str(UUID(int=3))]),
        (pd.RangeIndex(5, 8), ["5", "6", "7"]),
        (["x", "x", "y"], ["0", "1", "2"]),
        ([1.5, 2.5, 3.5], ["0", "1", "2"]),
        (pd.date_range("2024", periods=3), ["0", "1", "2"]),
        (pd.MultiIndex.from_product([["a"], [1, 2, 3]]), ["0", "1", "2"]),
        (pd.Index(["x", "x", "y"], name="id"), ["x", "x", "y"]),
    ],
    ids=str,
)
def test_labels_of_pandas_are_ids_where_they_tell_rows_apart(index: Any, ids: list[str]) -> None:
    frame = pd.DataFrame({"text": ["a", "b", "c"]}, index=index)
    assert gather(from_memory(frame)).ids == ids
    if frame.index.name is None:
        assert gather(from_memory(frame["text"])).ids == ids
    assert gather(from_memory(frame.assign(id=["u", "v", "w"]))).ids == ["u", "v", "w"]


@pytest.mark.parametrize(
    ("kind", "values", "order"),
    [
        (pa.timestamp("ns"), [1500, None], 1.5),
        (pa.timestamp("s", "Europe/Berlin"), [1 << 50, None], float(1 << 50) * 1e6),
        (pa.date32(), [2, None], 2 * 86400e6),
        (pa.date64(), [2 * 86400000, None], 2 * 86400e6),
        (pa.time32("s"), [3, None], 3e6),
        (pa.time64("us"), [3, None], 3.0),
        (pa.duration("ms"), [3, None], 3e3),
        (pa.decimal128(5, 2), [Decimal("2.50"), None], 2.5),
    ],
    ids=str,
)
def test_columns_that_documents_are_ordered_by(kind: Any, values: list[Any], order: float) -> None:
    table = pa.table({"text": ["a", "b"], "o": pa.array(values, kind)})
    first, missing = gather(from_memory(table, ReadOptions(order="o"))).order
    assert first == order
    assert math.isnan(missing)


def test_types_that_arrow_cannot_filter_are_cut() -> None:
    mask = np.array([True, False, False, True, True])
    for data in (
        pa.table({"text": pa.array(TEXTS, pa.string_view())}),
        pa.record_batch({"text": pa.array(TEXTS, pa.string_view())}),
        pa.array(TEXTS, pa.string_view()),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]], pa.string_view()),
    ):
        for rows in (mask, ~mask, mask & ~mask):
            selected = filtered(data, rows)
            assert type(selected) is type(data)
            expected = [value for value, stays in zip(data.to_pylist(), rows, strict=True) if stays]
            assert selected.to_pylist() == expected


def test_a_stream_is_collected_once() -> None:
    datasets = pytest.importorskip("datasets")
    rows = iter([{"text": text} for text in TEXTS])
    documents = from_memory(datasets.IterableDataset.from_generator(lambda: rows))
    assert gather(documents).texts == gather(documents).texts == TEXTS


def test_nothing_at_all() -> None:
    for data in ([], {}, TABLE.slice(0, 0)):
        assert gather(from_memory(data)).texts == []


def test_names_of_files_among_texts_are_pointed_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"text": "one"}\n', encoding="utf-8")
    with pytest.warns(UserWarning, match="names of files, and the names are compared") as warned:
        findings = twinset.dedup(["a.jsonl", "b.jsonl"])
    ours = [warning for warning in warned if warning.category is UserWarning]
    assert [Path(warning.filename) for warning in ours] == [Path(__file__)]
    assert findings.kept == ["a.jsonl", "b.jsonl"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        twinset.dedup(["a.jsonl", "another text"])
        twinset.dedup([Path("a.jsonl"), Path("b.jsonl")])


def test_a_path_becomes_the_path_of_the_kept_documents(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"".join(b'{"text": "%s"}\n' % text.encode() for text in TEXTS))
    findings = twinset.dedup(path, 0.8, exact=True)
    with pytest.raises(TwinsetError, match="save"):
        _ = findings.kept
    findings.save(tmp_path / "out")
    lines = path.read_bytes().splitlines()
    assert Path(findings.kept).read_bytes().splitlines() == [lines[i] for i in (0, 1, 3)]
