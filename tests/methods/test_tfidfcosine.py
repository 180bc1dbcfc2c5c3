"""Containment beside the cosine: against its definition, and what it means for the report."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import pytest

import twinset
from twinset.text.segments import words

METHOD = "tfidfcosine:length=2,sublinear=yes"
STEPS = 1024


def terms(text: str) -> Counter[tuple[str, ...]]:
    row = words([text])[0]
    return Counter(pairwise(row))


def by_definition(texts: list[str]) -> dict[tuple[str, str], tuple[float, float]]:
    """Cosine and containment of all pairs that share a term."""
    counts = [terms(text) for text in texts]
    df = Counter(term for row in counts for term in row)
    idf = {term: math.log((1 + len(texts)) / (1 + n)) + 1 for term, n in df.items()}
    vectors = [{t: (1 + math.log(n)) * idf[t] for t, n in row.items()} for row in counts]
    length = [math.sqrt(sum(w * w for w in row.values())) for row in vectors]
    whole = [sum(round(idf[t] * STEPS) for t in row) for row in counts]
    pairs = {}
    for i, j in combinations(range(len(texts)), 2):
        if common := vectors[i].keys() & vectors[j].keys():
            product = sum(vectors[i][t] * vectors[j][t] for t in common)
            share = sum(round(idf[t] * STEPS) for t in common) / min(whole[i], whole[j])
            pairs[str(i), str(j)] = product / length[i] / length[j], share
    return pairs


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Texts of few words, with excerpts of all lengths and revisions among them."""
    dice = random.Random(3)
    vocabulary = [f"w{number}" for number in range(120)]
    texts = [" ".join(dice.choices(vocabulary, k=dice.randint(30, 200))) for _ in range(60)]
    for source in range(30):
        row = texts[source].split()
        begin = dice.randrange(len(row) - 25)
        texts.append(" ".join(row[begin : begin + dice.randint(25, 60)]))
        texts.append(" ".join(w if dice.random() > 0.1 else "other" for w in row))
    return texts


def rows(findings: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["left"], row["right"]): row for row in findings.pairs.to_pylist()}


@pytest.mark.parametrize(("threshold", "contained"), [(0.54, 0.9), (0.9, 0.5), (0.5, 1.0)])
def test_pairs_hold_by_cosine_or_by_containment(
    texts: list[str], threshold: float, contained: float
) -> None:
    spec = f"{METHOD},contained={contained}"
    for threads in (1, 3):
        listed = rows(twinset.find(texts, threshold, method=spec, threads=threads))
        expected = {
            pair: (cosine, share)
            for pair, (cosine, share) in by_definition(texts).items()
            if cosine >= threshold or share >= contained
        }
        assert listed.keys() == expected.keys()
        for pair, (cosine, share) in expected.items():
            row = listed[pair]
            assert row["score"] == pytest.approx(cosine, abs=1e-9)
            assert row["contained"] == pytest.approx(share, abs=1e-9)
            assert row["rule"] == ("cosine" if cosine >= threshold else "contained")
        assert {row["rule"] for row in listed.values()} == {"cosine", "contained"}


def test_without_containment_nothing_changes(texts: list[str]) -> None:
    plain = twinset.find(texts, 0.54, method=METHOD)
    assert plain.pairs.column_names[-2:] == ["shared", "kind"]
    both = rows(twinset.find(texts, 0.54, method=f"{METHOD},contained=0.95"))
    by_cosine = {pair: row["score"] for pair, row in both.items() if row["rule"] == "cosine"}
    assert by_cosine == {pair: row["score"] for pair, row in rows(plain).items()}


def test_a_short_text_is_contained_in_nothing(texts: list[str]) -> None:
    begin = " ".join(texts[0].split()[:12])
    documents, count = [*texts, begin], len(terms(begin))
    for least, is_pair in ((count, True), (count + 1, False)):
        spec = f"{METHOD},contained=0.95,least_terms={least}"
        pairs = rows(twinset.find(documents, 0.9, method=spec))
        assert (("0", str(len(texts))) in pairs) == is_pair


def test_a_removed_document_satisfies_a_rule_against_the_one_kept(texts: list[str]) -> None:
    spec = f"{METHOD},contained=0.9"
    documents = [*texts, texts[60]]  # an excerpt and its copy
    findings = twinset.dedup(documents, 0.54, method=spec, keep="longest")
    listed = rows(findings)
    by_rule = Counter()
    for row in findings.documents.to_pylist():
        if row["kept_as"] is not None:
            pair = listed[tuple(sorted((row["id"], row["kept_as"]), key=int))]
            assert row["kept_score"] == pair["score"]
            by_rule[pair["rule"]] += 1
    assert by_rule["contained"] >= 2
    assert by_rule["cosine"] >= 2
    assert findings.manifest["decision"]["documents_that"].endswith(
        "or 0.9 of the idf of one in common"
    )


def test_a_higher_threshold_asks_for_the_cosine_alone(texts: list[str], tmp_path: Any) -> None:
    from twinset.review import ReportIndex, clusters_at

    findings = twinset.find(texts, 0.54, method=f"{METHOD},contained=0.9")
    folder = findings.save(tmp_path / "report")
    index = ReportIndex(twinset.open_report(folder))
    assert clusters_at(index, None).pairs == findings.pairs.num_rows
    higher = clusters_at(index, 0.54)
    assert higher.pairs == sum(row["score"] >= 0.54 for row in rows(findings).values())
    assert higher.pairs < findings.pairs.num_rows
    assert any("contained" in sentence for sentence in higher.caveats)
