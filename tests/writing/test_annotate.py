"""Annotated documents: every record in order, with four fields more and all others as they were."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.helpers import gather, outcomes
from tests.reading.samples import write
from twinset.errors import PlanError
from twinset.model.outcomes import ADDED, Outcomes
from twinset.plan import OutputForm, ReadOptions
from twinset.reading import open_inputs
from twinset.writing import WrittenDocuments, write_documents
from twinset.writing.notes import Note, notes_of

FORM = OutputForm(annotate=True, no_split=True)
SEEDS = st.integers(0, 2**32)


def annotate(
    paths: list[Path],
    folder: Path,
    seed: int = 0,
    form: OutputForm = FORM,
    **options: Any,
) -> tuple[WrittenDocuments, Outcomes]:
    limit = ReadOptions(max_document_bytes=options.pop("limit", 1 << 20))
    inputs = open_inputs(paths, limit, **options)
    count = len(gather(inputs).texts)
    decided = outcomes(np.random.default_rng(seed).random(count) < 0.5)
    return write_documents(inputs, decided, folder, form), decided


def values(note: Note) -> dict[str, Any]:
    return dict(zip(ADDED, note, strict=True))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
NAMES = st.sampled_from(["id", "text", "a b", "twinset_keep", "twinset_score", "twinset_", 'x"y'])
OBJECTS = st.dictionaries(NAMES, JSON, max_size=4)
SPACING = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :  ")])
LINES = st.one_of(
    st.builds(
        lambda record, spacing, escaped, before, after: (
            before + json.dumps(record, separators=spacing, ensure_ascii=escaped) + after
        ).encode(),
        OBJECTS,
        SPACING,
        st.booleans(),
        st.sampled_from(["", " "]),
        st.sampled_from(["", "\r", " "]),
    ),
    st.sampled_from(
        [b"", b"  ", b"{ }", b"{}", b"[1]", b'{"a": 1}}', b'{"text": "x}', b"{", b'{"a": "\xff"}']
    ),
)


@examples(90)
@given(st.lists(LINES, max_size=8), st.booleans(), SEEDS, st.integers(1, 300), st.integers(30, 200))
def test_lines_of_json(lines: list[bytes], ended: bool, seed: int, size: int, limit: int) -> None:
    data = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "x.jsonl"
        path.write_bytes(data)
        written, decided = annotate([path], Path(name), seed, batch_bytes=size, limit=limit)
        result = written.place("annotated").read_bytes()
    before, after = data.split(b"\n"), result.split(b"\n")
    assert len(before) == len(after)
    notes = notes_of(decided)
    for old, new in zip(before, after, strict=True):
        if not old.strip():
            assert new == old
            continue
        note = values(next(notes))
        try:
            record = json.loads(old.decode("latin-1"))
        except ValueError:
            record = None
        if not isinstance(record, dict) or (len(old) >= limit - 1 and new == old):
            assert new == old
            continue
        own = [pair for pair in _pairs(old) if pair[0] not in ADDED]
        assert _pairs(new) == own + list(note.items())
        if b'"twinset_' not in old:
            assert new.startswith(old[: old.rindex(b"}")].rstrip())
            assert new.endswith(old[old.rindex(b"}") :])


def _pairs(line: bytes) -> list[Any]:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("latin-1")
    pairs: list[Any] = json.loads(text, object_pairs_hook=list)
    return pairs


CELLS = st.lists(st.text('ab,;"\n ё', max_size=6), min_size=1, max_size=4)
HEADERS = st.sampled_from(
    [["id", "text"], ["twinset_keep", "id", "text"], ["id", "text", "twinset_score", "x"], ["text"]]
)


@examples(100)
@given(
    HEADERS,
    st.lists(CELLS, max_size=6),
    st.sampled_from([(",", "csv"), ("\t", "tsv"), (";", "csv")]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    SEEDS,
    st.integers(1, 120),
)
def test_rows_of_csv(
    header: list[str],
    rows: list[list[str]],
    format: tuple[str, str],
    line_end: str,
    ended: bool,
    seed: int,
    size: int,
) -> None:
    delimiter, suffix = format
    data = _csv([header, *rows], delimiter, line_end)
    if len(header) == 1 and delimiter == ";":
        return  # a header of one column does not show the delimiter
    data = data if ended else data.removesuffix(line_end)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"x.{suffix}"
        path.write_bytes(data.encode())
        written, decided = annotate([path], Path(name), seed, batch_bytes=size)
        result = written.place("annotated").read_bytes().decode()
    before = [row for row in csv.reader(io.StringIO(data, newline=""), delimiter=delimiter) if row]
    after = list(csv.DictReader(io.StringIO(result, newline=""), delimiter=delimiter))
    for row, new, note in zip(before[1:], after, notes_of(decided), strict=True):
        names = [*header, *(f"column_{n}" for n in range(len(header) + 1, len(row) + 1))]
        own = {name: cell for name, cell in zip(names, row, strict=False) if name not in ADDED}
        noted = dict(zip(ADDED, _cells(note), strict=True))
        assert {name: cell for name, cell in new.items() if cell} == {
            name: cell for name, cell in (own | noted).items() if cell
        }


def _cells(note: Note) -> list[str]:
    return [
        "" if value is None else value if isinstance(value, str) else json.dumps(value)
        for value in note
    ]


def _csv(rows: list[list[str]], delimiter: str, line_end: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return out.getvalue()


RECORDS = ["csv", "jsonl", "parquet", "tsv"]
DECIDED = [True, False, True, False, False]


def annotated(path: Path, folder: Path, keep: list[bool]) -> Path:
    folder.mkdir()
    place = write_documents(open_inputs([path]), outcomes(keep), folder, FORM).place("annotated")
    assert isinstance(place, Path)
    return place


@pytest.mark.parametrize("reader", RECORDS)
def test_an_earlier_annotation_is_replaced(tmp_path: Path, reader: str) -> None:
    path = write(tmp_path, reader)
    once = annotated(path, tmp_path / "once", DECIDED)
    other = annotated(path, tmp_path / "other", [not stays for stays in DECIDED])
    twice = annotated(other, tmp_path / "twice", DECIDED)
    if reader == "jsonl":
        lines = [path.read_text().splitlines() for path in (twice, once)]
        assert list(map(json.loads, lines[0])) == list(map(json.loads, lines[1]))
    elif reader == "parquet":
        assert pq.read_table(twice).equals(pq.read_table(once), check_metadata=True)
    else:
        assert twice.read_bytes() == once.read_bytes()
        assert other.read_bytes() != once.read_bytes()


@pytest.mark.parametrize("reader", ["files", "romip", "warc"])
def test_what_has_no_room_for_it_is_refused(tmp_path: Path, reader: str) -> None:
    path = write(tmp_path, reader)
    nothing = outcomes(np.ones(0, bool))
    with pytest.raises(PlanError, match="no room for what was decided: add --to jsonl"):
        write_documents(open_inputs([path]), nothing, tmp_path / "out", FORM)
