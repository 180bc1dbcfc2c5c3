"""Why a plan is recommended, in a sentence."""

from __future__ import annotations

import numpy as np

from twinset.lab.tuning.guess import Guess
from twinset.lab.tuning.labels import Measured

DOUBTED = 0.7  # below this a doubt is worth a word


def why_guessed(best: Guess, by_edits: bool = False) -> str:
    """What the distribution of similarities showed."""
    kind = "pairs of related documents" if by_edits else "near-duplicate pairs"
    told = (
        f"From a similarity of {best.excess.begins:.2f} on, pairs are more than the background "
        f"explains: about {best.real:,.0f} {kind}."
    )
    numbers, crowds = (_least(part) for part in (best.doubts.numbers, best.doubts.crowds))
    if numbers < DOUBTED:
        told += " Many similar documents differ in their numbers, as forms do."
    if crowds < DOUBTED:
        told += " Many similar documents come in crowds, as forms and boilerplate do."
    if by_edits:
        told += (
            " Copies cannot be told from them by similarity, so the threshold is the one that most "
            "documents edited on purpose reach."
        )
    if best.view.weighted:
        told += " Sets of shingles cannot tell documents apart here, because passages recur."
    return told


def why_measured(best: Measured) -> str:
    """What the labels showed."""
    return f"By the labels its F1 is {best.f1:.2f}, the highest of the views tried."


def _least(trust: object) -> float:
    values = np.asarray(trust)
    return float(values.min()) if values.size else 1.0
