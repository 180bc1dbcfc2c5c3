"""What is believed after some answers: the judgement, each pair's probability, the copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset.lab.asking.fitting import SLIPS, Prior, fit_all, judgement_of
from twinset.lab.asking.material import Material
from twinset.lab.asking.priors import judgement_of_preset
from twinset.methods.asked import AskedOwner
from twinset.model import Floats, Ints
from twinset.plan import Plan
from twinset.signals.experts import Judgement

Pair = tuple[int, int]
Answer = Literal["yes", "no", "unsure"]
OF_EACH = 2  # answers with yes, and with no: before, the experts would accept all or nothing
ENOUGH = 5  # answers, yes or no, before precision and recall are estimated
SMALL = 0.1  # a probability below this counts for nothing alone, but thousands of them add up
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
        known = [pair for pair, answer in answers.items() if answer != "unsure"]
        known = [pair for pair in known if pair in material.rows]
        rows = np.array([material.rows[pair] for pair in known], np.int64)
        truth = np.array([float(answers[pair] == "yes") for pair in known])
        fits = fit_all(material.columns, rows, truth, priors, SLIPS)
        judgement = judgement_of(priors, fits)
        probability = decided = judgement.of_scaled(material.columns, len(material))
        if min(int(truth.sum()), int((1 - truth).sum())) < OF_EACH:
            judgement = judgement_of_preset(preset)
            decided = judgement.of_scaled(material.columns, len(material))
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
    def taught(self) -> bool:
        """Whether anything was answered that teaches something."""
        return any(answer != "unsure" for answer in self.answers.values())

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """The candidates that count as copies: as was answered, else as the judgement says."""
        accepted: NDArray[np.bool_] = self.decided >= self.judgement.threshold
        for pair, answer in self.answers.items():
            row = self.material.rows.get(pair)
            if row is not None and answer != "unsure":
                accepted[row] = answer == "yes"
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
        p = self._probability_with_answers
        inside, total = float(p[self.accepted].sum()), float(p.sum())
        count = int(self.accepted.sum())
        if not count or not total:
            return None, None
        small = float(p[p < SMALL].sum()) > MOST_IN_SMALL * total
        return round(inside / count, 3), None if small else round(inside / total, 3)

    @property
    def _probability_with_answers(self) -> Floats:
        """The probabilities, 1 or 0 where the answer is known."""
        known: Floats = self.probability.copy()
        for pair, answer in self.answers.items():
            if answer != "unsure" and pair in self.material.rows:
                known[self.material.rows[pair]] = float(answer == "yes")
        return known

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
