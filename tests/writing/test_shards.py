"""Shards: the documents of all files one after another, cut into files of about the same number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.helpers import gather, outcomes, read
from tests.reading.samples import write
from twinset.errors import PlanError
from twinset.plan import OutputForm
from twinset.reading import open_inputs
from twinset.writing import WrittenDocuments, write_documents


def shards(
    paths: list[Path], folder: Path, count: int, keep: Any = None, batch_bytes: int = 1 << 20
) -> tuple[WrittenDocuments, Any]:
    inputs = open_inputs(paths, batch_bytes=batch_bytes)
    documents = len(gather(inputs).texts)
    keep = np.arange(documents) % 3 != 1 if keep is None else keep
    form = OutputForm(annotate=True, shards=count)
    return write_documents(inputs, outcomes(keep), folder, form), keep


def files(written: WrittenDocuments, name: str) -> list[Path]:
    place = written.place(name)
    assert isinstance(place, Path)
    return sorted(place.iterdir())


LINES = st.lists(st.sampled_from([b"", b'{"text": "a"}', b"broken", b'{"id": 1}']), max_size=6)


@examples(80)
@given(
    st.lists(st.tuples(LINES, st.booleans()), min_size=1, max_size=3),
    st.integers(1, 5),
    st.integers(1, 60),
)
def test_lines_are_joined_and_cut(
    tmp_path_factory: pytest.TempPathFactory,
    contents: list[tuple[list[bytes], bool]],
    count: int,
    size: int,
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    paths, lines = [], []
    for number, (content, ended) in enumerate(contents):
        path = folder / f"{number}.jsonl"
        path.write_bytes(b"\n".join(content) + (b"\n" if ended else b""))
        paths.append(path)
        lines += [line for line in content if line]
    written, keep = shards(paths, folder / "out", count, batch_bytes=size)
    for name, mask in (("kept", keep), ("removed", ~keep)):
        data = b"\n".join(path.read_bytes() for path in files(written, name))
        found = [line for line in data.split(b"\n") if line]
        assert found == [line for line, goes in zip(lines, mask, strict=True) if goes]


def test_a_quote_that_is_not_closed_takes_no_row_of_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text('id,text\n1,whole\n2,"open')
    (tmp_path / "2.csv").write_text("id,text\n3,other\n")
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    written, _ = shards(paths, tmp_path / "out", 1, np.ones(3, bool))
    (part,) = files(written, "kept")
    assert read(part).ids == ["1", "2", "3"]
    assert part.read_text() == 'id,text\n1,whole\n2,"open"\n3,other\n'


@pytest.mark.parametrize("encodings", [("utf-8-sig", "cp1251"), ("cp1251", "utf-16")])
def test_rows_of_another_encoding_do_not_follow_those_of_utf8(
    tmp_path: Path, encodings: tuple[str, str]
) -> None:
    rows = "".join(f"{n},мост через реку закрыт до конца августа\n" for n in range(9))
    for name, encoding in zip("ab", encodings, strict=True):
        (tmp_path / f"{name}.csv").write_text(f"id,text\n{rows}", encoding=encoding)
    (tmp_path / "c.csv").write_text("id,text\n1,plain\n")
    a, b, c = (tmp_path / f"{name}.csv" for name in "abc")
    with pytest.raises(PlanError, match=r"a\.csv and .*csv cannot.*encodings.*add --to jsonl"):
        shards([a, c, b], tmp_path / "out", 1)
    if "utf-8-sig" in encodings:
        shards([a, c], tmp_path / "with-a", 1)


def test_files_that_do_not_fit_together_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    (tmp_path / "b.csv").write_text("id,body,text\n1,a,b\n")
    write(tmp_path, "jsonl")
    with pytest.raises(PlanError, match=r"a\.csv and .*b\.csv cannot be joined.*--to jsonl"):
        shards([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out", 2)
    with pytest.raises(PlanError, match=r"a\.csv and .*docs\.jsonl cannot.*csv and jsonl"):
        shards([tmp_path / "a.csv", tmp_path / "docs.jsonl"], tmp_path / "out", 2)
    with pytest.raises(PlanError, match=r"plain files cannot be joined in one; add --to jsonl"):
        shards([write(tmp_path, "files")], tmp_path / "out", 2)
    for name, kind in (("a", pa.int32()), ("b", pa.int64())):
        table = pa.table({"id": pa.array([1], kind), "text": ["x"]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with pytest.raises(PlanError, match=r"a\.parquet and .*b\.parquet cannot be joined"):
        shards([tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "out", 2)
    assert not (tmp_path / "out").exists()
