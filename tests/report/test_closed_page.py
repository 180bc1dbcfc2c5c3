"""Lattices and shared text on the page: there, escaped, readable without a pointer, bounded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.report.synthetic import report_page
from tests.report.test_page import parsed
from twinset.finding.clusters import closed
from twinset.finding.clusters.lattice import DRAWABLE
from twinset.result import lattices as closed_page

LICENSES = Path(__file__).resolve().parents[2] / "examples" / "collection" / "licenses.jsonl"


def words(first: int, count: int) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


CHAIN = {"<a>": words(0, 10), "b&": words(2, 10), 'c"': words(4, 10), "d": "something else"}


def find(texts: Any = CHAIN, **options: Any) -> Any:
    plan = {"clusters": "closed", "k": 8, "image": "full", "shingle": 1, **options}
    return twinset.find(texts, threads=1, **plan)


def test_a_chain_is_drawn_with_its_texts() -> None:
    page = report_page(find())
    seen = parsed(page).seen
    assert seen.count("rect") - len(re.findall('<rect class="bar', page)) == 2
    assert "Where components chain" in page
    tips = re.findall(r'<g class="set[^"]*"><title>(.*?)</title>', page, re.DOTALL)
    shared = [" ".join(f"w{n}" for n in range(*span)) for span in ((2, 10), (4, 12))]
    assert [tip.split("\n") for tip in tips] == [
        ["2 documents share 8 features", "&lt;a&gt;", "b&amp;", f"shared: {shared[0]}"],
        ["2 documents share 8 features", "b&amp;", "c&quot;", f"shared: {shared[1]}"],
    ]
    assert (
        "a false cluster: its worst pair, &lt;a&gt; and c&#34;, shares 6 features of the 8" in page
    )
    assert f'<blockquote dir="auto">{shared[0]}</blockquote>' in page


def test_the_table_beneath_says_the_same_and_all_can_be_scrolled_to() -> None:
    page = report_page(find())
    assert page.count("<td>8</td>") == 2
    lattice = page[page.index('<figure class="wide">') :]
    assert lattice.startswith('<figure class="wide"><div class="scroll" role="region" tabindex="0"')
    assert 'aria-label="Lattice of component 0"' in lattice
    assert not re.search(r"url\(|@import|https?:", page)


def test_other_clusters_have_no_lattice() -> None:
    for page in (report_page(find(clusters="components", k=None)), report_page(find(k=10))):
        assert "Where components chain" not in page
        assert "lattice" not in page[page.index("</style>") :]


def test_the_report_keeps_its_lattices_with_their_texts(tmp_path: Path) -> None:
    found = twinset.find(LICENSES, clusters="closed", k=85, image="bottom:size=100")
    folder = found.save(tmp_path / "out")
    saved = json.loads((folder / "lattices.json").read_text())
    assert 2 <= len(saved) <= closed.DRAWN
    for one, before in zip(saved, found.lattices, strict=True):
        assert before.shared == ()
        assert before.worst.items() <= one.items()
        assert len(one["concepts"]) == len(before.lattice.concepts) <= DRAWABLE
        assert all(concept["shared"] for concept in one["concepts"])
        ids = [concept["documents"] for concept in one["concepts"]]
        assert ids == [before.documents_of(concept) for concept in before.lattice.concepts]
    again = twinset.find(LICENSES, clusters="closed", k=85, image="bottom:size=100", threads=1)
    other = again.save(tmp_path / "other")
    assert (other / "lattices.json").read_bytes() == (folder / "lattices.json").read_bytes()


def test_those_that_chain_come_first_and_whole_ones_not_at_all() -> None:
    texts = {**CHAIN, "e": words(100, 20), "f": words(100, 20)}
    far = {f"g{n}": words(200 + 2 * n, 10) for n in range(4)}
    found = find(texts | far)
    assert [(one.worst["left"], one.worst["right"]) for one in found.lattices] == [
        ("g0", "g3"),
        ("<a>", 'c"'),
    ]


def test_a_large_one_that_chains_comes_before_a_small_one_that_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(closed, "DRAWABLE", 3)
    lacking = [" ".join(f"v{n}" for n in range(24) if n // 8 != lacks) for lacks in range(3)]
    found = find([words(2 * n, 10) for n in range(4)] + lacking)
    assert [one.worst["chained"] for one in found.lattices] == [True, False]


def test_no_chain_but_no_one_set_either() -> None:
    texts = [" ".join(f"w{n}" for n in range(12) if n // 4 != lacks) for lacks in range(3)]
    (drawing,) = find(texts, k=4).lattices
    assert "not inside any single set" in closed_page.component_sentence(drawing)
    assert not drawing.worst["chained"]


def test_large_sources_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in CHAIN.items()))
    assert "shared: w2" in report_page(find(source))
    monkeypatch.setattr(closed_page, "MOST_BYTES", source.stat().st_size - 1)
    page = report_page(find(source))
    parsed(page)
    assert "too large to be read a second time" in page
    assert "shared: w2" not in page
    assert '<g class="set' in page


def test_a_set_of_many_documents_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_page, "MOST_MEMBERS", 1)
    page = report_page(find())
    assert '<g class="set' in page
    assert "shared: w2" not in page
    assert f'<blockquote dir="auto">{words(2, 8)}</blockquote>' not in page


def test_sources_that_are_gone_do_no_harm(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in CHAIN.items()))
    found = find(source)
    source.unlink()
    page = report_page(found)
    assert '<g class="set' in page
    assert "shared: w2" not in page


def test_keys_have_no_text() -> None:
    texts = {str(n): "alpha alpha beta beta gamma delta epsilon zeta eta" for n in range(2)}
    page = report_page(find(texts, method="supershingles", k=2))
    parsed(page)
    assert "documents share" not in page[page.index("</style>") :]
