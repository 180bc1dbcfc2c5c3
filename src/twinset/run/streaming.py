"""The streaming pass: batches in, features stored, keys collected, documents noted."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.methods.base import Search, Survey
from twinset.model import (
    HEAD,
    MASKED,
    Batch,
    Documents,
    Fault,
    FeatureLists,
    Features,
    FileFacts,
    Floats,
    Ints,
    Judge,
    Ragged,
)
from twinset.model import compute as pc
from twinset.model.columns import valid
from twinset.plan import Resources
from twinset.run.columns import Heads, NumberColumn, give_back_memory
from twinset.run.documents import Collected, DocumentLog, ids_of
from twinset.run.footprint import afterwards
from twinset.run.progress import Progress
from twinset.system.threads import BackgroundIterator, in_order
from twinset.text.arrow import arrow_text
from twinset.text.wording import Rewriter, reworded

if TYPE_CHECKING:
    from twinset.run.images import ImageKeeper
    from twinset.run.kinds import KindTexts


@dataclass(slots=True)
class PreparedBatch:
    """What is kept of a batch: made of this batch alone, whatever comes before it; plain data.

    ``compared`` are the texts as they are compared, where a judge asks for them; ``originals`` the
    texts as they were read but for what is masked, where kinds of pairs are asked for.
    """

    source: str
    ids: pa.Array
    places: Ints
    order: Floats | None
    status: NDArray[np.uint8]
    units: Ints
    features: FeatureLists
    heads: NDArray[np.uint8]
    searched: Any = None
    images: FeatureLists | None = None
    digests: Features | None = None
    compared: pa.Array | None = None
    originals: pa.Array | None = None
    files: FileFacts | None = None
    is_reference: bool = False
    faults: tuple[Fault, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.status)


@dataclass(slots=True)
class ReadyBatch:
    """A batch whose lists and heads are where the stores want them, in memory or in their files."""

    batch: PreparedBatch
    features: _kernels.FeatureBlock
    digests: _kernels.FeatureBlock | None
    heads: int


LARGE = 4 << 20
"""Bytes of arrays that get memory of their own: smaller ones come and go with every batch."""
NO_FEATURES: FeatureLists = Ragged(np.empty(0, np.uint64), np.zeros(1, np.int64))
NO_HEADS = np.empty(0, np.uint8)


class Collector:
    """Takes batches in, one after the other.

    ``head`` is how many bytes of each document are kept to be shown: those of documents, or none.
    """

    def __init__(
        self,
        search: Search,
        resources: Resources,
        judge: Judge | None = None,
        images: ImageKeeper | None = None,
        most_faults: int = 100,
        rewriter: Rewriter | None = None,
        kind_texts: KindTexts | None = None,
        ordered: bool = False,
        head: int = HEAD,
    ) -> None:
        self.search, self.resources, self.judge = search, resources, judge
        self.images, self.rewriter, self.kind_texts = images, rewriter, kind_texts
        self.identity: _kernels.FeatureStore | None = None
        if search.by_text or judge is not None:
            self.identity = _kernels.FeatureStore(resources.room // 16, resources.folder)
        self.store = _kernels.FeatureStore(resources.features_bytes, resources.folder)
        self.heads = Heads(resources.folder)
        self.log = DocumentLog(most_faults)
        self.status, self.units = NumberColumn(), NumberColumn()
        self.order: list[Floats] = []
        self.files: list[FileFacts | int] = []
        self.ordered, self.head = ordered, head

    @property
    def count(self) -> int:
        """How many documents were taken."""
        return self.log.count

    @property
    def at_a_time(self) -> int:
        """How many batches may be prepared side by side."""
        words = None if self.rewriter is None else self.rewriter.choice
        alone = not self.search.side_by_side or words is not None
        return 1 if alone else self.resources.threads

    @property
    def _threads(self) -> int:
        """Threads for each kernel: one, where other batches keep the other cores busy."""
        return self.resources.threads if self.at_a_time == 1 else 1

    def prepare(self, batch: Batch, *, searched: bool = True) -> PreparedBatch:
        """Features and keys of one batch; bad documents have none.

        The keys are left out where the batch is not ``searched`` but asked for its links.
        """
        threads = self._threads
        originals, texts, counts = batch.texts, batch.texts, batch.counts
        if self.rewriter is not None:
            originals, masked = self.rewriter.masked(batch.texts)
            texts = self.rewriter.spelt(originals, threads)
            counts = {**counts, **{MASKED + mask: count for mask, count in masked.items()}}
        vectors, by_bytes = batch.vectors, self.search.by_bytes and batch.raw is not None
        features, units = self.search.extract(batch.raw if by_bytes else texts, threads)
        if self.rewriter is not None and self.rewriter.code is not None:
            same = pc.equal(texts, originals).fill_null(False).to_numpy(zero_copy_only=False)
            counts = {**counts, "code_left": int((same & (units > 0)).sum())}
        keys, images = None, None
        if searched:
            keys = self.search.prepare(features if vectors is None else vectors, threads)
        if self.images is not None:
            images = self.images.prepare(features, keys, threads)
        data = arrow_text(batch.texts)
        status = np.where(units > 0, 0, 1).astype(np.uint8)
        if batch.texts.null_count:
            unread = ~valid(batch.texts)
            status[unread] = 2
            if batch.files is not None:
                status[unread & batch.files.without_reader] = 3
        if vectors is not None:
            status[~vectors.any(axis=1)] = 2
        kinds_asked = self.kind_texts is not None and self.kind_texts.asked_of(batch)
        return PreparedBatch(
            batch.source,
            ids_of(batch),
            batch.places,
            batch.order,
            status,
            units,
            features,
            _kernels.heads(*data, self.head),
            keys,
            images,
            None if self.identity is None else _digests(batch, threads),
            None if self.judge is None else texts,
            originals if kinds_asked else None,
            batch.files,
            batch.is_reference,
            batch.faults,
            counts,
        )

    def work(self, read: Batch) -> ReadyBatch:
        """Everything that may be done beside other batches."""
        return self.stored(self.prepare(read))

    def stored(self, batch: PreparedBatch) -> ReadyBatch:
        """The batch with its lists in the stores, wherever it was prepared."""
        threads, lists, digests = self._threads, batch.features, None
        if self.identity is not None and batch.digests is not None:
            offsets = np.arange(len(batch) + 1)
            digests = self.identity.prepare(batch.digests, offsets, threads)
        features = self.store.prepare(lists.values, lists.offsets, threads)
        heads = self.heads.write(batch.heads)
        batch.features, batch.heads, batch.digests = NO_FEATURES, NO_HEADS, None
        return ReadyBatch(batch, features, digests, heads)

    def take(self, ready: ReadyBatch) -> None:
        """Keep a batch; batches come in the order of the input."""
        batch, threads = ready.batch, self._threads
        size = len(batch)
        before = self.count
        self.log.add(batch, batch.ids)
        if size == 0:
            return
        numbers = np.arange(before, before + size, dtype=np.uint32)
        self.store.add(ready.features)
        self.search.add(batch.searched, numbers)
        if self.images is not None and batch.images is not None:
            self.images.add(batch.images)
        if self.judge is not None and batch.compared is not None:
            self.judge.add(batch.compared)
        if self.kind_texts is not None:
            self.kind_texts.add(batch.originals, size, threads)
        if self.identity is not None and ready.digests is not None:
            self.identity.add(ready.digests)
        self.heads.add(before, ready.heads)
        self.units.append(batch.units)
        self.status.append(batch.status)
        if self.ordered:
            self.order.append(np.full(size, np.nan) if batch.order is None else batch.order)
        self.files.append(size if batch.files is None else batch.files)

    def finish(self) -> Collected:
        """All batches together."""
        known = self.log.finish(self.resources.threads)
        status = self.status.finish()
        settled = self.resources.room - afterwards(self.count, known["ids"].nbytes)
        self.store.settle(max(settled, 0))
        if self.identity is not None:
            self.identity.settle(0)
        alike = (self.identity or self.store).classes
        # Documents without a word are nobody's duplicates, though their texts are equal.
        without = np.flatnonzero(status != 0)
        alike[without] = without
        return Collected(
            **known,
            status=status,
            units=self.units.finish(),
            order=np.concatenate([np.empty(0), *self.order]) if self.ordered else None,
            store=self.store,
            alike=alike,
            heads=self.heads,
            files=FileFacts.joined(self.files),
        )


def _digests(batch: Batch, threads: int) -> Features:
    """What only documents with equal texts, and equal vectors if they have some, have in common."""
    digests = _kernels.text_digests(*arrow_text(batch.texts), threads)
    if (vectors := batch.vectors) is not None:
        ends = np.arange(len(vectors) + 1) * vectors[:1].nbytes
        digests ^= _kernels.text_digests(vectors.view(np.uint8).ravel(), ends, threads)
    return digests


def collect(
    documents: Documents,
    collector: Collector,
    progress: Progress,
    taker: Any = None,
    earlier: Any = None,
) -> Collected:
    """Run the pass: a thread reads ahead, others prepare batches, this one takes them in.

    ``taker`` stands between the batches and the collector, and has its ``work`` and ``take``;
    ``earlier`` is what was read before.
    """
    _kernels.keep_arrays_apart(LARGE)
    taker = taker or collector
    batches = watched(documents, "reading", progress, collector.resources.threads, earlier)
    flag, threads = _kernels.StopFlag(), collector.at_a_time
    # Batches wait for one before them that takes longer: meanwhile there are others to work on.
    ahead = threads + max(2, threads // 2)
    working = in_order(
        taker.work,
        batches,
        threads,
        ahead=ahead,
        flag=flag,
        size=lambda batch: batch.texts.nbytes,
        most=collector.resources.document_bytes,
    )
    with closing(working) as ready_batches:
        for ready in ready_batches:
            taker.take(ready)
    give_back_memory()
    return collector.finish()


def survey(
    documents: Documents,
    surveys: Iterable[Survey],
    progress: Progress,
    rewriter: Rewriter | None = None,
    threads: int = 1,
) -> None:
    """The passes over a collection that a search asks for before its own."""
    for counter in surveys:
        for batch in watched(documents, "counting words", progress, threads):
            if len(batch):
                counter.add(reworded(batch.texts, rewriter, threads))


def watched(
    documents: Documents, stage: str, progress: Progress, threads: int = 2, earlier: Any = None
) -> Generator[Batch, None, None]:
    """All batches, with progress reported.

    They are read ahead by a thread, and progress is reported while one is awaited, unless all is to
    be done by a single thread.
    """
    streamed, done = documents.batches(), 0
    if earlier is not None:
        files: Any = documents  # nothing else is read in two passes
        streamed, done = files.batches(earlier=earlier), files.bytes_before(earlier.position)
    progress.stage(stage, documents.total_bytes - done if documents.total_bytes else None)

    def report() -> None:
        nonlocal done
        now = max(getattr(documents, "bytes_read", 0), done)
        progress.advance(now - done, getattr(documents, "now_reading", ""))
        done = now

    batches: Any = streamed if threads == 1 else BackgroundIterator(streamed, 1, report)
    try:
        for batch in batches:
            yield batch
            report()
    finally:
        if (close := getattr(batches, "close", None)) is not None:
            close()
