"""Pages cleaned by other processes: the same texts, counts and faults as here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.system import workers as functions
from twinset.plan import ReadOptions
from twinset.reading import arrays, cleaning, open_inputs
from twinset.system import processes

PAGE = "<html><head><title>t</title></head><body><nav>menu</nav><p>{}</p></body></html>"
TEXTS: list[Any] = [
    *(PAGE.format(f"page number {n} has words of its own") for n in range(40)),
    "a plain text",
    "",
    None,
    "<b>half</b> a page",
    "<html><body><script>only()</script></body></html>",
    PAGE.format("Grüße, 世界"),
    PAGE.format("large " * 60_000),
    PAGE.format("last"),
]


def read(path: Path, processes: int, **options: Any) -> tuple[Any, ...]:
    inputs = open_inputs(
        [path], ReadOptions(**options), batch_bytes=1 << 17, threads=2, processes=processes
    )
    batches = list(inputs.batches())
    counts: Counter[str] = Counter()
    for batch in batches:
        counts.update(batch.counts)
    return (
        [text for batch in batches for text in batch.texts.to_pylist()],
        [place for batch in batches for place in batch.places.tolist()],
        [fault for batch in batches for fault in batch.faults],
        counts,
    )


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of pages and texts, of which all pages are enough for processes."""
    monkeypatch.setattr(processes, "PAYS", 1)
    monkeypatch.setattr(arrays, "PIECE", 1 << 12)
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    return path


@pytest.mark.parametrize(
    "options",
    [{}, {"html": "yes"}, {"html": "no"}, {"page_text": "whole"}, {"repeated": "keep"}],
    ids=str,
)
def test_processes_give_the_same(pages: Path, options: dict[str, Any]) -> None:
    assert read(pages, 3, **options) == read(pages, 1, **options)


def test_a_page_that_ends_its_reader_is_a_fault_of_its_own(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = PAGE.format(functions.DEADLY.decode())
    with pages.open("a") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in (deadly, *TEXTS[:3]))
    monkeypatch.setattr(cleaning, "read_texts", functions.mortal_read_texts)
    texts, places, faults, counts = read(pages, 2)
    at = len(TEXTS)
    assert texts[at] is None
    assert [f.kind for f in faults if f.line == places[at]] == ["failed"]
    monkeypatch.undo()
    others = read(pages, 1)
    assert texts[:at] + texts[at + 1 :] == others[0][:at] + others[0][at + 1 :]
    assert counts["html_cleaned"] == others[3]["html_cleaned"] - 1


def test_sliced_arrays_and_nulls(pages: Path) -> None:
    inputs = open_inputs([pages])
    job = inputs.job(inputs.sources[0])
    texts = pa.array(["left out", *TEXTS], pa.large_string()).slice(1)
    places = pa.array(range(len(TEXTS))).to_numpy()
    here = cleaning.cleaned(job, texts, places)
    job.workers = processes.Workers(2)
    apart = cleaning.cleaned(job, texts, places)
    job.workers.close()
    assert apart.to_pylist() == here.to_pylist()
