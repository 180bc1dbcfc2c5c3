"""Documents by their places are those of a full pass."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from twinset.plan import ReadOptions
from twinset.reading import open_inputs
from twinset.reading.reread import EVERY, fetch, line_index


def documents(path: Path, options: ReadOptions | None = None) -> dict[int, tuple[str | None, str]]:
    inputs = open_inputs([path], options)
    return {
        int(place): (id, text)
        for batch in inputs.batches()
        for place, id, text in zip(
            batch.places, batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True
        )
        if text is not None
    }


def fetched(path: Path, places: list[int]) -> dict[int, tuple[str | None, str]]:
    inputs = open_inputs([path])
    return {f.place: (f.id, f.text) for f in fetch(inputs, inputs.sources[0], places)}


def lines(count: int) -> bytes:
    rows = []
    for number in range(count):
        if number % 17 == 3:
            rows.append("")
        elif number % 29 == 5:
            rows.append("{broken")
        elif number % 31 == 7:
            rows.append(json.dumps({"id": number, "text": f"<p>page {number}</p><p>more</p>"}))
        else:
            rows.append(json.dumps({"id": f"d{number}", "text": f"text \u00e9 {number}"}))
    return "\r\n".join(rows).encode()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "bom.jsonl"])
def test_lines(tmp_path: Path, name: str) -> None:
    data = (b"\xef\xbb\xbf" if name == "bom.jsonl" else b"") + lines(500)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    every = documents(tmp_path / name)
    assert fetched(tmp_path / name, list(range(1, 600))) == every
    assert fetched(tmp_path / name, [65, 66, 500]) == {p: every[p] for p in (65, 66, 500)}
    assert fetched(tmp_path / name, [100_000]) == {}


def test_files_of_a_folder(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text(f"text {number}", encoding="utf-8")
    every = documents(tmp_path)
    assert fetched(tmp_path, [3, 30, 31]) == {3: every[3], 30: every[30]}


def test_other_formats_are_read_from_the_beginning(tmp_path: Path) -> None:
    rows = "".join(f"d{n},text {n}\n" for n in range(50))
    (tmp_path / "a.csv").write_text("id,text\n" + rows, encoding="utf-8")
    every = documents(tmp_path / "a.csv")
    some = sorted(every)[10:12]
    assert fetched(tmp_path / "a.csv", some) == {place: every[place] for place in some}


def test_the_line_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twinset.reading.reread.PIECE", 100)
    data = b"".join(b"%d\n" % n for n in range(1000))
    (tmp_path / "f").write_bytes(data)
    begins = line_index(str(tmp_path / "f"), len(data), 1)
    expected = [data.index(b"\n%d\n" % n) + 1 if n else 0 for n in range(0, 1000, EVERY)]
    assert begins.tolist() == expected
