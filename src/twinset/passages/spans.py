"""Exact spans: stretches of at least N units that stand in two places or more.

Katherine Lee, Daphne Ippolito, Andrew Nystrom, Chiyuan Zhang, Douglas Eck, Chris Callison-Burch,
Nicholas Carlini: Deduplicating Training Data Makes Language Models Better. ACL 2022.

The paper sorts all suffixes. Here S(p) are all places that begin with the same N units as p, and
starts p and p + 1 belong to one span when S(p) + 1 = S(p + 1). What spans cover is what repeats of
N units or more cover in the suffix array.
"""

from __future__ import annotations

import numpy as np

from twinset.engine.clock import Clock
from twinset.engine.progress import Progress, Silent
from twinset.model import Documents
from twinset.passages.findings import SpanFindings
from twinset.passages.grams import Grams
from twinset.passages.noting import ReadDocuments
from twinset.passages.numbering import numbered
from twinset.passages.options import SpanOptions
from twinset.passages.searching import RunSearch
from twinset.plan import Resources
from twinset.reading.repeated import let_few_pages_through


def find_spans(
    documents: Documents,
    options: SpanOptions,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> SpanFindings:
    """The spans of some documents; the same whatever the threads and the memory."""
    resources, progress = resources or Resources.make(), progress or Silent()
    clock = Clock()
    grams = Grams.of(options.unit, options.least)

    def read_all() -> tuple[RunSearch, ReadDocuments]:
        search = RunSearch(documents, grams, resources, progress)
        return search, search.read()

    search, read = let_few_pages_through(documents, read_all)
    clock.lap("read and sample")
    runs = search.runs()
    clock.lap("count and join")
    rows = numbered(
        runs, options.least, np.asarray(read.reference), by_length=options.unit != "word"
    )
    clock.lap("number")
    return SpanFindings.of(documents, read, rows, options, clock.seconds, resources.threads)
