"""What `tune` sees of a collection, with what every plan it may choose would reach there.

Computed once for each collection and variation and kept, so that thousands of settings of the
rules can be tried in seconds.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judging.collections import Collection, Figures
from judging.compared import SOURCE
from judging.kept import kept
from judging.material import FOLDER
from twinset.lab.decision import (
    CHARACTERS_VIEW,
    DEFAULT,
    LIMITS,
    PRESET,
    STRICT,
    Facts,
    Limits,
    PlanChoice,
    PlanDecision,
    decide,
    expected_precision,
    expected_recall,
)
from twinset.lab.tune import SAMPLE, Evidence, Workshop, light_share
from twinset.lab.views import PairLevel, Relation, draw
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.progress import Silent

ROOMS = ("lab", "text", "reading")
VIEWS = {PRESET.view: "words", STRICT.view: "passages", CHARACTERS_VIEW: "characters"}


@dataclass(frozen=True)
class Seen:
    """A collection as the rules see it; ``reached`` has F1 and the like beside every level."""

    name: str
    kind: str
    real: bool
    row: dict[str, Any]

    @property
    def variation(self) -> str:
        """What was done to the collection; nothing to a whole one."""
        if "+" in self.name:
            return "merged"
        return self.name.partition("/")[2].rstrip("0123456789") or "whole"

    @functools.cached_property
    def relations(self) -> tuple[Relation, Relation]:
        return _relation(self.row["words"]), _relation(self.row["passages"])

    def facts(self, limits: Limits = LIMITS) -> Facts:
        told_apart, characters = self.row["told_apart"], self.row.get("characters")
        relation = _relation(characters) if characters else None
        return Facts(*self.relations, self.row["numbers"], told_apart, relation, limits)

    def decision(self, limits: Limits = LIMITS) -> PlanDecision:
        return decide(self.facts(limits), lambda choice: float(self.reached(choice)["light"]))

    def reached(self, choice: PlanChoice) -> dict[str, Any]:
        """What a choice finds of the copies, and of the light edits."""
        levels = self.row[VIEWS[choice.view]]
        return min(levels, key=lambda each: abs(each["level"]["threshold"] - choice.threshold))

    def level(self, choice: PlanChoice) -> PairLevel:
        return PairLevel(**self.reached(choice)["level"])

    def f1(self, limits: Limits = LIMITS) -> float:
        return float(self.reached(self.decision(limits).choice)["f1"])

    @property
    def better(self) -> float:
        return max(float(self.reached(plan)["f1"]) for plan in (DEFAULT, PRESET))

    def stated(self) -> Iterator[tuple[str, float, Any]]:
        """Precision and recall of the choice, and what is expected where something is."""
        choice = self.decision().choice
        reached, level = self.reached(choice), self.level(choice)
        lowest = self.relations[0].at(LIMITS.lowest)
        yield "precision", reached["p"], expected_precision(level, numbers=self.row["numbers"])
        yield "recall", reached["r"], expected_recall(level, lowest)


def _relation(levels: list[dict[str, Any]]) -> Relation:
    return Relation(tuple(PairLevel(**each["level"]) for each in levels))


def seen(one: Collection) -> Seen:
    name = one.name.replace("/", "~")
    home = FOLDER / "evidence" / f"{name}-{_digest()}.json"
    row = kept(home, lambda: _computed(one))
    return Seen(one.name, one.kind, one.real and "/" not in one.name, row)


@functools.cache
def _digest() -> str:
    state = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            state.update(path.read_bytes())
    return state.hexdigest()[:12]


def _computed(one: Collection) -> dict[str, Any]:
    plan, resources = Plan.make(), Resources.make(threads=1)
    opened, _ = open_documents(one.table(), plan, resources)
    sample = draw(opened, SAMPLE, 1, 1, Silent())
    workshop = Workshop(sample, 1, resources, Silent(), None)
    evidence = Evidence(workshop)
    number = {name: at for at, name in enumerate(one.ids)}
    place = np.array([number[name] for name in sample.ids], np.int64)
    row: dict[str, Any] = {
        "documents": len(sample),
        "numbers": evidence.facts.numbers,
        "told_apart": evidence.facts.told_apart,
    }
    for view, name in VIEWS.items():
        if name == "characters" and evidence.facts.characters is None:
            continue
        near = workshop.near(view)
        ends = place[near.left], place[near.right]
        keys = np.minimum(*ends) << 32 | np.maximum(*ends)
        true = np.isin(keys, _keys(one.truth))
        counted = ~np.isin(keys, _keys(one.ignored))
        if one.judged is not None:
            counted = np.isin(keys, _keys(one.judged))
        row[name] = [
            {
                "level": asdict(level),
                "light": light_share(workshop.edited(view, level.threshold)),
                **_reached(near.score >= level.threshold - 1e-9, true, counted, len(one.truth)),
            }
            for level in evidence.relation(view).levels
        ]
    return row


def _keys(pairs: set[tuple[int, int]]) -> Any:
    ends = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return ends[:, 0] << 32 | ends[:, 1]


def _reached(pairs: Any, true: Any, counted: Any, truths: int) -> dict[str, float]:
    found = pairs & counted
    figures = Figures(int(found.sum()), truths, int((found & true).sum()))
    return {"f1": figures.f1, "p": figures.precision, "r": figures.recall}
