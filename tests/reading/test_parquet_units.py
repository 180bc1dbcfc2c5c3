"""Row groups of Parquet files, read one after another or side by side."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from twinset.reading import open_inputs
from twinset.reading.inputs import Earlier


@pytest.mark.parametrize("group", [1, 7, 64, 1000])
@pytest.mark.parametrize("batch_bytes", [1000, 5000, 1 << 20])
def test_batches_are_cut_alike_for_any_number_of_threads(
    tmp_path: Path, group: int, batch_bytes: int
) -> None:
    """A run that ended after some batches may be resumed with fewer threads."""
    path = tmp_path / "a.parquet"
    texts = [f"{number} " + "words " * (number % 9) for number in range(200)]
    pq.write_table(pa.table({"text": texts}), path, row_group_size=group)
    read = {}
    for threads in (1, 2, 5):
        batches = list(open_inputs(path, batch_bytes=batch_bytes, threads=threads).batches())
        assert [text for batch in batches for text in batch.texts.to_pylist()] == texts
        assert [place for batch in batches for place in batch.places] == list(range(1, 201))
        read[threads] = [len(batch) for batch in batches]
    assert read[1] == read[2] == read[5]


@pytest.mark.parametrize(("before", "after"), [(1, 4), (4, 1)])
def test_a_pass_goes_on_with_another_number_of_threads(
    tmp_path: Path, before: int, after: int
) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"{number} words" for number in range(200)]
    pq.write_table(pa.table({"text": texts}), path, row_group_size=7)
    read: list[str] = []
    for batch in open_inputs(path, batch_bytes=400, threads=before).batches():
        read += batch.texts.to_pylist()
        if len(read) > 60:
            break
    earlier = Earlier(batch.end)
    for batch in open_inputs(path, batch_bytes=400, threads=after).batches(earlier=earlier):
        read += batch.texts.to_pylist()
    assert read == texts
