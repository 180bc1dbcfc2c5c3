"""Table 4 of the papers on generated contexts of the papers' size.

D. Ignatov, K. Jánosi-Rancz, S. Kuznetsov, "Towards a framework for near-duplicate detection in
document collections based on closed sets of attributes", 2009; some times are from its Russian
forerunner. The papers ran the miners on images of 100 to 200 shingles of narod.1-6, about a tenth
of the ROMIP collection. The documents are generated here: the times of the papers are of other
documents on another machine, and only the order of the miners can be compared.

    python benchmarks/mine_compare.py > benchmarks/results/mine_compare.txt
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine.compare import Run, compare_rows
from twinset.model import Features

HEADING = (
    f"{'algorithm':<12}{'kind':<9}{'threshold':>9}{'CPU s':>9}{'MB':>8}"
    f"{'sets':>12}{'steps':>15}  outcome"
)
SHINGLES = 400
IMAGE = 100
LARGEST = 500
IN_GROUPS = 0.25


def make_context(
    documents: int, seed: int = 1, longest: int = 15, size: int = IMAGE
) -> tuple[Features, NDArray[np.int64]]:
    """Images of ``size`` features as ``values, offsets``, each ascending; groups are scattered."""
    rng = np.random.default_rng([seed, documents])
    images = np.empty((documents, size), dtype=np.uint64)
    place = rng.permutation(documents)
    placed = 0
    while placed < int(documents * IN_GROUPS):
        members = min(_group_size(rng), documents - placed)
        group = _group(rng, members, longest)
        images[place[placed : placed + members]] = np.partition(group, size - 1, axis=1)[:, :size]
        placed += members
    for start in range(placed, documents, 10_000):
        rest = place[start : start + 10_000]
        images[rest] = _hashes(rng, len(rest) * size).reshape(len(rest), size)
    images.sort(axis=1)
    return _pack(images)


def _group_size(rng: np.random.Generator) -> int:
    return int(math.exp(rng.uniform(math.log(2), math.log(LARGEST + 1))))


def _group(rng: np.random.Generator, size: int, longest: int) -> Features:
    texts = np.empty((size, SHINGLES), dtype=np.uint64)
    texts[0] = _hashes(rng, SHINGLES)
    for i in range(1, size):
        texts[i] = texts[rng.integers(i)]
        for _ in range(int(rng.integers(1, 4))):
            length = int(rng.integers(5, longest + 1))
            at = int(rng.integers(SHINGLES - length + 1))
            texts[i, at : at + length] = _hashes(rng, length)
    return texts


def _hashes(rng: np.random.Generator, count: int) -> Features:
    return rng.integers(0, 2**64 - 1, count, dtype=np.uint64)


def _pack(images: Features) -> tuple[Features, NDArray[np.int64]]:
    fresh = np.ones(images.shape, dtype=bool)
    fresh[:, 1:] = images[:, 1:] != images[:, :-1]
    offsets = np.zeros(len(images) + 1, dtype=np.int64)
    np.cumsum(fresh.sum(axis=1), out=offsets[1:])
    return images[fresh], offsets


DOCUMENTS = 53_539
"""Documents of narod.1-6."""

THRESHOLDS: dict[int, tuple[int, ...]] = {
    100: (100, 95, 90, 85, 80),
    150: (150, 145, 140, 135, 130, 125),
    200: (200, 195, 190, 170),
}
"""Shingles of an image, and the thresholds that the papers print for them."""

PAPER: dict[tuple[int, str], dict[int, float]] = {
    (100, "fpmax"): {100: 1.2, 95: 2.0, 90: 3.1, 85: 5.3},
    (100, "afopt"): {100: 1.39, 95: 1.984, 90: 2.359, 80: 3.078},
    (100, "mafia"): {100: 123, 95: 584, 90: 1160, 80: 2186},
    (100, "addintent"): {100: 177.64, 95: 186.765, 90: 192.765, 85: 204.031},
    (150, "fpmax"): {150: 1.75, 145: 3.265, 140: 19.609, 135: 97.046, 130: 36.609, 125: 11.75},
}
"""Seconds that the papers print for maximal sets, on a Pentium 4 of 3 GHz."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A run on images of ``size`` shingles, with the seconds that the papers print for it."""

    size: int
    run: Run
    paper_seconds: float | None


def papers_rows() -> Iterator[PaperRow]:
    """The rows of the papers, each when it is there."""
    for size, supports in THRESHOLDS.items():
        context = Context(*make_context(DOCUMENTS, size=size))
        for run in compare_rows(context, supports, ["maximal", "closed"]):
            known = PAPER.get((size, run.algorithm), {}) if run.kind == "maximal" else {}
            yield PaperRow(size, run, known.get(run.support))


def lines(rows: Iterable[PaperRow]) -> Iterator[str]:
    """The table as text, with a heading before the rows of each size of images."""
    size = 0
    for entry in rows:
        if entry.size != size:
            if size:
                yield ""
            size = entry.size
            yield f"{DOCUMENTS:,} generated documents, images of {size} shingles"
            yield f"{'papers s':>9}  {HEADING}"
        seconds = "" if entry.paper_seconds is None else f"{entry.paper_seconds:,.1f}"
        yield f"{seconds:>9}  {row(entry.run)}"


def row(run: Run) -> str:
    """A line of the table; what a miner did not say is left empty."""
    seconds = "" if run.seconds is None else f"{run.seconds:.2f}"
    memory = "" if run.megabytes is None else f"{run.megabytes:,.0f}"
    sets = "" if run.sets is None else f"{run.sets:,}"
    steps = f"{run.steps:,}" if run.steps else ""
    outcome = f"{run.outcome}: {run.fault}" if run.fault else run.outcome
    start = f"{run.algorithm:<12}{run.kind:<9}{run.support:>9}"
    return f"{start}{seconds:>9}{memory:>8}{sets:>12}{steps:>15}  {outcome}"


if __name__ == "__main__":
    for line in lines(papers_rows()):
        print(line, flush=True)
