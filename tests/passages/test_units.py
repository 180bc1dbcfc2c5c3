"""Units compared with those of other documents, against the twin; documents without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from tests.passages.unit_twins import repeated
from twinset.errors import PlanError
from twinset.run.passages.units import UnitFindings
from twinset.writing.notes import without

LEVELS = ("paragraph", "sentence", "line", "window:size=2")
words = st.sampled_from(["One", "two", "é", "e\u0301", "漢", "x1"])
ends = st.sampled_from([" ", ". ", "! ", "\n", "\r\n", "\n\n", "\r\n \r\n", "。", "\f", ".", ""])
some_text = st.lists(st.tuples(words, ends), max_size=8).map(
    lambda parts: "".join(word + end for word, end in parts)
)
some_texts = st.lists(some_text, max_size=4)


def dedup(texts: list[str], **options: Any) -> UnitFindings:
    findings: Any = twinset.dedup({str(n): text for n, text in enumerate(texts)}, **options)
    return findings


def rows_of(findings: UnitFindings) -> list[tuple[int, int, int, int | None]]:
    return [
        (int(row["id"]), row["start"], row["end"], row["same_as"])
        for row in findings.units.to_pylist()
    ]


def left_of(texts: list[str], findings: UnitFindings) -> list[str]:
    dropped: dict[int, list[tuple[int, int]]] = {}
    for row in findings.removed().to_pylist():
        dropped.setdefault(int(row["id"]), []).append((row["start"], row["end"]))
    return [without(text, dropped.get(number, [])) for number, text in enumerate(texts)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("inside", [False, True])
@examples(40)
@given(some_texts)
def test_units_equal_the_twin(level: str, inside: bool, texts: list[str]) -> None:
    name, _, size = level.partition(":size=")
    spelt = (level + (",inside=yes" if size else ":inside=yes")) if inside else level
    findings = dedup(texts, level=spelt)
    assert rows_of(findings) == repeated(texts, name, int(size or 0), inside)
    assert findings.units["unit"].to_pylist() == list(range(len(findings.units)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("more", [{}, {"exact": True, "shingle": 1, "threshold": 0.5}])
@examples(25)
@given(some_texts)
def test_a_second_run_drops_nothing(level: str, more: dict[str, Any], texts: list[str]) -> None:
    findings = dedup(texts, level=level, **more)
    left = left_of(texts, findings)
    assert left_of(left, dedup(left, level=level, **more)) == left
    stays = {row["unit"] for row in findings.units.to_pylist() if row["same_as"] is None}
    assert {row["same_as"] for row in findings.units.to_pylist()} - {None} <= stays


def test_a_unit_that_is_repeated_in_its_own_document_alone_stays():
    texts = ["again\nagain\n", "again\nonce\nonce\n"]
    assert left_of(texts, dedup(texts, level="line")) == ["again\nagain\n", "once\nonce\n"]
    assert left_of(texts, dedup(texts, level="line:inside=yes")) == ["again\n", "once\n"]


def test_a_policy_says_which_unit_stays():
    rows = [{"id": "a", "text": "same\n", "year": 1}, {"id": "b", "text": "same\n", "year": 2}]
    findings: Any = twinset.dedup(rows, level="line", keep="year:max")
    assert findings.removed()["id"].to_pylist() == ["a"]
    assert findings.manifest["totals"]["emptied_documents"] == 1
    with pytest.raises(AttributeError, match=r"call cleaned\(\)"):
        _ = findings.kept
    findings = twinset.dedup(rows, level="line", never_remove="b")
    assert findings.removed()["id"].to_pylist() == ["a"]


def test_nothing_changes_but_the_dropped_spans(tmp_path: Path):
    lines = [
        '{"id": 1, "text": "Menu\\r\\nFirst \\u00e9\\r\\n",  "x": 1.50}',
        '{"text":"menu\\nSecond","id": 2, "b": ["é", {"c": null}]}\r',
        "broken",
        '{"id": 3, "text": ""}',
    ]
    path = tmp_path / "in.jsonl"
    path.write_bytes("\n".join(lines).encode())
    findings: Any = twinset.dedup(path, level="line")
    folder = findings.save(tmp_path / "out")
    cut = [lines[0], lines[1].replace("menu\\n", ""), *lines[2:]]
    assert (folder / "cleaned.jsonl").read_bytes() == "\n".join(cut).encode()
    (removed,) = pq.read_table(folder / "removed.parquet").to_pylist()
    assert removed == {"id": "2", "start": 0, "end": 5, "text": "menu\n"}
    assert pq.read_table(folder / "units.parquet").equals(findings.units)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["plan"]["level"] == "line:inside=no"
    assert manifest["totals"]["same_as_others"] == 1


@pytest.mark.parametrize(
    ("text", "copies", "level"),
    [
        ("one line\nanother", 20_000, "line"),
        ("word " * 200_000, 2, "window:size=10,inside=yes"),
        ("word " * 200_000, 3, "line"),
        ("", 5, "paragraph"),
        ("a b a b " * 50_000, 1, "sentence:inside=yes"),
    ],
)
def test_hostile_collections(text: str, copies: int, level: str):
    findings = dedup([text] * copies, level=level)
    left = left_of([text] * copies, findings)
    if "inside" not in level:
        assert left == [text, *[""] * (copies - 1)]
    assert sum(map(bool, left)) == bool(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": "cliques"}, "leave clusters out"),
        ({"kinds": "yes"}, "leave kinds out"),
        ({"keep": "newest"}, "keep first, longest"),
        ({"method": "given"}, "give another one"),
        ({"against": ["x"]}, "leave level out"),
        ({"resume": "parts"}, "leave it out"),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict[str, Any], message: str):
    with pytest.raises(PlanError, match=message):
        twinset.find(["one", "two"], level="line", **options)
