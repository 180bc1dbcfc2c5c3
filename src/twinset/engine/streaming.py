"""The streaming pass: batches in, features stored, keys collected, documents noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.documents import Collected, Heads, distinct_ids, ids_of
from twinset.engine.images import ImageKeeper
from twinset.engine.kinds import KindTexts
from twinset.engine.progress import Progress
from twinset.methods.base import Search
from twinset.model import HEAD, Batch, Documents, Fault, FileFacts, Judge
from twinset.plan import Resources
from twinset.system.background import BackgroundIterator
from twinset.text import arrow_text
from twinset.text.wording import Rewriter, reworded


class Collector:
    """Takes batches in, one after the other."""

    def __init__(
        self,
        search: Search,
        resources: Resources,
        judge: Judge | None = None,
        images: ImageKeeper | None = None,
        most_faults: int = 100,
        rewriter: Rewriter | None = None,
        kind_texts: KindTexts | None = None,
    ) -> None:
        self.search, self.resources, self.judge = search, resources, judge
        self.images, self.rewriter, self.kind_texts = images, rewriter, kind_texts
        self.identity: _kernels.FeatureStore | None = None
        if search.by_text or judge is not None:
            self.identity = _kernels.FeatureStore(resources.memory // 16, resources.folder)
        self.store = _kernels.FeatureStore(resources.memory // 3, resources.folder)
        self.heads = Heads(resources.folder)
        self.count = 0
        self.rows: dict[str, list[Any]] = {
            name: [] for name in ("ids", "source", "places", "status", "units", "order")
        }
        self.reference: list[NDArray[np.bool_]] = []
        self.files: list[FileFacts | int] = []
        self.sources: dict[str, int] = {}
        self.faults: list[Fault] = []
        self.fault_counts: dict[str, int] = {}
        self.read_counts: Counter[str] = Counter()
        self.most_faults = most_faults

    def add(self, batch: Batch) -> None:
        """Features and keys of one batch; bad documents have none."""
        for fault in batch.faults:
            self.fault_counts[fault.kind] = self.fault_counts.get(fault.kind, 0) + 1
            # of each kind: thousands of one kind must not hide the names of another
            if self.fault_counts[fault.kind] <= self.most_faults:
                self.faults.append(fault)
        self.read_counts.update(batch.counts)
        size = len(batch)
        if size == 0:
            return
        threads = self.resources.threads
        texts = reworded(batch.texts, self.rewriter, threads)
        by_bytes = self.search.by_bytes and batch.raw is not None
        features, units = self.search.extract(batch.raw if by_bytes else texts, threads)
        numbers = np.arange(self.count, self.count + size, dtype=np.uint32)
        self.store.append(features.values, features.offsets, threads)
        self.search.add(features, numbers)
        if self.images is not None:
            self.images.add(features)
        if self.judge is not None:
            self.judge.add(texts)
        if self.kind_texts is not None:
            self.kind_texts.add(batch, threads)
        if self.identity is not None:
            digests = _kernels.text_digests(*arrow_text(batch.texts), threads)
            self.identity.append(digests, np.arange(size + 1), threads)
        self.heads.write(_kernels.heads(*arrow_text(batch.texts), HEAD).data)
        status = np.where(units > 0, 0, 1).astype(np.uint8)
        if batch.texts.null_count:
            unread = np.asarray(batch.texts.is_null())
            status[unread] = 2
            if batch.files is not None:
                status[unread & batch.files.without_reader] = 3
        number = self.sources.setdefault(batch.source, len(self.sources))
        order = batch.order if batch.order is not None else np.full(size, np.nan)
        row = (ids_of(batch), np.full(size, number), batch.places, status, units, order)
        for column, part in zip(self.rows.values(), row, strict=True):
            column.append(part)
        self.files.append(size if batch.files is None else batch.files)
        self.reference.append(np.full(size, batch.is_reference))
        self.count += size

    def finish(self, ordered: bool) -> Collected:
        """All batches together."""
        ids = pa.concat_arrays(self.rows["ids"]) if self.count else pa.array([], pa.large_string())
        ids, repeated = distinct_ids(ids)
        kinds = {"source": int, "places": int, "status": np.uint8, "units": int, "order": float}
        together: dict[str, Any] = {
            name: np.concatenate([np.empty(0, kind), *self.rows[name]], dtype=kind)
            for name, kind in kinds.items()
        }
        # Documents without a word are nobody's duplicates, though their texts are equal.
        alike = np.where(
            together["status"] == 0, (self.identity or self.store).classes, np.arange(self.count)
        )
        return Collected(
            ids,
            list(self.sources),
            together["source"],
            together["places"],
            together["status"],
            together["units"],
            together["order"] if ordered else None,
            repeated,
            self.store,
            alike,
            self.faults,
            self.fault_counts,
            dict(self.read_counts),
            self.heads,
            FileFacts.joined(self.files),
            np.concatenate([np.empty(0, bool), *self.reference]),
        )


def collect(
    documents: Documents, collector: Collector, ordered: bool, progress: Progress
) -> Collected:
    """Run the pass; a thread reads ahead while the kernels work."""
    for batch in watched(documents, "reading", progress):
        collector.add(batch)
    return collector.finish(ordered)


def survey(
    documents: Documents,
    search: Search,
    progress: Progress,
    rewriter: Rewriter | None = None,
    threads: int = 1,
) -> None:
    """The passes over the collection that a search asks for before its own."""
    for counter in search.surveys():
        for batch in watched(documents, "counting words", progress):
            if len(batch):
                counter.add(reworded(batch.texts, rewriter, threads))


def watched(documents: Documents, stage: str, progress: Progress) -> Iterator[Batch]:
    """All batches, read ahead by a thread, with progress reported, also while one is awaited."""
    progress.stage(stage, documents.total_bytes or None)
    done = 0

    def report() -> None:
        nonlocal done
        now = getattr(documents, "bytes_read", 0)
        progress.advance(now - done, getattr(documents, "now_reading", ""))
        done = now

    batches = BackgroundIterator(documents.batches(), 1, report)
    try:
        for batch in batches:
            yield batch
            report()
    finally:
        batches.close()
