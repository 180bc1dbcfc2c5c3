"""What is believed after some answers: the judgement, each pair's probability, the copies.

Experts are fitted to the answers, each with a normal prior. Newton's method finds the maximum of
the posterior; Laplace's approximation of the evidence there weighs the experts against each other
(MacKay: The evidence framework applied to classification networks, 1992).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from twinset.finding.methods.asked import AskedOwner
from twinset.finding.signals.experts import DIGITS, Expert, Judgement, scaled, sigmoid
from twinset.lab.lists import Answer
from twinset.model import Floats, Ints
from twinset.plan import Plan

STEPS = 100
CLOSE = 1e-9  # a step that is shorter ends the search
SLIPS = 0.1
"""Share of answers that may be wrong.

With .05, three wrong ones of nineteen made copies of thousands of pairs on three of four
collections; with this they cost .03 of F1 there, and right ones give .02 less after ten.
"""
SMALL = 0.01  # an expert of less weight is left out
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of an expert before any answer: its coefficients and how sure they are."""

    signals: tuple[str, ...]
    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """The most probable coefficients, their covariance, and the logarithm of the evidence."""

    coefficients: Floats
    covariance: Floats
    evidence: float


def fit(design: Floats, answers: Floats, prior: Prior, slips: float = 0.0) -> Fit:
    """The maximum of one expert's posterior, where an answer is a slip by the chance ``slips``."""
    return fit_alike(design[None], answers, [prior], slips)[0]


def fit_all(
    columns: Mapping[str, Floats],
    rows: Ints,
    answers: Floats,
    priors: Sequence[Prior],
    slips: float = 0.0,
) -> list[Fit]:
    """The fits of all experts to the answers about some rows; those of one size at once."""
    fits: dict[int, Fit] = {}
    for size in sorted({len(prior.signals) for prior in priors}):
        places = [at for at, prior in enumerate(priors) if len(prior.signals) == size]
        alike = [priors[at] for at in places]
        designs = np.stack([design_of(columns, prior.signals, rows) for prior in alike])
        fits |= zip(places, fit_alike(designs, answers, alike, slips), strict=True)
    return [fits[at] for at in range(len(priors))]


def fit_alike(
    designs: Floats, answers: Floats, priors: Sequence[Prior], slips: float = 0.0
) -> list[Fit]:
    """The maxima of the posteriors of experts with as many signals each, a design per expert.

    Without slips a posterior is concave. With them it need not be; the search begins where it ends
    without them, so that answers count as slips only where the others outweigh them.
    """
    posterior = _Posterior(designs, answers, priors)
    theta, best = posterior.climb(posterior.mean, 0.0)
    if slips:
        theta, best = posterior.climb(theta, slips)
    hessians = posterior.curvature(theta)
    determinants = np.linalg.slogdet(posterior.precision)[1] - np.linalg.slogdet(hessians)[1]
    evidence = best + determinants / 2
    covariances = np.linalg.inv(hessians).astype(np.float64)
    return [Fit(*row) for row in zip(theta, covariances, evidence.tolist(), strict=True)]


class _Posterior:
    """The posteriors of several experts, as logarithms; the first axis is always the expert."""

    def __init__(self, designs: Floats, answers: Floats, priors: Sequence[Prior]) -> None:
        self.designs, self.answers = designs, answers
        self.mean: Floats = np.array([prior.mean for prior in priors])
        self.precision: Floats = np.linalg.inv(np.array([prior.covariance for prior in priors]))

    def climb(self, theta: Floats, slips: float) -> tuple[Floats, Floats]:
        """Newton's method, each expert's step halved until it climbs."""
        best = self.value(theta, slips)
        for _ in range(STEPS):
            step = self._step(theta, slips)
            new = self.value(theta + step, slips)
            while (falls := (new < best) & (np.abs(step).max(axis=1) > CLOSE)).any():
                step[falls] /= 2
                new = self.value(theta + step, slips)
            theta, best = theta + step, np.maximum(new, best)
            if np.abs(step).max() < CLOSE:
                break
        return theta, best

    def value(self, theta: Floats, slips: float) -> Floats:
        """The logarithm of each posterior, but for what does not depend on the coefficients."""
        chance = sigmoid(np.where(self.answers > 0, 1, -1) * self._logit(theta))
        off = theta - self.mean
        likelihood = np.log(slips + (1 - 2 * slips) * chance).sum(axis=1)
        total: Floats = likelihood - np.einsum("ei,eij,ej->e", off, self.precision, off) / 2
        return total

    def curvature(self, theta: Floats) -> Floats:
        """The negative second derivatives where no answer is a slip: they rise from anywhere."""
        p = sigmoid(self._logit(theta))
        bent: Floats = np.swapaxes(self.designs, 1, 2) @ ((p * (1 - p))[:, :, None] * self.designs)
        return bent + self.precision

    def _step(self, theta: Floats, slips: float) -> Floats:
        p = sigmoid(self._logit(theta))
        off = theta - self.mean
        gradient = np.einsum("enk,en->ek", self.designs, _meant(self.answers, p, slips) - p)
        gradient -= np.einsum("eij,ej->ei", self.precision, off)
        step: Floats = np.linalg.solve(self.curvature(theta), gradient[:, :, None])[:, :, 0]
        return step

    def _logit(self, theta: Floats) -> Floats:
        logit: Floats = np.einsum("enk,ek->en", self.designs, theta)
        return logit


