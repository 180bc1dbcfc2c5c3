"""A large report stays quick."""

from __future__ import annotations

from pathlib import Path

import browse
from twinset.result import write

LIMIT = 0.3


def test_requests_to_a_large_report(tmp_path: Path) -> None:
    write(browse.make(clusters=10_000, size=10), tmp_path / "r")
    found = browse.measure(tmp_path / "r", times=3)
    assert {name: spent for name, spent in found.items() if spent > LIMIT} == {}
