"""Units of documents compared with those of others: each is a document of its own for the search.

What stands for them inside is their number in reading order; who finds pairs, and which of the
units stays, is decided as it is for documents. A unit is the same as the one that stays in its
place, if that stands in another document, or anywhere where units of one document are compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from twinset.engine.clock import Clock
from twinset.engine.columns import NumberColumn, give_back_memory
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import preferred, staying, traits_of, with_policies
from twinset.engine.footprint import say_if_too_large
from twinset.engine.pairing import pair
from twinset.engine.progress import Progress, Silent
from twinset.engine.removing import remove
from twinset.engine.searching import begin, judge_of
from twinset.engine.streaming import Collector, collect, survey
from twinset.model import Batch, Documents, Ints
from twinset.model import compute as pc
from twinset.model.columns import column
from twinset.passages.levels import UnitLevel
from twinset.passages.noting import DocumentNotes, ReadDocuments
from twinset.passages.unit_findings import UnitFindings, Units
from twinset.plan import Plan, Resources
from twinset.text.wording import rewriter_of

DIGITS = 12
"""Those of the name of a unit: names sort as their units stand."""


class UnitDocuments:
    """Documents as a stream of their units."""

    def __init__(self, documents: Documents, level: UnitLevel, threads: int) -> None:
        self.documents, self.level, self.threads = documents, level, threads
        self.total_bytes = documents.total_bytes
        self._begin()

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass."""
        return int(getattr(self.documents, "bytes_read", 0))

    @property
    def now_reading(self) -> str:
        """The name of the file that is being read."""
        return str(getattr(self.documents, "now_reading", ""))

    def _begin(self) -> None:
        self._columns = DocumentNotes()
        self._counts, self._start, self._end = NumberColumn(), NumberColumn(), NumberColumn()

    def batches(self) -> Iterator[Batch]:
        """The units from the beginning."""
        self._begin()
        count = 0
        for batch in self.documents.batches():
            self._columns.take(batch)
            units = self.level.split(batch.texts, self.threads)
            self._counts.append(units.counts)
            self._start.append(units.start)
            self._end.append(units.end)
            if not len(units.texts):
                continue
            number = np.arange(count, count + len(units.texts))
            count += len(number)
            yield Batch(
                pc.utf8_lpad(column(number).cast(pa.string()), DIGITS, "0"),
                units.texts,
                batch.source,
                number + 1,
                None if batch.order is None else np.repeat(batch.order, units.counts),
                is_reference=batch.is_reference,
            )

    def finish(self) -> tuple[ReadDocuments, Ints, Ints, Ints]:
        """After a pass: the documents, and of each unit its document, start and end."""
        read = self._columns.finish(self.threads)
        document = np.repeat(np.arange(len(read)), self._counts.finish())
        start, end = self._start.finish(), self._end.finish()
        return read, document, start.astype(np.int64), end.astype(np.int64)


def find_units(
    documents: Documents,
    plan: Plan,
    *,
    dedup: bool = False,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> UnitFindings:
    """The units of documents that stand elsewhere, too; saving a ``dedup`` drops them."""
    resources, progress = resources or Resources.make(), progress or Silent()
    clock = Clock()
    split = UnitDocuments(documents, plan.level, resources.threads)
    plan_of_units = dataclasses.replace(plan, level=None)
    judge, rewriter = judge_of(plan, resources), rewriter_of(plan)
    search = begin(plan_of_units, resources)
    survey(split, search, progress, rewriter, resources.threads)
    ordered = plan.read.order is not None
    collector = Collector(search, resources, judge, rewriter=rewriter, ordered=ordered, head=0)
    collected = collect(split, collector, progress)
    del collector
    read, document, start, end = split.finish()
    clock.lap("read and sketch")
    say_if_too_large(len(collected), collected.ids.nbytes, 0, resources)
    plan = with_policies(plan, collected, dedup=False)
    stays = staying(plan, read.ids, read.sources, read.source) | read.reference
    preference = preferred(stays[document], plan.keep, traits_of(collected), collected.ids)
    copies = Copies.of(collected, search, judge)
    classes = Classes.of(copies, preference, collected.reference)
    progress.stage("comparing", None)
    paired = pair(collected, search, classes, copies, preference, judge, resources)
    removal = remove(paired, classes, preference, None)
    same_as = removal.target
    if not plan.level.inside:
        own = document[same_as] == document
        same_as = np.where(own, np.arange(len(same_as)), same_as)
    units = Units(document, start, end, collected.units.astype(np.int64), same_as, removal.score)
    collected.release_features()
    give_back_memory()
    clock.lap("compare")
    return UnitFindings.of(
        documents, read, units, plan, clock.seconds, resources.threads, dedup=dedup
    )
