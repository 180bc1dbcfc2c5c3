"""One contract for all readers: every name of the registry is tried with the same documents."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.reading.helpers import gather, read, split
from tests.reading.samples import DOCS, IDS, PACKERS, write
from twinset.plan import ReadOptions
from twinset.plan import spec as parts
from twinset.reading import open_inputs

READERS = sorted(parts.names("reader"))
DOCUMENTS = 5


def expected(reader: str) -> list[tuple[str | None, str]]:
    docs = [(IDS.get(reader, str)(id), text) for id, text in DOCS]
    return sorted(docs, key=str) if reader == "files" else docs


def has_fields(reader: str) -> bool:
    """Whether records have fields to choose from."""
    return bool(parts.load("reader", reader).has_fields)


def words(texts: list[str | None]) -> list[list[str]]:
    return [(text or "").split() for text in texts]


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_is_a_frozen_dataclass_with_suffixes(reader: str) -> None:
    cls = parts.load("reader", reader)
    assert dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert all(suffix.startswith(".") for suffix in cls.suffixes)
    assert parts.make("reader", parts.spell("reader", cls())) == cls()


def test_reads_ids_and_texts(tmp_path: Path, reader: str) -> None:
    found = read(write(tmp_path, reader))
    assert found.faults == []
    assert found.ids == [id for id, _ in expected(reader)]
    assert words(found.texts) == [text.split() for _, text in expected(reader)]


@pytest.mark.parametrize("packing", sorted(PACKERS))
def test_unpacks(tmp_path: Path, reader: str, packing: str) -> None:
    inputs = open_inputs([write(tmp_path, reader, packing=packing)])
    assert reader == "files" or inputs.sources[0].compression == packing
    assert words(gather(inputs).texts) == words(read(write(tmp_path, reader)).texts)


@pytest.mark.parametrize("packing", [None, "gz", "zst"])
def test_is_known_without_its_suffix(tmp_path: Path, reader: str, packing: str | None) -> None:
    if reader == "files":
        pytest.skip("plain text has no mark of its own")
    path = write(tmp_path, reader, packing=packing)
    bare = path.rename(tmp_path / "nameless")
    assert words(read(bare).texts) == [text.split() for _, text in DOCS]


def test_a_second_pass_and_other_batches_give_the_same(tmp_path: Path, reader: str) -> None:
    path = write(tmp_path, reader)
    inputs = open_inputs([path])
    first = gather(inputs)
    assert gather(inputs) == first
    assert inputs.total_bytes > 0
    for batch_bytes in (1, 100, 1000, 1 << 25):
        assert read(path, batch_bytes=batch_bytes, threads=1) == first


def test_places_count_up(tmp_path: Path, reader: str) -> None:
    places = read(write(tmp_path, reader), batch_bytes=64).places
    assert places == sorted(set(places))
    assert places[0] >= 1


def test_digests_tell_changed_input(tmp_path: Path, reader: str) -> None:
    values = []
    for docs in (DOCS, DOCS, [*DOCS[:-1], ("e5", "another")]):
        inputs = open_inputs([write(tmp_path, reader, docs)])
        gather(inputs)
        (value,) = inputs.digests().values()
        values.append(value)
    assert values[0] == values[1] != values[2]


def test_an_empty_file_has_no_documents(tmp_path: Path, reader: str) -> None:
    path = tmp_path / f"x{parts.load('reader', reader).suffixes[0]}"
    path.write_bytes(b"")
    found = read(path)
    if reader == "files":
        assert found.texts == [""]
    else:
        assert found.texts == []
    assert [kind for _, kind in found.kinds] == (["damaged"] if reader == "parquet" else [])


def test_split_gives_each_document_to_one_side(tmp_path: Path, reader: str) -> None:
    path = write(tmp_path, reader)
    inputs = open_inputs([path])
    all_ids = gather(inputs).ids
    keep = np.array([True, False, True, False, True])
    made = split(inputs, keep, tmp_path / "out")
    kept, removed = read(made.kept), read(made.removed)
    assert kept.ids == [id for id, kept in zip(all_ids, keep, strict=True) if kept]
    assert removed.ids == [id for id, kept in zip(all_ids, keep, strict=True) if not kept]
    assert kept.faults == removed.faults == []


def test_keeping_all_gives_the_input_back(tmp_path: Path, reader: str) -> None:
    path = write(tmp_path, reader)
    keep = np.ones(DOCUMENTS, dtype=bool)
    made = split(open_inputs([path]), keep, tmp_path)
    if reader == "files":
        for file in path.iterdir():
            assert (made.kept / file.name).read_bytes() == file.read_bytes()
        assert list(made.removed.iterdir()) == []
    elif reader == "parquet":
        import pyarrow.parquet as pq

        assert pq.read_table(made.kept).equals(pq.read_table(path))
        assert pq.read_table(made.removed).num_rows == 0
    else:
        assert made.kept.read_bytes() == path.read_bytes()
        assert read(made.removed).texts == []


def test_a_packed_input_is_split_into_packed_outputs(tmp_path: Path, reader: str) -> None:
    if reader == "files":
        pytest.skip("files are copied as they are")
    inputs = open_inputs([write(tmp_path, reader, packing="gz")])
    keep = np.array([True, True, False, True, True])
    made = split(inputs, keep, tmp_path)
    assert made.kept.name.endswith(".gz")
    assert len(read(made.kept).ids) == 4
    assert read(made.removed).ids == [expected(reader)[2][0]]
    assert words(read(made.removed).texts) == [DOCS[2][1].split()]
    assert open_inputs([made.kept]).sources[0].compression == "gz"


def test_a_missing_text_field_is_reported(tmp_path: Path, reader: str) -> None:
    if not has_fields(reader):
        pytest.skip("the format has no named fields")
    found = read(write(tmp_path, reader), text="body")
    assert found.texts == [None] * DOCUMENTS
    assert {kind for _, kind in found.kinds} == {"missing"}


def test_order_is_read(tmp_path: Path, reader: str) -> None:
    if not has_fields(reader):
        pytest.skip("the format has no such field here")
    assert read(write(tmp_path, reader), order="n").order == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert ReadOptions().order is None


def test_the_bytes_of_texts_are_kept_for_who_asks(tmp_path: Path, reader: str) -> None:
    docs = [(id, f"<html><body><p>{text}</p></body></html>") for id, text in DOCS]
    wraps = not has_fields(reader) and reader != "files"  # texts into pages of its own
    path = write(tmp_path, reader, DOCS if wraps else docs)
    found = read(path, raw=True)
    pages = {id: page.encode() for id, page in docs}
    whole = {IDS.get(reader, str)(id): {pages[id], text.encode()} for id, text in DOCS}
    assert [raw in whole[id or ""] for id, raw in zip(found.ids, found.raw, strict=True)] == [
        True
    ] * len(DOCS)
    if not wraps:
        assert set(found.raw) == set(pages.values())
    assert read(path, raw=True, batch_bytes=1, threads=1, html="no").raw == found.raw
    assert read(path).raw == []
