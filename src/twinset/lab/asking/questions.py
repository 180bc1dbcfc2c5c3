"""Which pair to ask about next.

The first five questions look at the whole range of probabilities. Then they come in fives: two
where the judgement is least sure, which is the boundary of what is accepted; two where accepting
more would pay if the probabilities are right, so that they are put right where most pairs depend on
them; and one anywhere on the scale, so that a mistake far from the boundary is noticed. Pairs of
documents that were asked about before tell little new and are avoided as long as there are others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats, Ints

FIRST = (0.9, 0.5, 0.2, 0.7, 0.05)
BELOW = (1, 3)  # of five questions, those that ask where accepting more would pay
LEAST = 0.25  # probability of such a pair
SMALL = 0.1  # a probability that plays no part there
ROUNDS = 6
DRAWN = 8  # pairs nearest to what is sought, of which one is drawn


class Chooser:
    """Chooses rows of the candidates; the same answers and seed give the same question.

    ``classes`` numbers documents so that those of equal text have the same number.
    """

    def __init__(self, left: Ints, right: Ints, classes: Ints, seed: int) -> None:
        first, second = classes[left], classes[right]
        self.low, self.high = np.minimum(first, second), np.maximum(first, second)
        self.documents = int(self.high.max(initial=0)) + 1
        self.keys = self.low * self.documents + self.high
        self.seed = seed

    def free(self, asked: Ints) -> NDArray[np.bool_]:
        """The rows worth asking: no pair twice, and no document twice where that is possible."""
        new: NDArray[np.bool_] = np.ones(len(self.keys), bool)
        for row in asked.tolist():
            new &= self.keys != self.keys[row]
        seen = np.zeros(self.documents, bool)
        seen[self.low[asked]] = seen[self.high[asked]] = True
        low, high = seen[self.low], seen[self.high]
        unseen, fresh = new & ~(low | high), new & ~(low & high)
        for rows in (unseen, fresh):
            if rows.sum() >= DRAWN:
                return rows
        return new

    def row(self, probability: Floats, asked: Ints, number: int) -> int | None:
        """The row of question ``number``, counted from 0; None where all have been asked."""
        rows = np.flatnonzero(self.free(asked))
        if not len(rows):
            return None
        draw = np.random.default_rng([self.seed, number])
        p = np.clip(probability[rows], 1e-6, 1 - 1e-6)
        logit = np.log(p / (1 - p))
        turn = (number - len(FIRST)) % 5
        if number < len(FIRST):
            goal = FIRST[number]
            distance = np.abs(logit - np.log(goal / (1 - goal)))
        elif turn == 4:
            distance = np.abs(logit - draw.uniform(-5, 5))
        else:
            goal = paying(probability) if turn in BELOW else 0.5
            distance = np.abs(logit - np.log(goal / (1 - goal)))
        rounded = np.round(distance, 4)
        if len(rounded) > DRAWN:
            bound = np.partition(rounded, DRAWN - 1)[DRAWN - 1]
            rows, rounded = rows[rounded <= bound], rounded[rounded <= bound]
        near = np.argsort(rounded, kind="stable")[:DRAWN]
        return int(rows[draw.choice(near)])


def paying(probability: Floats) -> float:
    """The probability from which on accepting a pair raises the expected F1: half of that F1.

    (Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure,
    2014.) Small probabilities are left out: thousands of them would add up.
    """
    copies = float(probability[probability >= SMALL].sum())
    goal = 0.5
    for _ in range(ROUNDS):
        accepted = probability[probability >= goal]
        f1 = 2 * float(accepted.sum()) / (len(accepted) + copies) if len(accepted) else 0.0
        goal = round(min(0.5, max(LEAST, f1 / 2)), 4)
    return goal
