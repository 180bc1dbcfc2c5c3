"""What signals say of documents of an opened report, in words, quickly enough for a click."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twinset.report.pair_signals import MOST_BYTES, MOST_CHARACTERS, has_similarities, profiles_of
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts
from twinset.signals import ListedScores, WordSample, facts_beside, said, sampled


def in_words(index: ReportIndex, left: int, right: int, language: str = "en") -> list[str]:
    """What is worth saying of two documents, the most telling first.

    Nothing where a text cannot be read or both are very long.
    """
    return against_first(index, [left, right], language).get(right, [])


def against_first(
    index: ReportIndex, documents: Sequence[int], language: str = "en"
) -> dict[int, list[str]]:
    """The same of the first document and each of the others, by the number of the other.

    Those are left out with which the texts become very long.
    """
    read = ReportTexts.of(index).texts(documents)
    room = np.cumsum([len(read.get(number, "")) for number in documents]) <= MOST_CHARACTERS
    known = [n for n, fits in zip(documents, room.tolist(), strict=True) if fits and n in read]
    if len(known) < 2 or known[0] != documents[0]:
        return {}
    profiles, sample = profiles_of([read[number] for number in known]), _sample(index)
    first, *others = known
    facts = {
        other: facts_beside(profiles, 0, row, _listed(index, first, other), sample)
        for row, other in enumerate(others, 1)
    }
    return {other: said(its, language) for other, its in facts.items()}


def _listed(index: ReportIndex, left: int, right: int) -> ListedScores | None:
    if not has_similarities(index.manifest):
        return None
    pairs = index.pairs
    with_left, with_right = ((pairs.left == end) | (pairs.right == end) for end in (left, right))
    return ListedScores.of(pairs.score, with_left, with_right)


def _sample(index: ReportIndex) -> WordSample | None:
    """Kept with the report; None where reading so many documents would take long."""
    name = "sample of words"
    if name not in index.kept_by_name:
        texts = ReportTexts.of(index)
        chosen = sampled(len(index)).tolist() if texts.is_quick(MOST_BYTES) else []
        read = texts.texts(chosen)
        known = WordSample.of([read[number] for number in chosen if number in read])
        index.kept_by_name[name] = known
    sample: WordSample | None = index.kept_by_name[name]
    return sample
