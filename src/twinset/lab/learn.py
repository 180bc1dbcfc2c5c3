"""`learn`: a support vector machine that tells near-duplicates from others by similarity vectors.

Raveena, Nandini 2014. What applies a model lies lower, in ``twinset.finding.methods.learned``. The
machine is judged on pairs that were held out of its training.
"""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import MissingExtraError, PlanError, TwinsetError
from twinset.finding.methods.profiles import (
    Known,
    ViewProfiles,
    Views,
    faults_of,
    rises,
    signals_of,
    views_of,
)
from twinset.finding.methods.similarity_model import Level, SimilarityModel, Svm
from twinset.finding.signals import OF_DOCUMENTS
from twinset.lab.generate import generate
from twinset.lab.lists import column_names
from twinset.lab.options import Choice, PairOptions, Training, Weights, WordOptions
from twinset.lab.pairs import PairSet, Side
from twinset.lab.truth import Truth, TruthOptions
from twinset.model import Documents, Floats, Ints
from twinset.model.columns import column
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents, spec
from twinset.plan.shared import Kernel
from twinset.plan.spec import plain_value
from twinset.result.places import ensure_free_file, write_file
from twinset.run.documents import distinct_ids, ids_of
from twinset.run.opening import open_documents
from twinset.run.progress import Progress, Silent
from twinset.run.streaming import watched
from twinset.text.forms import NoForms
from twinset.text.terms import MOST, TermSurvey
from twinset.text.word_files import synonyms_of
from twinset.text.wording import WordChoice, reworded, rewriter_for

if TYPE_CHECKING:
    from typing_extensions import Unpack


Bools = NDArray[np.bool_]
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


PER_CLUSTER = 45
"""Pairs that one cluster gives: those of ten documents, so that a large one does not decide."""


class LabelError(TwinsetError):
    """Labels that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs of document numbers, left < right, each once; ``positive`` are near-duplicates.

    ``true`` are all known near-duplicates, also those that were not taken.
    """

    left: Ints
    right: Ints
    positive: Bools
    open: bool
    true: PairSet
    notes: tuple[str, ...] = ()


def labelled(options: TruthOptions, ids: pa.Array, seed: int) -> Labelled:
    """The labels of these documents; notes report what was left out."""
    truth = Truth.read(options, ids, unknown="drop", graded=True)
    side, notes = truth.side, truth.notes
    pairs = side.listing
    if pairs is not None and pairs.value is not None:
        positive = side.pairs.contains(pairs.left, pairs.right)
        if len(pairs) and (positive.all() or not positive.any()):
            kind = "near-duplicates" if positive.all() else "no near-duplicates"
            raise LabelError(
                f"all {len(positive):,} pairs of {options.name} are {kind}, and a model cannot "
                "learn from one class alone: label pairs of the other class as well, give another "
                "--grade, or give a list of near-duplicates without a column of labels, for which "
                "other pairs are then chosen"
            )
        found = Labelled(pairs.left, pairs.right, positive, False, side.pairs, notes)
    else:
        keys = np.sort(np.concatenate(list(_of_clusters(side, seed, len(ids)))))
        if pairs is None and len(keys) < side.pairs.count():
            notes += (f"of {side.pairs.count():,} pairs in clusters {len(keys):,} were drawn",)
        left, right = keys // len(ids), keys % len(ids)
        found = Labelled(left, right, np.ones(len(keys), bool), True, side.pairs, notes)
    if not len(found.left):
        raise LabelError(
            f"there is no pair of two documents of the collection in {options.name}: "
            f"{'; '.join(notes) or 'the list is empty'}; give the ids that 'twinset find' reports"
        )
    return found


