"""The four promises: verified, no chaining, a stated recall, one answer."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.finding.candidates.bands import probability, solve
from twinset.text.segments import words

SHINGLE = 3
VOCABULARY = [f"word{i}" for i in range(60)]


def shingles(text: str, length: int = SHINGLE) -> set[tuple[str, ...]]:
    """Shingle sets from twinset's words but without its hashes."""
    (row,) = words([text])
    if not row:
        return set()
    return {tuple(row[i : i + length]) for i in range(max(1, len(row) - length + 1))}


def jaccard(a: str, b: str, length: int = SHINGLE) -> float:
    x, y = shingles(a, length), shingles(b, length)
    return len(x & y) / len(x | y) if x and y else 0.0


def edited(rng: random.Random, text: list[str], share: float) -> list[str]:
    return [rng.choice(VOCABULARY) if rng.random() < share else word for word in text]


def collection(seed: int, documents: int = 60, length: int = 40) -> list[tuple[str, str]]:
    """Families of near-duplicates, exact copies, an empty text and short ones among them."""
    rng = random.Random(seed)
    texts: list[list[str]] = []
    while len(texts) < documents:
        base = [rng.choice(VOCABULARY) for _ in range(rng.randint(1, length))]
        texts.append(base)
        for _ in range(rng.randint(0, 5)):
            texts.append(edited(rng, rng.choice(texts[-3:]), rng.choice([0, 0.02, 0.05, 0.1])))
    rows = [(f"d{i}", " ".join(t)) for i, t in enumerate(texts[:documents])]
    rows[3] = ("d3", "")
    rng.shuffle(rows)
    return rows


def pairs(found) -> dict[tuple[str, str], float]:
    table = found.pairs
    columns = (table[name].to_pylist() for name in ("left", "right", "score"))
    return {tuple(sorted((a, b))): s for a, b, s in zip(*columns, strict=True)}


def brute(rows, threshold: float) -> dict[tuple[str, str], float]:
    found = {}
    for i, (a, x) in enumerate(rows):
        for b, y in rows[i + 1 :]:
            score = jaccard(x, y)
            if score >= threshold:
                found[tuple(sorted((a, b)))] = score
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1.0])
def test_exact_finds_every_pair_with_its_exact_score(seed, threshold):
    rows = collection(seed)
    found = twinset.find(rows, threshold, exact=True, shingle=SHINGLE)
    assert pairs(found) == brute(rows, threshold)


@pytest.mark.parametrize("image", ["oph", "minwise", "bottom", "full"])
def test_every_reported_pair_is_verified_and_the_recall_is_kept(image):
    wanted, got = 0, 0
    for seed in range(6):
        rows = collection(seed)
        truth = brute(rows, 0.7)
        found = pairs(twinset.find(rows, 0.7, recall=0.95, shingle=SHINGLE, image=image))
        assert found.items() <= truth.items()
        wanted, got = wanted + len(truth), got + len(found)
    assert got >= 0.95 * wanted


def test_the_threshold_is_inclusive():
    a = "a b c d e f g h i j"  # with words as features: 8 shared of 10
    b = "a b c d e f g h"
    assert list(pairs(twinset.find([a, b], 0.8, exact=True, shingle=1)).values()) == [0.8]
    assert len(twinset.find([a, b], 0.8000001, exact=True, shingle=1).pairs) == 0


def chain(length: int = 50, words_each: int = 40, step: int = 4) -> list[tuple[str, str]]:
    """d0 ~ d1 ~ ... : neighbours share most words, the ends none."""
    stream = [f"w{i}" for i in range(words_each + step * length)]
    return [(f"d{i:02}", " ".join(stream[i * step : i * step + words_each])) for i in range(length)]


@pytest.mark.parametrize("exact", [True, False])
def test_a_chain_is_not_one_cluster(exact):
    rows = chain()
    threshold = jaccard(rows[0][1], rows[1][1], 1) - 1e-9
    assert jaccard(rows[0][1], rows[-1][1], 1) == 0.0
    found = twinset.dedup(rows, threshold, exact=exact, shingle=1, recall=0.999)
    text = dict(rows)
    for row in found.clusters.to_pylist():
        assert jaccard(text[row["id"]], text[row["anchor"]], 1) >= threshold
        assert row["score"] == pytest.approx(jaccard(text[row["id"]], text[row["anchor"]], 1))
    assert len(found.clusters.group_by("cluster").aggregate([])) > 10
    components = twinset.find(rows, threshold, exact=True, shingle=1, clusters="components")
    assert set(components.clusters["cluster"].to_pylist()) == {0}
    assert components.manifest["observed"]["chained_clusters"] == 1
    assert components.clusters["chained"].to_pylist() == [True] * 50


