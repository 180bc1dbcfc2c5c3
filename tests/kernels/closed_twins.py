"""Maximal and closed sets by trying every set of documents, and contexts to try them on."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

Images = list[frozenset[int]]
Sets = set[tuple[tuple[int, ...], int]]


def similar_sets(images: Images, least: list[int]) -> dict[tuple[int, ...], int]:
    """Every set of documents that shares what each of them asks for, with its support."""
    found = {}
    for size in range(1, len(images) + 1):
        for documents in combinations(range(len(images)), size):
            shared = len(frozenset.intersection(*(images[d] for d in documents)))
            if shared >= max(least[d] for d in documents):
                found[documents] = shared
    return found


def brute_force(images: Images, least: list[int], kind: str) -> Sets:
    similar = similar_sets(images, least)
    found = set()
    for documents, shared in similar.items():
        larger = [
            similar[wider]
            for new in range(len(images))
            if new not in documents and (wider := tuple(sorted((*documents, new)))) in similar
        ]
        kept = not larger if kind == "maximal" else shared not in larger
        if len(documents) > 1 and kept:
            found.add((documents, shared))
    return found


def lattice_sets(images: Images, support: int, kind: str) -> list[tuple[tuple[int, ...], int]]:
    """Every intersection of images with enough features, or the least of them, sorted."""
    intents: set[frozenset[int]] = set()
    for image in images:
        found = {image, *(image & other for other in intents)}
        intents |= {intent for intent in found if len(intent) >= support}
    if kind == "maximal":
        intents = {intent for intent in intents if not any(less < intent for less in intents)}
    extents = (
        (tuple(d for d, i in enumerate(images) if intent <= i), intent) for intent in intents
    )
    return sorted((documents, len(intent)) for documents, intent in extents)


@st.composite
def contexts(draw: st.DrawFn, documents: int = 12, features: int = 24) -> Images:
    """Copies of a few images with a few features taken away or added, so that sets overlap."""
    feature = st.integers(0, features - 1)
    bases = draw(st.lists(st.frozensets(feature, max_size=features), min_size=1, max_size=3))
    changes = st.frozensets(feature, max_size=5)
    copies = st.tuples(st.sampled_from(bases), changes)
    made = draw(st.lists(copies, min_size=1, max_size=documents))
    return [base ^ change for base, change in made]