def _meant(answers: Floats, p: Floats, slips: float) -> Floats:
    """How probable it is that yes was meant, by the answer given and what the expert says."""
    yes, no = np.where(answers > 0, 1 - slips, slips) * p, np.where(answers > 0, slips, 1 - slips)
    meant: Floats = yes / (yes + no * (1 - p))
    return meant


def design_of(columns: Mapping[str, Floats], signals: Sequence[str], rows: Ints) -> Floats:
    """A constant and the signals of some pairs, one row per pair."""
    return np.column_stack([np.ones(len(rows)), *(columns[name][rows] for name in signals)])


def judgement_of(priors: Sequence[Prior], fits: Sequence[Fit]) -> Judgement:
    """The experts weighed by their evidence; those that hardly count are left out."""
    evidence = np.array([f.evidence for f in fits]) + np.log([p.weight for p in priors])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    weights[weights < SMALL] = 0
    weights = np.round(weights / weights.sum(), DIGITS)
    return Judgement(
        experts=tuple(
            Expert(
                prior.signals,
                tuple(float(value) for value in np.round(fitted.coefficients, DIGITS)),
                float(weight),
            )
            for prior, fitted, weight in zip(priors, fits, weights, strict=True)
            if weight > 0
        )
    )


@dataclass(frozen=True)
class Material:
    """Documents and their candidate pairs (left < right, each once), with a table of signals.

    ``names`` are the columns of ``table``. ``words`` says in words what stands out in the signals
    of a pair.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    left: Ints
    right: Ints
    table: Floats
    names: tuple[str, ...]
    words: Callable[[int, str], list[str]] = field(default=lambda row, language: [], repr=False)

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The signals as experts see them, by name."""
        return {name: scaled(name, self.table[:, at]) for at, name in enumerate(self.names)}

    @cached_property
    def classes(self) -> Ints:
        """A number for each document, the same for those whose words are the same."""
        words = [" ".join(text.split()) for text in self.texts]
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(text, len(numbers)) for text in words], np.int64)

    @cached_property
    def rows(self) -> dict[tuple[int, int], int]:
        """The row of each candidate pair."""
        pairs = zip(self.left.tolist(), self.right.tolist(), strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each document by its id."""
        return {id: number for number, id in enumerate(self.ids)}

    def pair(self, left: str, right: str) -> Pair:
        """The numbers of two documents, the lower first."""
        ends = self.numbers[left], self.numbers[right]
        return min(ends), max(ends)


STEEP = 4.0  # how sure the preset is, by the margin of its rule
VARIANCE = 0.05  # answers hardly move it: they only say whether to believe it
WEIGHT = 5.0  # it counts for as many experts as this
SHARP = 50.0  # the preset as a rule: what is below its threshold is none


def stored_priors(names: Sequence[str]) -> list[Prior]:
    """The priors that the package has of the experts whose signals are among these names."""
    rows = json.loads(files("twinset.finding.signals").joinpath("priors.json").read_text("utf-8"))
    return [
        Prior(tuple(row["signals"]), tuple(row["mean"]), tuple(map(tuple, row["covariance"])))
        for row in rows
        if set(row["signals"]) <= set(names)
    ]


PRIOR_OF_PRESET = Prior(("preset",), (0.0, STEEP), ((VARIANCE, 0.0), (0.0, VARIANCE)), WEIGHT)
"""An expert that judges as the preset does: a few answers must not make things worse than it.

Without it, the first ten answers about some collections did.
"""
JUDGEMENT_OF_PRESET = Judgement((Expert(("preset",), (0.0, SHARP), 1.0),))


SHIFT, STRETCH = 1.0, 0.5
"""How far the answers may move what the experts say: deviations of Platt's two numbers from 0, 1.

On the six hardest of seventeen collections, each with priors of the others, the boundary of the
best expected F1 is worth .03 of F1 after ten answers and .01 after thirty, and the worst fall from
ten answers to twenty is .03 instead of .1; half of these deviations change the means by .003.
"""
BOUNDS = 1 / 3, 2 / 3  # before the fit and after: with .3 and .7 the worst fall is .09, not .03


def boundary(probability: Floats, rows: Ints, answers: Floats) -> float:
    """The probability from which on accepting pairs gives the best F1 to expect by the answers.

    What the experts say is moved and stretched as a logit to fit the answers [Platt 1999].
    """
    logits = _logit(probability)
    spread = ((SHIFT**2, 0.0), (0.0, STRETCH**2))
    design = np.column_stack([np.ones(len(rows)), logits[rows]])
    shift, stretch = fit(design, answers, Prior((), (0.0, 1.0), spread)).coefficients
    fitted = np.sort(sigmoid(shift + max(stretch, CLOSE) * logits))[::-1]
    right = np.cumsum(fitted)
    f1 = 2 * right / (np.arange(1, len(fitted) + 1) + right[-1])
    bound = _logit(np.clip(fitted[int(f1.argmax())], *BOUNDS))
    # One wrong answer may move the fit far, and must not make copies of thousands of pairs.
    found = float(np.clip(sigmoid((bound - shift) / max(stretch, CLOSE)), *BOUNDS))
    return round(found - 0.5 * 10.0**-DIGITS, DIGITS)


def _logit(probability: Floats) -> Floats:
    inside = np.clip(probability, 1e-4, 1 - 1e-4)
    logits: Floats = np.log(inside / (1 - inside))
    return logits


OF_EACH = 2  # answers with yes, and with no: before, the experts would accept all or nothing
ENOUGH = 5  # answers, yes or no, before precision and recall are estimated
SMALL_CHANCE = (
    0.1  # a probability below this counts for nothing alone, but thousands of them add up
)
MOST_IN_SMALL = 0.2  # of all expected copies: with more of them nobody knows the recall


@dataclass(frozen=True)
class Belief:
    """A function of the material, the priors and the answers; nothing in it changes.

    ``probability`` is what the experts say of each pair, and what questions are chosen by.
    ``judgement`` decides: the experts', or the preset's while the answers are too few or all alike;
    ``decided`` is what it says of each pair.
    """

    material: Material
    priors: Sequence[Prior]
    preset: Plan
    answers: Mapping[Pair, Answer]
    judgement: Judgement
    probability: Floats = field(repr=False)
    decided: Floats = field(repr=False)

    @classmethod
    def of(
        cls,
        material: Material,
        priors: Sequence[Prior],
        preset: Plan,
        answers: Mapping[Pair, Answer],
    ) -> Belief:
        """What the answers say; those of pairs that are no candidates teach nothing."""
        known = [p for p, answer in answers.items() if answer != "unsure" and p in material.rows]
        rows = np.array([material.rows[pair] for pair in known], np.int64)
        truth = np.array([float(answers[pair] == "yes") for pair in known])
        fits = fit_all(material.columns, rows, truth, priors, SLIPS)
        judgement = judgement_of(priors, fits)
        probability = decided = judgement.of_scaled(material.columns, len(material))
        if min(int(truth.sum()), int((1 - truth).sum())) < OF_EACH:
            judgement = JUDGEMENT_OF_PRESET
            decided = judgement.of_scaled(material.columns, len(material))
        else:
            judgement = replace(judgement, threshold=boundary(probability, rows, truth))
        return cls(material, priors, preset, dict(answers), judgement, probability, decided)

    def told(self, pair: Pair, answer: Answer) -> Belief:
        """The state after one more answer; a second one about the same pair replaces the first."""
        answers = {other: given for other, given in self.answers.items() if other != pair}
        return Belief.of(self.material, self.priors, self.preset, answers | {pair: answer})

    @cached_property
    def rows(self) -> Ints:
        """The rows of the pairs that were answered, those of no candidates left out."""
        known = [self.material.rows[pair] for pair in self.answers if pair in self.material.rows]
        return np.array(known, np.int64)

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """The candidates that count as copies: as was answered, else as the judgement says."""
        by_judgement = (self.decided >= self.judgement.threshold).astype(float)
        accepted: NDArray[np.bool_] = self._with_answers(by_judgement) > 0
        return accepted

    @cached_property
    def expected(self) -> tuple[float | None, float | None]:
        """Precision and recall as the probabilities have them; None where there is no evidence.

        That is so before a few answers, and for the recall where many small probabilities make up
        much of the copies: on labelled collections it was wrong there by a half and more.
        """
        answered = [answer for answer in self.answers.values() if answer != "unsure"]
        least = min(answered.count(answer) for answer in ("yes", "no"))
        if len(answered) < ENOUGH or least < OF_EACH:
            return None, None
        p = self._with_answers(self.probability)
        inside, total = float(p[self.accepted].sum()), float(p.sum())
        count = int(self.accepted.sum())
        if not count or not total:
            return None, None
        small = float(p[p < SMALL_CHANCE].sum()) > MOST_IN_SMALL * total
        return round(inside / count, 3), None if small else round(inside / total, 3)

    def _with_answers(self, probability: Floats) -> Floats:
        """The probabilities, 1 or 0 where the answer is known."""
        known: Floats = probability.copy()
        for pair, answer in self.answers.items():
            if answer != "unsure" and pair in self.material.rows:
                known[self.material.rows[pair]] = float(answer == "yes")
        return known

    def plan(self, preset: Plan) -> Plan:
        """The plan of this judgement; that of the preset while nothing was answered."""
        if all(answer == "unsure" for answer in self.answers.values()):
            return preset
        named = {
            kind: tuple(
                (self.material.ids[left], self.material.ids[right])
                for (left, right), answer in self.answers.items()
                if answer == kind
            )
            for kind in ("yes", "no")
        }
        return Plan.make(
            plan=preset, method=AskedOwner.of(self.judgement, named["yes"], named["no"])
        )
