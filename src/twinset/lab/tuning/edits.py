"""Near-duplicates made from the collection's own documents: how many of them a plan would find.

Light edits are a test: a plan that misses what the preset finds of them is not recommended, since
everybody calls such documents copies. Medium ones are reported; where documents that are no copies
share most of their text, an edited document is further from its original than another one is, and
no plan finds it without finding those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.measures import wilson
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Recipe
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.views import TermView
from twinset.model import Floats
from twinset.text.terms import TermCounts
from twinset.text.wording import Rewriter, reworded_texts

LIGHT = (
    "replace-words:1%",
    "ocr-noise:0.3%",
    "delete-paragraphs:5%,by=sentence",
    "add-paragraphs:5%,by=sentence",
    "boilerplate:5%",
    "truncate:5%",
)
MEDIUM = (
    "replace-words:5%",
    "ocr-noise:2%",
    "delete-paragraphs:20%,by=sentence",
    "add-paragraphs:20%,by=sentence",
    "reorder-paragraphs:50%,by=sentence",
    "boilerplate:20%",
    "truncate:20%",
)
MOST = 60  # documents that each edit is done to
LONGEST = 20_000  # characters of a document


@dataclass(frozen=True, slots=True)
class EditRecall:
    """How many of the documents with this edit a plan would find."""

    edit: str
    documents: int
    recall: Estimate

    @property
    def is_light(self) -> bool:
        """Whether a plan has to find it."""
        return self.edit in LIGHT


@dataclass(frozen=True)
class Edits:
    """Documents before and after each edit."""

    profile: tuple[str, ...]
    originals: list[str]
    edited: list[list[str]]

    def scores(self, view: TermView, among: TermCounts, threads: int, rate: float) -> list[Floats]:
        """For each edit the similarity of the edited documents to their originals."""
        first = view.terms(self.originals, threads, rate)
        others = (view.terms(texts, threads, rate) for texts in self.edited)
        return [view.scores(first, other, among) for other in others]

    def reworded(self, rewriter: Rewriter | None) -> Edits:
        """The same documents as they are compared."""
        edited = [reworded_texts(texts, rewriter) for texts in self.edited]
        return Edits(self.profile, reworded_texts(self.originals, rewriter), edited)

    def recall(self, scores: Sequence[Floats], threshold: float) -> list[EditRecall]:
        """By edit, how many reach the threshold."""
        recalls = []
        for edit, values in zip(self.profile, scores, strict=True):
            share = float((values >= threshold).mean())
            recalls.append(
                EditRecall(edit, len(values), Estimate(share, *wilson(share, len(values))))
            )
        return recalls


def make_edits(texts: list[str], seed: int, profile: Sequence[str] = (*LIGHT, *MEDIUM)) -> Edits:
    """Edit documents spread evenly over the sample, each in every way of the profile."""
    chosen = np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)
    originals = [texts[i][:LONGEST] for i in chosen]
    others = Others(originals)
    recipes = [Recipe.parse([spec]) for spec in profile]
    edited = [
        [
            recipe.make(text, seed=seed, id=str(number), others=others, html=False).text
            for number, text in enumerate(originals)
        ]
        for recipe in recipes
    ]
    return Edits(tuple(profile), originals, edited)


def light_share(recalls: Sequence[EditRecall]) -> float:
    """The share of the light edits that are found."""
    return _mean([row.recall.value for row in recalls if row.is_light])


def medium_share(recalls: Sequence[EditRecall]) -> float:
    """The share of the medium edits that are found."""
    return _mean([row.recall.value for row in recalls if not row.is_light])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
