"""Documents without their repeats: nothing else changes, and nothing that repeats is left."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.writing.notes import cut_line, without

REPEAT = "five words that stand twice"
TEXTS = [
    f'First, "{REPEAT}" é — and more\nof it.',
    f"{REPEAT}: a second time\t\\ 👩",
    f"Other words.\r\n{REPEAT}.",
    "nothing of it",
]


def kept(texts: list[str], every: bool = False) -> list[str]:
    findings = twinset.spans({str(n): text for n, text in enumerate(texts)}, 5)
    dropped: dict[str, list[tuple[int, int]]] = {}
    for row in findings.removed(every).to_pylist():
        dropped.setdefault(row["id"], []).append((row["start"], row["end"]))
    return [without(text, dropped.get(str(n), [])) for n, text in enumerate(texts)]


CLEANED = kept(TEXTS)


@examples(150)
@given(st.lists(st.text("ab", max_size=40), min_size=1, max_size=4), st.integers(1, 6))
def test_what_is_left_holds_no_repeat_that_stood_there_before(texts: list[str], least: int):
    findings = twinset.spans({str(n): text for n, text in enumerate(texts)}, least, unit="char")
    stays = [[True] * len(text) for text in texts]
    for row in findings.removed().to_pylist():
        stays[int(row["id"])][row["start"] : row["end"]] = [False] * (row["end"] - row["start"])
    grams = [
        text[start : start + least]
        for number, text in enumerate(texts)
        for start in range(len(text) - least + 1)
        if all(stays[number][start : start + least])
    ]
    assert len(grams) == len(set(grams))


def save(path: Path, folder: Path, **options: Any) -> Any:
    findings = twinset.spans(path, 5)
    return findings.save(folder, remove=True, **options)


def test_lines_that_lose_nothing_keep_their_bytes(tmp_path: Path):
    lines = [
        json.dumps({"id": 1, "text": TEXTS[0], "b": [1, {"c": "é"}]}),
        json.dumps({"text": TEXTS[1], "id": 2}, ensure_ascii=False).replace(": ", ":  "),
        "",
        json.dumps({"id": 3, "text": TEXTS[2], "x": 1.50}).replace("1.5", "1.50"),
        json.dumps({"id": 4, "text": TEXTS[3]}) + "\r",
        "broken",
    ]
    path = tmp_path / "in.jsonl"
    path.write_bytes("\n".join(lines).encode())
    folder = save(path, tmp_path / "out")
    left = (folder / "cleaned.jsonl").read_bytes().decode().split("\n")
    records = [json.loads(line) for line in lines if "{" in line]
    for record, text in zip(records, CLEANED, strict=True):
        record["text"] = text.replace(": ", ":  ") if record["id"] == 2 else text
    assert [json.loads(line) for line in left if "{" in line] == records
    assert [left[row] for row in (0, 2, 4, 5)] == [lines[row] for row in (0, 2, 4, 5)]
    removed = pq.read_table(folder / "removed.parquet").to_pylist()
    assert [row["text"] for row in removed] == [REPEAT, REPEAT]
    for row in removed:
        text = next(t for n, t in enumerate(TEXTS) if str(n + 1) == row["id"])
        assert text[row["start"] : row["end"]] == row["text"]


def test_nested_text(tmp_path: Path):
    path = tmp_path / "in.jsonl"
    lines = [json.dumps({"id": n, "a": {"b": text}}) for n, text in enumerate(TEXTS)]
    path.write_text("\n".join(lines) + "\n")
    twinset.spans(path, 5, text="a.b").save(tmp_path / "out", remove=True)
    left = (tmp_path / "out" / "cleaned.jsonl").read_text().splitlines()
    assert [json.loads(line)["a"]["b"] for line in left] == CLEANED


def test_delimited_text(tmp_path: Path):
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "note"])
        rows.writerows([n, text, 'a "note", too'] for n, text in enumerate(TEXTS))
    folder = save(path, tmp_path / "out")
    with (folder / "cleaned.csv").open(newline="") as file:
        rows_left = list(csv.reader(file))
    assert [row[1] for row in rows_left[1:]] == CLEANED
    assert [row[2] for row in rows_left[1:]] == ['a "note", too'] * len(TEXTS)


def test_tables(tmp_path: Path):
    table = pa.table({"id": ["0", "1", "2", "3"], "n": [1, 2, 3, None], "text": TEXTS})
    pq.write_table(table, tmp_path / "in.parquet")
    folder = save(tmp_path / "in.parquet", tmp_path / "out")
    left = pq.read_table(folder / "cleaned.parquet")
    assert left.schema.equals(table.schema)
    assert left["text"].to_pylist() == CLEANED
    assert left.drop(["text"]) == table.drop(["text"])


def test_plain_files(tmp_path: Path):
    (tmp_path / "in").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "in" / f"{number}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    folder = save(tmp_path / "in", tmp_path / "out")
    for number, text in enumerate(CLEANED):
        left = (folder / "cleaned" / f"{number}.txt").read_bytes()
        assert left == b"\xef\xbb\xbf" + text.encode()


def test_references_keep_their_text(tmp_path: Path):
    for name, texts in (("new", TEXTS[1:]), ("old", TEXTS[:2])):
        lines = [json.dumps({"id": f"{name}{n}", "text": text}) for n, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    findings = twinset.spans(tmp_path / "new.jsonl", 5, reference=[str(tmp_path / "old.jsonl")])
    findings.save(tmp_path / "out", remove=True)
    left = (tmp_path / "out" / "cleaned.jsonl").read_text().splitlines()
    assert REPEAT not in "".join(left)
    assert len(left) == 3
    totals = findings.manifest["totals"]
    assert (totals["documents"], totals["characters"]) == (3, sum(map(len, TEXTS[1:])))
    assert totals["repeated_characters"] < totals["characters"]
    assert totals["documents_with_spans"] <= 3


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ('{"title":"menu x", "text":"menu x","n":1e400,"k":1.50}\r\n', '"text":" x"'),
        ('{"a":{"text":"menu x"},"text":"menu x","b":NaN}', '"text":" x","b"'),
        ('{"menu x":12345678901234567890123,"text":"menu \\u0078"}\n', '"text":" x"'),
    ],
)
def test_nothing_else_of_a_line_changes(line: str, left: str):
    cut = cut_line(line.encode(), "text", [(0, 4)]).decode()
    assert left in cut
    wanted = line.replace("\\u0078", "x")
    at = wanted.rindex('"menu x"')
    assert cut == wanted[:at] + '" x"' + wanted[at + len('"menu x"') :]


@pytest.mark.parametrize("every", [False, True])
def test_texts_without_repeats_are_those_that_are_written(tmp_path: Path, every: bool) -> None:
    shared = "the same five words here"
    texts = [f"One {shared} é.\n", "", None, f"Two {shared}.\nOne {shared} é.\n", "漢字 alone\n"]
    file, known = tmp_path / "in.jsonl", tmp_path / "known"
    file.write_text(
        "".join(json.dumps({"id": str(n), "text": t}) + "\n" for n, t in enumerate(texts))
    )
    known.mkdir()
    (known / "ref.jsonl").write_text(json.dumps({"id": "r", "text": f"{shared}\nlast line"}))
    findings = twinset.spans(file, 5, reference=[str(known)])
    findings.save(tmp_path / "out", remove=not every, remove_all=every)
    written = (tmp_path / "out" / "cleaned.jsonl").read_text().splitlines()
    assert findings.cleaned(every).to_pylist() == [json.loads(line) for line in written]
    units: Any = twinset.dedup(file, level="line", reference=[str(known)])
    units.save(tmp_path / "lines")
    written = (tmp_path / "lines" / "cleaned.jsonl").read_text().splitlines()
    assert units.cleaned().to_pylist() == [json.loads(line) for line in written]
    in_memory: Any = twinset.dedup([text or "" for text in texts], level="line")
    assert in_memory.cleaned()["text"].to_pylist()[3] == f"Two {shared}.\n"
