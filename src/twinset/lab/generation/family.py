"""A source document with its variants, and the pairs among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from twinset.lab.generation.naming import Names
from twinset.lab.generation.options import Making
from twinset.lab.generation.others import Others
from twinset.lab.generation.recipe import Made
from twinset.lab.generation.sheet import open_sheet
from twinset.lab.generation.similarity import Similarity, similarities
from twinset.lab.generation.units import Statistics, has_words
from twinset.text.clean import html_to_text


class Document(NamedTuple):
    """A document of a made collection; ``source`` is the id of what it was made from."""

    id: str
    text: str
    source: str | None = None
    is_html: bool = False


class TruePair(NamedTuple):
    """Two documents of one family and how similar they are."""

    left: str
    right: str
    similarity: Similarity


@dataclass(frozen=True, slots=True)
class Family:
    """A document and what was made of it; a bystander has no variants."""

    source: Document
    variants: tuple[tuple[Document, Made], ...] = ()
    pairs: tuple[TruePair, ...] = ()
    similarity: tuple[Similarity, ...] = field(default=())

    def members(self) -> Iterator[tuple[Document, Statistics]]:
        """All documents with what they hold."""
        if self.variants:
            yield self.source, self.variants[0][1].source.statistics
        else:
            yield self.source, open_sheet(self.source.text, self.source.is_html).statistics
        for document, made in self.variants:
            yield document, made.sheet.statistics


def make_family(
    source: Document, making: Making, names: Names, others: Others, threads: int
) -> Family:
    """The variants of a document, and every pair of the family that has words on both sides."""
    variants = []
    for number in range(1, making.variants + 1):
        made = making.recipe.make(
            source.text,
            seed=making.seed,
            id=source.id,
            variant=number,
            others=others,
            html=source.is_html,
        )
        id = names.variant(source.id, number)
        variants.append((Document(id, made.text, source.id, source.is_html), made))
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
