"""The page of the papers' tables is made from its results, and the results are true."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz.distance import Indel

import papers_tables
from twinset.text import words

PAGE = papers_tables.PAGE.read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads(papers_tables.RESULTS.read_text())


def rows(name: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = RESULTS[name]["rows"]
    return made


def test_the_page_is_made_from_the_results() -> None:
    assert papers_tables.page(PAGE, RESULTS) == PAGE
    for name in ("licences", "guide"):
        told = {(row["input"], row["threshold"]) for row in rows(name)}
        assert told == {
            (f"{letter}_1_{length}_s_100", k)
            for letter in "bm"
            for length in (5, 10, 15, 20)
            for k in (100, 95, 90, 85)
        }
        for row in rows(name):
            assert row["only_reference"] + row["common"] == row["reference"]
            assert row["only_found"] + row["common"] == row["found"]
            cells = (
                f"| {row['input']} | {row['threshold']} | {row['reference']:,} | {row['found']:,} |"
            )
            assert cells in PAGE


def test_the_page_tells_the_figures_of_the_results() -> None:
    def found(name: str, source: str, k: int) -> dict[str, Any]:
        return next(r for r in rows(name) if (r["input"], r["threshold"]) == (source, k))

    assert found("guide", "m_1_20_s_100", 100)["found"] == 4616
    assert found("guide", "b_1_20_s_100", 100)["found"] == 3648
    assert found("guide", "b_1_20_s_100", 100)["too_short"] == 390
    assert found("guide", "b_1_5_s_100", 85)["only_found"] == 19
    others = [r["only_found"] for name in ("guide", "licences") for r in rows(name)]
    assert sorted(others)[-2:] == [0, 19]
    finished = [row for row in rows("miners") if row["outcome"] == "finished"]
    assert len({(r["input"], r["threshold"], r["digest"]) for r in finished}) == 6


@pytest.fixture(scope="module")
def reference() -> set[tuple[int, int]]:
    return papers_tables.reference_pairs(papers_tables.LICENCES, "auto")


def test_the_reference_is_that_of_all_pairs(reference: set[tuple[int, int]]) -> None:
    lines = Path(papers_tables.LICENCES).read_text(encoding="utf-8").splitlines()
    texts = [" ".join(row) for row in words([json.loads(line)["text"] for line in lines])]
    judged = {
        (i, j)
        for (i, one), (j, other) in itertools.combinations(enumerate(texts), 2)
        if Indel.normalized_similarity(one, other, score_cutoff=0.85) >= 0.85
    }
    assert judged == reference


@pytest.mark.parametrize(("method", "length"), [("bottom", 20), ("minwise", 5)])
def test_the_rows_of_the_licences(
    method: str, length: int, reference: set[tuple[int, int]]
) -> None:
    context = papers_tables.context_of(papers_tables.LICENCES, method, length, "auto")
    images = [set(context[document].tolist()) for document in range(len(context))]
    for row in rows("licences"):
        if (row["method"], row["length"]) == (method, length):
            similar = {
                (i, j)
                for i, j in itertools.combinations(range(len(images)), 2)
                if len(images[i] & images[j]) >= row["threshold"]
            }
            pairs, figures = papers_tables.pairs_of_sets(context, row["threshold"])
            assert pairs == similar
            five = papers_tables.five_numbers(reference, similar)
            assert {name: row[name] for name in five} == five
            assert figures["sets"] == row["sets"]
