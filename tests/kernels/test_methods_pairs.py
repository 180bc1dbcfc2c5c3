"""Fingerprints, Hamming tables, chains and the weighted join against brute force."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import text_twins, word_twins
from tests.kernels.examples import examples
from tests.kernels.test_pairs import stored
from tests.kernels.word_twins import lists, split
from twinset import _kernels

HASHES = st.lists(st.integers(0, text_twins.MASK), max_size=9)


@given(st.lists(HASHES, min_size=1, max_size=4), st.booleans())
@examples(60)
def test_simhash(rows, weighted):
    values, offsets = lists(rows)
    weights = (values % np.uint64(4)).astype(np.int32) if weighted else np.empty(0, np.int32)
    got = _kernels.simhashes(values, offsets, weights, 2)
    own = split(weights, offsets) if weighted else [[1] * len(row) for row in rows]
    assert got.tolist() == [word_twins.simhash(r, w) for r, w in zip(rows, own, strict=True)]


@pytest.mark.parametrize("distance", range(10))
def test_hamming_tables_find_what_brute_force_finds(distance):
    rng = random.Random(distance)
    prints = [rng.getrandbits(64) for _ in range(60)]
    for _ in range(140):
        near = rng.choice(prints)
        for bit in rng.sample(range(64), rng.randint(0, distance + 2)):
            near ^= 1 << bit
        prints.append(near)
    for threads in (1, 3):
        got = _kernels.hamming_pairs(np.array(prints, np.uint64), distance, threads)
        assert list(zip(*(a.tolist() for a in got), strict=True)) == word_twins.hamming_pairs(
            prints, distance
        )


@given(st.lists(st.integers(0, 7), max_size=24), st.integers(0, 8))
@examples(60)
def test_hamming_tables_with_crowded_blocks(low, distance):
    prints = [value | value << 61 for value in low]
    got = _kernels.hamming_pairs(
        np.array(prints, np.uint64) & np.uint64(text_twins.MASK), distance, 2
    )
    masked = [p & text_twins.MASK for p in prints]
    assert list(zip(*(a.tolist() for a in got), strict=True)) == word_twins.hamming_pairs(
        masked, distance
    )


GROUPS = st.lists(
    st.lists(st.integers(0, 11), min_size=2, max_size=8, unique=True).map(sorted), max_size=8
)


@given(
    GROUPS, st.lists(st.integers(0, 40), min_size=12, max_size=12), st.sampled_from([1, 1.15, 2])
)
@examples(150)
def test_chains(groups, lengths, ratio):
    documents, offsets = lists(groups, np.uint32)
    made = _kernels.chains(offsets, documents, np.array(lengths, np.int64), ratio)
    found = {tuple(chain) for chain in split(made[1], made[0])} - {()}
    assert found == word_twins.chains(groups, lengths, ratio)
    pairs = _kernels.chain_pairs(*made, np.array(lengths, np.int64), ratio)
    got = list(zip(*(a.tolist() for a in pairs), strict=True))
    assert got == word_twins.chain_pairs(found, lengths, ratio)


VECTORS = st.lists(
    st.dictionaries(st.integers(0, 9), st.integers(1, 9), max_size=6), min_size=1, max_size=12
)


NO_MARKS = np.empty(0, np.uint8)
ENDLESS = 1 << 40


def unit(rows):
    vectors = []
    for row in rows:
        norm = sum(w * w for w in row.values()) ** 0.5
        vectors.append({f: w / norm for f, w in sorted(row.items())})
    return vectors


def joined(vectors, threshold, rule=None, dense=ENDLESS, kept=NO_MARKS, threads=1):
    """The pairs of the kernel with their cosine and share, and its three counts."""
    features, offsets = lists([list(v) for v in vectors], np.uint32)
    weights, _ = lists([list(v.values()) for v in vectors], np.float64)
    nothing = np.empty(0, np.uint32), np.empty(0, np.uint64), NO_MARKS, 0.0
    arrays = (features, weights, offsets, 10, threshold, *(rule or nothing), kept, dense, threads)
    left, right, score, share, *counts = _kernels.cosine_pairs(*arrays)
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    assert pairs == sorted(pairs, key=lambda pair: (pair[1], pair[0]))
    shares = share.tolist() or [0.0] * len(pairs)
    return dict(zip(pairs, zip(score.tolist(), shares, strict=True), strict=True)), counts


@given(VECTORS, st.sampled_from([0.1, 0.5, 0.8, 0.95, 1.0]), st.integers(1, 3))
@examples(150)
def test_cosine_join(rows, threshold, threads):
    vectors = unit(rows)
    got, counts = joined(vectors, threshold, threads=threads)
    wanted = word_twins.cosine_pairs(vectors, threshold + 1e-9)
    possible = word_twins.cosine_pairs(vectors, threshold - 1e-9)
    assert wanted.keys() <= got.keys() <= possible.keys()
    assert all(abs(got[pair][0] - possible[pair]) < 1e-12 for pair in got)
    assert counts[1:] == [0, 0]


@given(
    VECTORS,
    st.lists(st.integers(1, 9), min_size=10, max_size=10),
    st.sampled_from([0.25, 0.5, 0.75, 1.0]),
    st.integers(0, 3),
    st.integers(1, 3),
)
@examples(200)
def test_containment_beside_the_cosine(rows, weights, share, least, threads):
    vectors, sets = unit(rows), [set(row) for row in rows]
    rarity = np.array(weights, np.uint32)
    sums = np.array([sum(weights[f] for f in row) for row in sets], np.uint64)
    eligible = np.array([len(row) >= least for row in sets], np.uint8)
    got, _ = joined(vectors, 0.9, (rarity, sums, eligible, share), threads=threads)
    contained = word_twins.contained_pairs(sets, weights, Fraction(share), least)
    sure, possible = (word_twins.cosine_pairs(vectors, 0.9 + slack) for slack in (1e-9, -1e-9))
    assert contained.keys() | sure.keys() <= got.keys() <= contained.keys() | possible.keys()
    assert {pair: got[pair][1] for pair in contained} == {
        pair: float(part) for pair, part in contained.items()
    }


@given(st.integers(1, 2000), st.integers(1, 5), st.integers(1, 3))
@examples(20)
def test_in_a_crowd_every_row_is_a_pair_with_an_anchor_and_few_are_compared(count, dense, threads):
    dice = random.Random(count)
    base = dict.fromkeys(range(8), 5)
    vectors = unit([{**base, dice.randrange(10): dice.randint(4, 6)} for _ in range(count)])
    kept = np.zeros(count, np.uint8)
    kept[: count // 50] = 1
    got, counts = joined(vectors, 0.8, dense=dense, kept=kept, threads=threads)
    assert (got, counts) == joined(vectors, 0.8, dense=dense, kept=kept)
    possible = word_twins.cosine_pairs(vectors[:60], 0.8)
    assert {pair for pair in got if pair[1] < 60} <= possible.keys()
    anchors, paired = set(), {}
    for left, right in got:
        paired.setdefault(right, []).append(left)
    for row in range(count):
        if kept[row] or not any(left in anchors for left in paired.get(row, [])):
            anchors.add(row)
    assert len(anchors) == max(
        count // 50, 1
    )  # all are alike: no anchor but the first and the kept
    if count > 600:
        assert counts[1] > 0
        assert len(got) < count * (len(anchors) + 1) + 520 * 520


COUNTED = st.lists(
    st.dictionaries(st.integers(0, 9), st.integers(1, 9), max_size=8), min_size=1, max_size=12
)


@given(
    COUNTED,
    st.randoms(use_true_random=False),
    st.sampled_from([0.1, 0.54, 0.8, 1.0]),
    st.sampled_from([0.0, 0.3, 0.75, 0.95, 1.0]),
    st.integers(1, 3),
)
@examples(200)
def test_tfidf_join_of_counted_terms(rows, dice, threshold, share, threads):
    """Documents in any order, some left out; terms in any order, numbers not in that of names."""
    documents = [d for d in range(len(rows)) if rows[d] and dice.random() < 0.8]
    dice.shuffle(documents)
    shuffled = [dice.sample(list(row.items()), len(row)) for row in rows]
    terms, offsets = lists([[t for t, _ in row] for row in shuffled], np.uint32)
    tf, _ = lists([[n for _, n in row] for row in shuffled], np.int32)
    idf = [1 + dice.random() * 5 for _ in range(10)]
    rarity = [round(1024 * weight) for weight in idf]
    df = np.bincount(terms, minlength=10).astype(np.uint32)
    names = np.array(dice.sample(range(1 << 60), 10), np.uint64)
    eligible = np.array([dice.random() < 0.8 for _ in documents], np.uint8)
    by_tf = 1 + np.log(np.maximum(np.arange(10), 1))
    left, right, score, part, *_ = _kernels.tfidf_pairs(
        terms, tf, offsets, np.array(documents, np.uint32), by_tf, names, np.array(idf),
        np.array(rarity, np.uint32), df, threshold, eligible, share, NO_MARKS, ENDLESS, threads,
    )  # fmt: skip
    vectors = unit([{t: by_tf[n] * idf[t] for t, n in rows[d].items()} for d in documents])
    expected = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(vectors), 2):
        cosine = sum(a[t] * b[t] for t in sorted(a.keys() & b.keys(), key=lambda t: names[t]))
        sums = [sum(rarity[t] for t in vector) for vector in (a, b)]
        held = Fraction(sum(rarity[t] for t in a.keys() & b.keys()), min(sums))
        lighter = [row for row, own in zip((i, j), sums, strict=True) if own == min(sums)]
        contained = share and held >= Fraction(share) and any(eligible[row] for row in lighter)
        if cosine >= threshold - 1e-9 or contained:
            expected[i, j] = cosine, float(held), cosine >= threshold + 1e-9 or contained
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    assert {pair for pair, (*_, sure) in expected.items() if sure} <= set(pairs)
    for at, pair in enumerate(pairs):
        cosine, held, _ = expected[pair]
        assert abs(score[at] - cosine) < 1e-12
        assert not share or part[at] == held


def test_rows_of_many_terms_are_bounded_as_they_are_multiplied():
    """Tails, prefixes and classes of rarity only show in collections of some size."""
    dice = np.random.default_rng(5)
    often = 1 / np.arange(1, 3001)
    rows = [
        dice.choice(3000, dice.integers(30, 150), False, often / often.sum()) for _ in range(300)
    ]
    rows += [np.unique(np.append(row[:: 1 + k % 3], dice.integers(0, 3000, k % 40)))
             for k, row in enumerate(rows[:200])]  # fmt: skip
    terms, offsets = lists([list(row) for row in rows], np.uint32)
    tf = dice.integers(1, 5, len(terms)).astype(np.int32)
    df = np.bincount(terms, minlength=3000).astype(np.uint32)
    idf = np.log((1 + len(rows)) / (1 + df)) + 1
    rarity = np.rint(idf * 1024).astype(np.uint32)
    weights = np.zeros((len(rows), 3000))
    for d, row in enumerate(rows):
        weights[d, row] = (1 + np.log(tf[offsets[d] : offsets[d + 1]])) * idf[row]
    weights /= np.sqrt((weights**2).sum(1))[:, None]
    cosine = weights @ weights.T
    sums = (weights > 0) @ rarity.astype(float)
    held = ((weights > 0) * rarity @ (weights > 0).T) / np.minimum.outer(sums, sums)
    everyone, marks = np.arange(len(rows), dtype=np.uint32), np.ones(len(rows), np.uint8)
    by_tf = np.concatenate([[0.0], 1 + np.log(np.arange(1, 5))])
    names = dice.permutation(3000).astype(np.uint64)
    for threshold, share in ((0.2, 0.0), (0.54, 0.0), (0.54, 0.7), (0.9, 0.7), (0.9, 0.95)):
        left, right, score, *_ = _kernels.tfidf_pairs(
            terms, tf, offsets, everyone, by_tf, names, idf, rarity, df, threshold, marks,
            share, NO_MARKS, ENDLESS, 2,
        )  # fmt: skip
        holds = cosine >= threshold
        if share:
            holds |= held >= share
        expected = np.argwhere(np.triu(holds, 1))
        pairs = np.stack([left, right], axis=1)
        assert sorted(map(tuple, pairs.tolist())) == sorted(map(tuple, expected.tolist()))
        assert np.allclose(score, np.minimum(cosine[left, right], 1), atol=1e-12)


@given(
    st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), max_size=8),
    st.integers(1, 40),
)
@examples(50)
def test_terms_are_numbered_as_they_come(batches, threads):
    spread = np.arange(31, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    table, alone = _kernels.TermTable(), _kernels.TermTable()
    numbers = [table.add(spread[batch], threads) for batch in batches]
    assert [n.tolist() for n in numbers] == [alone.add(spread[b], 1).tolist() for b in batches]
    names, df = table.all()
    for batch, row in zip(batches, numbers, strict=True):
        assert names[row].tolist() == spread[batch].tolist()
    times = Counter(term for batch in batches for term in batch)
    assert {int(names[n]): int(df[n]) for n in np.flatnonzero(df)} == {
        int(spread[term]): count for term, count in times.items()
    }


def test_a_table_of_many_terms_grows():
    hashes = np.random.default_rng(2).integers(0, 1 << 63, 100_000, dtype=np.uint64) * np.uint64(2)
    table = _kernels.TermTable()
    numbers = table.add(hashes, 3)
    assert np.array_equal(table.add(hashes, 1), numbers)
    names, df = table.all()
    assert np.array_equal(names[numbers], hashes)
    assert set(df[numbers].tolist()) == {2}
    assert len(names) < 110_000


FORMULAS = {
    0: lambda first, second: sum(first[f] * second[f] for f in first.keys() & second.keys()),
    1: lambda first, second: len(first.keys() & second.keys()) / len(first.keys() | second.keys()),
    2: lambda first, second: len(first.keys() & second.keys()) / min(len(first), len(second)),
}


@given(
    VECTORS, st.sampled_from([0.05, 0.2, 0.5, 1.0]), st.sampled_from([*FORMULAS]), st.integers(1, 3)
)
@examples(150)
def test_inverted_table(rows, least, formula, threads):
    features, offsets = lists([sorted(row) for row in rows], np.uint32)
    values = [[1.0 if formula else row[f] for f in sorted(row)] for row in rows]
    weights, _ = lists(values, np.float64)
    arrays = (features, weights, offsets, 10, formula, least, threads)
    left, right, score = _kernels.inverted_pairs(*arrays)
    wanted = {}
    for b, second in enumerate(rows):
        for a, first in enumerate(rows[:b]):
            if not first.keys() & second.keys():
                continue
            value = FORMULAS[formula](first, second)
            if value >= least:
                wanted[a, b] = min(value, 1.0)
    got = dict(zip(zip(left.tolist(), right.tolist(), strict=True), score.tolist(), strict=True))
    assert got == pytest.approx(wanted)


# Some features above 2^60, where the glance ends, and enough below for it to decide.
FEATURES = st.sets(
    st.one_of(st.integers(0, 45), st.integers(2**60 - 2, 2**60 + 9)), max_size=50
).map(sorted)


@given(
    st.lists(FEATURES, min_size=2, max_size=5),
    st.sampled_from([0.0, 0.2, 0.5, 0.61, 1.0]),
    st.integers(1, 2),
)
@examples(200)
def test_sharing(rows, part, threads):
    pairs = list(itertools.product(range(len(rows)), repeat=2))
    left, right = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    got = _kernels.sharing(stored(rows), left, right, part, threads)
    sets = [set(row) for row in rows]
    assert got.tolist() == [word_twins.sharing(sets[i], sets[j], part) for i, j in pairs]


@given(st.integers(0, 4), st.integers(10, 40), st.booleans(), st.sampled_from([0, 0.2, 0.4, 0.8]))
@examples(200)
def test_sharing_by_a_glance(common, low, at_the_end, part):
    """Nearly all in common, but few of the low ones: the glance says no where a count says yes."""
    high = [2**60 + number for number in range(400)]
    last = [2**60 - (not at_the_end)]
    both = list(range(0, 2 * common, 2))
    rows = [
        sorted([*both, *(100 + 2 * number + side for number in range(low)), *last, *high])
        for side in (0, 1)
    ]
    numbers = [np.array([number], np.uint32) for number in (0, 1)]
    got = _kernels.sharing(stored([sorted(set(row)) for row in rows]), *numbers, part, 1)
    assert got.tolist() == [word_twins.sharing(set(rows[0]), set(rows[1]), part)]
