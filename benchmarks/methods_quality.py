"""Recall, precision and F of every method on labelled collections, as a page of the docs.

Two yardsticks, for raw decisions at the papers' defaults:

* labels: the collection's own pairs; pairs that its makers call undecided are left out of both
counts.
* pool: the protocol of Zelenkov and Segalovich. All pairs of all methods are the pool, the judge is
  edit similarity of at least 0.80, precision is the judged share of a method's pairs, and recall is
  against all judged pairs of the pool.

    python benchmarks/methods_quality.py ../shared/data --write docs/methods/quality.md
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import twinset
from twinset import registry
from twinset.verify.edit import edit_scores
from twinset.verify.texts import TextStore

COLLECTIONS = {
    "debian_guide_html": ("truth.csv", "dontcare.csv"),
    "licenses": ("truth.csv", "cross_key_similar.csv.gz"),
}
JUDGE = 0.80
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
Keys = np.ndarray


@dataclass(frozen=True)
class Score:
    """Recall, precision and their harmonic mean."""

    recall: float
    precision: float

    @property
    def f(self) -> float:
        """F: the harmonic mean."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def methods() -> list[str]:
    names = [name for name in registry.names("method") if not name[1:].isdigit()]
    return [name for name in names if not registry.load("method", name).about.asks]


def score(found: Keys, true: Keys) -> Score:
    common = len(np.intersect1d(found, true, assume_unique=True))
    return Score(
        common / len(true) if len(true) else 1.0, common / len(found) if len(found) else 1.0
    )


def read_pairs(path: Path, number: dict[str, int]) -> Keys:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = list(csv.reader(text.splitlines()))
    pairs = [(number.get(row[0]), number.get(row[1])) for row in rows[1:]]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return keys(np.array(known).reshape(-1, 2), len(number))


def keys(pairs: np.ndarray, documents: int) -> Keys:
    """Pairs of numbers as one number each, sorted, each once."""
    low, high = pairs.min(axis=1, initial=documents), pairs.max(axis=1, initial=0)
    return np.unique(low * documents + high)


def found_by(method: str, documents: Path, number: dict[str, int]) -> tuple[Keys, float]:
    begin = time.process_time()
    found = twinset.find(documents, method=method, max_pairs=10**9)
    spent = time.process_time() - begin
    ids = pa.array(list(number))
    sides = [
        pa.compute.index_in(found.pairs[s], value_set=ids).to_numpy() for s in ("left", "right")
    ]
    return keys(np.stack(sides, axis=1).astype(np.int64), len(number)), spent


class Judge:
    """Edit similarity of pairs; texts that are equal word for word are judged once."""

    def __init__(self, documents: Path, ids: list[str]) -> None:
        self.texts = TextStore(tempfile.gettempdir())
        for batch in twinset.read(documents).batches():
            self.texts.add(batch.texts, 2)
        self.texts.finish()
        first: dict[str, int] = {}
        self.same = np.array([first.setdefault(self.texts.text(i), i) for i in range(len(ids))])
        self.count = len(ids)

    def accepted(self, pool: Keys) -> Keys:
        """The pairs of the pool that reach the judge's threshold."""
        left, right = self.same[pool // self.count], self.same[pool % self.count]
        pairs = np.stack([np.minimum(left, right), np.maximum(left, right)])
        unique, place = np.unique(pairs, axis=1, return_inverse=True)
        same = unique[0] == unique[1]
        scores = np.ones(unique.shape[1])
        scores[~same] = edit_scores(self.texts, unique[0][~same], unique[1][~same], JUDGE, 2)
        return pool[(scores >= JUDGE)[place.reshape(-1)]]


def measure(folder: Path, wanted: list[str]) -> dict[str, object]:
    documents = folder / "docs.jsonl.gz"
    with gzip.open(documents, "rt", encoding="utf-8") as lines:
        ids = [json.loads(line)["id"] for line in lines]
    number = {name: i for i, name in enumerate(ids)}
    truth, dontcare = (read_pairs(folder / name, number) for name in COLLECTIONS[folder.name])
    dontcare = np.setdiff1d(dontcare, truth)
    found = {}
    rows: dict[str, dict[str, float]] = {}
    for method in wanted:
        found[method], seconds = found_by(method, documents, number)
        label = score(np.setdiff1d(found[method], dontcare), truth)
        rows[method] = {"pairs": len(found[method]), "cpu_seconds": round(seconds, 2)}
        rows[method] |= {"recall": label.recall, "precision": label.precision, "f": label.f}
        print(f"{folder.name} {method} {len(found[method])} {label}", flush=True)
    pool = np.unique(np.concatenate(list(found.values())))
    good = Judge(documents, ids).accepted(pool)
    for method in wanted:
        by_pool = score(found[method], good)
        rows[method] |= {
            "pool_recall": by_pool.recall,
            "pool_precision": by_pool.precision,
            "pool_f": by_pool.f,
        }
    return {
        "documents": len(ids),
        "true_pairs": len(truth),
        "pool": len(pool),
        "judged_good": len(good),
        "methods": rows,
    }


def table(name: str, result: dict[str, object]) -> str:
    rows = result["methods"]
    assert isinstance(rows, dict)
    lines = [
        f"### {name}",
        "",
        f"{result['documents']:,} documents, {result['true_pairs']:,} labelled pairs; a pool of "
        f"{result['pool']:,} pairs, of which the judge accepts {result['judged_good']:,}.",
        "",
        "| method | pairs | recall | precision | F | pool recall | pool precision | pool F |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for method, row in sorted(rows.items(), key=lambda item: -item[1]["pool_f"]):
        figures = " | ".join(
            f"{row[key]:.3f}"
            for key in ("recall", "precision", "f", "pool_recall", "pool_precision", "pool_f")
        )
        lines.append(f"| `{method}` | {row['pairs']:,} | {figures} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the labelled collections")
    parser.add_argument("--write", type=Path, help="the page to put the tables into")
    parser.add_argument("--only", nargs="*", default=list(COLLECTIONS))
    parser.add_argument("--methods", nargs="*", default=methods())
    options = parser.parse_args()
    results = {name: measure(options.data / name, options.methods) for name in options.only}
    tables = "\n\n".join(table(name, result) for name, result in results.items())
    if options.write is None:
        print(tables)
        return
    page = options.write.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}", encoding="utf-8")
    file = Path(__file__).parent / "results" / "methods_quality.json"
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
