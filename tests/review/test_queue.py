"""What is decided and what is open; documents compared; exports."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from twinset.pages.shown import shown
from twinset.review.browse import Query, page
from twinset.review.compare import compared
from twinset.review.decisions import Journal, cluster_decisions, open_clusters
from twinset.review.index import ReportIndex, opened

EXAMPLE = Path(__file__).parents[2] / "examples" / "collection"


@pytest.fixture
def index(tmp_path: Path) -> ReportIndex:
    twinset.find(EXAMPLE, 0.6, exact=True).save(tmp_path / "r")
    return opened(tmp_path / "r").load()


def test_decisions_on_clusters(index: ReportIndex) -> None:
    journal = Journal(index.report.folder)
    clusters = index.clusters
    ids = [index.id(d) for d in clusters.document[clusters.members(2)].tolist()]
    journal.add(ids[::-1], "duplicate")
    journal.add([*ids, "stranger"], "not")
    found = cluster_decisions(index, clusters, journal.read())
    assert list(found) == [2]
    still = page(index, clusters, Query(), among=open_clusters(clusters, found), limit=1000)
    assert still.total == len(clusters) - 1
    done = page(index, clusters, Query(), among=open_clusters(clusters, found, "duplicate"))
    assert [row.number for row in done.rows] == [int(clusters.number[2])]
    assert page(index, clusters, Query(), among=open_clusters(clusters, found, "not")).total == 0


def test_compared_documents_are_kept(index: ReportIndex) -> None:
    left, right = (index.id(int(side[0])) for side in (index.pairs.left, index.pairs.right))
    one = compared(index, left, right)
    assert compared(index, left, right) is one
    assert one.same > 0


def test_a_report_is_opened_once_until_it_changes(tmp_path: Path) -> None:
    texts = ["a b c d e f", "a b c d e f"]
    twinset.find(texts).save(tmp_path / "r")
    first = opened(tmp_path / "r")
    assert opened(tmp_path / "r") is first
    twinset.find([*texts, "x"]).save(tmp_path / "r", force=True)
    assert len(opened(tmp_path / "r")) == 3


def test_the_page_to_send_is_harmless(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    words = " ".join(f"w{n}" for n in range(40))
    evil = "<script>alert(1)</script> \u202e</p><img src=x onerror=alert(2)>"
    (folder / "a.txt").write_text(f"{evil} {words}", encoding="utf-8")
    (folder / "<b>.txt").write_text(f"{words} plain", encoding="utf-8")
    twinset.find(folder, 0.5, html="no").save(tmp_path / "r")
    made = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "<script" not in made
    assert "<img" not in made
    assert "<b>.txt" not in made
    assert "\u202e" not in made
    assert "&lt;script&gt;" in made
    assert "default-src &#x27;none&#x27;" in made or "default-src 'none'" in made


def test_what_cannot_be_seen_is_shown() -> None:
    assert shown("a\x00b\x1bc\u202ed\r\ne\tf\x9bg") == "a␀b␛c⟨RLO⟩d\ne\tf⟨9B⟩g"
