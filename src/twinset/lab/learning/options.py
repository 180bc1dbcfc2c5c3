"""What is learnt: the features, where pairs come from, how the machine is trained."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from twinset.errors import PlanError
from twinset.images.views import Views
from twinset.lab.learning.training import Training
from twinset.methods.profiles import faults_of, views_of
from twinset.text.terms import MOST

PAPER = ("words.jaccard", "words.cosine", "words.euclidean", "words.extended", "words.dice")
SENTENCES = tuple(name.replace("words", "sentences") for name in PAPER)
USUAL = (
    *PAPER,
    "words.containment",
    "text.ratio",
    "text.euclidean",
    "pairs.ratio",
    "grams.ratio",
    "grams.euclidean",
    "shingles.jaccard",
    "shingles.containment",
    "numbers.difference",
    "length.ratio",
)
ASKS_FOR_A_MACHINE = {"kernel", "c", "gamma", "class_weight", "degree", "coef0"}
SETS = {"usual": USUAL, "paper": PAPER, "sentences": SENTENCES}


@dataclass(frozen=True, slots=True)
class Learning:
    """Everything that decides which model comes out, beside documents and labels.

    ``candidate_recall`` is the share of the positive pairs that the candidate stage must let
    through. Where others have to be sought, ``negatives`` of them are drawn for each positive pair,
    and no more than ``training_pairs`` are taken in all.
    """

    features: tuple[str, ...] = USUAL
    views: Views = field(default_factory=lambda: Views(views_of(USUAL)))
    training: Training = field(default_factory=Training)
    candidate_recall: float = 0.98
    negatives: float = 5.0
    training_pairs: int = 3000
    max_terms: int = MOST

    @classmethod
    def make(cls, features: Sequence[str] | str | None = None, **options: Any) -> Learning:
        """Checked options; those of views and of the training stand beside the others."""
        chosen = _features(features)
        views_names = _names(Views) - {"names"}
        known = views_names | _names(Training) | (_names(cls) - {"features", "views", "training"})
        faults = [f"there is no option '{name}'" for name in sorted(set(options) - known)]
        if faults:
            raise PlanError([f"{fault}; known: {', '.join(sorted(known))}" for fault in faults])
        given = {name: value for name, value in options.items() if value is not None}
        # words are always looked at: the candidate stage compares them
        views = Views(views_of([*chosen, "words.cosine"]), **_part(given, views_names))
        # A machine that was asked for is not replaced, unless that is asked for as well.
        improve = {"improve": not ASKS_FOR_A_MACHINE & given.keys()}
        training = Training(**(improve | _part(given, _names(Training))))
        rest = {k: v for k, v in given.items() if k not in views_names | _names(Training)}
        made = cls(chosen, views, training, **rest)
        if found := made.faults():
            raise PlanError(found)
        return made

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = faults_of(self.features) + self.views.faults() + self.training.faults()
        if not 0 < self.candidate_recall <= 1:
            found.append(
                f"candidate-recall must lie above 0 and not above 1, not {self.candidate_recall:g}"
            )
        if self.negatives <= 0:
            found.append(f"negatives must be greater than 0, not {self.negatives:g}")
        if self.training_pairs < 20:
            found.append(f"training-pairs must be at least 20, not {self.training_pairs}")
        if self.max_terms < 0:
            found.append(f"max-terms must not be negative, as {self.max_terms} is")
        return found


def _features(given: Sequence[str] | str | None) -> tuple[str, ...]:
    """Names of sets and of features, in order, each once where sets overlap."""
    if given is None:
        return USUAL
    names = given.split(",") if isinstance(given, str) else list(given)
    spread = [one for name in names if name for one in SETS.get(name.strip(), (name.strip(),))]
    from_sets = any(name.strip() in SETS for name in names)
    return tuple(dict.fromkeys(spread)) if from_sets else tuple(spread)


def _names(cls: type[Any]) -> set[str]:
    return {f.name for f in dataclasses.fields(cls)}


def _part(given: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in names}
