"""Edit similarity 2·LCS/(|a|+|b|), the judge of the papers (Perl's String::Similarity).

It is computed on the canonical text (lower-case words, single spaces) by RapidFuzz's bit-parallel
Indel distance with a cut-off, in parallel. No pair may take long: a pair whose lengths alone rule
the threshold out is not compared; of texts longer than `LONG` characters the words are compared in
place of the characters; and of texts longer than `LONG` words runs of words, each ending at a word
chosen by its hash, so that runs realign after a change. A coarser unit makes the similarity lower,
never higher by more than chance, so a long pair may be missed but is not made up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinset.finding.verify.texts import TextStore
from twinset.model import Features, Floats, Ints
from twinset.text.tokens import WHOLE

LONG = 50_000
HIGH = 0.95
_AT_ONCE = 20_000_000  # characters in memory
_PER_CALL = 1 << 27  # steps of 64 characters: a call cannot be interrupted, so it is kept short
_HAIR = 1e-6  # RapidFuzz drops pairs exactly at its cut-off; thresholds are inclusive


def edit_similarity(a: str, b: str, threshold: float = 0.0) -> float:
    """The similarity of two canonical texts; 0 where it is below the threshold."""
    if not a or not b:
        return 0.0
    return float(_compared([_comparable(a, b)], np.zeros(1, bool), threshold, 1)[0])


def edit_similarities(pairs: Sequence[tuple[str, str]], threshold: float, threads: int) -> Floats:
    """The same for many pairs of texts, of which none is empty."""
    compared = [_comparable(a, b) for a, b in pairs]
    return _compared(compared, np.zeros(len(compared), bool), threshold, threads)


def _reaching(scores: Floats, threshold: float) -> Floats:
    """The scores that reach the threshold, rounding aside; 0 for the others."""
    return np.where(scores >= threshold - 1e-12, np.maximum(scores, threshold), 0.0)


def edit_scores(
    texts: TextStore,
    left: Ints,
    right: Ints,
    threshold: float,
    threads: int,
    likely: NDArray[np.bool_] | None = None,
) -> Floats:
    """The similarity of each pair, 0 where it is below the threshold.

    ``likely`` marks pairs that are probably very similar, which a high cut-off makes cheap; it
    changes no score.
    """
    hopeful = np.ones(len(left), bool) if likely is None else likely
    scores = np.zeros(len(left))
    size = texts.characters
    open_ = np.flatnonzero(_reachable(size[left], size[right]) >= threshold - 1e-12)
    weight = np.cumsum(np.minimum(size[left[open_]] + size[right[open_]], 4 * LONG))
    for rows in np.split(open_, np.flatnonzero(np.diff(weight // _AT_ONCE)) + 1):
        a, b = left[rows].tolist(), right[rows].tolist()
        known = texts.texts(a + b)
        pairs = [_comparable(known[i], known[j]) for i, j in zip(a, b, strict=True)]
        scores[rows] = _compared(pairs, hopeful[rows], threshold, threads)
    return scores


def _compared(
    pairs: list[tuple[str, str]], hopeful: NDArray[np.bool_], threshold: float, threads: int
) -> Floats:
    """Scores of the pairs; on hopeful ones a high cut-off is tried before the real one."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cpdist

    scores = np.zeros(len(pairs))
    for cutoff, tried in ((max(threshold, HIGH), hopeful), (threshold, True)):
        open_ = np.flatnonzero((scores == 0) & tried)
        for rows in np.split(open_, _ends_of_calls([pairs[row] for row in open_])):
            scores[rows] = cpdist(
                [pairs[row][0] for row in rows],
                [pairs[row][1] for row in rows],
                scorer=Indel.normalized_similarity,
                score_cutoff=max(0.0, cutoff - _HAIR),
                dtype=np.float64,
                workers=threads,
            )
    return _reaching(scores, threshold)


def _ends_of_calls(pairs: list[tuple[str, str]]) -> Ints:
    """Where to split the pairs so that no part takes long."""
    steps = np.cumsum([len(a) * (len(b) // 64 + 1) for a, b in pairs], dtype=np.int64)
    return np.flatnonzero(np.diff(steps // _PER_CALL)) + 1


def _reachable(a: Ints, b: Ints) -> Floats:
    """The largest similarity that texts of these lengths can have; 0 for an empty one."""
    shorter = np.minimum(a, b)
    most: Floats = np.divide(2.0 * shorter, a + b, out=np.zeros(len(a)), where=shorter > 0)
    return most


def _comparable(a: str, b: str) -> tuple[str, str]:
    """The texts themselves, or strings with one character for each of their coarser units."""
    if max(len(a), len(b)) <= LONG:
        return a, b
    words = [WHOLE.tokens([text], 1).hashes for text in (a, b)]
    every = math.ceil(max(map(len, words)) / LONG)
    units = [_runs(hashes, every) for hashes in words]
    _, number = np.unique(np.concatenate(units), return_inverse=True)
    code = number.reshape(-1).astype(np.uint32) + 1
    code += np.where(code >= 0xD800, 0x800, 0).astype(np.uint32)  # no half of a surrogate pair
    cut = len(units[0])
    first, second = (
        part.astype("<u4").tobytes().decode("utf-32-le") for part in np.split(code, [cut])
    )
    return first, second


def _runs(words: Features, every: int) -> Features:
    """Runs of about ``every`` words, ended by words chosen by their hash, as sums of hashes."""
    if every == 1:
        return words
    ends = np.flatnonzero(words % np.uint64(every) == 0) + 1
    starts = np.unique(np.concatenate([[0], ends[ends < len(words)]]))
    return np.add.reduceat(words, starts)
