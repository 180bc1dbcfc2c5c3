"""Dialogues that the labels answer, on one collection."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import twinset
from judging.labelled import Collection, f1
from twinset.lab.asking.dialogue import Dialogue
from twinset.lab.asking.material import Material

try:
    from make_priors import priors_of
except ImportError:
    priors_of = None


@dataclass
class Asking:
    """The material of a collection's dialogues; only pairs that the labels decide are asked.

    Of the bills most pairs were never judged: the owner would answer "unsure" to nearly all
    questions, which says nothing of the dialogue.
    """

    collection: Collection
    material: Material
    plan: Any
    priors: Sequence[Any]
    origin: str
    before: float

    @classmethod
    def of(cls, collection: Collection, others: Sequence[str]) -> Asking:
        """Open the dialogue, with priors learnt from other collections alone."""
        opened = twinset.ask(collection.table(), questions=30)
        material = opened.material
        ends = zip(material.left.tolist(), material.right.tolist(), strict=True)
        asked = (collection.answer(material.ids[a], material.ids[b]) for a, b in ends)
        kept = np.array([answer != "unsure" for answer in asked], bool)
        material = dataclasses.replace(
            material,
            left=material.left[kept],
            right=material.right[kept],
            table=material.table[kept],
            words=lambda row: [],
            weights=None if material.weights is None else material.weights[kept],
        )
        priors, origin = opened.state.priors, "as shipped, this collection among those learnt from"
        if priors_of is not None:
            priors, origin = priors_of(others), "from the other kinds"
        # Before any answer the plan is that of the preset, and `find` runs it.
        plan = opened.plan()
        found = twinset.find(collection.table(), plan=plan, max_pairs=50_000_000).pairs
        ids = zip(found["left"].to_pylist(), found["right"].to_pylist(), strict=True)
        before = round(f1(collection.numbers(ids), collection).f1, 4)
        return cls(collection, material, plan, priors, origin, before)

    def run(self, seed: int, counts: Sequence[int], wrong: float = 0.0) -> dict[str, Any]:
        """F1 after so many answers, honoured and not; ``wrong`` is the share of false answers."""
        rng = random.Random(f"{seed} wrong")
        dialogue = Dialogue(self.material, self.plan, self.priors, questions=max(counts), seed=seed)
        honoured, own = {}, {}
        for number in range(max(counts) + 1):
            if number == 0:
                honoured["0"] = own["0"] = self.before
            elif number in counts:
                honoured[str(number)] = self._f1(dialogue, honoured=True)
                own[str(number)] = self._f1(dialogue, honoured=False)
            question = dialogue.question()
            if question is None:
                continue
            answer = self.collection.answer(question.left, question.right)
            if wrong and rng.random() < wrong:
                answer = {"yes": "no", "no": "yes"}.get(answer, answer)
            dialogue.answer(answer)  # type: ignore[arg-type]
        return {"honoured": honoured, "own": own}

    def _f1(self, dialogue: Dialogue, *, honoured: bool) -> float:
        state = dialogue.state
        accepted = state.accepted if honoured else state.probability >= 0.5
        ids = self.material.ids
        rows = np.flatnonzero(accepted)
        ends = zip(
            self.material.left[rows].tolist(), self.material.right[rows].tolist(), strict=True
        )
        pairs = self.collection.numbers((ids[a], ids[b]) for a, b in ends)
        return round(f1(pairs, self.collection).f1, 4)
