"""Without labels: the threshold of a view, and what to expect of it.

A pair counts as a near-duplicate with the chance that it is neither background nor a form. The
expected F1 then has a best threshold. The bounds take the doubts more seriously, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twinset.lab.tuning.background import STEP, Excess, excess
from twinset.lab.tuning.doubts import Doubts, doubts
from twinset.lab.tuning.sample import Sample
from twinset.lab.tuning.tuned_view import Estimate, TunedView, estimate
from twinset.lab.tuning.views import Neighbours, TermView
from twinset.model import Floats

BOUNDS = (0, 2)  # how often the doubts count for the bounds: not at all, or gravely
LEVEL = 0.995  # of the best F1: as good as the best
NEXT = 0.1  # above the background, where the density of near-duplicates is taken
HIDES = 0.2  # how far down they may go on in the background
FEWEST = 3  # pairs above the background, to say anything at all
DOUBTED = 0.7  # below this a doubt is mentioned
WORTH_WEIGHTS = 0.2  # of F1 that tf-idf has to promise more, to be taken instead of sets
WORTH_LENGTH = 0.03  # of F1 that other shingles have to promise more than the first view's
TRUSTED = 0.75  # of the best F1 that a view promises, to be believed about how many there are


@dataclass(frozen=True, slots=True)
class Guess(TunedView):
    """A tuned view by what is expected, without labels."""

    real: float
    excess: Excess
    doubts: Doubts

    @property
    def common(self) -> float:
        """How many of the found pairs are expected to be near-duplicates."""
        return self.pairs_found * self.precision.value

    def why(self, by_edits: bool) -> str:
        """What the distribution of similarities showed."""
        kind = "pairs of related documents" if by_edits else "near-duplicate pairs"
        reasons = [
            f"From a similarity of {self.excess.begins:.2f} on, pairs are more than the background "
            f"explains: about {self.real:,.0f} {kind}."
        ]
        if self.doubts.numbers.min(initial=1) < DOUBTED:
            reasons.append("Many similar documents differ in their numbers, as forms do.")
        if self.doubts.crowds.min(initial=1) < DOUBTED:
            reasons.append("Many similar documents come in crowds, as forms and boilerplate do.")
        if by_edits:
            reasons.append(
                "Copies cannot be told from them by similarity, so the threshold is the one that "
                "most documents edited on purpose reach."
            )
        if self.view.weighted:
            reasons.append(
                "Sets of shingles cannot tell documents apart here, because passages recur."
            )
        return " ".join(reasons)


def guess(view: TermView, near: Neighbours, sample: Sample, seed: int) -> Guess | None:
    """The threshold for a view; None where nothing rises above the background."""
    jaccard = near.score / (2 - near.score) if view.weighted else near.score
    weight = sample.weights(jaccard)
    above = excess(near.score, weight, view.least, sample.documents)
    doubt = doubts(near, above.begins, sample.texts, seed)
    chance = above.share * doubt.trust(above.middles)
    if float((above.pairs * chance).sum()) < FEWEST:
        return None
    return _at(view, above, doubt, _middle_of_the_top(_expected_f1(above, chance)))


def raised(guess: Guess, threshold: float) -> Guess:
    """The same view at a higher threshold, with what to expect there."""
    best = min(
        int(np.searchsorted(guess.excess.edges, threshold - 1e-9)), len(guess.excess.pairs) - 1
    )
    return _at(guess.view, guess.excess, guess.doubts, best)


def _at(view: TermView, above: Excess, doubt: Doubts, best: int) -> Guess:
    trust = doubt.trust(above.middles)
    chance = above.share * trust
    pairs_found, sampled = (float(pairs[best:].sum()) for pairs in (above.pairs, above.sampled))
    return Guess(
        view=view,
        threshold=round(float(above.edges[best]), 3),
        precision=_precision(above, trust, best, sampled),
        recall=_recall(above, trust, best, sampled),
        f1=float(_expected_f1(above, chance)[best]),
        pairs_found=pairs_found,
        real=float((above.pairs * chance).sum()),
        excess=above,
        doubts=doubt,
    )


def _expected_f1(above: Excess, chance: Floats) -> Floats:
    real = above.pairs * chance
    pairs_found = np.cumsum(above.pairs[::-1])[::-1]
    common = np.cumsum(real[::-1])[::-1]
    f1: Floats = 2 * common / np.maximum(pairs_found + real.sum(), 1e-9)
    return np.where(above.edges[:-1] >= above.begins - 1e-9, f1, 0)


def _middle_of_the_top(f1: Floats) -> int:
    """Where thresholds promise as much as the best, the one in their middle is the safest."""
    top = int(f1.argmax())
    lower = np.flatnonzero(f1 < LEVEL * f1[top])
    first = lower[lower < top].max(initial=-1) + 1
    last = lower[lower > top].min(initial=len(f1)) - 1
    return int((first + last) // 2)


def _precision(above: Excess, trust: Floats, best: int, number: float) -> Estimate:
    """The upper bound is 1: neither background nor forms are known for sure."""
    pairs_found = max(float(above.pairs[best:].sum()), 1e-9)
    value, *bounds = (
        float((above.pairs * above.share * trust**times)[best:].sum()) / pairs_found
        for times in (1, *BOUNDS)
    )
    return estimate(value, [*bounds, 1.0], number)


def _recall(above: Excess, trust: Floats, best: int, number: float) -> Estimate:
    """Near-duplicates may hide in the background, as densely as just above it: the lower bound.

    The upper one is 1: what lies below the threshold may all be forms.
    """
    reals = [above.pairs * above.share * trust**times for times in (1, *BOUNDS)]
    value, *bounds = (_part(real, best) for real in reals)
    first = int(np.searchsorted(above.edges, above.begins))
    thickness = float(reals[0][first : first + round(NEXT / STEP)].mean())
    hidden = thickness * min(HIDES, above.begins - above.edges[0]) / STEP
    visible = float(reals[0].sum())
    return estimate(value, [min(value, *bounds) * visible / (visible + hidden), 1.0], number)


def _part(real: Floats, best: int) -> float:
    return float(real[best:].sum() / max(real.sum(), 1e-9))


def ranked(guesses: Sequence[Guess]) -> list[Guess]:
    """Best first, by the F1 against what any trusted view expects to be there.

    Every view measures itself against the pairs that it can tell from the background; one that can
    tell but few of them may look perfect. So all are held against the same number of pairs. Sets
    come before weights unless weights promise much more: where the two nearly agree, sets are the
    better judge, and weights win by far where boilerplate makes everything look alike.
    """
    sets = [guess for guess in guesses if not guess.view.weighted]
    weighted = [guess for guess in guesses if guess.view.weighted]
    gain = _best(weighted) - _best(sets)
    first, second = (weighted, sets) if gain >= WORTH_WEIGHTS else (sets, weighted)
    return [*_by_f1(first), *_by_f1(second)]


def _best(guesses: Sequence[Guess]) -> float:
    return max((guess.f1 for guess in guesses), default=0.0)


def _by_f1(guesses: Sequence[Guess]) -> list[Guess]:
    trusted = [guess for guess in guesses if guess.f1 >= TRUSTED * _best(guesses)]
    real = max((guess.real for guess in trusted), default=0.0)

    def promise(guess: Guess) -> tuple[bool, float]:
        bonus = WORTH_LENGTH if guess is guesses[0] else 0.0
        return guess in trusted, 2 * guess.common / max(guess.pairs_found + real, 1e-9) + bonus

    return sorted(guesses, key=promise, reverse=True)
