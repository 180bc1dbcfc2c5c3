"""idf-weighted Jaccard against its definition, computed by brute force."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import PlanError
from twinset.text.segments import words

STEPS = 1024
IDF = {
    "smooth": lambda df, n: math.log((1 + n) / (1 + df)) + 1,
    "plain": lambda df, n: math.log(n / df),
    "normalised": lambda df, n: math.log(n / df) / math.log(n),
}


def terms(text: str, length: int) -> set[tuple[str, ...]]:
    row = words([text])[0]
    return (
        {tuple(row[i : i + length]) for i in range(max(1, len(row) - length + 1))} if row else set()
    )


def by_definition(texts: list[str], length: int, variant: str) -> dict[tuple[str, str], float]:
    """All pairs that share a term, from sets, counts and logarithms alone."""
    sets = [terms(text, length) for text in texts]
    n = max(sum(map(bool, sets)), 2)
    df = {term: sum(term in own for own in sets) for own in sets for term in own}
    weight = {term: max(round(IDF[variant](count, n) * STEPS), 1) for term, count in df.items()}
    scores = {}
    for (i, a), (j, b) in combinations(enumerate(sets), 2):
        common, every = (sum(weight[t] for t in some) for some in (a & b, a | b))
        if common:
            scores[str(i), str(j)] = common / every
    return scores


def listed(texts: list[str], threshold: float, method: str, **options) -> dict:
    table = twinset.find(texts, threshold, method=method, **options).pairs
    columns = (table[name].to_pylist() for name in ("left", "right", "score"))
    return {(a, b): score for a, b, score in zip(*columns, strict=True)}


VOCABULARY = ["alpha", "beta", "gamma", "delta", "eins", "zwei", "drei"]
TEXTS = st.lists(
    st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join), min_size=2, max_size=9
)
THRESHOLDS = st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0])


@examples(60)
@given(
    TEXTS, st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0]), st.integers(1, 2), st.sampled_from([*IDF])
)
def test_every_pair_is_found_with_its_similarity(texts, threshold, length, variant):
    expected = by_definition(texts, length, variant)
    found = listed(texts, threshold, f"idfjaccard:length={length},idf={variant}")
    assert found == {pair: score for pair, score in expected.items() if score >= threshold}


def test_a_similarity_equal_to_the_threshold_is_enough():
    texts = ["one two three four", "one two three five", "six seven eight nine"]
    (pair, score), *_ = by_definition(texts, 1, "smooth").items()
    assert listed(texts, score, "idfjaccard") == {pair: score}
    assert listed(texts, math.nextafter(score, 2), "idfjaccard") == {}


def test_what_all_documents_share_weighs_less():
    template = "dear sir or madam thank you for your letter of today yours"
    texts = [f"{template} {' '.join(f'{word}{n}' for word in 'abcd')}" for n in range(20)]
    assert len(listed(texts, 0.5, "exact:shingle=1")) == 190
    assert listed(texts, 0.5, "idfjaccard:idf=plain") == {}


def test_statistics_of_another_collection_decide(tmp_path):
    texts = ["common rare", "common other", "rare", "rare more"]
    counts = tmp_path / "report" / "statistics.parquet"
    twinset.find(["common"] * 9 + ["rare"], method="tfidf:stop=none,letters=0").save(counts.parent)
    own, theirs = (
        listed(texts, 0.01, "idfjaccard", **more) for more in ({}, {"statistics": str(counts)})
    )
    assert own["0", "2"] < theirs["0", "2"]
    same = tmp_path / "same"
    twinset.find(texts, method="tfidf:stop=none,letters=0").save(same)
    for method in ("idfjaccard", "tfidfcosine"):
        file = {"statistics": str(same / "statistics.parquet")}
        own, counted = (listed(texts, 0.01, method, **more) for more in ({}, file))
        assert own == pytest.approx(counted)
    with pytest.raises(PlanError, match="1 word to a term, the method has 2 word"):
        listed(texts, 0.5, "idfjaccard:length=2", statistics=str(counts))


def versions(originals: int, copies: int) -> list[str]:
    """Texts of words of very unlike frequency, with more or less edited copies of each."""
    rng = random.Random(5)

    def word() -> str:
        return f"w{int(3000 * rng.random() ** 3)}"

    texts = []
    for _ in range(originals):
        text = [word() for _ in range(60)]
        texts.append(" ".join(text))
        for copy in range(copies):
            edited = [word() if rng.random() < 0.04 * (copy + 1) else each for each in text]
            texts.append(" ".join(edited))
    return texts


@examples(40)
@given(TEXTS, THRESHOLDS, st.integers(1, 2), st.sampled_from([*IDF]))
def test_pairs_of_a_sketch_are_right(texts, threshold, length, variant):
    """Whatever it misses: no other pair is found, scores are exact, and equal texts always meet."""
    expected = by_definition(texts, length, variant)
    method = f"idfjaccard:length={length},idf={variant},sketch=64"
    found = listed(texts, threshold, method, recall=0.9)
    assert found.items() <= {p: s for p, s in expected.items() if s >= threshold}.items()
    assert {pair for pair, score in expected.items() if score == 1} <= found.keys()


@pytest.mark.statistics
@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8])
@pytest.mark.parametrize("recall", [0.8, 0.95])
def test_a_sketch_reaches_the_recall_at_the_threshold(threshold, recall):
    """Pairs just above the threshold are found as often as stated; nearer ones more often."""
    texts = versions(150, 6)
    exact = listed(texts, threshold, "idfjaccard")
    near = {pair for pair, score in exact.items() if score < threshold + 0.05}
    assert len(near) > 100
    hits, every = 0, 0
    for seed in range(10):
        found = listed(texts, threshold, f"idfjaccard:sketch=128,seed={seed}", recall=recall)
        assert found.items() <= exact.items()
        assert len(found) >= recall * len(exact)
        hits, every = hits + len(near & found.keys()), every + len(near)
    assert hits >= recall * every


def test_documents_of_overlarge_groups_are_joined_exactly():
    template = " ".join(f"frame{n}" for n in range(40))
    crowd = [f"{template} number{n % 40}" for n in range(80)]
    exact = listed(crowd, 0.6, "idfjaccard")
    assert len(exact) > 700
    method = "idfjaccard:sketch=128"
    assert listed(crowd, 0.6, method, recall=0.1, dense=5) == exact
    assert len(listed(crowd, 0.6, method, recall=0.1)) < len(exact)


def test_a_sketch_that_cannot_reach_the_recall_is_refused():
    with pytest.raises(PlanError, match=r"size 2 reaches .* or sketch=0$"):
        listed(["a", "b"], 0.5, "idfjaccard:sketch=2", recall=0.99)
