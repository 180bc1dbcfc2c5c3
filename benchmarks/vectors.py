"""Times the join of vectors, and checks it by brute force: ``python benchmarks/vectors.py``.

Vectors as encoders make them: around the centres of topics, most of their length in few directions
(deviations fall as n^-``decay``; 0 makes all directions alike, the worst case), and a fifth of the
documents near-duplicates of others. A sample of documents is multiplied with all others in double
precision: their pairs and scores have to be those of the report. It needs NumPy, PyArrow and
twinset, nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from measure import measure

Vectors = NDArray[np.float32]
GROUP = 25_000  # rows that are made, written and checked at a time
POOL = 10_000  # the first documents, which half of the copies are made of
COPIES, NOISE = 0.2, 0.4  # share of near-duplicates, and how far they may be


def block(first: int, count: int, topics: Vectors, pool: Vectors, decay: float) -> Vectors:
    """The vectors of these documents, which depend on their number alone."""
    dice, width = np.random.default_rng([7, first]), topics.shape[1]
    scale = ((1 + np.arange(width)) ** -decay).astype(np.float32)

    def directions(rows: int) -> Vectors:
        made = dice.standard_normal((rows, width), dtype=np.float32) * scale
        return unit(made)

    made = unit(0.7 * topics[dice.integers(0, len(topics), count)] + directions(count))
    copies = np.flatnonzero(dice.random(count) < COPIES)
    sources = made[dice.integers(0, count, len(copies))]
    if len(pool):
        half = len(copies) // 2
        sources[:half] = pool[dice.integers(0, len(pool), half)]
    far = dice.uniform(0, NOISE, (len(copies), 1)).astype(np.float32)
    made[copies] = unit(sources + far * directions(len(copies)))
    return made


def unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def write(path: Path, count: int, width: int, decay: float) -> None:
    """The collection as Parquet."""
    scale = (1 + np.arange(width)) ** -decay
    dice = np.random.default_rng(7)
    topics = unit((dice.standard_normal((max(count // 200, 2), width)) * scale).astype(np.float32))
    kind = pa.list_(pa.float32(), width)
    schema = pa.schema({"id": pa.string(), "text": pa.string(), "embedding": kind})
    pool = np.empty((0, width), np.float32)
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
        for first in range(0, count, GROUP):
            rows = range(first, min(first + GROUP, count))
            made = block(first, len(rows), topics, pool, decay)
            pool = pool if len(pool) else made[:POOL]
            ids, texts = [str(n) for n in rows], [f"what document {n} says" for n in rows]
            lists = pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), width)
            file.write_table(pa.table([pa.array(ids), pa.array(texts), lists], schema=schema))


def wrong(path: Path, report: Path, threshold: float, sample: int) -> tuple[int, int]:
    """How many pairs a sample of documents has, and how many of these the report has otherwise."""
    groups = pq.ParquetFile(path)
    count = groups.metadata.num_rows
    chosen = np.sort(np.random.default_rng(5).choice(count, min(sample, count), replace=False))
    parts = (groups.read_row_group(n, ["embedding"])[0] for n in range(groups.num_row_groups))
    vectors = np.concatenate([p.combine_chunks().flatten().to_numpy() for p in parts])
    vectors = vectors.reshape(count, -1)
    ours = vectors[chosen].astype(float)
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    expected = dict[tuple[int, int], float]()
    for first in range(0, count, GROUP):
        theirs = vectors[first : first + GROUP].astype(float)
        theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
        cosine = np.minimum(np.round(ours @ theirs.T, 6), 1.0)
        for row, column in np.argwhere(cosine >= threshold).tolist():
            ends = int(chosen[row]), first + column
            if ends[0] != ends[1]:
                expected[min(ends), max(ends)] = float(cosine[row, column])
    pairs = pq.read_table(report / "pairs.parquet", columns=["left", "right", "score"])
    left, right = (pairs[name].to_numpy().astype(np.int64) for name in ("left", "right"))
    mine = np.isin(left, chosen) | np.isin(right, chosen)
    rows = zip(left[mine].tolist(), right[mine].tolist(), strict=True)
    found = dict(zip(rows, pairs["score"].to_numpy()[mine].tolist(), strict=True))
    differing = expected.keys() ^ found.keys()
    scores = [pair for pair in expected.keys() & found.keys() if expected[pair] != found[pair]]
    return len(expected), len(differing) + len(scores)


def main() -> None:
    """Make, run, check, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--decay", type=float, default=0.5)
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    path = asked.work / f"vectors-{asked.documents}-{asked.width}-{asked.decay:g}.parquet"
    report = path.with_suffix("")
    if not path.exists():
        write(path, asked.documents, asked.width, asked.decay)
    options = ["--method", "vectors:field=embedding", "--threshold", str(asked.threshold)]
    options += ["--threads", str(asked.threads), "--out", str(report), "--force"]
    cost = measure([sys.executable, "-m", "twinset", "find", str(path), *options], 7200)
    if not cost.finished:
        raise SystemExit(cost.errors)
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    pairs, faults = wrong(path, report, asked.threshold, asked.sample)
    compare = manifest["timings"]["compare"]
    product = asked.documents**2 * asked.width / compare / 1e9
    print(
        f"{asked.documents:,} x {asked.width}, decay {asked.decay:g}, from {asked.threshold:g}, "
        f"{asked.threads} threads of {platform.processor() or platform.machine()}: "
        f"{cost.wall:.1f} s ({cost.cpu:.0f} s of CPU), of them {compare:.1f} s joining "
        f"(whole products would take {product:.0f} GFLOP/s), {cost.peak_mb:,.0f} MB, "
        f"{manifest['counts']['pairs']:,} pairs; {pairs:,} of a sample, {faults} of these wrong"
    )
    print(json.dumps(manifest["timings"]))
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
