"""What a run with parts does at each stage: take what is there, keep what is new."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from twinset.engine.documents import Collected
from twinset.engine.pairing import VerifiedPairs
from twinset.engine.parts.described import described_run, resumable
from twinset.engine.parts.folder import PartsFolder
from twinset.engine.parts.passes import KeptPass
from twinset.engine.progress import Progress
from twinset.engine.streaming import Collector, collect
from twinset.methods.base import Search
from twinset.model import Documents
from twinset.plan import Plan
from twinset.text.repeated import RepeatedLines
from twinset.text.statistics import Statistics
from twinset.text.wording import spelt_wording


@dataclass(slots=True)
class CountedWords:
    """What passes over the collection have learnt before the search."""

    statistics: Statistics
    lines: RepeatedLines | None
    repeated: pa.Table | None
    paragraphs: pa.Table | None


class KeptRun:
    """A run whose finished parts are kept in a folder."""

    def __init__(self, folder: PartsFolder, documents: Documents, plan: Plan, dedup: bool) -> None:
        self._folder, self._plan, self._documents = folder, plan, resumable(documents)
        known = folder.begin(described_run(documents, plan, dedup))
        self._documents.batch_bytes = known["batch_bytes"]  # the same cuts, whatever the memory

    def statistics(self) -> Statistics | None:
        """The word counts of an earlier run over these documents."""
        words = self._value("words")
        if words is None:
            return None
        repetition = self._documents.repetition
        repetition.lines, repetition.table = words.lines, words.repeated
        if self._plan.drop_boilerplate is not None:
            from twinset.text.boilerplate import BoilerplateCutter

            repetition.boilerplate = BoilerplateCutter.of_table(words.paragraphs)
            repetition.paragraphs = words.paragraphs
        statistics: Statistics = words.statistics
        return statistics

    def keep_statistics(self, search: Search) -> None:
        """Keep the word counts, where the search has made some."""
        if search.statistics is None or self._plan.statistics:
            return
        counted = dataclasses.replace(search.statistics, wording=spelt_wording(self._plan))
        repetition = self._documents.repetition
        known = (repetition.lines, repetition.table, repetition.paragraphs)
        self._keep("words", CountedWords(counted, *known))

    def collect(self, collector: Collector, progress: Progress) -> Collected:
        """The pass over the documents, from where it was left."""
        kept = KeptPass(self._folder, self._documents, collector)
        earlier = kept.begin(progress)
        collected = collect(self._documents, collector, progress, kept, earlier)
        kept.finish()
        return collected

    def compared(self) -> VerifiedPairs | None:
        """The pairs of an earlier run."""
        compared: VerifiedPairs | None = self._value("pairs")
        return compared

    def keep_compared(self, compared: VerifiedPairs) -> None:
        """Keep the pairs, so that a kill in what follows does not cost the comparison."""
        self._keep("pairs", compared)

    def _value(self, name: str) -> Any:
        ends = self._folder.chain(name).ends()
        return ends[0] if ends else None

    def _keep(self, name: str, value: Any) -> None:
        """Keep one value, unless it is kept already."""
        chain = self._folder.chain(name)
        if not chain.ends():
            try:
                chain.add(value)
                chain.end_file(wait=True)
            except OSError as fault:
                chain.give_up()
                self._folder.say_full(fault)
