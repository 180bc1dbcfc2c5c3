"""The page of the papers' tables is made from its results, and says what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

import papers_page
import papers_tables
from twinset.lab.description import open_description, shipped_names

PAGE = papers_tables.PAGE.read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads(papers_tables.RESULTS.read_text())


def test_the_pages_are_made_from_the_results() -> None:
    assert papers_page.page(PAGE, RESULTS) == PAGE, "run benchmarks/papers_tables.py --page"
    tables = papers_tables.ALL_TABLES.read_text(encoding="utf-8")
    assert papers_page.whole(RESULTS) == tables, "run benchmarks/papers_tables.py --page"


@pytest.mark.parametrize("name", shipped_names())
def test_the_page_has_the_command_and_the_results_of_every_experiment(name: str) -> None:
    assert name in PAGE
    described = open_description(name)
    for figures in RESULTS[name].values():
        assert figures["rows"]
        assert set(figures["tables"]) == set(described.tables) - {"printed"}
        for row in figures["rows"]:
            assert row["only_in_reference"] + row["common"] == row["reference"]
            assert row["only_in_found"] + row["common"] == row["found"]
