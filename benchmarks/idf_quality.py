"""F1 at the best threshold, Jaccard beside idf-weighted Jaccard, on labelled corpora.

    python benchmarks/idf_quality.py [FOLDER]

FOLDER holds corpora as folders with docs.jsonl.gz and truth.csv; pairs of a file dontcare.csv or
cross_key_similar.csv.gz count neither as right nor as wrong. The threshold of a corpus is also
taken from the others: the one whose mean F1 there is best.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import twinset

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CORPORA = ("bills_human", "debian_guide_html", "licenses")
LEAST = 0.3
GRID = np.round(np.arange(LEAST, 1.0001, 0.02), 2)
METHODS = {
    "words, Jaccard": "exact:shingle=1",
    "words, idf": "idfjaccard",
    "3 words, Jaccard": "exact:shingle=3",
    "3 words, idf": "idfjaccard:length=3",
    "5 words, Jaccard": "exact:shingle=5",
    "5 words, idf": "idfjaccard:length=5",
}
Pair = tuple[str, str]


def rows_of(path: Path) -> set[Pair]:
    """The pairs of a list, in order."""
    if not path.is_file():
        return set()
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return {(a, b) if a < b else (b, a) for a, b, *_ in rows}


def f1_by_threshold(folder: Path, method: str) -> np.ndarray:
    """F1 at every threshold of the grid."""
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [(row["id"], row["text"]) for row in map(json.loads, lines)]
    true = rows_of(folder / "truth.csv")
    ignored = rows_of(folder / "dontcare.csv") | rows_of(folder / "cross_key_similar.csv.gz")
    options = {"method": method, "threshold": LEAST, "dense": 1 << 40, "max_pairs": 1 << 40}
    table = twinset.find(documents, **options).pairs
    columns = (table[name].to_pylist() for name in ("left", "right", "score"))
    # Where a corpus has grades, only the graded pairs are judged.
    judged = rows_of(folder / "graded.csv") if (folder / "graded.csv").is_file() else None
    scores = {}
    for a, b, score in zip(*columns, strict=True):
        pair = (a, b) if a < b else (b, a)
        if pair not in ignored and (judged is None or pair in judged or pair in true):
            scores[pair] = score
    right = np.array([score for pair, score in scores.items() if pair in true])
    wrong = np.array([score for pair, score in scores.items() if pair not in true])
    f1 = []
    for threshold in GRID:
        hits, misses = (right >= threshold).sum(), (wrong >= threshold).sum()
        f1.append(2 * hits / (hits + misses + len(true)))
    return np.array(f1)


def main() -> None:
    """Print one row per method and corpus: best F1, its threshold, and F1 at that of the others."""
    warnings.simplefilter("ignore")
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    for name, method in METHODS.items():
        curves = {corpus: f1_by_threshold(data / corpus, method) for corpus in CORPORA}
        for corpus, curve in curves.items():
            others = np.mean([c for other, c in curves.items() if other != corpus], axis=0)
            best, elsewhere = curve.argmax(), others.argmax()
            print(
                f"{name:16} {corpus:18} best {curve[best]:.3f} at {GRID[best]:.2f}, "
                f"left out {curve[elsewhere]:.3f} at {GRID[elsewhere]:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
