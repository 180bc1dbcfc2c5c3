"""Items of test sets in training text: each level against its definition by brute force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

import twinset
from tests.kernels.examples import examples
from tests.kernels.text_twins import canonical, spans
from tests.passages.test_reuse import text_of
from twinset.run.passages.contamination import MARKS, blanked

RIVER = "Which river flows through Lima, the city?"
LABELS = ["A. ", "(b) ", "C)", "12. ", "(iv) ", "\n3. "]
LATEX = ["\\item ", "\\textbf{", "}", "\\begin{itemize}"]
OTHERS = ["<b>", "</b>", "<i x='1'>", "&nbsp;", "**", "](http://x.org)", "a<b and c>d"]
LIGHT = st.sampled_from([*LABELS, *LATEX, *OTHERS, "word", " ", "\n", "é", "\t", "5"])


def words_of(text: str) -> list[str]:
    return [canonical(text[begin:end]) for begin, end in spans(text)]


@examples(200)
@given(st.lists(LIGHT, max_size=14).map("".join))
def test_what_does_not_count_is_the_same_to_arrow_and_to_python(text: str) -> None:
    [plain] = pc.replace_substring_regex(pa.array([text]), MARKS, " ").to_pylist()
    assert len(blanked(text)) == len(text)
    assert words_of(blanked(text)) == words_of(plain)


@pytest.mark.parametrize(
    "copy",
    [
        "1. Which river\nflows through\n> Lima, the CITY?",
        "Which <b>river</b> flows through&nbsp;Lima,<br/>the city?",
        "\\item Which \\textbf{river} flows through [Lima](https://lima.pe), \\emph{the} city?",
        "(a) Which river flows (b) through Lima C) the D. city",
    ],
)
def test_line_breaks_labels_and_mark_up_do_not_matter(copy: str) -> None:
    text = f"Some quiz, and {copy} and more"
    found = twinset.contamination({"quiz": {"q": RIVER}}, {"page": text})
    assert found.items["level"].to_pylist() == ["exact"]
    [place] = found.passages.to_pylist()
    cut = text[place["start"] : place["end"]]
    assert cut.startswith("Which")
    assert cut.endswith(("city", "CITY"))


@examples(60)
@given(st.integers(0, 10**6), st.integers(1, 45), st.floats(0, 0.5), st.booleans(), st.data())
def test_levels_are_those_of_the_definition(
    seed: int, size: int, edits: float, is_cut: bool, data: st.DataObject
) -> None:
    item = text_of(seed, size)
    copy = [
        data.draw(st.sampled_from(["", "other", "two words"]))
        if data.draw(st.floats(0, 1)) < edits
        else word
        for word in item
    ]
    copy = copy[: size // 2] if is_cut else copy
    page = " ".join([*text_of(2, 20, "l"), *filter(None, copy), *text_of(3, 20, "r")])
    found = twinset.contamination({"set": [" ".join(item)]}, {"page": page})
    [row] = found.items.to_pylist()
    asked, there = words_of(" ".join(item)), words_of(page)
    stands = any(there[at : at + len(asked)] == asked for at in range(len(there)))
    assert (row["level"] == "exact") == (stands and len(asked) >= 5)
    if row["level"] is None:
        return
    [place] = found.passages.to_pylist()
    stretch = " ".join(words_of(page[place["start"] : place["end"]]))
    if row["level"] == "near":  # never nearer than the whole item is to what was found
        assert row["likeness"] >= 0.7
        assert Indel.normalized_similarity(" ".join(asked), stretch) >= row["likeness"] - 1e-9
    if row["level"] == "part":
        assert size >= 20
        assert len(stretch.split()) >= min(20, size / 2) / 2


def test_an_edited_item_is_near_and_a_long_passage_a_part() -> None:
    short, long = text_of(1, 9), text_of(2, 60)
    page = " ".join([*short[:4], "other", *short[5:], "and", *long[10:32], "end"])
    sets = {"short": [" ".join(short)], "long": [" ".join(long)], "none": ["not there at all now"]}
    found = twinset.contamination(sets, {"page": page})
    assert found.items["level"].to_pylist() == ["near", "part", None]
    summary = {row["set"]: row for row in found.sets.to_pylist()}
    assert list(summary) == ["long", "short", "none"]  # the worst first
    assert summary["short"]["near_share"] == 1
    assert summary["none"]["share"] == 0


def test_an_answer_alone_is_no_hit_and_a_short_question_needs_one() -> None:
    answer = "the wide and slow river behind the old mills of the northern town"
    items = [
        {"id": "alone", "q": "What is so beautiful here?", "c": [], "a": answer},
        {"id": "short", "q": "Capital of Peru?", "c": ["Quito in Ecuador", "Lima"], "a": "Lima"},
        {"id": "listed", "q": "How many towers has it?", "c": ["three", "four"], "a": None},
    ]
    pages = {
        "one": f"We saw {answer}, and Lima.",
        "two": "Capital of Peru? A) Quito in Ecuador B) Lima",
        "three": "they asked how many towers has it, and nobody knew",
    }
    found = twinset.contamination({"s": items}, pages, parts=["q", "c", "a"], text="t")
    assert found.items["level"].to_pylist() == [None, "exact", "exact"]
    assert found.passages["parts"].to_pylist() == ["q+c", "q"]
    with pytest.raises(twinset.TwinsetError, match="no item has the part 'd'"):
        twinset.contamination({"s": items}, pages, parts=["q", "d"])


def test_files_of_several_formats_and_any_number_of_threads(tmp_path: Path) -> None:
    items = [{"id": str(n), "q": " ".join(text_of(n, 5 + n)), "a": [str(n)]} for n in range(30)]
    lines, table = tmp_path / "one.jsonl", tmp_path / "two.parquet"
    lines.write_text("\n".join([*map(json.dumps, items), "broken"]))
    pa.parquet.write_table(pa.Table.from_pylist(items), table)
    training = tmp_path / "training.jsonl"
    texts = [" ".join([*text_of(99 + n, 50), *text_of(n, 5 + n)]) for n in range(0, 30, 2)]
    training.write_text("\n".join(json.dumps({"body": text}) for text in texts * 20))
    sets: dict[str, Any] = {"one": lines, "two": table}

    def found(threads: int) -> Any:
        return twinset.contamination(
            sets, training, parts=["q", "a"], against_text="body", threads=threads
        )

    first = found(1)
    assert [row["exact"] for row in first.sets.to_pylist()] == [15, 15]
    assert [row["items"] for row in first.sets.to_pylist()] == [30, 30]
    assert set(first.items["documents"].to_pylist()) == {0, 20}
    assert first.manifest["sides"]["set one"]["faults"] == {"syntax": 1}
    again = found(4)
    assert all(again.tables[name].equals(table) for name, table in first.tables.items())
