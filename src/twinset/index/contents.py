"""What an index is made by: the plan, and the word counts that it weighs by."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

from twinset.errors import PlanError
from twinset.finding.methods.base import Search
from twinset.plan import Plan, Resources
from twinset.plan.spec import name_of
from twinset.run.searching import begin
from twinset.text import stopwords
from twinset.text.statistics import Statistics
from twinset.text.word_files import spelt_words, synonyms_of
from twinset.text.wording import spelt_wording

VERSION = 4
"""Of the format: another one is refused."""
RELATIVE = {
    "learned": "an index does not keep the views of documents that its model compares",
    "asked": "an index does not keep the views of documents that its model compares",
    "vectors": "an index keeps no vectors",
    "tfidfcosine": "an index finds documents by keys, and its pairs may share none",
    "idfjaccard": "an index finds documents by keys, and its pairs may share none",
}
"""Methods that an index cannot ask, and why."""


@dataclass(frozen=True)
class Contents:
    """What decides the answers of an index; it never changes once the index is created."""

    plan: Plan
    statistics: Statistics | None = None

    @classmethod
    def make(cls, options: Mapping[str, Any]) -> Contents:
        """Of options as `find` takes them, checked.

        Documents come one by one, so that lines which pages repeat stay, and no kinds of pairs are
        told apart.
        """
        cls.ensure_single(options)
        plan = Plan.make(**{**options, "repeated": "keep", "kinds": "no"})
        known = Statistics.read(plan.statistics, plan.read.within) if plan.statistics else None
        plan = dataclasses.replace(plan, statistics=None)
        carried = without_word_files(plan)
        contents = cls(carried, known and _as_carried(known, plan, carried))
        if faults := contents.faults():
            raise PlanError(faults)
        return contents

    @staticmethod
    def ensure_single(options: Mapping[str, Any]) -> None:
        """Raise where an option looks at more than one document."""
        if options.get("drop_boilerplate") is not None:
            raise PlanError(
                ["drop-boilerplate looks at a whole collection: leave it out of an index"]
            )
        if options.get("target") is not None:
            raise PlanError(["target is for dedup of one collection: leave it out of an index"])
        for name, only in {"repeated": "keep", "kinds": "no"}.items():
            if options.get(name) not in (None, "auto", only):
                raise PlanError(
                    [f"{name} {options[name]} looks at a whole collection: an index has {only}"]
                )

    def faults(self) -> list[str]:
        """Why no index can be made by this plan, a sentence each."""
        plan, name = self.plan, name_of("method", self.plan.method)
        called = f"the preset {plan.preset}" if plan.preset else f"the method {name}"
        if name in RELATIVE:
            return [f"{called} cannot answer from an index: {RELATIVE[name]}; take another method"]
        if plan.read.raw:
            return [f"{called} compares raw bytes, which an index does not keep: let it take text"]
        about = getattr(plan.method, "about", None)
        if self.statistics is None and getattr(about, "needs", "").startswith("collection stat"):
            return [
                f"{called} weighs words by counts of a collection: give those of a report by "
                "--statistics statistics.parquet, which are then part of the index"
            ]
        search = self.search(Resources.make(threads=1))
        if next(search.surveys(), None) is not None or not search.has_links:
            return [f"{called} looks at the whole collection before it compares: take another one"]
        if plan.read.reference:
            return ["reference has no meaning in an index: leave it out"]
        return []

    def as_dict(self) -> dict[str, Any]:
        """Plain values, from which `from_dict` makes the contents again."""
        return {"version": VERSION, "plan": self.plan.as_dict()}

    @classmethod
    def from_dict(
        cls,
        values: Mapping[str, Any],
        statistics: bytes | None = None,
        within: Sequence[str] = (),
    ) -> Contents:
        """The contents of an index that was written before.

        Where ``within`` names folders, a file that the plan names elsewhere is not opened.
        """
        plan = values["plan"]
        if within:
            plan = {**plan, "read": {**plan["read"], "within": list(within)}}
        known = None
        if statistics is not None:
            known = Statistics.of_table(pq.read_table(io.BytesIO(statistics)))
        return cls(Plan.from_dict(plan), known)

    def statistics_file(self) -> bytes | None:
        """The word counts as a Parquet file, where there are any."""
        if self.statistics is None:
            return None
        file = io.BytesIO()
        pq.write_table(self.statistics.table(), file)
        return file.getvalue()

    def search(self, resources: Resources) -> Search:
        """A search by the plan and the word counts of the index."""
        return begin(self.plan, resources, self.statistics)


def without_word_files(plan: Plan) -> Plan:
    """The same plan, with words in place of the files that hold them.

    Answers must not change with a file, nor be missing where the index is handed on without it.
    """
    within = plan.read.within
    if plan.synonyms:
        groups = synonyms_of(plan.synonyms, within)
        plan = dataclasses.replace(plan, synonyms=spelt_words(groups))
    method: Any = plan.method
    stop = getattr(method, "stop", "none")
    if (own := stopwords.without_files(stop, within)) != stop:
        plan = dataclasses.replace(plan, method=dataclasses.replace(method, stop=own))
    return plan


def _as_carried(known: Statistics, plan: Plan, carried: Plan) -> Statistics:
    """Word counts that were made by the same files, named as the index names them."""
    if known.wording == spelt_wording(plan):
        known = dataclasses.replace(known, wording=spelt_wording(carried))
    if known.cleaning.stop == getattr(plan.method, "stop", "none"):
        cleaning = dataclasses.replace(known.cleaning, stop=getattr(carried.method, "stop", "none"))
        known = dataclasses.replace(known, cleaning=cleaning)
    return known
