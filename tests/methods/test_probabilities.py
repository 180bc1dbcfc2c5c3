"""The curves of the papers, reproduced by simulation within sampling error."""

from __future__ import annotations

import random

import numpy as np
import pytest

from twinset import _kernels
from twinset.finding.methods.keys import NO_STATISTICS
from twinset.plan import spec as parts
from twinset.text.tokens import Cleaning

TRIALS = 1500


def within(share: float, chance: float, trials: int = TRIALS) -> bool:
    """Four standard errors: one run in 16,000 fails by chance, and the seeds are fixed."""
    return abs(share - chance) <= 4 * (chance * (1 - chance) / trials) ** 0.5 + 1e-9


@pytest.mark.parametrize(
    ("rows", "similarity", "printed"),
    [(14, 0.95, 0.879), (14, 0.80, 0.026), (6, 0.75, 0.291), (6, 0.80, 0.495), (6, 0.85, 0.730)],
)
def test_the_formula_of_megashingles_gives_these_figures(rows, similarity, printed):
    method = parts.make("method", f"megashingles:rows={rows}")
    assert method.probability(similarity) == pytest.approx(printed, abs=6e-4)


def two_texts(rng: random.Random, similarity: float, size: int = 380) -> list[str]:
    """Two sets of words of this Jaccard similarity, as texts."""
    words = [f"w{rng.getrandbits(48):012x}" for _ in range(2 * size)]
    common = round(similarity * 2 * size / (1 + similarity))
    shared, rest = words[:common], words[common:]
    own = size - common
    return [" ".join(shared + rest[:own]), " ".join(shared + rest[own : 2 * own])]


@pytest.mark.parametrize(
    ("rows", "similarity"), [(14, 0.95), (14, 0.8), (6, 0.75), (6, 0.8), (6, 0.85)]
)
@pytest.mark.parametrize("name", ["megashingles", "supershingles"])
def test_shingle_groups_agree_as_often_as_the_formula_says(name, rows, similarity):
    method = parts.make("method", f"{name}:rows={rows},shingle=1,stop=none,letters=0")
    rng = random.Random(rows)
    texts = [text for _ in range(TRIALS) for text in two_texts(rng, similarity)]
    keys = method.keys(Cleaning("none", 0).tokens(texts, 2), NO_STATISTICS)
    width = len(keys.values) // len(texts)
    pairs = keys.values.reshape(TRIALS, 2, width)
    agree = (pairs[:, 0] == pairs[:, 1]).any(axis=1).mean()
    assert keys.lengths.tolist() == [width] * len(texts)
    assert within(agree, method.probability(similarity))


@pytest.mark.parametrize(("changed", "lexica"), [(1, 10), (2, 10), (1, 3), (3, 10)])
def test_lexrand_survives_as_often_as_the_formula_says(changed, lexica):
    rng = np.random.default_rng(changed)
    share, size = 0.33, 60
    before = rng.integers(0, 2**63, (TRIALS, size), dtype=np.uint64)
    survived = 0
    for words in before:
        keys = []
        for kept in (words, np.ascontiguousarray(words[changed:])):
            offsets = np.array([0, len(kept)], np.int64)
            inside = np.ones(len(kept), np.uint8)
            found, _ = _kernels.lexicon_keys(kept, offsets, inside, lexica, share, 1, 1, 1)
            keys.append(set(found.tolist()))
        survived += bool(keys[0] & keys[1])
    assert within(survived / TRIALS, 1 - (1 - share**changed) ** lexica)
