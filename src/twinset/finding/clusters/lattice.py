"""The concept lattice of a component: its closed sets ordered by inclusion.

Here is the order and its plain forms (table, JSON, Graphviz); ``lattice_svg`` draws it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.finding.clusters.closed_sets import ClosedSets, Context
from twinset.model import Ragged
from twinset.model.columns import column

DRAWABLE = 60
"""Up to this many concepts are shown; above it the largest of the cover."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Two or more documents and how many features they share, with the next larger sets."""

    documents: tuple[int, ...]
    support: int
    above: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConceptLattice:
    """Concepts, the smallest sets first; ``whole`` is false when only a part is shown."""

    concepts: tuple[Concept, ...]
    whole: bool

    def documents(self) -> list[int]:
        """All documents in it, ascending."""
        return sorted({d for c in self.concepts for d in c.documents})

    def edges(self) -> Iterator[tuple[int, int]]:
        """Pairs (smaller, larger) with nothing between them."""
        for lower, concept in enumerate(self.concepts):
            for upper in concept.above:
                yield lower, upper


@dataclass(frozen=True, slots=True)
class ComponentLattice:
    """The lattice of one component; its documents are numbers into ``names``.

    ``worst`` is the component's row of the report on false clusters; ``shared`` has a text for each
    concept, or nothing where the documents were not read again.
    """

    lattice: ConceptLattice
    names: tuple[str, ...]
    worst: dict[str, Any]
    shared: tuple[str, ...] = ()

    def documents_of(self, concept: Concept) -> list[str]:
        """The ids of a concept."""
        return [self.names[number] for number in concept.documents]


def component_lattice(
    context: Context, sets: ClosedSets, component: int, limit: int = DRAWABLE
) -> ConceptLattice:
    """The lattice of one component, or its cover when it has more than ``limit`` concepts."""
    documents = np.flatnonzero(sets.component_of == component)
    inside = Context.of(context[int(d)].tolist() for d in documents)
    least = sets.least[documents]
    arrays = _kernels.closed_sets(
        inside.values, inside.offsets, least, False, limit, 10_000_000, 10_000_000, False, 1
    )
    members, support, truncated = Ragged(arrays[1], arrays[0]), arrays[2], arrays[9]
    if not truncated.any():
        inner_sets = {
            tuple(documents[inner].tolist()): int(shared)
            for inner, shared in zip(members, support, strict=True)
        }
        return ordered(inner_sets, whole=True)
    shown = [i for i in sets.shown() if sets.component[i] == component]
    cover = {tuple(sets.documents(i).tolist()): int(sets.support[i]) for i in shown}
    largest = sorted(cover, key=lambda documents: (-len(documents), documents))[:limit]
    return ordered({documents: cover[documents] for documents in largest}, whole=False)


def named_lattice(
    context: Context, sets: ClosedSets, ids: pa.Array, worst: dict[str, Any]
) -> ComponentLattice:
    """The lattice of the component that ``worst`` is the row of, with the ids of its documents."""
    lattice = component_lattice(context, sets, worst["component"])
    documents = lattice.documents()
    place = {document: number for number, document in enumerate(documents)}
    concepts = tuple(
        replace(concept, documents=tuple(place[document] for document in concept.documents))
        for concept in lattice.concepts
    )
    names = tuple(ids.take(column(np.array(documents, np.int64))).to_pylist())
    return ComponentLattice(replace(lattice, concepts=concepts), names, worst)


def ordered(sets: dict[tuple[int, ...], int], whole: bool = True) -> ConceptLattice:
    """Sets of documents with their supports, put in order by inclusion."""
    ranked = sorted(sets, key=lambda documents: (len(documents), documents))
    members = [frozenset(documents) for documents in ranked]
    concepts = []
    for i, documents in enumerate(ranked):
        larger = [j for j in range(i + 1, len(ranked)) if members[i] < members[j]]
        above = [j for j in larger if not any(members[k] < members[j] for k in larger)]
        concepts.append(Concept(documents, sets[documents], tuple(above)))
    return ConceptLattice(tuple(concepts), whole)


def rows(
    lattice: ConceptLattice, names: Sequence[str], shared: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The lattice as a table, ready for JSON: one row per concept, links by number.

    ``names`` are those of all documents of the context; ``shared`` is a text for each concept.
    """
    return [
        {
            "concept": number,
            "documents": [names[d] for d in concept.documents],
            "support": concept.support,
            "above": list(concept.above),
            "below": [lower for lower, upper in lattice.edges() if upper == number],
            **({"shared": shared[number]} if shared else {}),
        }
        for number, concept in enumerate(lattice.concepts)
    ]
