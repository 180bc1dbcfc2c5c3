"""Which similarities are learnt from, and with them everything that decides on a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.images.views import Views
from twinset.lab.learning.options import PairOptions, Training
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
class Learning(PairOptions):
    """Everything that decides which model is learnt, beside documents and labels."""

    max_terms: int = spec.option(
        MOST, "Most frequent terms of each kind whose counts the model holds.", least=0
    )
    features: tuple[str, ...] = USUAL
    views: Views = field(default_factory=lambda: Views(views_of(USUAL)))
    training: Training = field(default_factory=Training)

    @classmethod
    def make(cls, features: Sequence[str] | str | None = None, **options: Any) -> Learning:
        """Checked options; those of views and of the training are given beside the others."""
        chosen = _features(features)
        view_names, training_names = spec.options_of(Views), spec.options_of(Training)
        known = {*view_names, *training_names, *spec.options_of(cls)}
        if unknown := sorted(set(options) - known):
            names = ", ".join(sorted(known))
            raise PlanError([f"there is no option '{name}'; known: {names}" for name in unknown])
        chosen_options = {name: value for name, value in options.items() if value is not None}
        # words are always looked at: the candidate stage compares them
        views = Views(views_of([*chosen, "words.cosine"]), **_part(chosen_options, view_names))
        # A machine that was asked for is not replaced, unless that is asked for as well.
        improve = {"improve": not ASKS_FOR_A_MACHINE & chosen_options.keys()}
        training = Training(**(improve | _part(chosen_options, training_names)))
        rest = _part(chosen_options, spec.options_of(cls))
        learning = cls(features=chosen, views=views, training=training, **rest)
        parts = (learning, views, training)
        if faults := faults_of(chosen) + [fault for p in parts for fault in spec.faults_of(p)]:
            raise PlanError(faults)
        return learning


def _features(chosen: Sequence[str] | str | None) -> tuple[str, ...]:
    """Names of sets and of features, in order, each once where sets overlap."""
    if chosen is None:
        return USUAL
    names = chosen.split(",") if isinstance(chosen, str) else list(chosen)
    names = [name.strip() for name in names if name]
    spread = [feature for name in names for feature in SETS.get(name, (name,))]
    from_sets = any(name in SETS for name in names)
    return tuple(dict.fromkeys(spread)) if from_sets else tuple(spread)


def _part(chosen_options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: chosen_options[name] for name in names if name in chosen_options}
