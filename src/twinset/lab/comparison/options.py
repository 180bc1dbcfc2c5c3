"""Which methods are asked for, and with which plans; the word counts that some of them share."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twinset import spec
from twinset.errors import PlanError
from twinset.lab.comparison.documents import Collection
from twinset.lab.comparison.runner import Entry
from twinset.methods.base import Signature
from twinset.methods.lexical import Lexical
from twinset.plan import Plan, Resources
from twinset.plan.shared import PARTS
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
            plan = plan_for(name, options)
        except PlanError as fault:
            faults += fault.faults
            continue
        found.setdefault(spec.spell("method", plan.method, full=True), Entry(name, plan))
    if faults:
        raise PlanError(list(dict.fromkeys(faults)))
    if not found:
        raise PlanError(["name at least one method, or all; 'twinset methods' lists them"])
    if len(found) > MOST:
        raise PlanError([f"at most {MOST} methods are compared at a time, not {len(found)}"])
    return list(found.values())


def names(methods: str | Iterable[str]) -> list[str]:
    """``all``, or texts of methods separated by commas."""
    texts = spec.several(methods) if isinstance(methods, str) else list(methods)
    return [name for text in texts for name in (everyone() if text == "all" else [text])]


def plan_for(method: str, options: dict[str, Any]) -> Plan:
    """The plan of one method, with the shared options that it takes."""
    shared = {name: options[name] for name in PARTS if options.get(name) is not None}
    others = {name: value for name, value in options.items() if name not in shared}
    plan = Plan.make(**others, method=method, max_pairs=0)
    parts = [part for part in (plan.method, plan.verify, plan.clusters) if part is not None]
    taken = {name for part in parts for name in spec.fitted(part, shared)[1]}
    taken -= set(spec.parse("method", method)[1])
    return Plan.make(**others, **{n: shared[n] for n in taken}, method=method, max_pairs=0)


def everyone() -> list[str]:
    """All methods by name that run without options of their own; A0 to A12 are second names."""
    usable = []
    for name in spec.names("method"):
        if name[:1] == "A" and name[1:].isdigit():
            continue
        try:
            spec.make("method", name)
        except PlanError:
            continue
        usable.append(name)
    return usable


class SharedCounts:
    """Word counts of the collection, made once for each way of cleaning."""

    def __init__(self, collection: Collection, folder: Path, means: Resources) -> None:
        self._collection, self._folder, self._means = collection, folder, means
        self._known: dict[Cleaning, tuple[str, float]] = {}

    def of(self, plan: Plan) -> tuple[str, float] | None:
        """The file of counts that the plan's method would make for itself, and its seconds."""
        cleaning = None if plan.statistics else cleaning_of(plan.method)
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
