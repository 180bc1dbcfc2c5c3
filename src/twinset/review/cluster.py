"""One cluster in detail: how similar its members are, and the lattice it lies in."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from twinset.clusters.closed import Closed
from twinset.clusters.context import Context
from twinset.clusters.lattice import DRAWABLE, ConceptLattice, ordered
from twinset.engine import searching
from twinset.errors import TwinsetError
from twinset.model import Floats
from twinset.report.manifest import explained, plan_of
from twinset.report.spelling import cutter_of
from twinset.review.browse import listed_scores, ranked
from twinset.review.grouping import Grouping
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts
from twinset.system.bounded import open_regular
from twinset.text.tokens import WHOLE
from twinset.verify.passages import Stretch, shared_stretches
from twinset.verify.shingled_text import Shingler

SQUARE = 24
"""Members up to which all similarities are shown."""
MOST_TEXTS = 40
MOST_CHARACTERS = 300_000
MOST_PASSAGES = 20
"""Members, the beginnings of their texts, and passages that are looked at and shown."""
SHINGLE = 8
"""Words of a shingle, where the method of the run made none."""
MOST_NEAR = 300
MOST_BYTES = 64 << 20
LONG = 2_000_000
"""Characters of a cluster up to which similarities that are not listed are computed."""


@dataclasses.dataclass(frozen=True)
class Similarities:
    """Similarities of some members as a square; NaN where one is below the threshold or unknown.

    ``complete`` says that pairs that the report does not list were computed from the texts.
    """

    documents: tuple[int, ...]
    scores: Floats
    complete: bool


def similarities(index: ReportIndex, clusters: Grouping, row: int) -> Similarities:
    """The first members against each other, computed again where the report does not list them."""
    documents = ranked(clusters, row, SQUARE)
    scores = listed_scores(index, documents)
    if not np.isnan(scores).any():
        return Similarities(tuple(documents), scores, True)
    computed = _computed(index, documents)
    if computed is None:
        return Similarities(tuple(documents), scores, False)
    return Similarities(tuple(documents), np.where(np.isnan(scores), computed, scores), True)


def _computed(index: ReportIndex, documents: list[int]) -> Floats | None:
    """All similarities by the search of the run; None where they cannot be computed."""
    texts = ReportTexts.of(index).texts(documents)
    if len(texts) < len(documents) or sum(map(len, texts.values())) > LONG:
        return None
    counts = index.report.more.get("statistics")
    try:
        return searching.similarities(
            plan_of(index.manifest), [texts[n] for n in documents], counts
        )
    except TwinsetError:
        return None


def passages(index: ReportIndex, clusters: Grouping, row: int) -> tuple[str, list[Stretch]]:
    """The first member's text and what it shares with others, as far as the texts can be read."""
    documents = ranked(clusters, row, MOST_TEXTS)
    texts = ReportTexts.of(index).texts(documents[:1])
    if not texts:
        return "", []
    texts |= ReportTexts.of(index).texts(documents[1:])
    known = [texts[number] for number in documents if number in texts]
    compared = [text[:MOST_CHARACTERS] for text in known]
    return known[0], shared_stretches(compared, _shingler(index))[:MOST_PASSAGES]


def _shingler(index: ReportIndex) -> Shingler:
    """Cuts texts as the run did it, if it made shingles; no words are left out."""
    try:
        cutter = cutter_of(index.report)
    except TwinsetError:
        return Shingler(SHINGLE)
    if not isinstance(cutter, Shingler) or not cutter.knows_places(whole=True):
        return Shingler(SHINGLE)
    return dataclasses.replace(cutter, cleaning=WHOLE)


def lattice(index: ReportIndex, clusters: Grouping, row: int) -> ConceptLattice | None:
    """The closed sets around this one, ordered by inclusion; None for other kinds of clusters.

    A run for maximal sets lists those alone: the sets inside them are found again, from the table
    of features in the report. Where there are too many, those that share most are given.
    """
    if clusters.shared is None:
        return None
    near = {row}
    for document in clusters.document[clusters.members(row)][:MOST_NEAR].tolist():
        near.update(clusters.rows_with(int(document)))
    rows = sorted(near, key=lambda other: (other != row, -int(clusters.sizes[other]), other))
    explanation = explained(index.manifest)
    if explanation is not None and explanation.unlisted_from:
        drawing = _inner(index, clusters, rows, explanation.unlisted_from)
        if drawing is not None:
            return drawing
    sets = {_set(clusters, other): int(clusters.shared[other]) for other in rows[:DRAWABLE]}
    return ordered(sets, whole=len(rows) <= DRAWABLE)


def _set(clusters: Grouping, row: int) -> tuple[int, ...]:
    return tuple(sorted(clusters.document[clusters.members(row)].tolist()))


def _inner(
    index: ReportIndex, clusters: Grouping, rows: list[int], k: int
) -> ConceptLattice | None:
    """The closed sets of all documents of these clusters, or else of the first of them alone."""
    table = index.report.folder / "shingles.txt.out"
    own = _set(clusters, rows[0])
    every = sorted({document for row in rows[:DRAWABLE] for document in _set(clusters, row)})
    context = _context(table, every, index.report.within)
    sets = None if context is None else _closed(context, every, k)
    if sets is not None and own in sets:
        return ordered(sets)
    context = _context(table, own, index.report.within)
    if context is None or clusters.shared is None:
        return None
    least = k
    while sets is None or own not in sets:
        sets = _closed(context, own, least)
        if sets is not None:
            sets.setdefault(own, int(clusters.shared[rows[0]]))
        else:
            least += max(1, least // 10)
    return ordered(sets, whole=least == k)


def _closed(
    context: Context, documents: Sequence[int], least: int
) -> dict[tuple[int, ...], int] | None:
    """All sets of two and more that share so many features; None where there are too many."""
    closed_sets = Closed(k=least, kind="closed", max_sets=DRAWABLE).find(context)
    if closed_sets.components.truncated.any() or len(closed_sets) > DRAWABLE:
        return None
    return {tuple(documents[d] for d in members): support for members, support in closed_sets}


def _context(path: Path, documents: Sequence[int], within: Sequence[str]) -> Context | None:
    """The features that two or more of the documents share; None where that is not at hand."""
    if len(documents) > MOST_NEAR:
        return None
    place = {document: row for row, document in enumerate(documents)}
    images: list[list[int]] = [[] for _ in documents]
    try:
        with TextIOWrapper(open_regular(path, within, MOST_BYTES, buffering=-1), "ascii") as file:
            for feature, line in enumerate(file):
                rows = [place[d] for d in map(int, line.split()) if d in place]
                if len(rows) > 1:
                    for document in rows:
                        images[document].append(feature)
    except (OSError, ValueError):
        return None
    return Context.of(images)
