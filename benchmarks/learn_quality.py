"""What learning is worth: F1 of a learnt decision against the best single similarity, 20 splits.

In each split a model is trained on one half of the labelled pairs, and on the same half the one
similarity and its threshold are chosen that divide it best; both are then judged on the other half.
Halves share no documents.

* bills_human: the graded pairs, 3 and 4 positive.
* licenses: positive are pairs of one licence key, at most 45 of a key; negative are candidates of
  different keys, at most 3 of two keys. Keys are parted into halves. The pairs of different keys
  that the collection's makers found to be alike are hard negatives (licenses) or left out
  (licenses-without-alike).

``--splits 5`` tries fewer splits.

    python benchmarks/learn_quality.py ../shared/data --write docs/how-to/learn.md
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pages
import twinset
from twinset import _kernels
from twinset.finding.methods.profiles import ViewProfiles
from twinset.lab.learn import (
    PAPER,
    SIGNALS,
    USUAL,
    Examples,
    Learning,
    best_threshold,
    f1_of,
    train,
)
from twinset.lab.options import Training
from twinset.text.terms import TermSurvey

SPLITS, THREADS, MOST = 20, 2, 1500
LEVEL = 0.15
PER_KEY, PER_TWO_KEYS = 45, 3
EVERY = (*USUAL, *SIGNALS)
CONTENDERS = {
    "usual, rbf": (USUAL, "rbf"),
    "usual, linear": (USUAL, "linear"),
    "paper, rbf": (PAPER, "rbf"),
}


@dataclass(frozen=True)
class Task:
    """Labelled vectors; a pair belongs to a half if both of its sides do."""

    x: np.ndarray
    y: np.ndarray
    sides: np.ndarray

    def halves(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        chance = np.random.default_rng(seed)
        first = chance.permutation(int(self.sides.max()) + 1) % 2 == 0
        inside = first[self.sides]
        train_rows = np.flatnonzero(inside.all(axis=0))
        return np.sort(chance.permutation(train_rows)[:MOST]), np.flatnonzero(~inside.any(axis=0))


def profiles_of(documents: Path) -> tuple[ViewProfiles, dict[str, int]]:
    views = Learning.make(USUAL).views
    survey = TermSurvey(views.kinds(), THREADS)
    batches = list(twinset.read(documents).batches())
    for batch in batches:
        survey.add(batch.texts)
    known = {k: f.frequent() for k, f in survey.finish().items()}
    profiles = ViewProfiles(views, known, signals=True)
    ids: list[str] = []
    for batch in batches:
        profiles.add(batch.texts, THREADS)
        ids += batch.ids.to_pylist()
    return profiles, {name: i for i, name in enumerate(ids)}


def rows_of(path: Path) -> list[dict[str, str]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return list(csv.DictReader(text.splitlines()))


def vectors(profiles: ViewProfiles, keys: np.ndarray, n: int) -> np.ndarray:
    left, right = (keys // n).astype(np.uint32), (keys % n).astype(np.uint32)
    return profiles.vectors(EVERY, left, right, THREADS)


def pair_keys(rows: list[dict[str, str]], number: dict[str, int]) -> np.ndarray:
    ends = np.array([sorted((number[r["id_a"]], number[r["id_b"]])) for r in rows], np.int64)
    return ends[:, 0] * len(number) + ends[:, 1]


def bills(folder: Path) -> dict[str, Task]:
    profiles, number = profiles_of(folder / "docs.jsonl.gz")
    rows, n = rows_of(folder / "graded.csv"), len(number)
    keys = pair_keys(rows, number)
    y = np.array([int(row["label"]) >= 3 for row in rows])
    ends = (keys // n).astype(np.uint32), (keys % n).astype(np.uint32)
    root = np.asarray(_kernels.component_roots(n, *ends))[ends[0]]
    side = np.unique(root, return_inverse=True)[1].reshape(-1)
    return {"bills_human": Task(vectors(profiles, keys, n), y, np.stack([side, side]))}


def some_of_each(keys: np.ndarray, kind: np.ndarray, most: int) -> np.ndarray:
    order = np.random.default_rng(0).permutation(len(keys))
    order = order[np.argsort(kind[order], kind="stable")]
    sizes = np.unique(kind[order], return_counts=True)[1]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(keys[order[rank < most]])


def licences(folder: Path) -> dict[str, Task]:
    profiles, number = profiles_of(folder / "docs.jsonl.gz")
    n = len(number)
    named = {row["id"]: row["cluster"] for row in rows_of(folder / "clusters.csv")}
    cluster = np.unique([named.get(i, i) for i in number], return_inverse=True)[1].reshape(-1)
    true = np.unique(pair_keys(rows_of(folder / "truth.csv"), number))
    alike = pair_keys(rows_of(folder / "cross_key_similar.csv.gz"), number)
    left, right = profiles.near(LEVEL, np.arange(n, dtype=np.uint32), THREADS)
    near = left.astype(np.int64) * n + right
    near = near[cluster[near // n] != cluster[near % n]]
    two = np.sort(np.stack([cluster[near // n], cluster[near % n]]), axis=0)
    negative = some_of_each(near, two[0] * n + two[1], PER_TWO_KEYS)
    positive = some_of_each(true, cluster[true // n], PER_KEY)
    keys = np.concatenate([positive, negative])
    y = np.arange(len(keys)) < len(positive)
    x, sides = vectors(profiles, keys, n), np.stack([cluster[keys // n], cluster[keys % n]])
    clear = ~np.isin(keys, alike) | y
    return {
        "licenses": Task(x, y, sides),
        "licenses-without-alike": Task(x[clear], y[clear], sides[:, clear]),
    }


def compare(name: str, task: Task, splits: int) -> dict[str, object]:
    f1: dict[str, list[float]] = {"best single similarity": []}
    begin = time.time()
    for seed in range(1, splits + 1):
        inside, outside = task.halves(seed)
        x, y = task.x[inside], task.y[inside]
        single = best_threshold(USUAL, x[:, : len(USUAL)], y)
        said = single.accepts(task.x[outside][:, USUAL.index(single.feature)])
        f1["best single similarity"].append(f1_of(task.y[outside], said))
        for label, (features, kernel) in CONTENDERS.items():
            columns = [EVERY.index(feature) for feature in features]
            examples = Examples(x[:, columns], y, task.sides[0][inside])
            trained = train(features, examples, Training(kernel=kernel, seed=seed))
            decided = trained.svm.decide(task.x[outside][:, columns])
            f1.setdefault(label, []).append(f1_of(task.y[outside], decided >= 0))
        told = ", ".join(f"{label} {np.mean(values):.4f}" for label, values in f1.items())
        print(f"{name} split {seed}: {told} ({time.time() - begin:.0f} s)", flush=True)
    base = np.array(f1["best single similarity"])
    return {
        "pairs": len(task.y),
        "positive": int(task.y.sum()),
        "splits": splits,
        "f1": {
            label: {
                "mean": float(np.mean(values)),
                "deviation": float(np.std(values, ddof=1)),
                "above": int((np.array(values) > base).sum()),
                "gain": float(np.mean(np.array(values) - base)),
                "gain_deviation": float(np.std(np.array(values) - base, ddof=1)),
                "each": [round(value, 4) for value in values],
            }
            for label, values in f1.items()
        },
    }


def table(results: dict[str, Any]) -> str:
    """The mean F1 of every decision, and in how many splits it was better than one similarity."""
    labels = list(next(iter(results.values()))["f1"])
    rows = []
    for name, result in results.items():
        base, *others = (result["f1"][label] for label in labels)
        cells = (f"{row['mean']:.3f} ({row['above']} of {result['splits']})" for row in others)
        pairs = f"{result['pairs']:,} ({result['positive']:,})"
        rows.append([name, pairs, f"{base['mean']:.3f}", *cells])
    return pages.table(["collection", "pairs (positive)", *labels], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the labelled collections")
    parser.add_argument("--write", type=Path, help="the page to put the table into")
    parser.add_argument("--splits", type=int, default=SPLITS)
    options = parser.parse_args()
    folders = {"bills_human": bills, "licenses": licences}
    results = {
        name: compare(name, task, options.splits)
        for folder, tasks in folders.items()
        for name, task in tasks(options.data / folder).items()
    }
    print(table(results))
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        text = pages.filled(page, "figures", f"\n{table(results)}\n")
        options.write.write_text(text, encoding="utf-8")
    if options.splits != SPLITS:
        return
    file = Path(__file__).parent / "results" / "learn_quality.json"
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
