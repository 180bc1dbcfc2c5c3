"""Near-duplicates made from the collection's own documents: how many of them a plan would find.

They also set the threshold where the collection itself does not show one: it has no near-duplicates
to learn from, or so many forms that copies cannot be distinguished from them. Then a near-duplicate
has to be as similar as an edited document is to its original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.measures import wilson
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Recipe
from twinset.lab.tuning.guess import Guess, raised
from twinset.lab.tuning.labels import Measured
from twinset.lab.tuning.tuned_view import Estimate
from twinset.lab.tuning.views import TermView
from twinset.model import Floats
from twinset.text.terms import TermCounts
from twinset.text.wording import Rewriter, reworded_texts

# Common edits of medium strength.
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
FOUND = 0.9  # of the edited documents
TELLS = 0.6  # the expected F1 below which copies cannot be told from forms
HIGHEST = 0.8  # what is found without looking must not be missed


@dataclass(frozen=True, slots=True)
class EditRecall:
    """How many of the documents with this edit a plan would find."""

    edit: str
    documents: int
    recall: Estimate


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


def make_edits(texts: list[str], seed: int, profile: Sequence[str] = PROFILE) -> Edits:
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


def fallback(view: TermView, scores: Sequence[Floats]) -> Measured:
    """The highest threshold, up to the usual one, that finds most of the edited documents."""
    values = np.concatenate(list(scores))
    threshold = max(min(HIGHEST, as_near_as_edits(scores)), view.least)
    share = float((values >= threshold).mean())
    recall = Estimate(share, *wilson(share, len(values)))
    return Measured(view, threshold, Estimate(1.0, 0.0, 1.0), recall, share, 0.0)


def cautious(best: Guess, scores: Sequence[Floats]) -> Guess:
    """The guess if it is trustworthy, or the same view at the threshold of the edited documents."""
    nearness = as_near_as_edits(scores)
    if best.f1 >= TELLS or nearness <= best.threshold:
        return best
    return raised(best, nearness)


def as_near_as_edits(scores: Sequence[Floats]) -> float:
    """The similarity that most of the edited documents reach."""
    return float(np.floor(np.quantile(np.concatenate(list(scores)), 1 - FOUND) * 100) / 100)
