"""What an index is made by: the plan, and the word counts that it weighs by."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import pyarrow.parquet as pq

from twinset.errors import PlanError
from twinset.finding.candidates.base import ENDLESS
from twinset.finding.candidates.cosine import TermLinks
from twinset.finding.methods.base import Search
from twinset.finding.methods.similarity_model import SimilarityModel, model_of, read_model
from twinset.model import Documents
from twinset.plan import Plan, Resources
from twinset.plan.spec import name_of, spell
from twinset.run.opening import open_documents
from twinset.run.progress import Progress, Silent
from twinset.run.searching import begin
from twinset.run.streaming import survey
from twinset.text import stopwords
from twinset.text.statistics import Statistics
from twinset.text.word_files import spelt_words, synonyms_of
from twinset.text.wording import rewriter_of, spelt_wording

VERSION = 4
"""Of the format: another one is refused."""
RELATIVE = {
    "asked": "what it knows of a document depends on the nearest ones in the whole collection",
    "vectors": "an index keeps no vectors",
}
"""Methods that an index cannot ask, and why."""
BENDING = ("crowd", "outstanding")
"""Options of methods whose rule bends by what else is in a collection."""


@dataclass(frozen=True)
class Contents:
    """What decides the answers of an index; it never changes once the index is created."""

    plan: Plan
    statistics: Statistics | SimilarityModel | None = None
    """What was counted, or learnt, before."""

    @classmethod
    def make(cls, options: Mapping[str, Any]) -> Contents:
        """Of options as `find` takes them, checked."""
        contents = cls.of(options)
        contents.ensure_sound()
        return contents

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Contents:
        """Of options as `find` takes them; ``statistics`` may be documents, which are counted.

        Documents come one by one, so that lines which pages repeat stay, and no kinds of pairs are
        told apart.
        """
        cls.ensure_single(options)
        plan = Plan.make(**{**options, "repeated": "keep", "kinds": "no"})
        file, plan = plan.statistics, dataclasses.replace(plan, statistics=None)
        carried = without_word_files(plan)
        if model := getattr(plan.method, "model", ""):
            return cls(carried, read_model(model, plan.read.within))
        if not file:
            return cls(carried)
        if PurePath(file).suffix == ".parquet":
            known = Statistics.read(file, plan.read.within)
            return cls(carried, _as_carried(known, plan, carried))
        means, unasked = Resources.make(), dataclasses.replace(carried, given={})
        return cls(carried).counted(open_documents(file, unasked, means)[0], means)

    def counted(
        self, documents: Documents, resources: Resources, progress: Progress | None = None
    ) -> Contents:
        """With the counts of these documents where the method weighs by such, and none are there.

        They stay what they are, whatever is added later.
        """
        if not self.lacks_counts or self._refused():
            return self
        search, counter = self.search(resources), None
        if isinstance(search, TermLinks):
            counter = search.counter()
        passes = search.surveys() if counter is None else [counter]
        rewriter = rewriter_of(self.plan)
        survey(documents, passes, progress or Silent(), rewriter, resources.threads)
        known = search.statistics if counter is None else counter.finish()
        wording = spelt_wording(self.plan)
        return Contents(self.plan, known and dataclasses.replace(known, wording=wording))

    @property
    def lacks_counts(self) -> bool:
        """Whether the method weighs words by counts of a collection, and there are none."""
        needs = getattr(getattr(self.plan.method, "about", None), "needs", "")
        return self.statistics is None and needs.startswith("collection stat")

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

    def ensure_sound(self) -> None:
        """Raise where no index can be made by this plan."""
        if fault := self._refused() or self._lacking():
            raise PlanError([fault])

    @property
    def _called(self) -> str:
        plan = self.plan
        name = name_of("method", plan.method)
        return f"the preset {plan.preset}" if plan.preset else f"the method {name}"

    def _refused(self) -> str:
        """Why no index can be made by this plan, whatever is counted; empty where one can."""
        plan, called = self.plan, self._called
        if reason := RELATIVE.get(name_of("method", plan.method)):
            return f"{called} cannot answer from an index: {reason}; take another method"
        if any(getattr(plan.method, side, 0) for side in BENDING):
            straight = dataclasses.replace(plan.method, **dict.fromkeys(BENDING, 0))  # type: ignore[type-var]
            forms = f" --forms {spell('forms', plan.forms)}" if plan.forms else ""
            return (
                f"{called} bends its rule by the neighbours that a document has in the whole "
                f"collection, and an index answers about one pair: take --threshold "
                f"{plan.threshold:g}{forms} --method {spell('method', straight)} in its place"
            )
        if plan.read.raw:
            return f"{called} compares raw bytes, which an index does not keep: let it take text"
        return "reference has no meaning in an index: leave it out" if plan.read.reference else ""

    def _lacking(self) -> str:
        if self.lacks_counts:
            return (
                f"{self._called} weighs words by counts of a collection: give documents to count "
                "them in, or the counts of a report, by --statistics crawl.jsonl or --statistics "
                "statistics.parquet; they are part of the index"
            )
        search = self.search(Resources.make(threads=1))
        if isinstance(search, TermLinks) or search.has_links:
            return ""
        return f"{self._called} looks at the whole collection before it compares: take another one"

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
        known: Statistics | SimilarityModel | None = None
        if statistics is not None and statistics.startswith(b"{"):
            known = model_of(statistics, "the model of the index")
        elif statistics is not None:
            known = Statistics.of_table(pq.read_table(io.BytesIO(statistics)))
        return cls(Plan.from_dict(plan), known)

    def statistics_file(self) -> bytes | None:
        """The word counts as a Parquet file, or the model as one of JSON, where there are any."""
        if self.statistics is None:
            return None
        if isinstance(self.statistics, SimilarityModel):
            return self.statistics.as_json().encode()
        file = io.BytesIO()
        pq.write_table(self.statistics.table(), file)
        return file.getvalue()

    def search(self, resources: Resources) -> Search:
        """A search by the plan and the word counts of the index, which misses nobody in a crowd."""
        return begin(dataclasses.replace(self.plan, dense=ENDLESS), resources, self.statistics)


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
