"""The page of a cluster shows the numbers of the run, or says that it does not know all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import twinset
from tests.contracts.test_shown_numbers import Saved, pair_of
from tests.web.conftest import visitor
from twinset.errors import ReportError
from twinset.result.words import observed
from twinset.review import Query, ReportIndex, page, regroup
from twinset.review.compare import similarities
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

UNKNOWN = "Only listed pairs are shown; a dot marks all others."
CELL = re.compile(r'<td class="(itself|unknown|score)[^>]*>(?:<a [^>]*>([^<]*)</a>)?</td>')


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings((tmp_path,), tmp_path / "home", token="t" * 43)
    client = visitor(settings)
    client.cookies.set(cookie_name(settings), pass_of(settings))
    with client:
        yield client


@pytest.mark.parametrize(
    ("search", "whole"),
    [
        ({"method": "minhash:shingle=3"}, True),
        ({"method": "lexical"}, True),
        ({"method": "spotsigs"}, True),
        ({"method": "tf"}, True),
        ({"method": "minhash", "verify": "edit:0.8"}, True),
        ({"method": "decomposition:similarity=0.88"}, False),
        ({"method": "tfidfcosine", "threshold": 0.85}, False),
        ({"method": "simhash:distance=15"}, False),
    ],
    ids=str,
)
def test_the_page_of_a_cluster(
    client: TestClient, tmp_path: Path, search: dict[str, Any], whole: bool
) -> None:
    saved = Saved(tmp_path, search, clusters="components")
    index = saved.index
    opened = client.post("/open-report", data={"folder": str(saved.folder)}, follow_redirects=False)
    answers = []
    for row in range(len(index.clusters)):
        number = int(index.clusters.number[row])
        address = f"{opened.headers['location']}/cluster/{number}/similarities"
        answer = client.get(address).text
        square = similarities(index, index.clusters, row)
        ids = [index.id(document) for document in square.documents]
        cells = [text or kind for kind, text in CELL.findall(answer)]
        assert len(cells) == len(ids) ** 2
        for (i, one), (j, other) in combinations(enumerate(ids), 2):
            pair = pair_of(one, other)
            known = saved.truth(*pair) if whole and saved.truth else saved.pairs.get(pair)
            shown = "·" if known is None else f"{known:.2f}"
            assert cells[i * len(ids) + j] == cells[j * len(ids) + i] == shown, pair
        assert (UNKNOWN in answer) == ("·" in cells)
        answers.append(answer)
    assert answers
    assert any(UNKNOWN in answer for answer in answers) == (not whole)


def shown(tmp_path: Path, texts: list[str], **plan: Any) -> float:
    """The similarity of the first and the last of a chain of texts, as the page shows it."""
    source = tmp_path / "in.jsonl"
    rows = (json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts))
    source.write_text("\n".join(rows))
    folder = twinset.find(source, clusters="components", **plan).save(tmp_path / "report")
    index = ReportIndex(twinset.open_report(folder))
    assert index.clusters.sizes.tolist()[0] == 3
    square = similarities(index, index.clusters, 0)
    assert square.complete
    place = {index.id(document): row for row, document in enumerate(square.documents)}
    listed = set(zip(*(index.report.pairs[n].to_pylist() for n in ("left", "right")), strict=True))
    assert ("0", "2") not in listed
    return float(square.scores[place["0"], place["2"]])


def chain(words: list[str], changed: int) -> list[str]:
    """Three texts, each with some words changed in the one before it, evenly apart."""
    texts = [" ".join(words)]
    step = len(words) // (2 * changed)
    for turn in range(2):
        for n in range(changed):
            words[(2 * n + turn) * step + 1] = f"other{turn}{n}"
        texts.append(" ".join(words))
    return texts


def test_shingles_of_three_words_are_compared_as_such(tmp_path: Path) -> None:
    texts = chain([f"word{n}" for n in range(40)], 2)
    found = shown(tmp_path, texts, method="minhash:shingle=3", threshold=0.6)
    first, last = ({tuple(t.split()[i : i + 3]) for i in range(38)} for t in texts[::2])
    assert found == pytest.approx(len(first & last) / len(first | last))
    # Of five words, the usual ones, they would share 19 of 53.
    assert found == pytest.approx(27 / 49)


def test_lexical_images_are_compared_with_the_counts_of_the_collection(tmp_path: Path) -> None:
    texts = chain([f"word{n}" for n in range(40)], 6)
    texts += [" ".join(["common"] * 20)]
    found = shown(tmp_path, texts, method="lexical", threshold=0.6)
    assert found == pytest.approx(28 / 52)


def test_spots_are_compared_as_such(tmp_path: Path) -> None:
    words = [w for n in range(20) for w in ("the", f"noun{n}", f"verb{n}")]
    texts = chain(words, 4)
    found = shown(tmp_path, texts, method="spotsigs", threshold=0.55)
    three = ([tuple(t.split()[i : i + 3]) for i in range(0, 60, 3)] for t in texts[::2])
    first, last = ({spot for spot in spots if spot[0] == "the"} for spots in three)
    assert len(first & last) < len(last) < len(first)
    assert found == pytest.approx(len(first & last) / len(first | last))


def test_pairs_below_an_edit_check_have_their_similarity(tmp_path: Path) -> None:
    texts = ["a" * 20 + "b" * n + "c" * (20 - n) for n in (0, 5, 10)]
    texts = [f"{text} one two three four five" for text in texts]
    found = shown(tmp_path, texts, method="exact:shingle=2", threshold=0.1, verify="edit:0.85")
    assert 0.7 < found < 0.85


def test_the_histogram_begins_where_the_decision_does(tmp_path: Path) -> None:
    low = Saved(tmp_path, {"method": "decomposition:judge=jaccard,similarity=0.3"})
    assert min(low.pairs.values()) < low.index.manifest["plan"]["threshold"]
    assert sum(observed(low.index.manifest)[1]) == len(low.pairs)
    (tmp_path / "b").mkdir()
    judged = Saved(tmp_path / "b", {"method": "minhash", "verify": "edit:0.5"}, threshold=0.95)
    assert sum(observed(judged.index.manifest)[1]) == len(judged.pairs)


def test_a_cluster_with_an_unknown_pair_comes_first_among_the_weakest(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "decomposition:similarity=0.88"}, clusters="components")
    clusters = saved.index.clusters
    assert clusters.chained.any()
    assert not clusters.chained.all()
    assert np.isnan(clusters.weakest[clusters.chained]).all()
    rows = page(saved.index, clusters, Query(sort="weakest")).rows
    assert [row.chained for row in rows] == sorted((r.chained for r in rows), reverse=True)
    assert [r.number for r in page(saved.index, clusters, Query(weakest_to=0.9)).rows][:1] == [
        rows[0].number
    ]


def test_a_pair_that_follows_from_a_listed_one_has_its_score(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "minhash:shingle=3"}, max_pairs=1)
    assert saved.truth is not None
    assert ("a0", "b0") not in saved.pairs
    assert ("b1", "c1") not in saved.pairs
    for pair in (("a0", "b0"), ("c1", "b1")):
        row = saved.show("--pair", *pair)["pair"]
        assert {row["left"], row["right"]} == set(pair)
        assert row["score"] == pytest.approx(saved.truth(*pair))
    assert saved.show("--pair", "a0", "a1")["pair"] is None


def test_a_threshold_may_be_a_count_where_scores_are(tmp_path: Path) -> None:
    saved = Saved(tmp_path, {"method": "exact", "measure": "overlap"}, threshold=9)
    assert saved.show()["threshold"] == 9
    count = sorted(saved.pairs.values())[len(saved.pairs) // 2]
    told = saved.show("--threshold", str(count))
    assert told["pairs"] == sum(score >= count for score in saved.pairs.values())


@pytest.mark.parametrize(
    ("search", "remedy"),
    [
        ({"method": "exact"}, "--threshold 0.1$"),
        ({"method": "exact", "verify": "edit:0.6"}, "--verify edit:0.1$"),
        ({"method": "decomposition"}, "other options of the method decomposition$"),
    ],
    ids=str,
)
def test_a_lower_threshold_needs_an_option_of_what_decided(
    tmp_path: Path, search: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(ReportError, match=remedy):
        regroup(Saved(tmp_path, search).index, 0.1)
