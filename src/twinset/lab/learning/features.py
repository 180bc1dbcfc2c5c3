"""Which similarities are learnt from, and with them everything that decides on a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.images.views import Views
from twinset.lab.learning.options import PairOptions, Training, WordOptions
from twinset.methods.profiles import faults_of, views_of
from twinset.signals import OF_DOCUMENTS
from twinset.spec.numerals import plain_value
from twinset.text.forms import NoForms
from twinset.text.terms import MOST
from twinset.text.word_files import synonyms_of
from twinset.text.wording import WordChoice

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
SIGNALS = tuple(f"signals.{name}" for name in OF_DOCUMENTS)
SETS = {"usual": USUAL, "paper": PAPER, "sentences": SENTENCES, "signals": SIGNALS}


@dataclass(frozen=True, slots=True)
class Learning(PairOptions):
    """Everything that decides which model is learnt, beside documents and labels."""

    max_terms: int = spec.option(
        MOST, "Most frequent terms of each kind whose counts the model holds.", least=0
    )
    features: tuple[str, ...] = USUAL
    views: Views = field(default_factory=lambda: Views(views_of(USUAL)))
    training: Training = field(default_factory=Training)
    words: WordChoice | None = None

    @classmethod
    def make(
        cls,
        features: Sequence[str] | str | None = None,
        within: Sequence[str] = (),
        **options: Any,
    ) -> Learning:
        """Checked options; those of views and of the training are given beside the others.

        A file of synonyms must lie in one of the folders ``within``, if any.
        """
        chosen = _features(features)
        view_names, training_names = spec.options_of(Views), spec.options_of(Training)
        known = {*view_names, *training_names, *spec.options_of(cls), *spec.options_of(WordOptions)}
        if unknown := sorted(set(options) - known):
            names = ", ".join(sorted(known))
            raise PlanError([f"there is no option '{name}'; known: {names}" for name in unknown])
        chosen_options = {
            n: plain_value(value) for n, value in options.items() if value is not None
        }
        # words are always looked at: the candidate stage compares them
        views = Views(views_of([*chosen, "words.cosine"]), **_part(chosen_options, view_names))
        # A machine that was asked for is not replaced, unless that is asked for as well.
        improve = {"improve": not ASKS_FOR_A_MACHINE & chosen_options.keys()}
        training = Training(**(improve | _part(chosen_options, training_names)))
        rest = _part(chosen_options, spec.options_of(cls))
        words = _words(chosen_options, within)
        learning = cls(features=chosen, views=views, training=training, words=words, **rest)
        parts = (learning, views, training)
        if faults := faults_of(chosen) + [fault for p in parts for fault in spec.faults_of(p)]:
            raise PlanError(faults)
        return learning


def _words(options: dict[str, Any], within: Sequence[str]) -> WordChoice | None:
    """The forms and synonyms that are asked for, if any."""
    forms = options.get("forms", "none")
    forms = spec.make("forms", forms) if isinstance(forms, str) else forms
    path = options.get("synonyms")
    if isinstance(forms, NoForms) and path is None:
        return None
    return WordChoice(forms, synonyms_of(path, within) if path else ())


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
