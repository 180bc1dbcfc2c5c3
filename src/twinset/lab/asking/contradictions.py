"""Answers that do not fit the others: worth asking once more, since anyone may slip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from twinset.lab.asking.belief import Belief, Pair

ENOUGH = 6  # answers before one of them can be called improbable
IMPROBABLE = 0.2  # of an answer, by a judgement that has seen it already


def contradicted(state: Belief) -> Pair | None:
    """The pair whose answer fits the others least, if it contradicts them."""
    suspects = {pair: _chance(state, pair) for pair in _intransitive(state.answers)}
    if len(state.answers) >= ENOUGH:
        chances = {pair: _chance(state, pair) for pair in state.answers}
        suspects |= {pair: p for pair, p in chances.items() if p < IMPROBABLE}
    return min(suspects, key=lambda pair: (suspects[pair], pair)) if suspects else None


def _chance(state: Belief, pair: Pair) -> float:
    """How probable the answer is by the judgement; an unsure one contradicts nothing."""
    row, answer = state.material.rows.get(pair), state.answers[pair]
    if row is None or answer == "unsure":
        return 1.0
    p = float(state.probability[row])
    return p if answer == "yes" else 1 - p


def _intransitive(answers: Mapping[Pair, str]) -> Iterable[Pair]:
    """The pairs of triples A = B, B = C, A ≠ C."""
    same: dict[int, set[int]] = {}
    for (left, right), answer in answers.items():
        if answer == "yes":
            same.setdefault(left, set()).add(right)
            same.setdefault(right, set()).add(left)
    for (left, right), answer in answers.items():
        if answer == "no":
            for middle in same.get(left, set()) & same.get(right, set()):
                yield left, right
                for end in (left, right):
                    yield min(end, middle), max(end, middle)
