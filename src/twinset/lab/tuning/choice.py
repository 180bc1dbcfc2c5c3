"""Which view to recommend among the guesses."""

from __future__ import annotations

from collections.abc import Sequence

from twinset.lab.tuning.guess import Guess

WORTH_WEIGHTS = 0.2  # of F1 that tf-idf has to promise more, to be taken instead of sets
WORTH_LENGTH = 0.03  # of F1 that other shingles have to promise more than the first view's
TRUSTED = 0.75  # of the best F1 that a view promises, to be believed about how many there are


def ranked(guesses: Sequence[Guess]) -> list[Guess]:
    """Best first, by the F1 against what any trusted view expects to be there.

    Every view measures itself against the pairs that it can tell from the background; one that can
    tell but few of them may look perfect. So all are held against the same number of pairs. Sets
    come before weights unless weights promise much more: where the two nearly agree, sets are the
    better judge, and weights win by far where boilerplate makes everything look alike.
    """
    sets = [one for one in guesses if not one.view.weighted]
    weighted = [one for one in guesses if one.view.weighted]
    gain = _best(weighted) - _best(sets)
    first, second = (weighted, sets) if gain >= WORTH_WEIGHTS else (sets, weighted)
    return [*_by_f1(first), *_by_f1(second)]


def _best(guesses: Sequence[Guess]) -> float:
    return max((one.f1 for one in guesses), default=0.0)


def _by_f1(guesses: Sequence[Guess]) -> list[Guess]:
    trusted = [one for one in guesses if one.f1 >= TRUSTED * _best(guesses)]
    real = max((one.real for one in trusted), default=0.0)

    def promise(one: Guess) -> tuple[bool, float]:
        bonus = WORTH_LENGTH if one is guesses[0] else 0.0
        return one in trusted, 2 * one.common / max(one.found + real, 1e-9) + bonus

    return sorted(guesses, key=promise, reverse=True)
