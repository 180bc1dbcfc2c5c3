"""The table of what goes and what stays."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.review.cleaning.actions.conftest import Desk
from twinset.review.cleaning.actions import as_csv


def test_a_table_has_what_goes_and_what_stays(desk: Desk) -> None:
    desk.write({"=1+1": b"three"})
    pairs = desk.pairs(("a", ["b", "=1+1"]), (None, ["alone"]))
    table = as_csv(desk.plan(pairs, "trash"), lambda reason: f"<{reason.name}>").decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(Path(row["path"]).name, row["action"], row["reason"]) for row in rows] == [
        ("b", "remove", "<older>"),
        ("=1+1", "remove", "<older>"),
        ("alone", "keep", "<refused_every_copy>"),
    ]
    assert rows[0]["modified"].endswith("+00:00")
