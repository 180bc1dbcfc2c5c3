"""The manual says of every column that a report always has what it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from twinset.model.schema import TABLES

PAGE = (Path(__file__).parents[2] / "docs/reference/report.md").read_text("utf-8")
SPELT = {"text": "string", "whole": "int", "number": "double", "flag": "bool", "bytes": "binary"}


@pytest.mark.parametrize("table", ["documents", "pairs", "clusters"])
def test_the_manual_has_the_columns_and_their_types(table: str) -> None:
    part = PAGE.partition(f"## `{table}.parquet`")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| ([\w, ]+) \|", part, re.MULTILINE)
    shown = {}
    for names, types in rows:
        columns, kinds = re.findall(r"`(\w+)`", names), types.split(", ")
        shown |= dict(zip(columns, kinds * len(columns) if len(kinds) == 1 else kinds, strict=True))
    declared = {name: SPELT.get(column.kind, "int") for name, column in TABLES[table].items()}
    assert {name: shown.get(name, "").replace("float", "double") for name in declared} == declared
