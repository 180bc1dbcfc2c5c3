"""A source document with its variants, and the pairs among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from twinset.features.shingles import Shingles
from twinset.lab.generation.ids import UniqueIds
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Making, Variant
from twinset.lab.generation.splitting import open_sheet
from twinset.lab.generation.units import DocumentSize, has_words
from twinset.text.clean import html_to_text
from twinset.text.tokens import WHOLE
from twinset.verify.edit import edit_similarity
from twinset.verify.measures import Jaccard

SHINGLE = 5


class Document(NamedTuple):
    """A document of a generated collection; ``source`` is the id of the document it comes from."""

    id: str
    text: str
    source: str | None = None
    is_html: bool = False


@dataclass(frozen=True, slots=True)
class Similarity:
    """Jaccard similarity of the sets of 5-word shingles, and 2·LCS/(a+b) of the words' letters."""

    jaccard: float
    edit: float


class TruePair(NamedTuple):
    """Two documents of one family and how similar they are."""

    left: str
    right: str
    similarity: Similarity


@dataclass(frozen=True, slots=True)
class Family:
    """A source document and its variants; a document that only stays has none."""

    source: Document
    variants: tuple[tuple[Document, Variant], ...] = ()
    pairs: tuple[TruePair, ...] = ()
    similarity: tuple[Similarity, ...] = field(default=())

    def kept(self, making: Making) -> Iterator[Document]:
        """The documents that go into the collection."""
        if making.originals != "none":
            yield self.source
        yield from (document for document, _ in self.variants)

    def members(self) -> Iterator[tuple[Document, DocumentSize]]:
        """All documents with their sizes."""
        if self.variants:
            yield self.source, self.variants[0][1].source.statistics
        else:
            yield self.source, open_sheet(self.source.text, self.source.is_html).statistics
        for document, variant in self.variants:
            yield document, variant.sheet.statistics


def make_family(
    source: Document, making: Making, names: UniqueIds, others: Others, threads: int
) -> Family:
    """The variants of a document, and every pair of the family that has words on both sides."""
    variants = []
    for number in range(1, making.variants + 1):
        variant = making.recipe.make(
            source.text,
            seed=making.seed,
            id=source.id,
            variant=number,
            others=others,
            html=source.is_html,
        )
        id = names.variant(source.id, number)
        variants.append((Document(id, variant.text, source.id, source.is_html), variant))
    members = [source, *(document for document, _ in variants)]
    plain = [html_to_text(m.text) if m.is_html else m.text for m in members]
    numbers = list(itertools.combinations(range(len(members)), 2))
    measured = similarities(plain, numbers, threads)
    filled = [has_words(text) for text in plain]
    first = 1 if making.originals == "none" else 0
    pairs = tuple(
        TruePair(members[a].id, members[b].id, similarity)
        for (a, b), similarity in zip(numbers, measured, strict=True)
        if a >= first and filled[a] and filled[b]
    )
    to_source = tuple(s for (a, _), s in zip(numbers, measured, strict=True) if a == 0)
    return Family(source, tuple(variants), pairs, to_source)


def similarities(
    texts: Sequence[str], pairs: Iterable[tuple[int, int]], threads: int = 1
) -> list[Similarity]:
    """The similarity of each pair of plain texts, as the rest of twinset computes it."""
    sets, _ = Shingles(SHINGLE).extract(list(texts), threads)
    tokens = WHOLE.tokens(list(texts), threads)
    canonical = [tokens.text(number).decode() for number in range(len(texts))]
    measured = []
    for left, right in pairs:
        shared = len(np.intersect1d(sets[left], sets[right], assume_unique=True))
        counts = (np.array([n]) for n in (shared, len(sets[left]), len(sets[right])))
        jaccard = float(Jaccard().score(*counts)[0])
        measured.append(Similarity(jaccard, edit_similarity(canonical[left], canonical[right])))
    return measured
