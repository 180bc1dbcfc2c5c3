"""Candidates and signals of a sample, gathered for a dialogue."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset.engine.progress import Progress
from twinset.lab.asking.material import Material
from twinset.lab.tuning.sample import Sample
from twinset.plan import Resources
from twinset.signals import NAMES, Profiles, in_words, signal_table

DIGITS = 6  # of a signal: the last ones must not decide what is asked


def gather(sample: Sample, resources: Resources, progress: Progress) -> Material:
    """The pairs worth asking about, with their signals; equal texts are looked at once."""
    first: dict[str, int] = {}
    for number, text in enumerate(sample.texts):
        first.setdefault(text, number)
    rows = list(first.values())
    ids, texts = [sample.ids[row] for row in rows], [sample.texts[row] for row in rows]
    progress.stage("looking for neighbours", None)
    profiles = Profiles.of([pa.array(texts, pa.large_string())], resources.threads)
    left, right = profiles.pairs
    progress.stage("comparing pairs", None)
    table = np.round(signal_table(profiles, left, right, NAMES, resources.threads), DIGITS)

    def words(row: int, language: str) -> list[str]:
        return in_words(profiles, int(left[row]), int(right[row]), language)

    material = Material(ids, texts, left, right, table, NAMES, words, sample.documents)
    # Made here, while progress is shown, and not after the first answer.
    _ = material.rows, material.columns, material.classes
    return material