@given(
    st.lists(
        st.lists(st.sampled_from("abcdefgh"), min_size=0, max_size=9).map(" ".join),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([0.3, 0.5, 0.8]),
    st.sampled_from(["first", "longest", "shortest"]),
    st.sampled_from(["anchored", "components", "cliques", "closed:k=2"]),
    st.sampled_from([None, "d1*"]),
    st.sampled_from([1, 1000]),
)
@examples(60)
def test_what_is_removed_resembles_what_is_kept(texts, threshold, keep, clusters, never, dense):
    rows = [(f"d{i}", t) for i, t in enumerate(texts)]
    found = twinset.dedup(
        rows,
        threshold,
        exact=True,
        shingle=1,
        keep=keep,
        clusters=clusters,
        never_remove=never,
        dense=dense,
    )
    kept = {f"d{i}" for i in np.flatnonzero(found.keep)}
    text = dict(rows)
    assert len(found.keep) == len(rows)
    for name, body in rows:
        if name not in kept:
            near = max(jaccard(body, text[k], 1) for k in kept)
            assert near >= threshold
            assert never is None or not name.startswith("d1")
    if never is None and dense == 1000:
        for a in kept:
            for b in kept:
                assert a == b or jaccard(text[a], text[b], 1) < threshold


def test_the_s_curve_of_the_papers():
    table = {0.2: 0.006, 0.3: 0.047, 0.4: 0.186, 0.5: 0.470, 0.6: 0.802, 0.7: 0.975, 0.8: 0.9996}
    for similarity, chance in table.items():
        assert probability(similarity, 20, 5) == pytest.approx(chance, abs=6e-4)


@given(st.floats(0.05, 1.0), st.floats(0.01, 0.9999), st.integers(1, 400))
@examples(300)
def test_solved_bands_reach_the_recall_or_say_what_is_reachable(threshold, recall, size):
    reachable = probability(threshold, size, 1)
    if reachable < recall:
        with pytest.raises(twinset.PlanError, match=f"{reachable:.4f}"):
            solve(threshold, recall, size)
        return
    cut = solve(threshold, recall, size)
    assert cut.bands * cut.rows <= size
    assert cut.probability(threshold) >= recall
    assert cut.bands == 1 or probability(threshold, cut.bands - 1, cut.rows) < recall


def same_tables(a, b) -> bool:
    return a.pairs.equals(b.pairs) and a.clusters.equals(b.clusters)


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"image": "bottom"}, {"dense": 2}])
def test_one_answer_whatever_the_threads_batches_and_memory(tmp_path, options, monkeypatch):
    monkeypatch.setattr("twinset.plan.resources.OWN_MEMORY", 0)  # so little that much goes to files
    rows = collection(11, documents=400)
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows))
    first = twinset.find(path, 0.5, shingle=SHINGLE, threads=1, memory="4GB", **options)
    assert len(first.pairs) > 100
    for threads, memory in ((2, "4GB"), (3, "100MB"), (1, "16MB")):
        again = twinset.find(path, 0.5, shingle=SHINGLE, threads=threads, memory=memory, **options)
        assert same_tables(first, again)


@pytest.mark.parametrize("exact", [True, False])
def test_the_order_of_the_input_plays_no_part(exact):
    rows = collection(5, documents=150)
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    results = [
        twinset.dedup(r, 0.5, exact=exact, shingle=SHINGLE, keep="longest")
        for r in (rows, shuffled)
    ]
    assert pairs(results[0]) == pairs(results[1])
    kept = [set(pc.filter(r.documents["id"], r.keep).to_pylist()) for r in results]
    assert kept[0] == kept[1]
    clusters = [{(row["id"], row["anchor"]) for row in r.clusters.to_pylist()} for r in results]
    assert clusters[0] == clusters[1]


def test_many_copies_are_one_class_and_their_pairs_are_counted():
    text = " ".join(VOCABULARY)
    found = twinset.dedup([text] * 3000 + [text + " more"], 0.8, max_pairs=1000)
    assert found.manifest["pairs"] == "compact"
    assert len(found.pairs) == 1
    assert found.manifest["implied_pairs"] == 3001 * 3000 // 2 - 1
    assert found.keep.sum() == 1
    listed = twinset.find([text] * 30 + [text + " more"], 0.8)
    assert len(listed.pairs) == 31 * 30 // 2
    assert listed.manifest["pairs"] == "all"
    assert found.documents["same_as"].null_count == 2
