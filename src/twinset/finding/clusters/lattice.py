"""The concept lattice of a component: its closed sets ordered by inclusion.

Here is the order and its plain forms (table, JSON, Graphviz); ``lattice_svg`` draws it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.finding.clusters.closed_sets import ClosedSets, Context
from twinset.model import Ragged
from twinset.model.columns import column

DRAWABLE = 60
"""Up to this many concepts are shown; above it the cover and its pairwise meets."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Two or more documents and how many features they share, with the next larger sets.

    ``tolerated`` are documents that have most of these features.
    """

    documents: tuple[int, ...]
    support: int
    above: tuple[int, ...]
    tolerated: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ConceptLattice:
    """Concepts, the smallest sets first; ``whole`` is false when only a part is shown."""

    concepts: tuple[Concept, ...]
    whole: bool

    def documents(self) -> list[int]:
        """All documents in it, ascending."""
        return sorted({d for c in self.concepts for d in (*c.documents, *c.tolerated)})

    def edges(self) -> Iterator[tuple[int, int]]:
        """Pairs (smaller, larger) with nothing between them."""
        for lower, concept in enumerate(self.concepts):
            for upper in concept.above:
                yield lower, upper


@dataclass(frozen=True, slots=True)
class ComponentLattice:
    """The lattice of one component; its documents are numbers into ``names``.

    ``worst`` is the component's row of the report on false clusters.
    """

    lattice: ConceptLattice
    names: tuple[str, ...]
    worst: dict[str, Any]


def component_lattice(
    context: Context, sets: ClosedSets, component: int, limit: int = DRAWABLE
) -> ConceptLattice:
    """The lattice of one component, or its cover with meets when it has more than ``limit``."""
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
    return ordered(_with_meets(context, cover, limit), whole=False)


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


def with_tolerated(
    drawn: ComponentLattice, tolerated: Mapping[tuple[str, ...], Sequence[str]]
) -> ComponentLattice:
    """The same with the documents that some sets tolerate, both by their ids."""
    names = list(drawn.names)
    place = {name: number for number, name in enumerate(names)}
    concepts = []
    for concept in drawn.lattice.concepts:
        outside = tolerated.get(tuple(drawn.names[d] for d in concept.documents), ())
        for name in outside:
            if name not in place:
                place[name] = len(names)
                names.append(name)
        concepts.append(replace(concept, tolerated=tuple(sorted(place[n] for n in outside))))
    lattice = replace(drawn.lattice, concepts=tuple(concepts))
    return ComponentLattice(lattice, tuple(names), drawn.worst)


def _with_meets(
    context: Context, cover: dict[tuple[int, ...], int], limit: int
) -> dict[tuple[int, ...], int]:
    """The largest sets of a cover, and what two of them have in common as far as there is room."""
    room = max(1, limit // 3)
    largest = sorted(cover, key=lambda documents: (-len(documents), documents))[:room]
    sets = {documents: cover[documents] for documents in largest}
    meets = {tuple(sorted(set(a) & set(b))) for a, b in combinations(largest, 2)}
    larger = sorted((m for m in meets if len(m) > 1), key=lambda m: (-len(m), m))
    for documents in larger[: limit - len(sets)]:
        sets.setdefault(documents, len(context.common(documents)))
    return sets


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
            **({"tolerated": [names[d] for d in concept.tolerated]} if concept.tolerated else {}),
            **({"shared": shared[number]} if shared else {}),
        }
        for number, concept in enumerate(lattice.concepts)
    ]