def _of_clusters(side: Side, seed: int, documents: int) -> Iterator[Ints]:
    """The pairs of a list as one number each, or of each cluster some."""
    yield np.empty(0, np.int64)
    if side.listing is not None:
        yield side.listing.left * documents + side.listing.right
        return
    rng = np.random.default_rng(seed)
    labels = side.clusters[:documents]
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    for inside in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        a, b = np.triu_indices(len(inside), 1)
        left, right = inside[a], inside[b]
        keys = (left * documents + right)[side.pairs.contains(left, right)]
        yield keys[np.sort(rng.permutation(len(keys))[:PER_CLUSTER])]


def groups_of(documents: int, left: Ints, right: Ints, positive: Bools) -> Ints:
    """A number for each pair: equal where near-duplicates connect the left documents."""
    a, b = (side[positive].astype(np.uint32) for side in (left, right))
    return np.asarray(_kernels.component_roots(documents, a, b))[left].astype(np.int64)


def draw(rows: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Up to ``most`` of the rows, in their order."""
    return rows if len(rows) <= most else np.sort(rng.permutation(rows)[:most])


FLOOR = 0.15
"""The least level of candidates: below it almost every pair of a collection would be one."""
ALIKE = 0.5
"""Sources of generated documents with such a shingle Jaccard may be near-duplicates themselves."""


@dataclass(frozen=True)
class TermStatistics:
    """The ids of all documents and how frequent their terms are."""

    ids: pa.Array
    known: Known


def survey(
    documents: Documents, options: Learning, threads: int, progress: Progress
) -> TermStatistics:
    counts = TermSurvey(options.views.kinds(), threads)
    ids = []
    rewriter = rewriter_for(options.words)
    for batch in watched(documents, "counting words", progress):
        if len(batch):
            counts.add(reworded(batch.texts, rewriter, threads))
            ids.append(ids_of(batch))
    names, _ = distinct_ids(pa.concat_arrays(ids) if ids else pa.array([], pa.large_string()))
    known = {
        kind: frequencies.frequent(options.max_terms)
        for kind, frequencies in counts.finish().items()
    }
    return TermStatistics(names, known)


def profiled(
    documents: Documents,
    known: Known,
    options: Learning,
    numbers: Ints | None,
    threads: int,
    progress: Progress,
) -> ViewProfiles:
    """The documents of these numbers (rising), or all, in every view."""
    with_signals = bool(signals_of(options.features))
    profiles = ViewProfiles(options.views, known, rewriter_for(options.words), with_signals)
    before = 0
    for batch in watched(documents, "reading", progress):
        texts = batch.texts
        if numbers is not None:
            inside = numbers[(numbers >= before) & (numbers < before + len(batch))] - before
            texts = texts.take(column(inside))
        if len(batch):
            profiles.add(texts, threads)
        before += len(batch)
    return profiles


def f1_of(truth: Bools, said: Bools) -> float:
    """F1 of pairs that are said to be near-duplicates; 0 where none of them is one."""
    both = int(truth.sum()) + int(said.sum())
    return 2 * int((truth & said).sum()) / both if both else 0.0


def confusion(truth: Bools, said: Bools) -> dict[str, float]:
    """Pairs by what they are and what they were taken for, and the measures of that."""
    hits, reported, there = (int(rows.sum()) for rows in (truth & said, said, truth))
    return {
        "true_positive": hits,
        "false_positive": reported - hits,
        "false_negative": there - hits,
        "true_negative": len(truth) - reported - there + hits,
        "precision": hits / reported if reported else 0.0,
        "recall": hits / there if there else 0.0,
        "f1": f1_of(truth, said),
    }


@dataclass(frozen=True, slots=True)
class Threshold:
    """One similarity with the threshold that divides the training pairs best."""

    feature: str
    threshold: float
    f1: float

    def accepts(self, values: Floats) -> Bools:
        """Which pairs it takes for near-duplicates; the threshold is inclusive."""
        good: Bools = values >= self.threshold if self.rises else values <= self.threshold
        return good

    @property
    def rises(self) -> bool:
        return rises(self.feature)


def best_cut(values: Floats, truth: Bools) -> tuple[float, float]:
    """The least value to accept for the greatest F1, midway between two values, and that F1."""
    order = np.argsort(-values, kind="stable")
    falling, right = values[order], truth[order]
    hits = np.cumsum(right)
    f1 = 2 * hits / (np.arange(1, len(values) + 1) + max(int(right.sum()), 1))
    last = np.append(falling[1:] < falling[:-1], True)  # equal values are accepted together
    f1[~last] = -1.0
    best = int(np.argmax(f1))
    if best + 1 == len(falling):
        return float(falling[best]), float(f1[best])
    middle = (falling[best] + falling[best + 1]) / 2
    # the middle of two neighbouring floats may be the lower one, which is not to be accepted
    cut = middle if middle > falling[best + 1] else falling[best]
    return float(cut), float(f1[best])


def best_threshold(features: Sequence[str], x: Floats, truth: Bools) -> Threshold:
    """The single similarity that divides the pairs best; of equal ones the first."""
    best: Threshold | None = None
    for at, feature in enumerate(features):
        sign = 1.0 if rises(feature) else -1.0
        cut, f1 = best_cut(sign * x[:, at], truth)
        if best is None or f1 > best.f1:
            best = Threshold(feature, sign * cut, f1)
    assert best is not None, "there are features"
    return best


_STEPS = 300_000  # of the solver; a machine that has not settled by then is judged as it is


@dataclass(frozen=True, slots=True)
class Trained:
    """A decision, what was chosen for it, and how it and others did on pairs they had not seen.

    ``f1`` is that of the decision. ``single`` is the similarity that alone does better, where it
    took the machine's place. ``machine`` has the F1 of the machine at g(x) >= 0, ``moved`` that at
    g(x) >= ``cut``, and ``alone`` that of ``best``, the best single similarity.
    """

    svm: Svm
    c: float
    gamma: float
    f1: float
    machine: float
    cut: float
    moved: float
    best: Threshold
    alone: float
    single: Threshold | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Similarity vectors with labels; pairs of one ``group`` share documents."""

    x: Floats
    y: Bools
    group: Ints

    def __len__(self) -> int:
        return len(self.y)

    def of(self, rows: Ints) -> Examples:
        return Examples(self.x[rows], self.y[rows], self.group[rows])


def train(features: Sequence[str], examples: Examples, options: Training) -> Trained:
    """The machine that does best in cross-validation, trained on all examples.

    With ``options.improve``, where one similarity with a threshold does better than any machine, it
    is the decision.
    """
    numbers, _ = fold_numbers(examples, options.folds, options.seed)
    ranked: tuple[float, float, Choice, Floats] | None = None
    for choice in options.choices():
        held = _held_out(examples, numbers, options, choice)
        f1 = f1_of(examples.y, held >= 0)
        # of choices that do equally well the one that is surer of the right side
        margin = float(np.where(examples.y, held, -held).clip(-1, 1).mean())
        if ranked is None or (f1, margin) > ranked[:2]:
            ranked = (f1, margin, choice, held)
    assert ranked is not None, "there are choices"
    machine, _, choice, held = ranked
    svm = fit(examples, options, choice)
    cut, moved = _shift(held, examples.y)
    best = best_threshold(features, examples.x, examples.y)
    alone = _f1_of_thresholds(features, examples, numbers)
    shift, f1 = (cut, moved) if options.improve else (0.0, machine)
    svm = _finished(svm, shift, held, examples.y)
    trained = Trained(svm, *choice, f1, machine, cut, moved, best, alone)
    if options.improve and alone > moved:
        svm = _alone(features, best, examples)
        return dataclasses.replace(trained, svm=svm, f1=alone, single=best)
    return trained


def fold_numbers(
    examples: Examples, folds: int, seed: int
) -> tuple[Ints, Literal["documents", "pairs"]]:
    """The fold of each example, both classes in each, and what is kept together in one.

    Pairs that share documents are kept in one fold, unless there are too few such groups.
    """
    sklearn = require_sklearn()
    groups = [len(np.unique(examples.group[examples.y == side])) for side in (False, True)]
    number = np.zeros(len(examples), np.int64)
    if min(groups) >= folds:
        cutter = sklearn.StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
        parts = list(cutter.split(examples.x, examples.y, examples.group))
        if all(0 < examples.y[rows].sum() < len(rows) for _, rows in parts):
            for fold, (_, rows) in enumerate(parts):
                number[rows] = fold
            return number, "documents"
    cutter = sklearn.StratifiedKFold(folds, shuffle=True, random_state=seed)
    for fold, (_, rows) in enumerate(cutter.split(examples.x, examples.y)):
        number[rows] = fold
    return number, "pairs"


def _held_out(examples: Examples, numbers: Ints, options: Training, choice: Choice) -> Floats:
    """g(x) of each example by a machine that was trained without its fold."""
    held = np.empty(len(examples))
    for fold in range(options.folds):
        inside = numbers == fold
        svm = fit(examples.of(np.flatnonzero(~inside)), options, choice)
        held[inside] = svm.decide(examples.x[inside])
    return held


def fit(examples: Examples, options: Training, choice: Choice) -> Svm:
    """One machine, trained on scaled vectors."""
    from sklearn.svm import SVC

    c, gamma = choice
    mean, scale = _scaling(examples.x)
    machine: Any = SVC(
        kernel=options.kernel,
        C=c,
        gamma=gamma,
        degree=options.degree,
        coef0=options.coef0,
        class_weight="balanced" if options.class_weight == "balanced" else None,
        cache_size=500,
        max_iter=_STEPS,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a solver that was stopped
        machine.fit((examples.x - mean) / scale, examples.y)
    vectors, coefficients = machine.support_vectors_, machine.dual_coef_[0]
    if options.kernel == "linear":
        vectors, coefficients = machine.coef_, np.ones(1)
    coef0, intercept = options.coef0, float(machine.intercept_[0])
    shape = (options.kernel, gamma, coef0, options.degree, mean, scale)
    return Svm(*shape, np.array(vectors), np.array(coefficients), intercept)


def _shift(held: Floats, y: Bools) -> tuple[float, float]:
    """How far the boundary is moved so that F1 on unseen pairs is greatest, and that F1."""
    cut, f1 = best_cut(held, y)
    plain = f1_of(y, held >= 0)
    return (cut, f1) if f1 > plain else (0.0, plain)


def _f1_of_thresholds(features: Sequence[str], examples: Examples, numbers: Ints) -> float:
    """F1 where each fold is judged by the one similarity that divides the others best."""
    said = np.zeros(len(examples), bool)
    for fold in range(int(numbers.max()) + 1):
        inside = numbers == fold
        single = best_threshold(features, examples.x[~inside], examples.y[~inside])
        said[inside] = single.accepts(examples.x[inside][:, list(features).index(single.feature)])
    return f1_of(examples.y, said)


def _alone(features: Sequence[str], single: Threshold, examples: Examples) -> Svm:
    """A linear machine with one weight, whose boundary is the threshold."""
    at = list(features).index(single.feature)
    mean, scale = _scaling(examples.x)
    weights = np.zeros((1, len(mean)))
    weights[0, at] = 1.0 if single.rises else -1.0
    intercept = -weights[0, at] * (single.threshold - mean[at]) / scale[at]
    svm = Svm("linear", 1.0, 0.0, 1, mean, scale, weights, np.ones(1), float(intercept))
    return _finished(svm, 0.0, svm.decide(examples.x), examples.y)


def _scaling(x: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of each component; one that never changes is left as it is."""
    scale = x.std(axis=0)
    return x.mean(axis=0), np.where(scale > 1e-9, scale, 1.0)


def _finished(svm: Svm, shift: float, held: Floats, y: Bools) -> Svm:
    return dataclasses.replace(svm, intercept=svm.intercept - shift, slope=_slope(held - shift, y))


def _slope(decided: Floats, y: Bools) -> float:
    """The slope of greatest likelihood of 1/(1+exp(−slope·g)), kept between 0.1 and 100."""
    signed = np.where(y, decided, -decided)

    def loss(slope: float) -> float:
        return float(np.logaddexp(0, -slope * signed).mean())

    low, high = np.log(0.1), np.log(100.0)
    for _ in range(60):  # the loss has one minimum
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if loss(np.exp(a)) <= loss(np.exp(b)) else (a, high)
    return round(float(np.exp((low + high) / 2)), 6)


def require_sklearn() -> Any:
    """What folds are cut by; an error that says how to install it where it is missing."""
    try:
        import sklearn.model_selection
    except ImportError:
        raise MissingExtraError("scikit-learn", "learn") from None
    return sklearn.model_selection


SHUFFLES = 10


def judged(
    features: Sequence[str], examples: Examples, options: Training, final: Trained
) -> dict[str, Any]:
    """Figures of one fold that was held out, and what each feature does.

    A linear machine tells the latter itself, by the weights of the ``final`` one.
    """
    number, by = fold_numbers(examples, options.folds, options.seed)
    inside, outside = (examples.of(np.flatnonzero(rows)) for rows in (number != 0, number == 0))
    trained = train(features, inside, options)
    single = best_threshold(features, inside.x, inside.y)
    said = single.accepts(outside.x[:, list(features).index(single.feature)])
    return {
        "kept_together": by,
        "pairs": len(outside),
        "model": confusion(outside.y, trained.svm.decide(outside.x) >= 0),
        "baseline": {
            "feature": single.feature,
            "threshold": single.threshold,
            "rises": single.rises,
            **confusion(outside.y, said),
        },
        "learnt": learnt(features, final, trained, outside, options),
    }


def check_enough(examples: Examples, folds: int) -> None:
    """Enough pairs of both classes to hold some out and to cross-validate on the rest."""
    positive = int(examples.y.sum())
    negative = len(examples) - positive
    if min(positive, negative) < 2 * folds:
        raise PlanError(
            [
                f"{positive:,} positive and {negative:,} negative pairs are too few for "
                f"cross-validation in {folds} folds: label at least {2 * folds} of each, or give "
                "fewer --folds (at least 2)"
            ]
        )


def learnt(
    features: Sequence[str],
    final: Trained,
    trained: Trained,
    held: Examples,
    options: Training,
) -> dict[str, Any]:
    """What each feature does: its weight in a linear machine, else what F1 loses without it."""
    if final.svm.kernel == "linear":
        kind, values = "weight", final.svm.vectors[0] * final.svm.coefficients[0]
    else:
        kind, values = "importance", importance(trained.svm, held, options.seed)
    order = np.argsort(-np.abs(values), kind="stable")
    return {
        "by": kind,
        "features": [{"feature": features[i], "value": float(values[i])} for i in order],
    }


def importance(svm: Svm, held: Examples, seed: int) -> Floats:
    """The loss of F1 when the values of one feature are shuffled, the mean of some shuffles."""
    rng = np.random.default_rng(seed)
    whole = f1_of(held.y, svm.decide(held.x) >= 0)
    losses = np.zeros(held.x.shape[1])
    for feature in range(held.x.shape[1]):
        for _ in range(SHUFFLES):
            shuffled = held.x.copy()
            shuffled[:, feature] = rng.permutation(shuffled[:, feature])
            losses[feature] += whole - f1_of(held.y, svm.decide(shuffled) >= 0)
    return losses / SHUFFLES


@dataclass(frozen=True)
class Prepared:
    """Examples to learn from, where candidates begin, and facts for the model file."""

    examples: Examples
    level: Level
    facts: dict[str, Any]


def prepare(
    profiles: ViewProfiles,
    labels: Labelled,
    place: Ints | None,
    documents: int,
    options: Learning,
    threads: int,
    *,
    generated: bool = False,
) -> Prepared:
    """Vectors of the labelled pairs and, if the list is open, of other pairs as negatives.

    ``place`` has the numbers of the documents that the profiles hold, if they do not hold all.
    ``generated`` says that near-duplicates were generated, and so that others may be unknown.
    """
    rng = np.random.default_rng(options.training.seed)
    rows, others = _within(labels, options, rng)
    left, right, positive = labels.left[rows], labels.right[rows], labels.positive[rows]
    level = _level(profiles, *_places(left[positive], right[positive], place), options, threads)
    candidates = 0
    if labels.open:
        a, b, candidates = _sought(
            profiles, labels, level, documents, others, rng, threads, generated=generated
        )
        left, right = np.concatenate([left, a]), np.concatenate([right, b])
        positive = np.concatenate([positive, np.zeros(len(a), bool)])
    first, second = _places(left, right, place)
    x = profiles.vectors(options.features, first, second, threads)
    group = groups_of(documents, left, right, positive)
    facts = {
        "positive": int(positive.sum()),
        "negative": int((~positive).sum()),
        "candidates": candidates,
        "notes": list(labels.notes),
    }
    return Prepared(Examples(x, positive, group), level, facts)


def _within(labels: Labelled, options: Learning, rng: np.random.Generator) -> tuple[Ints, int]:
    """Which labelled pairs are taken, and how many others may be added."""
    rows = np.arange(len(labels.left))
    if not labels.open:
        share = min(1.0, options.training_pairs / len(rows))
        sides = [np.flatnonzero(labels.positive == side) for side in (False, True)]
        chosen = [draw(side, max(1, round(len(side) * share)), rng) for side in sides]
        return np.sort(np.concatenate(chosen)), 0
    most = max(1, int(options.training_pairs / (1 + options.negatives)))
    rows = draw(rows, most, rng)
    return rows, max(1, round(len(rows) * options.negatives))


def _places(left: Ints, right: Ints, place: Ints | None) -> tuple[Any, Any]:
    """Numbers of documents to those of profiles."""
    if place is not None:
        left, right = np.searchsorted(place, left), np.searchsorted(place, right)
    return left.astype(np.uint32), right.astype(np.uint32)


def _level(profiles: ViewProfiles, left: Any, right: Any, options: Learning, threads: int) -> Level:
    """The highest level, in hundredths, that ``candidate_recall`` of the positive pairs reach."""
    near = np.sort(profiles.nearness(left, right, threads))
    lost = int(len(near) * (1 - options.candidate_recall) + 1e-9)
    least = max(FLOOR, np.floor(100 * near[lost]) / 100) if len(near) else FLOOR
    least = round(min(float(least), 0.99), 2)
    return Level("words", least, float((near >= least).mean()) if len(near) else 1.0)


def _sought(
    profiles: ViewProfiles,
    labels: Labelled,
    level: Level,
    documents: int,
    most: int,
    rng: np.random.Generator,
    threads: int,
    *,
    generated: bool,
) -> tuple[Ints, Ints, int]:
    """Pairs that are not listed, and how many of them are candidates.

    Candidates come first, since they are what the model will have to judge; where they are too few,
    random pairs make up the number.
    """
    everyone = np.arange(documents, dtype=np.uint32)
    a, b = (side.astype(np.int64) for side in profiles.near(level.least, everyone, threads))
    near = np.unique((a * documents + b)[~labels.true.contains(a, b)])
    others = np.setdiff1d(_by_chance(documents, most, rng), near)
    others = others[~labels.true.contains(others // documents, others % documents)]
    if generated:
        near = _unlike(profiles, draw(near, 20 * most, rng), documents, threads)
        others = _unlike(profiles, others, documents, threads)
    keys = draw(near, most, rng)
    keys = np.concatenate([keys, draw(others, most - len(keys), rng)])
    if not len(keys):
        raise LabelError(
            "there are no two documents that are not near-duplicates, and near-duplicates alone "
            "teach nothing: give more documents"
        )
    return keys // documents, keys % documents, len(near)


def _unlike(profiles: ViewProfiles, keys: Ints, documents: int, threads: int) -> Ints:
    """The pairs whose documents do not look like near-duplicates of their own."""
    left, right = (keys // documents).astype(np.uint32), (keys % documents).astype(np.uint32)
    return keys[profiles.vectors(["shingles.jaccard"], left, right, threads)[:, 0] < ALIKE]


def _by_chance(documents: int, most: int, rng: np.random.Generator) -> Ints:
    """About twice ``most`` random pairs, or all there are."""
    if documents * (documents - 1) <= 8 * most:
        a, b = np.triu_indices(documents, 1)
    else:
        a, b = np.sort(rng.integers(0, documents, (2, 4 * most)), axis=0)
        a, b = a[a < b], b[a < b]
    keys: Ints = np.unique(a.astype(np.int64) * documents + b)
    return keys


LABELS = ("the labels", "--labels")
"""What messages call a list of labels, and its option."""


@dataclass(frozen=True)
class Model:
    """A learnt decision on pairs of documents.

    ``training`` has the figures: pairs, the choice of C and gamma, and the confusion of held out
    pairs beside that of the best single similarity.
    """

    similarity: SimilarityModel

    @property
    def features(self) -> tuple[str, ...]:
        """The similarities that are weighed up."""
        return self.similarity.features

    @property
    def training(self) -> dict[str, Any]:
        """The figures of the training, as plain values."""
        return self.similarity.training

    def save(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the model to one JSON file; ``force`` replaces an older one."""
        ensure_free_file(path, force, "model.json")
        return write_file(path, self.similarity.as_json().encode())

    def __repr__(self) -> str:
        held = self.training.get("held_out")
        f1 = f", F1 {held['model']['f1']:.3f} on held out pairs" if held else ""
        return f"Model({self.similarity.svm.kernel} kernel, {len(self.features)} features{f1})"


@reads_documents
def learn(
    documents: Any,
    labels: Any = None,
    *,
    grade: float | None = None,
    labels_columns: str | Sequence[str] = (),
    ops: Sequence[str] | None = None,
    limit: int | None = None,
    variants: int = 1,
    features: Sequence[str] | str | None = None,
    kernel: Kernel | None = None,
    c: float | None = None,
    gamma: float | None = None,
    class_weight: Weights | None = None,
    degree: int | None = None,
    coef0: float | None = None,
    folds: int | None = None,
    seed: int | None = None,
    improve: bool | None = None,
    text_top: int | None = None,
    sentence_top: int | None = None,
    shingle: int | None = None,
    stop: str | None = None,
    forms: str | Any = None,
    synonyms: str | None = None,
    candidate_recall: float | None = None,
    negatives: float | None = None,
    training_pairs: int | None = None,
    max_terms: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Model:
    """A model that tells near-duplicates from others, trained on pairs of these documents.

    >>> texts = {str(n): " ".join(f"word{n * k % 97}" for k in range(12)) for n in range(1, 31)}
    >>> model = learn(texts, ops=["truncate:10%"], features="words.cosine,words.jaccard")
    >>> model.training["positive"], model.training["negative"]
    (30, 150)

    ``labels``: a file, a table, (id, id, label) tuples, (id, id) near-duplicates or a dictionary of
    id to cluster; ``grade`` is the least label of a near-duplicate. Without labels ``ops`` make
    ``variants`` of ``limit`` documents (as in `twinset.generate`). ``features`` are names as
    words.cosine or signals.lcs, or of sets (usual, paper, sentences, signals). The other options
    are fields of `Learning`, of its views and its training, and of ``twinset.read``. A machine that
    is asked for (``kernel``, ``c``, ``gamma``, ``class_weight``) is kept as it was trained, unless
    ``improve`` is given.
    """
    read = reading_arguments(reading, "learn")
    require_sklearn()
    making = ops is not None
    if making == (labels is not None):
        raise PlanError(
            ["give either labels (--labels FILE) or operations that make near-duplicates (--op)"]
        )
    learning = Learning.make(
        features,
        kernel=kernel,
        c=c,
        gamma=gamma,
        class_weight=class_weight,
        degree=degree,
        coef0=coef0,
        folds=folds,
        seed=seed,
        improve=improve,
        text_top=text_top,
        sentence_top=sentence_top,
        shingle=shingle,
        stop=stop,
        forms=forms,
        synonyms=synonyms,
        within=reading.get("within", ()),
        candidate_recall=candidate_recall,
        negatives=negatives,
        training_pairs=training_pairs,
        max_terms=max_terms,
    )
    resources = Resources.make(threads, memory)
    bar = progress or Silent()
    if making:
        making_options = {"ops": ops, "limit": limit, "variants": variants}
        opened, form = _generated(documents, making_options, learning, resources, read)
        return _learn(opened, form, learning, resources, bar, generated=True)
    form = TruthOptions(labels, None, False, grade, column_names(labels_columns), *LABELS)
    opened, _ = open_documents(documents, Plan.make(**read), resources)
    return _learn(opened, form, learning, resources, bar)


def _generated(
    documents: Any,
    making: dict[str, Any],
    learning: Learning,
    resources: Resources,
    read: dict[str, Any],
) -> tuple[Documents, TruthOptions]:
    """Documents with the variants that were made of them, and their true pairs."""
    seed, threads = learning.training.seed, resources.threads
    collection = generate(documents, **making, originals="all", seed=seed, threads=threads, **read)
    rows = [(document.id, document.text) for document in collection.documents]
    opened, _ = open_documents(rows, Plan.make(html="no"), resources)
    return opened, TruthOptions([(pair.left, pair.right) for pair in collection.truth])


def _learn(
    documents: Documents,
    labels: TruthOptions,
    options: Learning,
    resources: Resources,
    progress: Progress,
    *,
    generated: bool = False,
) -> Model:
    threads = resources.threads
    counted = survey(documents, options, threads, progress)
    pairs = labelled(labels, counted.ids, options.training.seed)
    used = None if pairs.open else np.unique(np.concatenate([pairs.left, pairs.right]))
    viewed = options
    if generated:  # to know which sources are alike themselves
        names = views_of([*(f"{view}.x" for view in options.views.names), "shingles.x"])
        viewed = dataclasses.replace(options, views=dataclasses.replace(options.views, names=names))
    profiles = profiled(documents, counted.known, viewed, used, threads, progress)
    count = len(counted.ids)
    ready = prepare(profiles, pairs, used, count, options, threads, generated=generated)
    progress.stage("training", None)
    training = _trained(ready, pairs, options, count)
    return Model(
        SimilarityModel(
            options.features,
            options.views,
            counted.known,
            training.pop("svm"),
            ready.level,
            training | {"generated": generated},
            options.words,
        )
    )


def _trained(ready: Prepared, pairs: Labelled, options: Learning, documents: int) -> dict[str, Any]:
    check_enough(ready.examples, options.training.folds)
    final = train(options.features, ready.examples, options.training)
    held = judged(options.features, ready.examples, options.training, final)
    return {
        "svm": final.svm,
        "documents": documents,
        **ready.facts,
        "kernel": options.training.kernel,
        "class_weight": options.training.class_weight,
        "c": final.c,
        "gamma": None if options.training.kernel == "linear" else final.gamma,
        "folds": options.training.folds,
        "seed": options.training.seed,
        "cross_validated_f1": final.f1,
        "support_vectors": len(final.svm.vectors),
        "single": final.single and final.single.feature,
        "improved": options.training.improve,
        "machine_f1": final.machine,
        "boundary": {"g": final.cut, "cross_validated_f1": final.moved},
        "best_single": {
            "feature": final.best.feature,
            "threshold": final.best.threshold,
            "rises": final.best.rises,
            "cross_validated_f1": final.alone,
        },
        "sought": pairs.open,
        "held_out": held,
    }
