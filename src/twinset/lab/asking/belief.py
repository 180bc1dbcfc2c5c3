"""What is believed after some answers: the judgement, each pair's probability, the copies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset.lab.asking.fitting import Prior, design_of, fit, judgement_of
from twinset.lab.asking.material import Material
from twinset.methods.asked import AskedOwner
from twinset.model import Floats, Ints
from twinset.plan import Plan
from twinset.signals.experts import Judgement

THRESHOLDS = (0.5, 0.45, 0.4, 0.35, 0.3)
Pair = tuple[int, int]
Answer = Literal["yes", "no", "unsure"]
ENOUGH = 5  # answers, yes or no, before precision and recall are estimated


@dataclass(frozen=True)
class Belief:
    """A function of the material, the priors and the answers; nothing in it changes."""

    material: Material
    priors: Sequence[Prior]
    preset: Plan
    answers: Mapping[Pair, Answer]
    judgement: Judgement
    probability: Floats = field(repr=False)

    @classmethod
    def of(
        cls,
        material: Material,
        priors: Sequence[Prior],
        preset: Plan,
        answers: Mapping[Pair, Answer],
    ) -> Belief:
        """What the answers say; those of pairs that are no candidates teach nothing."""
        known = [pair for pair, answer in answers.items() if answer != "unsure"]
        known = [pair for pair in known if pair in material.rows]
        rows = np.array([material.rows[pair] for pair in known], np.int64)
        truth = np.array([float(answers[pair] == "yes") for pair in known])
        fits = [fit(design_of(material.columns, p.signals, rows), truth, p) for p in priors]
        judgement = judgement_of(priors, fits)
        probability = judgement.of_scaled(material.columns, len(material))
        judgement = dataclasses.replace(judgement, threshold=best_threshold(probability))
        return cls(material, priors, preset, dict(answers), judgement, probability)

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
    def taught(self) -> bool:
        """Whether anything was answered that teaches something."""
        return any(answer != "unsure" for answer in self.answers.values())

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """The candidates that count as copies: as was answered, else as the judgement says."""
        accepted: NDArray[np.bool_] = self.probability >= self.judgement.threshold
        if not self.taught:
            accepted = self._accepted_by_preset()
        for pair, answer in self.answers.items():
            row = self.material.rows.get(pair)
            if row is not None and answer != "unsure":
                accepted[row] = answer == "yes"
        return accepted

    def _accepted_by_preset(self) -> NDArray[np.bool_]:
        """What the preset's rule accepts: without answers the experts do worse than it."""
        columns = dict(zip(self.material.names, self.material.table.T, strict=True))
        accepted: NDArray[np.bool_] = columns["cosine2"] >= self.preset.threshold
        contained = getattr(self.preset.method, "contained", 0)
        return accepted | (columns["containment3"] >= contained) if contained else accepted

    @cached_property
    def expected(self) -> tuple[float | None, float | None]:
        """Precision and recall as the probabilities have them; None before there is evidence."""
        answered = [answer for answer in self.answers.values() if answer != "unsure"]
        if len(answered) < ENOUGH or len(set(answered)) < 2:
            return None, None
        p = self.probability
        inside, total = float(p[self.accepted].sum()), float(p.sum())
        count = int(self.accepted.sum())
        return (
            round(inside / count, 3) if count else None,
            round(inside / total, 3) if total > 0 else None,
        )

    def plan(self, preset: Plan) -> Plan:
        """The plan of this judgement; that of the preset while nothing was answered."""
        if not self.taught:
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


def best_threshold(probability: Floats) -> float:
    """The probability from which on pairs are accepted, so that F1 is expected to be greatest.

    That is half of the F1 that can be reached (Lipton, Elkan, Naryanaswamy: Optimal thresholding
    of classifiers to maximize F1 measure, 2014): where copies and others are mixed, as licences
    are, .5 would leave most copies out. Thousands of small probabilities add up to much, and are
    the least sure; so it does not go below the last of `THRESHOLDS`.
    """
    total = probability.sum()

    def f1(threshold: float) -> float:
        inside = probability[probability >= threshold]
        return round(float(2 * inside.sum() / max(len(inside) + total, 1e-9)), 6)

    return max(THRESHOLDS, key=f1)
