"""Lines that a site repeats are dropped from its pages by every way in, and shown to the reader."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import twinset
from twinset.model import Batch
from twinset.reading import Inputs, open_inputs
from twinset.reading.held import HeldBatches
from twinset.result.words import summary
from twinset.review import opened
from twinset.review.texts import ReportTexts

MENU = "<div>Home</div><div>News</div><div>Copyright 2024 by the daily news of the town</div>"


def words(number: int) -> str:
    """A text that no other number has."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join(letters[number] * 3 + letter for letter in letters)


def page(number: int) -> str:
    return f"<!doctype html><body>{MENU}<p>{words(number)}</p></body>"


def texts(documents: Inputs) -> list[str]:
    return [text for batch in documents.batches() for text in batch.texts.to_pylist()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(14):
        (folder / f"{number:02}.html").write_text(page(number % 12))
    (folder / "last.txt").write_text("Home\nNews\nplain texts keep everything")
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": f"r{n}", "text": page(20 + n)}) + "\n" for n in range(3))
    )
    return folder


def test_pages_lose_what_they_repeat_and_other_texts_nothing(folder: Path) -> None:
    documents = texts(open_inputs(folder))
    assert documents.pop(14) == "Home\nNews\nplain texts keep everything"
    assert documents == [f"2024\n\n{words(n)}" for n in [*range(12), 0, 1, 20, 21, 22]]


@pytest.mark.parametrize("size", [1, 1 << 10, 1 << 25])
def test_batches_and_passes_do_not_matter(folder: Path, size: int) -> None:
    documents = open_inputs(folder, batch_bytes=size)
    first, second = texts(documents), texts(documents)
    assert first == second == texts(open_inputs(folder))


def test_batches_that_do_not_fit_into_memory_wait_in_a_file(folder: Path) -> None:
    batches = list(open_inputs(folder, batch_bytes=1).batches())
    held = HeldBatches(most=2000)
    for batch in batches:
        held.append(batch)
    again = list(held)
    held.close()

    def shown(batch: Batch) -> tuple[object, ...]:
        ids, texts = batch.ids.to_pylist(), batch.texts.to_pylist()
        return ids, texts, batch.source, batch.places.tolist(), dict(batch.counts)

    assert [shown(batch) for batch in again] == [shown(batch) for batch in batches]


def test_texts_in_a_file_take_no_memory_whoever_keeps_the_ids() -> None:
    before, held = pa.total_allocated_bytes(), HeldBatches(most=0)
    text, ids = "x" * (1 << 20), []
    for number in range(8):
        texts = pa.array([text], pa.large_string())
        held.append(Batch(pa.array([str(number)]), texts, "made up", np.array([1])))
    del texts
    assert pa.total_allocated_bytes() - before < 1 << 20
    for batch in held:
        assert batch.texts[0].as_py() == text
        ids.append(batch.ids)
    del batch
    assert pa.total_allocated_bytes() - before < 2 << 20
    held.close()
    assert len(ids) == 8


def test_a_table_in_memory_is_read_in_the_same_way(folder: Path) -> None:
    table = pa.table({"text": [page(number) for number in range(12)]})
    findings = twinset.find(table)
    assert findings.manifest["counts"]["repeated_pages"] == 12
    assert findings.texts(["3"]) == {"3": f"2024\n\n{words(3)}"}


def test_a_report_counts_and_lists_them_and_shows_what_was_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The method reads twice: counts are those of one pass.
    findings = twinset.find(folder, method="tfidfcosine", threshold=0.9)
    report = findings.save(tmp_path / "out")
    counts = findings.manifest["counts"]
    assert (counts["repeated_pages"], counts["repeated_lines"]) == (17, 51)
    assert "17 pages lost lines" in " ".join(summary(findings.manifest))
    assert twinset.open_report(report).more["repeated"].column("pages").to_pylist() == [17, 17, 17]
    assert twinset.open_report(report).texts(["05.html", "r1"]) == {
        "05.html": f"2024\n\n{words(5)}",
        "r1": f"2024\n\n{words(21)}",
    }
    index = opened(report)
    compared = ReportTexts.of(index).texts(range(len(index)))
    assert list(compared.values()) == texts(open_inputs(folder))
