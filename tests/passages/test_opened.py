"""Reports of passages that are opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import twinset
from twinset.run.passages.opened import open_passages


def test_spans_of_most_places_come_first(tmp_path: Path) -> None:
    text = "a stretch of words that stands in both of the documents"
    folder = Path(str(twinset.spans({"a": text, "b": text}, 5).save(tmp_path / "spans")))
    file = folder / "spans.parquet"
    spans = 5_000
    places = np.full(spans, 1)
    places[[0, 7, spans - 1]] = [5, 3, 4]
    count = int(places.sum())
    table = pa.table(
        {
            "span": np.repeat(np.arange(spans), places),
            "id": pa.array(["a"], pa.large_string()).take(pa.array(np.zeros(count, np.int64))),
            "start": np.zeros(count, np.int64),
            "end": np.full(count, 9),
            "units": np.full(count, 5),
        }
    )
    pq.write_table(table.cast(pq.read_schema(file)), file)
    report = open_passages(folder)
    rows = report.rows(0, 50)
    assert [(row["span"], row["size"]) for row in rows[:4]] == [
        (0, 5),
        (spans - 1, 4),
        (7, 3),
        (1, 1),
    ]


def test_the_tab_and_the_page_rank_reuse_alike(tmp_path: Path) -> None:
    short = " ".join(f"a{n % 7}b" for n in range(40))  # of most words
    long = " ".join(f"{'wordy' * 4}{n}" for n in range(30))  # of most characters
    left = {"short": short, "long": long}
    folder = Path(str(twinset.reuse(left, left).save(tmp_path / "reuse")))
    assert [row["left"] for row in open_passages(folder).rows(0, 2)] == ["long", "short"]
    page = (folder / "report.html").read_text()
    assert page.index("wordywordy") < page.index("a0b")
