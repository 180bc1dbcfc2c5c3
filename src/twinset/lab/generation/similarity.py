"""The similarity of a pair as the rest of the house computes it: 5-word shingles, and edits."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from twinset.features.shingles import Shingles
from twinset.text.tokens import WHOLE
from twinset.verify.edit import edit_similarity
from twinset.verify.measures import Jaccard

SHINGLE = 5


@dataclass(frozen=True, slots=True)
class Similarity:
    """Jaccard similarity of the sets of 5-word shingles, and 2·LCS/(a+b) of the words' letters."""

    jaccard: float
    edit: float


def similarities(
    texts: Sequence[str], pairs: Iterable[tuple[int, int]], threads: int = 1
) -> list[Similarity]:
    """The similarity of each pair of texts (plain ones), which are read once."""
    features, offsets, _ = Shingles(SHINGLE).extract(list(texts), threads)
    tokens = WHOLE.tokens(list(texts), threads)
    canonical = [tokens.text(number).decode() for number in range(len(texts))]
    sets = [features[a:b] for a, b in itertools.pairwise(offsets)]
    found = []
    for left, right in pairs:
        shared = len(np.intersect1d(sets[left], sets[right], assume_unique=True))
        counts = (np.array([n]) for n in (shared, len(sets[left]), len(sets[right])))
        jaccard = float(Jaccard().score(*counts)[0])
        found.append(Similarity(jaccard, edit_similarity(canonical[left], canonical[right])))
    return found
