"""Documents of a report compared with each other: two side by side, the members of a cluster.

Texts are read again from their sources, as far as they can be had.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from twinset.errors import TwinsetError
from twinset.finding.clusters.lattice import DRAWABLE, ConceptLattice, ordered
from twinset.finding.signals import in_words as signals_in_words
from twinset.finding.verify.passages import Stretch, shared_stretches
from twinset.finding.verify.shingled_text import Shingler
from twinset.finding.verify.side_by_side import SideBySide, side_by_side
from twinset.result.manifest import masks_in
from twinset.result.pair_signals import MOST_CHARACTERS, profiles_of
from twinset.result.passages import cutter_of
from twinset.result.words import explained
from twinset.review.browse import ranked
from twinset.review.index import Grouping, ReportIndex
from twinset.review.texts import ReportTexts
from twinset.text.wording import hidden

KEPT = 6
"""Compared pairs that are kept: a page asks for them part by part."""
MOST_TEXTS, COMPARED, MOST_PASSAGES = 40, 300_000, 20
"""Members, characters of their texts, and passages that are looked at and shown."""
SHINGLE = 8
"""Words of a shingle, where the method of the run made none."""
MOST_NEAR = 300


def compared(index: ReportIndex, left: str, right: str, *, original: bool = False) -> SideBySide:
    """The two documents, compared word by word; raises where a text cannot be had."""
    known = index.kept("compared", lambda: lru_cache(KEPT)(partial(_compared, index)))
    return known(left, right, original)


def _compared(index: ReportIndex, left: str, right: str, original: bool) -> SideBySide:
    numbers = index.number(left), index.number(right)
    before, after = (ReportTexts.of(index).text(n, original=original) for n in numbers)
    return side_by_side(before, after, masks_in(index.manifest))


def in_words(index: ReportIndex, left: int, right: int, language: str = "en") -> list[str]:
    """What is worth saying of two documents, the most telling first; of a part, where it stands.

    Nothing else where a text cannot be read or both are very long.
    """
    said = against_first(index, [left, right], language).get(right, [])
    place = ReportTexts.of(index).place(left, right)
    return [place.in_words(language), *said] if place else said


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
    masks = masks_in(index.manifest)
    profiles = profiles_of([hidden(read[number], masks) for number in known])
    return {
        other: signals_in_words(profiles, 0, row, language, alone=True)
        for row, other in enumerate(known[1:], 1)
    }


def passages(index: ReportIndex, clusters: Grouping, row: int) -> tuple[str, list[Stretch]]:
    """The first member's text and what it shares with others, as far as the texts can be read."""
    documents = ranked(clusters, row, MOST_TEXTS)
    texts = ReportTexts.of(index).texts(documents[:1])
    if not texts:
        return "", []
    texts |= ReportTexts.of(index).texts(documents[1:])
    known = [texts[number] for number in documents if number in texts]
    compared = [text[:COMPARED] for text in known]
    return known[0], shared_stretches(compared, _shingler(index))[:MOST_PASSAGES]


def _shingler(index: ReportIndex) -> Shingler:
    """Cuts texts as the run did it, if it made shingles of all words."""
    try:
        return cutter_of(index.report)
    except TwinsetError:
        return Shingler(SHINGLE)


def lattice(index: ReportIndex, clusters: Grouping, row: int) -> ConceptLattice | None:
    """The closed sets around this one, ordered by inclusion; None for other kinds of clusters.

    Where there are too many, those that share most are given.
    """
    if clusters.shared is None:
        return None
    near = {row}
    for document in clusters.document[clusters.members(row)][:MOST_NEAR].tolist():
        near.update(clusters.rows_with(int(document)))
    rows = sorted(near, key=lambda other: (other != row, -int(clusters.sizes[other]), other))
    sets = {
        tuple(sorted(clusters.document[clusters.members(other)].tolist())): int(
            clusters.shared[other]
        )
        for other in rows[:DRAWABLE]
    }
    explanation = explained(index.manifest)
    is_whole = explanation is None or not explanation.unlisted_from
    return ordered(sets, whole=is_whole and len(rows) <= DRAWABLE)
