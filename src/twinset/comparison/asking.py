"""Which methods are asked for, and with which plans; the word counts that some of them share."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twinset import registry
from twinset.comparison.kept import Collection
from twinset.comparison.running import Entry
from twinset.errors import PlanError
from twinset.methods.base import Signature
from twinset.methods.lexical import Lexical
from twinset.plan import Plan, Resources
from twinset.report.tables import write_parquet
from twinset.text.statistics import WordSurvey
from twinset.text.tokens import Cleaning

MOST = 62  # methods at a time: each has a bit


def entries(methods: str | Iterable[str], options: dict[str, Any]) -> list[Entry]:
    """The methods with their plans, each once; all faults are told together."""
    found: dict[str, Entry] = {}
    faults: list[str] = []
    for name in names(methods):
        try:
            plan = Plan.make(**{**options, "method": name, "max_pairs": 0})
            spec = registry.spell("method", make(plan))
        except PlanError as fault:
            faults += fault.faults
            continue
        found.setdefault(spec, Entry(name, plan))
    if faults:
        raise PlanError(list(dict.fromkeys(faults)))
    if not found:
        raise PlanError(["name at least one method, or all; 'twinset methods' lists them"])
    if len(found) > MOST:
        raise PlanError([f"at most {MOST} methods are compared at a time, not {len(found)}"])
    return list(found.values())


def names(methods: str | Iterable[str]) -> list[str]:
    """``all``, or names parted by commas; options after a colon keep their own commas."""
    parts = methods.split(",") if isinstance(methods, str) else list(methods)
    found: list[str] = []
    for part in (part.strip() for part in parts):
        if "=" in part and ":" not in part and found:
            found[-1] += f",{part}"
        elif part == "all":
            found += everyone()
        elif part:
            found.append(part)
    return found


def everyone() -> list[str]:
    """All methods by name that run without options of their own; A0 to A12 are second names."""
    usable = []
    for name in registry.names("method"):
        if name[:1] == "A" and name[1:].isdigit():
            continue
        try:
            registry.make("method", name)
        except PlanError:
            continue
        usable.append(name)
    return usable


def make(plan: Plan) -> Any:
    """The plan's method."""
    shared = {name: getattr(plan, name) for name in ("shingle", "offset", "unit", "image", "seed")}
    return registry.make("method", plan.method, **shared)


class SharedCounts:
    """Word counts of the collection, made once for each way of cleaning."""

    def __init__(self, collection: Collection, folder: Path, means: Resources) -> None:
        self._collection, self._folder, self._means = collection, folder, means
        self._known: dict[Cleaning, tuple[str, float]] = {}

    def of(self, plan: Plan) -> tuple[str, float] | None:
        """The file of counts that the plan's method would make for itself, and its seconds."""
        cleaning = None if plan.statistics else cleaning_of(make(plan))
        if cleaning is not None and cleaning not in self._known:
            self._known[cleaning] = self._count(cleaning)
        return None if cleaning is None else self._known[cleaning]

    def _count(self, cleaning: Cleaning) -> tuple[str, float]:
        begun = time.perf_counter()
        survey = WordSurvey(cleaning, self._means.threads)
        for batch in self._collection.texts.batches():
            survey.add(batch.texts)
        path = self._folder / f"words-{len(self._known)}.parquet"
        write_parquet(survey.finish().table(), path)
        return str(path), time.perf_counter() - begun


def cleaning_of(method: Any) -> Cleaning | None:
    """How a method cleans the words that it counts; None if it counts none, or more than words."""
    if isinstance(method, Lexical):
        return method.cleaning()
    if not isinstance(method, Signature) or not method.counts:
        return None
    own = type(method).second_survey is not Signature.second_survey
    return None if own else method.cleaning()
