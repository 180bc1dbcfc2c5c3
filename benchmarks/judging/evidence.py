"""What `tune` sees of a collection, and what every plan it may choose finds there.

What is seen is computed once for each collection and variation and kept, and so is what a plan
finds; thousands of settings of the rules can then be tried in seconds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import twinset
from judging.collections import Collection, f1
from judging.compared import digest
from judging.kept import kept
from judging.material import FOLDER
from twinset.lab.decision import (
    DEFAULT,
    FRAMELESS,
    LIMITS,
    PRESET,
    PRESET_PLAN,
    Facts,
    Limits,
    PlanChoice,
    PlanDecision,
    decide,
    expected_precision,
)
from twinset.lab.tune import SAMPLE, Evidence, Workshop
from twinset.lab.views import PairLevel, Relation, draw
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.progress import Silent

MOST_PAIRS = 50_000_000
_known: dict[Path, dict[str, float]] = {}


@dataclass(frozen=True)
class Seen:
    """A collection as the rules see it."""

    collection: Collection
    row: dict[str, Any]

    @property
    def name(self) -> str:
        return self.collection.name

    @property
    def kind(self) -> str:
        return self.collection.kind

    @property
    def real(self) -> bool:
        return self.collection.real and "/" not in self.name

    @property
    def variation(self) -> str:
        """What was done to the collection; nothing to a whole one."""
        if "+" in self.name:
            return "merged"
        return self.name.partition("/")[2].rstrip("0123456789") or "whole"

    @functools.cached_property
    def words(self) -> Relation:
        return Relation(tuple(PairLevel(**each) for each in self.row["words"]))

    @functools.cached_property
    def frameless(self) -> Relation | None:
        levels = self.row["frameless"]
        return levels and Relation(tuple(PairLevel(**each) for each in levels))

    def decision(self, limits: Limits = LIMITS) -> PlanDecision:
        told = self.row["numbers"], self.row["told_apart"]
        facts = Facts(self.words, *told, self.frameless, limits)
        return decide(facts, self._light)

    def _light(self, choice: PlanChoice) -> float:
        def tried() -> dict[str, float]:
            return {"light": _workshop(self.collection).light(choice)}

        return self._kept("tried", choice, tried)["light"]

    def reached(self, choice: PlanChoice) -> dict[str, float]:
        """Precision, recall and F1 of what `find` finds by a choice."""
        return self._kept("found", choice, lambda: _found(self.collection, choice))

    def _kept(
        self, folder: str, choice: PlanChoice, compute: Callable[[], dict[str, float]]
    ) -> dict[str, float]:
        name = f"{self.name.replace('/', '~')}-{choice.name}-{choice.threshold}-{digest()}.json"
        path = FOLDER / folder / name
        if path not in _known:
            _known[path] = kept(path, compute)
        return _known[path]

    def f1(self, limits: Limits = LIMITS) -> float:
        return self.reached(self.decision(limits).choice)["f1"]

    @property
    def better(self) -> float:
        return max(self.reached(plan)["f1"] for plan in (DEFAULT, PRESET))

    def stated(self) -> Iterator[tuple[str, float, Any]]:
        """The precision of the choice, and what is expected where something is."""
        choice = self.decision().choice
        if choice.view == PRESET.view:
            own = self.frameless if choice == FRAMELESS else self.words
            assert own is not None
            level, numbers = own.at(choice.threshold), self.row["numbers"]
            precision = self.reached(choice)["p"]
            yield "precision", precision, expected_precision(level, numbers=numbers)


def seen(one: Collection) -> Seen:
    name = one.name.replace("/", "~")
    home = FOLDER / "evidence" / f"{name}-{digest()}.json"
    return Seen(one, kept(home, lambda: _computed(one)))


def _workshop(one: Collection) -> Workshop:
    plan, resources = Plan.make(forms=PRESET_PLAN.forms), Resources.make(threads=1)
    opened, _ = open_documents(one.table(), plan, resources)
    return Workshop(draw(opened, SAMPLE, 1, 1, Silent()), plan, 1, resources, Silent())


def _computed(one: Collection) -> dict[str, Any]:
    workshop = _workshop(one)
    facts = Evidence(workshop).facts
    return {
        "documents": len(workshop.sample),
        "numbers": facts.numbers,
        "told_apart": facts.told_apart,
        "words": [asdict(level) for level in facts.words.levels],
        "frameless": facts.frameless and [asdict(level) for level in facts.frameless.levels],
    }


def _found(one: Collection, choice: PlanChoice) -> dict[str, float]:
    plan = choice.applied(Plan.make(forms=PRESET_PLAN.forms, max_pairs=MOST_PAIRS))
    pairs = twinset.find(one.table(), plan=plan, threads=1).pairs
    ends = zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
    figures = f1(one.numbers(ends), one)
    return {
        "f1": figures.f1,
        "p": figures.precision,
        "r": figures.recall,
        "pairs": len(pairs),
    }
