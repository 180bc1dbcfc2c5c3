"""Times twinset on dense collections against ordinary ones: ``python benchmarks/dense.py``.

Identical documents, pages of one template, one boilerplate paragraph in every document: each must
finish within three times the time of an ordinary collection with as many documents of the same
length, pages at the border of the threshold with ``--exact`` within six times, and its clusters
must be right. What right means is computed here, from the texts:

- every member shares at least the threshold with the anchor of its cluster, and has the score
  that the report tells;
- no two families are in one cluster;
- a document outside all clusters, or an anchor, has no other anchor within the threshold, but for
  the share that the recall allows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from contenders import Task, Twinset
from dense_corpora import make
from measure import Cost, measure

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SAMPLE = 20_000
Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    """A collection of `dense_corpora`, how it is searched, and its limit in ordinary ones."""

    corpus: str
    documents: int = 100_000
    words: int = 300
    limit: float = 3.0
    extra: tuple[str, ...] = ()


CASES = {
    "identical": Case("identical", 200_000, 200),
    "template": Case("template"),
    "template-exact": Case("template", limit=6.0, extra=("--exact",)),
    "template-border": Case("template-border"),
    "template-border-exact": Case("template-border", limit=6.0, extra=("--exact",)),
    "boilerplate": Case("boilerplate"),
}


@dataclass(frozen=True)
class Corpus:
    """Texts and families by id."""

    texts: dict[str, str]
    families: dict[str, int]

    def shingles(self, name: str) -> Shingles:
        words = self.texts[name].split()
        return frozenset(zip(*(words[start:] for start in range(5)), strict=False))

    def jaccard(self, one: str, other: str) -> float:
        left, right = self.shingles(one), self.shingles(other)
        return len(left & right) / len(left | right)


def load(path: Path) -> Corpus:
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = {row["id"]: row["text"] for row in rows}
    return Corpus(texts, {row["id"]: row["family"] for row in rows})


def faults(report: Path, corpus: Corpus, threshold: float, recall: float) -> list[str]:
    """What is wrong with the clusters; a large collection is checked by a seeded sample."""
    table = pq.read_table(report / "clusters.parquet")
    names = ("cluster", "id", "anchor", "score")
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    twice = len(rows) - len({row[1] for row in rows})
    found = [f"{twice} documents are in two clusters"] if twice else []
    families: dict[int, set[int]] = {}
    for cluster, name, _, _ in rows:
        families.setdefault(cluster, set()).add(corpus.families[name])
    mixed = sum(len(members) > 1 for members in families.values())
    found += [f"{mixed} clusters mix families"] if mixed else []
    held = [row for row in rows if row[2] != row[1]]
    for _, name, anchor, score in random.Random(1).sample(held, min(SAMPLE, len(held))):
        true = corpus.jaccard(name, anchor)
        if true < threshold or true != score:
            found.append(f"{name} is {true} alike to its anchor {anchor}, reported {score}")
    return found + _apart(rows, corpus, threshold, recall)


def _apart(
    rows: list[tuple[int, str, str, float]], corpus: Corpus, threshold: float, recall: float
) -> list[str]:
    """Documents of a family that stand apart although an anchor of it is within the threshold."""
    anchors: dict[int, set[str]] = {}
    inside = set()
    for _, name, anchor, _ in rows:
        anchors.setdefault(corpus.families[anchor], set()).add(anchor)
        if name != anchor:
            inside.add(name)
    alone = [name for name in corpus.texts if name not in inside]
    alone = random.Random(2).sample(alone, min(2_000, len(alone)))
    missed = [
        name
        for name in alone
        for anchor in sorted(anchors.get(corpus.families[name], ()))[:200]
        if anchor != name and corpus.jaccard(name, anchor) >= threshold
    ]
    allowed = (1 - recall) * len(corpus.texts)
    if len(set(missed)) <= allowed:
        return []
    return [f"{len(set(missed))} of {len(alone)} documents apart belong to an anchor"]


def best(path: Path, contender: Twinset, task: Task, reps: int) -> Cost:
    costs = [measure(contender.command(task)) for _ in range(reps)]
    failed = [cost.errors[-800:] for cost in costs if not cost.finished]
    if failed:
        raise SystemExit(f"twinset failed on {path}: {failed[0]}")
    return min(costs, key=lambda cost: cost.wall)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--cases", nargs="+", choices=CASES, default=list(CASES))
    add("--scale", type=float, default=1.0, help="fewer or more documents, for a quick look")
    add("--threshold", type=float, default=0.8)
    add("--recall", type=float, default=0.99)
    add("--memory", default="1GB")
    add("--threads", type=int, default=2)
    add("--reps", type=int, default=2)
    add("--work", type=Path, default=ROOT / ".bench")
    asked = parser.parse_args()
    rows = [run(case, asked) for case in asked.cases]
    (RESULTS / "dense.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if all(row["right"] and row["ratio"] <= row["limit"] for row in rows) else 1)


def run(case: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Time one case and the ordinary collection of its size, and check its clusters."""
    chosen = CASES[case]
    count, length = max(100, int(chosen.documents * asked.scale)), chosen.words
    folder = asked.work / "dense"
    dense, plain = (make(name, count, length, folder) for name in (chosen.corpus, "ordinary"))
    searches = {plain: Twinset(), dense: Twinset(extra=chosen.extra)}
    tasks = {
        path: Task(path, asked.threshold, asked.recall, asked.threads, asked.memory, folder)
        for path in searches
    }
    costs = {path: best(path, searches[path], tasks[path], asked.reps) for path in searches}
    wrong = faults(searches[dense].report(tasks[dense]), load(dense), asked.threshold, asked.recall)
    ratio = costs[dense].wall / costs[plain].wall
    cpu = costs[dense].cpu / costs[plain].cpu
    print(
        f"{case}: {count} documents in {costs[dense].wall:.2f} s ({costs[dense].cpu:.2f} CPU, "
        f"{costs[dense].peak_mb:.0f} MB), ordinary {costs[plain].wall:.2f} s "
        f"({costs[plain].cpu:.2f} CPU): ratio {ratio:.2f}, CPU {cpu:.2f}; "
        f"clusters {'wrong: ' + '; '.join(wrong[:3]) if wrong else 'right'}",
        flush=True,
    )
    return {
        "case": case,
        "documents": count,
        "words": length,
        "limit": chosen.limit,
        "right": not wrong,
        "seconds": costs[dense].wall,
        "ordinary": costs[plain].wall,
        "ratio": ratio,
        "cpu": costs[dense].cpu,
        "cpu_ratio": cpu,
        "peak_mb": costs[dense].peak_mb,
    }


if __name__ == "__main__":
    main()
