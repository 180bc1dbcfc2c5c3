"""Shared features as text: found again in every document, complete, and as many as counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import ReportError
from twinset.finding.features import Shingles
from twinset.finding.verify.shingled_text import Shingler
from twinset.result.passages import shared_text

ROOT = Path(__file__).resolve().parents[2]
LICENSES = ROOT / "examples" / "collection" / "licenses.jsonl"

LEFT = "Preamble of one. The quick brown fox jumps over the lazy dog, and runs. End of the first."
RIGHT = "Quite other words: the QUICK brown fox jumps over the lazy dog and runs!! Nothing more."


def find(texts: Any, **options: Any) -> Any:
    shared = {} if "method" in options else {"image": "full", "shingle": 3}
    plan = {"clusters": "closed", "k": 2, **shared, **options}
    return twinset.find(texts, threads=1, **plan)


def test_a_passage_is_spelt_as_in_the_first_document() -> None:
    found = find({"one": LEFT, "two": RIGHT})
    shared = shared_text(found, ["one", "two"])
    assert shared.passages == ("The quick brown fox jumps over the lazy dog, and runs.",)
    assert (shared.covered, shared.units) == (11, 18)
    assert shared.sentence() == "2 documents share 11 of the 18 words of one, in 1 passage"
    other = shared_text(found, ["two", "one"])
    assert other.passages == ("the QUICK brown fox jumps over the lazy dog and runs!!",)


def test_a_passage_ends_within_a_piece_of_the_text() -> None:
    texts = {"x": "(Version 1.4) of/this text", "y": "version 1.3, of/this text; v1"}
    found = find(texts, shingle=2)
    assert shared_text(found, ["x", "y"]).passages == ("(Version 1", "of/this text")
    strange = {"x": "Straße/I\u0307 straße", "y": "straße i\u0307 straße"}
    assert shared_text(find(strange, shingle=2), ["x", "y"]).passages[0].startswith("Straße")


def shingles(row: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(row[i : i + length]) for i in range(max(1, len(row) - length + 1))} - {()}


def stands_in(passage: list[str], row: list[str]) -> bool:
    return any(row[i : i + len(passage)] == passage for i in range(len(row)))


few_words = st.lists(st.sampled_from("abc"), min_size=1, max_size=14)


@given(st.lists(few_words, min_size=2, max_size=4), st.integers(1, 4))
@examples(150)
def test_passages_are_whole_and_complete(rows: list[list[str]], length: int) -> None:
    texts = {str(number): " ".join(row) for number, row in enumerate(rows)}
    found = twinset.find(texts, exact=True, shingle=length, threads=1)
    shared = shared_text(found, list(texts))
    passages = [passage.split() for passage in shared.passages]
    assert all(stands_in(passage, row) for passage in passages for row in rows)
    common = set.intersection(*(shingles(row, length) for row in rows))
    assert {one for passage in passages for one in shingles(passage, length)} == common


UNITS = ["word", "char", "sentence"]
texts_of_any_kind = st.text(st.sampled_from("ab Я漢é.\n'-"), max_size=30)


@given(texts_of_any_kind, st.integers(1, 6), st.integers(1, 3), st.sampled_from(UNITS))
@examples(200)
def test_a_document_is_cut_up_as_in_the_run(text: str, length: int, step: int, unit: Any) -> None:
    cut = Shingler(length, step, unit).cut(text)
    features, units = Shingles(length, step, unit).extract([text], 1)
    assert np.unique(cut.features).tolist() == features.values.tolist()
    assert cut.units == units[0]
    assert len(cut.starts) == len(cut.features)


def test_a_method_of_keys_says_that_there_is_no_text() -> None:
    found = find({"x": LEFT, "y": LEFT}, method="tf", k=1)
    with pytest.raises(ReportError, match=r"features of the method tf are words, keys .* minhash"):
        shared_text(found, ["x", "y"])
    found = find({"x": LEFT, "y": RIGHT}, method="decomposition:shingle=2,letters=4")
    with pytest.raises(ReportError, match="has left words out"):
        shared_text(found, ["x", "y"])


def test_a_text_that_is_gone_is_named(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": i, "text": LEFT}) + "\n" for i in "ab"))
    report = twinset.open_report(find(source).save(tmp_path / "out"))
    assert shared_text(report, ["a", "b"]).covered == 18
    source.write_text("")
    with pytest.raises(ReportError, match="text of 'a' cannot be read again"):
        shared_text(report, ["a", "b"])


def test_documents_of_a_run_in_memory_and_of_files_are_read_again(tmp_path: Path) -> None:
    for name, text in (("a.txt", LEFT), ("b.txt", RIGHT), ("c.txt", "")):
        (tmp_path / name).write_text(text)
    found = find(tmp_path)
    ids = found.documents["id"].to_pylist()
    assert found.texts(ids[:2]) == {ids[0]: LEFT, ids[1]: RIGHT}
    assert found.texts([]) == {}
    assert find([LEFT, RIGHT]).texts(["1"]) == {"1": RIGHT}


def test_characters_are_reported_as_such() -> None:
    found = find({"x": "Alphabet", "y": "betatron"}, unit="char", shingle=2)
    shared = shared_text(found, ["x", "y"])
    assert shared.passages == ("bet",)
    assert shared.sentence() == "2 documents share 3 of the 8 characters of x, in 1 passage"


def test_nothing_shared_is_nothing() -> None:
    found = find({"x": LEFT, "y": "something else entirely here", "z": ""})
    for pair in (["x", "y"], ["x", "z"], ["z", "x"]):
        shared = shared_text(found, pair)
        assert shared.passages == ()
        assert shared.brief() == ""
