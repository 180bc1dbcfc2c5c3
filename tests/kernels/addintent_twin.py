"""AddIntent in plain Python, written from its paper: the concept lattice, document by document.

D. van der Merwe, S. Obiedkov, D. Kourie, "AddIntent: a new incremental algorithm for constructing
concept lattices", ICFCA 2004. Objects are documents; an intent is a set of features, here the bits
of a whole number. Intents below the support count as empty (the papers' AddIntent*), which keeps
the part of the lattice that matters, closed under intersection as before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.kernels.closed_twins import Images
from twinset.finding.clusters.closed_sets import Context

DEEPEST = 10_000
"""How deep the recursion may go: the longest chain of concepts."""


@dataclass(slots=True, eq=False)
class IntentConcept:
    """Documents that share exactly ``intent``; parents share less and have more documents."""

    intent: int
    extent: set[int] = field(default_factory=set)
    parents: list[IntentConcept] = field(default_factory=list)
    children: list[IntentConcept] = field(default_factory=list)

    def up(self) -> Iterator[IntentConcept]:
        """This concept and all above it, each once."""
        seen = {id(self)}
        stack = [self]
        while stack:
            concept = stack.pop()
            yield concept
            for parent in concept.parents:
                if id(parent) not in seen:
                    seen.add(id(parent))
                    stack.append(parent)


class IntentLattice:
    """The concepts of the documents added so far; ``bottom`` has all features."""

    def __init__(self, all_features: int, support: int) -> None:
        self.support = support
        self.bottom = IntentConcept(all_features)
        self.concepts = [self.bottom]

    def add(self, document: int, intent: int) -> None:
        """CreateLatticeIncrementally, one step."""
        with _deep_recursion():
            concept = self._add_intent(self._enough(intent), self.bottom)
        for above in concept.up():
            above.extent.add(document)

    def _enough(self, intent: int) -> int:
        return intent if intent.bit_count() >= self.support else 0

    def _add_intent(self, intent: int, generator: IntentConcept) -> IntentConcept:
        generator = _maximal_concept(intent, generator)
        if generator.intent == intent:
            return generator
        new_parents: list[IntentConcept] = []
        for candidate in list(generator.parents):
            if candidate.intent & ~intent:
                shared = self._enough(candidate.intent & intent)
                candidate = self._add_intent(shared, candidate)
            if any(candidate.intent & ~parent.intent == 0 for parent in new_parents):
                continue
            new_parents = [p for p in new_parents if p.intent & ~candidate.intent]
            new_parents.append(candidate)
        concept = IntentConcept(intent, set(generator.extent))
        self.concepts.append(concept)
        for parent in new_parents:
            _unlink(parent, generator)
            _link(parent, concept)
        _link(concept, generator)
        return concept


def _maximal_concept(intent: int, generator: IntentConcept) -> IntentConcept:
    """GetMaximalConcept: the largest extent whose intent holds this one."""
    while True:
        for parent in generator.parents:
            if intent & ~parent.intent == 0:
                generator = parent
                break
        else:
            return generator


def _link(parent: IntentConcept, child: IntentConcept) -> None:
    parent.children.append(child)
    child.parents.append(parent)


def _unlink(parent: IntentConcept, child: IntentConcept) -> None:
    if child in parent.children:
        parent.children.remove(child)
        child.parents.remove(parent)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def build(context: Context, support: int) -> IntentLattice:
    """The lattice of a context down to a support."""
    _, owners = context.inverted()
    intents = [0] * len(context)
    bit = 1
    everything = 0
    for documents in owners:
        for document in documents:
            intents[document] |= bit
        everything |= bit
        bit <<= 1
    lattice = IntentLattice(everything, support)
    for document, intent in enumerate(intents):
        lattice.add(document, intent)
    return lattice


def lattice_sets(images: Images, support: int, kind: str) -> list[tuple[tuple[int, ...], int]]:
    """The concepts with enough features, or the largest of them, sorted."""
    concepts = build(Context.of(images), support).concepts
    sets = [c for c in concepts if c.extent and c.intent.bit_count() >= support]
    if kind == "maximal":
        sets = [c for c in sets if all(p.intent.bit_count() < support for p in c.parents)]
    return sorted((tuple(sorted(c.extent)), c.intent.bit_count()) for c in sets)
