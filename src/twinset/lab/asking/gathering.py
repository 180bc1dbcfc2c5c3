"""Candidates and signals of a sample, gathered for a dialogue."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.engine.progress import Progress
from twinset.lab.asking.material import Material
from twinset.lab.tuning.sample import Sample
from twinset.plan import Resources
from twinset.text.terms import TermCounts, runs
from twinset.text.tokens import WHOLE
from twinset.text.vectors import tfidf_vectors

LEAST = 0.15


def gather(sample: Sample, resources: Resources, progress: Progress) -> Material:
    """The pairs worth asking about, with their signals."""
    progress.stage("comparing documents", None)
    threads = resources.threads
    tokens = WHOLE.tokens(pa.array(sample.texts, pa.large_string()), threads)
    counts = TermCounts.of(runs(tokens, 2, "word"), threads)
    vectors, dimensions = tfidf_vectors(counts, sublinear=True)
    first, second, score = _kernels.inverted_pairs(
        vectors.features, vectors.weights, vectors.offsets, dimensions, False, LEAST, threads
    )
    order = np.lexsort((second, first))
    left, right = first[order].astype(np.int64), second[order].astype(np.int64)
    table = np.round(score[order], 6)[:, None]
    return Material(
        sample.ids,
        sample.texts,
        left,
        right,
        table,
        ("cosine2",),
        lambda row: [f"cosine of two-word sequences {table[row, 0]:.2f}"],
        sample.documents,
    )
