"""Dialogues that the labels answer, on one collection."""

from __future__ import annotations

import dataclasses
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import twinset
from judging.compared import texts_as_read
from judging.labelled import Collection, Pair, f1, in_order
from judging.priors import learnt_priors
from twinset.lab.ask import Dialogue, ask
from twinset.lab.belief import Material


@dataclass
class Asking:
    """The material of a collection's dialogues; only pairs that the labels decide are asked.

    Of the bills most pairs were never judged: the owner would answer "unsure" to nearly all
    questions, which says nothing of the dialogue. A dialogue shows equal texts once: ``members``
    are the documents that a shown one stands for.
    """

    collection: Collection
    material: Material
    plan: Any
    priors: Sequence[Any]
    members: list[list[int]]
    before: float

    @classmethod
    def of(cls, collection: Collection, others: Sequence[str]) -> Asking:
        """Open the dialogue, with priors learnt from other collections alone."""
        opened = ask(collection.table(), questions=30)
        equal: dict[str, list[int]] = defaultdict(list)
        texts = texts_as_read(collection)
        for number, text in enumerate(texts):
            equal[text].append(number)
        number_of = {name: number for number, name in enumerate(collection.ids)}
        members = [equal[texts[number_of[name]]] for name in opened.material.ids]
        # Before any answer the plan is that of the preset, and `find` runs it.
        plan = opened.plan()
        found = twinset.find(collection.table(), plan=plan, max_pairs=50_000_000).pairs
        ids = zip(found["left"].to_pylist(), found["right"].to_pylist(), strict=True)
        before = round(f1(collection.numbers(ids), collection).f1, 4)
        priors = learnt_priors(others)
        asking = cls(collection, opened.material, plan, priors, members, before)
        ends = zip(asking.material.left.tolist(), asking.material.right.tolist(), strict=True)
        kept = np.array([asking.owner(a, b) != "unsure" for a, b in ends], bool)
        asking.material = dataclasses.replace(
            opened.material,
            left=opened.material.left[kept],
            right=opened.material.right[kept],
            table=opened.material.table[kept],
        )
        return asking

    def owner(self, one: int, other: int) -> str:
        """What the labels say of two shown documents, or of any that they stand for."""
        ids = self.collection.ids
        answers = {
            self.collection.answer(ids[a], ids[b])
            for a in self.members[one]
            for b in self.members[other]
        }
        return next((answer for answer in ("yes", "no") if answer in answers), "unsure")

    def run(self, seed: int, counts: Sequence[int], wrong: float = 0.0) -> dict[str, Any]:
        """F1 after so many answers; ``wrong`` is the share of false ones."""
        rng = random.Random(f"{seed} wrong")
        dialogue = Dialogue(self.material, self.plan, self.priors, questions=max(counts), seed=seed)
        honoured = {"0": self.before}
        numbers = self.material.numbers
        for number in range(1, max(counts) + 1):
            question = dialogue.question()
            if question is not None:
                answer = self.owner(numbers[question.left], numbers[question.right])
                if wrong and rng.random() < wrong:
                    answer = {"yes": "no", "no": "yes"}[answer]
                dialogue.answer(answer)  # type: ignore[arg-type]
            if number in counts:
                honoured[str(number)] = self._f1(dialogue.state.accepted)
        return {"honoured": honoured}

    @cached_property
    def _equal(self) -> set[Pair]:
        return {(a, b) for same in self.members for a in same for b in same if a < b}

    def _f1(self, accepted: NDArray[np.bool_]) -> float:
        pairs = set(self._equal)
        left, right = (side[accepted] for side in (self.material.left, self.material.right))
        for one, other in zip(left.tolist(), right.tolist(), strict=True):
            for a in self.members[one]:
                pairs.update(in_order(a, b) for b in self.members[other])
        return round(f1(pairs, self.collection).f1, 4)
