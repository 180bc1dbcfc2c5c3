"""The comparison on labelled pages gives the published figures of the methods."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import twinset

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT.parent / "shared" / "data" / "debian_guide_html"

pytestmark = [
    pytest.mark.usefixtures("runs_here"),
    pytest.mark.shared,
    pytest.mark.skipif(not GUIDE.is_dir(), reason=f"there is no {GUIDE}"),
]


def test_labels_give_the_figures_of_the_docs() -> None:
    figures = json.loads((ROOT / "benchmarks" / "results" / "methods_quality.json").read_text())
    expected = figures["debian_guide_html"]
    result = twinset.compare(
        GUIDE / "docs.jsonl.gz",
        ["tf", "minhash", "longsent"],
        truth=GUIDE / "truth.csv",
        ignore=GUIDE / "dontcare.csv",
        page_text="whole",
    )
    assert result.manifest["documents"] == expected["documents"]
    for row in result.table.to_pylist():
        known = expected["methods"][row["name"]]
        assert row["pairs"] == known["pairs"]
        assert row["recall"] == pytest.approx(known["recall"])
        assert row["precision"] == pytest.approx(known["precision"])
