"""Candidates: pairs of a document and its nearest, by each view."""

from __future__ import annotations

import pyarrow as pa

from twinset.finding.candidates.nearest import nearest_by_cosine
from twinset.finding.signals import Profiles

ALIKE = [f"the same words in every one of these documents but {n}" for n in range(12)]


def profiles_of(texts: list[str], **bounds: int) -> Profiles:
    return Profiles.of([pa.array(texts)], **bounds)


def test_candidates_are_every_pair_of_a_document_and_a_neighbour_once() -> None:
    profiles = profiles_of(ALIKE, neighbours=2, crowd=3)
    neighbours = {
        (min(document, int(other)), max(document, int(other)))
        for lists in profiles.nearest.values()
        for document, others in enumerate(lists.numbers)
        for other in others
    }
    left, right = (side.tolist() for side in profiles.pairs)
    assert list(zip(left, right, strict=True)) == sorted(neighbours)
    assert profiles.rows_of(*profiles.pairs).tolist() == list(range(len(left)))
    assert profiles.rows_of(*profiles.pairs[::-1]).tolist() == list(range(len(left)))


def test_a_crowd_gets_more_neighbours_as_long_as_they_are_alike() -> None:
    texts = [*ALIKE, "another text that has little to do with these documents"]
    view = profiles_of(texts).view("words2")
    few = nearest_by_cosine(view, 1, neighbours=2)
    many = nearest_by_cosine(view, 1, neighbours=2, crowd=8)
    assert set(few.numbers.lengths[:12].tolist()) == {2}
    assert set(many.numbers.lengths[:12].tolist()) == {8}
    assert many.numbers.lengths[12] == 2
