"""Whatever holds the documents: what is kept has the same type and is what a filter gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as pads
import pytest

import twinset

LONG = "the lease begins in march and ends when one of the two says so with three months of notice"
TEXTS = [LONG, "another text about cooking onions slowly in a pan", LONG, LONG + " today", "short"]
IDS = ["a", "b", "c", "d", "e"]
EXTRA = [1.5, None, 3.0, 4.0, 5.0]
STAYS = [True, True, False, False, True]
COLUMNS = {"id": IDS, "text": TEXTS, "extra": EXTRA}
KEPT = [place for place, stays in enumerate(STAYS) if stays]
REMOVED = [place for place, stays in enumerate(STAYS) if not stays]


@dataclass
class Kind:
    """How documents are held, and how somebody would pick some of them by hand."""

    make: Callable[[], Any]
    pick: Callable[[Any, list[int]], Any]
    equal: Callable[[Any, Any], bool] = lambda left, right: left == right
    type: type | None = None  # where it is not that of the documents
    needs: str = ""


def arrow_equal(left: Any, right: Any) -> bool:
    return bool(left.equals(right, check_metadata=True))


def frame_equal(left: Any, right: Any) -> bool:
    return bool(left.equals(right)) and list(left.index) == list(right.index)


def generated(rows: list[Any]) -> Iterator[Any]:
    yield from rows


def rows() -> list[dict[str, Any]]:
    table = pa.table(COLUMNS)
    listed: list[dict[str, Any]] = table.to_pylist()
    return listed


def table() -> pa.Table:
    return pa.table(COLUMNS).replace_schema_metadata({"made by": "hand"})


def pandas_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame(COLUMNS, index=[10, 20, 30, 40, 50])
    frame["object"] = [object(), {1}, None, "x", 2]
    return frame


def polars_frame() -> Any:
    import polars as pl

    return pl.DataFrame(COLUMNS)


def dataset() -> Any:
    import datasets

    return datasets.Dataset.from_dict(COLUMNS)


def relation() -> Any:
    import duckdb

    duckdb.sql(
        "CREATE OR REPLACE TEMP TABLE documents_held (id VARCHAR, text VARCHAR, extra DOUBLE)"
    )
    duckdb.execute("DELETE FROM documents_held")
    values = list(zip(IDS, TEXTS, EXTRA, strict=True))
    duckdb.executemany("INSERT INTO documents_held VALUES (?, ?, ?)", values)
    return duckdb.sql("SELECT * FROM documents_held")


def hand_picked_relation(held: Any, places: list[int]) -> Any:
    return [held.fetchall()[place] for place in places]


KINDS = {
    "texts": Kind(lambda: list(TEXTS), lambda held, places: [held[i] for i in places]),
    "tuple": Kind(lambda: tuple(TEXTS), lambda held, places: tuple(held[i] for i in places)),
    "pairs": Kind(
        lambda: list(zip(IDS, TEXTS, strict=True)), lambda held, places: [held[i] for i in places]
    ),
    "dicts": Kind(rows, lambda held, places: [held[i] for i in places]),
    "generated texts": Kind(
        lambda: generated(TEXTS), lambda held, places: [TEXTS[i] for i in places], type=list
    ),
    "generated dicts": Kind(
        lambda: generated(rows()), lambda held, places: [rows()[i] for i in places], type=list
    ),
    "mapping": Kind(
        lambda: dict(zip(IDS, TEXTS, strict=True)),
        lambda held, places: {IDS[i]: TEXTS[i] for i in places},
    ),
    "array of numpy": Kind(
        lambda: np.array(TEXTS), lambda held, places: held[places], equal=np.array_equal
    ),
    "arrow table": Kind(table, lambda held, places: held.take(places), arrow_equal),
    "arrow batch": Kind(
        lambda: pa.RecordBatch.from_pydict(COLUMNS),
        lambda held, places: held.take(pa.array(places)),
        arrow_equal,
    ),
    "arrow reader": Kind(
        lambda: table().to_reader(),
        lambda held, places: table().take(places),
        lambda left, right: left.read_all().equals(right),
    ),
    "arrow array": Kind(
        lambda: pa.array(TEXTS),
        lambda held, places: held.take(pa.array(places)),
        lambda left, right: left.equals(right),
    ),
    "arrow chunks": Kind(
        lambda: pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        lambda held, places: held.take(pa.array(places)),
        lambda left, right: left.equals(right),
    ),
    "arrow dataset": Kind(
        lambda: pads.dataset(table()),
        lambda held, places: table().take(places),
        lambda left, right: isinstance(left, pads.Dataset) and left.to_table().equals(right),
        type=pads.Dataset,
    ),
    "pandas frame": Kind(
        pandas_frame, lambda held, places: held.iloc[places], frame_equal, needs="pandas"
    ),
    "pandas series": Kind(
        lambda: pandas_frame()["text"],
        lambda held, places: held.iloc[places],
        frame_equal,
        needs="pandas",
    ),
    "polars frame": Kind(
        polars_frame,
        lambda held, places: held[places],
        lambda left, right: left.equals(right),
        needs="polars",
    ),
    "polars lazy frame": Kind(
        lambda: polars_frame().lazy(),
        lambda held, places: polars_frame()[places],
        lambda left, right: left.collect().equals(right),
        needs="polars",
    ),
    "polars series": Kind(
        lambda: polars_frame()["text"],
        lambda held, places: held.gather(places),
        lambda left, right: left.equals(right),
        needs="polars",
    ),
    "hugging face": Kind(
        dataset,
        lambda held, places: held.select(places),
        lambda left, right: left.features == right.features and left[:] == right[:],
        needs="datasets",
    ),
    "hugging face stream": Kind(
        lambda: dataset().to_iterable_dataset(),
        lambda held, places: [rows()[i] for i in places],
        lambda left, right: list(left) == right,
        needs="datasets",
    ),
    "duckdb": Kind(
        relation,
        hand_picked_relation,
        lambda left, right: left.fetchall() == right and left.columns == ["id", "text", "extra"],
        needs="duckdb",
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_is_kept_has_the_type_of_the_documents(name: str) -> None:
    kind = KINDS[name]
    if kind.needs:
        pytest.importorskip(kind.needs)
    held = kind.make()
    findings = twinset.dedup(held, 0.8, exact=True, kinds="no")
    expected_type = kind.type or type(held)
    for selected, places in ((findings.kept, KEPT), (findings.removed, REMOVED)):
        assert isinstance(selected, expected_type)
        assert kind.type is not None or type(selected) is expected_type
        assert kind.equal(selected, kind.pick(held, places))
    assert findings.kept_indices.tolist() == KEPT
    assert findings.removed_indices.tolist() == REMOVED
    assert findings.mask.tolist() == STAYS


def test_the_splits_of_a_set_stay_apart() -> None:
    datasets = pytest.importorskip("datasets")
    held = datasets.DatasetDict(train=dataset(), test=dataset().select([0, 1]))
    kept = twinset.dedup(held, 0.8, exact=True).kept
    assert type(kept) is datasets.DatasetDict
    assert {name: kept[name]["id"][:] for name in kept} == {"train": ["a", "b", "e"], "test": []}
    clean = twinset.dedup(held, 0.8, exact=True, reference=["test"]).kept
    assert {name: clean[name]["id"][:] for name in clean} == {"train": ["e"], "test": ["a", "b"]}


def test_a_path_becomes_the_path_of_the_kept_documents(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"".join(b'{"text": "%s"}\n' % text.encode() for text in TEXTS))
    findings = twinset.dedup(path, 0.8, exact=True)
    with pytest.raises(twinset.TwinsetError, match="save"):
        _ = findings.kept
    findings.save(tmp_path / "out")
    lines = path.read_bytes().splitlines()
    assert Path(findings.kept).read_bytes().splitlines() == [lines[i] for i in KEPT]


@pytest.mark.parametrize("method", ["to_pandas", "to_polars"])
def test_the_documents_as_a_frame(method: str) -> None:
    pytest.importorskip(method.removeprefix("to_"))
    findings = twinset.dedup(rows(), 0.8, exact=True)
    frame = getattr(findings, method)()
    assert list(frame["id"]) == IDS
    assert list(frame["keep"]) == STAYS
    assert list(frame["kept_id"])[2] == "a"
