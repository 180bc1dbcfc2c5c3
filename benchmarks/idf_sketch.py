"""Recall and processor time of idfjaccard with a sketch, beside its exact join.

    python benchmarks/idf_sketch.py [FOLDER | FILE.jsonl ...]

FOLDER holds corpora as folders with docs.jsonl.gz. Runs are on one thread.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
import warnings
from pathlib import Path

import twinset

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
THRESHOLDS = (0.5, 0.7, 0.8)
RECALL = 0.95
METHODS = {"words": "idfjaccard", "5 words": "idfjaccard:length=5"}
OPTIONS = {"max_pairs": 1 << 40, "threads": 1}
Scores = dict[tuple[str, str], float]


def documents(path: Path) -> list[tuple[str, str]]:
    """Ids and texts of lines of JSON."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [(str(row["id"]), row["text"]) for row in map(json.loads, lines)]


def run(texts: list[tuple[str, str]], method: str, threshold: float, **more: float) -> tuple:
    """The pairs with their scores, the seconds, and how many pairs were compared."""
    begun = time.process_time()
    result = twinset.find(texts, threshold, method=method, **OPTIONS, **more)
    seconds = time.process_time() - begun
    columns = (result.pairs[name].to_pylist() for name in ("left", "right", "score"))
    scores = {(a, b): score for a, b, score in zip(*columns, strict=True)}
    return scores, seconds, result.manifest["counts"]["candidates"]


def main() -> None:
    """Print one row per corpus, terms and threshold."""
    warnings.simplefilter("ignore")
    given = [Path(name) for name in sys.argv[1:]] or [DATA]
    files = [
        file
        for place in given
        for file in (sorted(place.glob("*/docs.jsonl.gz")) if place.is_dir() else [place])
    ]
    for file in files:
        texts = documents(file)
        name = file.parent.name if file.name == "docs.jsonl.gz" else file.stem
        for terms, method in METHODS.items():
            for threshold in THRESHOLDS:
                exact, joined, _ = run(texts, method, threshold)
                sketch = f"{method}{',' if ':' in method else ':'}sketch=128"
                pairs, seconds, compared = run(texts, sketch, threshold, recall=RECALL)
                assert all(exact[pair] == score for pair, score in pairs.items())
                print(
                    f"{name:20} {terms:8} {threshold:.1f}  {len(exact):8,} pairs  recall "
                    f"{len(pairs) / max(len(exact), 1):.4f}  compared {compared:9,}  "
                    f"join {joined:7.2f} s  sketch {seconds:6.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
