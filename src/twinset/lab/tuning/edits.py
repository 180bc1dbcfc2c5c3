"""Near-duplicates made from the collection's own documents: what a plan would find of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.intervals import wilson
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Recipe
from twinset.lab.tuning.intervals import Estimate
from twinset.lab.tuning.views import Terms, View
from twinset.model import Floats

# What happens to texts in life, neither gently nor roughly.
PROFILE = (
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


@dataclass(frozen=True)
class Edits:
    """Documents and what the edits made of them."""

    profile: tuple[str, ...]
    originals: list[str]
    made: list[list[str]]

    def scores(self, view: View, among: Terms, threads: int, rate: float) -> list[Floats]:
        """For each edit the similarity of the made documents to their originals."""
        first = view.terms(self.originals, threads, rate)
        others = (view.terms(texts, threads, rate) for texts in self.made)
        return [view.scores(first, other, among) for other in others]

    def recall(self, scores: Sequence[Floats], threshold: float) -> list[EditRecall]:
        """By edit, how many reach the threshold."""
        told = []
        for edit, values in zip(self.profile, scores, strict=True):
            share = float((values >= threshold).mean())
            told.append(EditRecall(edit, len(values), Estimate(share, *wilson(share, len(values)))))
        return told


def make_edits(texts: list[str], seed: int, profile: Sequence[str] = PROFILE) -> Edits:
    """Edit documents spread evenly over the sample, each in every way of the profile."""
    chosen = np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)
    originals = [texts[i][:LONGEST] for i in chosen]
    others = Others(originals)
    recipes = [Recipe.parse([spec]) for spec in profile]
    made = [
        [
            recipe.make(text, seed=seed, id=str(number), others=others, html=False).text
            for number, text in enumerate(originals)
        ]
        for recipe in recipes
    ]
    return Edits(tuple(profile), originals, made)
