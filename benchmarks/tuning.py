"""How well `tune` chooses, on the labelled collections: default, tuned, and best possible F1.

    python benchmarks/tuning.py [--data ../shared/data]

Without labels on the guide, the bills and Reuters: the plan that `tune` recommends against the
default plan and against the best view and threshold that labels could choose. With labels on half
of the licences, checked on the other half: precision and recall must lie in the stated intervals.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import twinset
from twinset.engine.progress import Silent
from twinset.lab.tuning.labels import best_first, labels, measure
from twinset.lab.tuning.looks import looks, worth_trying
from twinset.lab.tuning.sample import draw

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "tuning.json"
PAGE = ROOT / "docs" / "tune.md"
BEGIN, END = "<!-- tuning: begin -->", "<!-- tuning: end -->"
Pair = tuple[str, str]


@dataclass
class Collection:
    """Documents and what is known of their pairs."""

    name: str
    documents: Any
    truth: set[Pair]
    ignored: set[Pair] = field(default_factory=set)
    judged: set[Pair] | None = None

    def measures(self, pairs: Iterable[Pair]) -> tuple[float, float, float]:
        """Precision, recall and F1 of found pairs."""
        found = {in_order(*pair) for pair in pairs} - self.ignored
        if self.judged is not None:
            found &= self.judged
        common = len(found & self.truth)
        precision = common / max(len(found), 1)
        recall = common / max(len(self.truth), 1)
        return precision, recall, 2 * common / max(len(found) + len(self.truth), 1)


def in_order(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def read_pairs(path: Path, wanted: Callable[[list[str]], bool] = lambda row: True) -> set[Pair]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {in_order(row[0], row[1]) for row in rows if wanted(row)}


def collections(data: Path) -> list[Collection]:
    guide, bills, reuters = (
        data / name for name in ("debian_guide_html", "bills_human", "reuters21578")
    )
    return [
        Collection(
            "debian_guide_html",
            guide / "docs.jsonl.gz",
            read_pairs(guide / "truth.csv"),
            read_pairs(guide / "dontcare.csv"),
        ),
        Collection(
            "bills_human",
            bills / "docs.jsonl.gz",
            read_pairs(bills / "truth.csv"),
            judged=read_pairs(bills / "graded.csv"),
        ),
        Collection(
            "reuters21578",
            reuters / "docs.jsonl.gz",
            read_pairs(reuters / "exact_pairs_J03.csv", lambda row: float(row[2]) >= 0.5),
        ),
    ]


def found_by(documents: Any, **plan: Any) -> set[Pair]:
    pairs = twinset.find(documents, max_pairs=50_000_000, **plan).pairs
    return set(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))


def best_possible(one: Collection) -> tuple[float, str]:
    """The best F1 of any view and threshold, chosen by the labels."""
    drawn = draw(twinset.read(one.documents), 10**9, 1, 2, Silent())
    truth = labels(
        [(*pair, 1.0) for pair in one.truth]
        + [(*pair, 0.0) for pair in sorted((one.judged or set()) - one.truth)],
        drawn,
        ignore=sorted(one.ignored) or None,
        judged=one.judged is not None,
    )
    tried = []
    for view in worth_trying(looks(drawn.texts, drawn.documents)):
        terms = view.terms(drawn.texts, 2, view.rate(drawn.texts))
        near = view.neighbours(terms, 2)
        tried.append(measure(view, near, truth, 1))
    best = best_first([one for one in tried if one is not None])[0]
    return best.f1, f"{best.view.name} from {best.threshold:g}"


def without_labels(one: Collection) -> dict[str, Any]:
    tuned = twinset.tune(one.documents)
    precision, recall, f1 = one.measures(found_by(one.documents, **options(tuned)))
    default = one.measures(found_by(one.documents))
    best, how = best_possible(one)
    return {
        "collection": one.name,
        "plan": f"{tuned.best.view} from {tuned.best.threshold:g}",
        "default_f1": round(default[2], 3),
        "tuned_f1": round(f1, 3),
        "best_f1": round(best, 3),
        "best": how,
        "precision": round(precision, 3),
        "expected_precision": str(tuned.best.precision),
        "precision_inside": tuned.best.precision.holds(precision),
        "recall": round(recall, 3),
        "expected_recall": str(tuned.best.recall),
        "recall_inside": tuned.best.recall.holds(recall),
    }


def options(tuned: Any) -> dict[str, Any]:
    plan = tuned.plan
    names = ("method", "threshold", "unit", "shingle")
    return {name: getattr(plan, name) for name in names}


def licences(data: Path, seed: int) -> tuple[Collection, Collection]:
    """Two halves by licence key, so that no cluster is in both."""
    import gzip
    import random

    folder = data / "licenses"
    with (folder / "clusters.csv").open(encoding="utf-8", newline="") as file:
        key = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    keys = sorted(set(key.values()))
    random.Random(seed).shuffle(keys)
    first = set(keys[: len(keys) // 2])
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    truth = read_pairs(folder / "truth.csv")
    halves = []
    for inside in (True, False):
        own = [row for row in rows if (key[row["id"]] in first) == inside]
        ids = {row["id"] for row in own}
        table = pa.table({name: [row[name] for row in own] for name in ("id", "text")})
        pairs = {pair for pair in truth if pair[0] in ids and pair[1] in ids}
        halves.append(Collection("licenses", table, pairs))
    return halves[0], halves[1]


def with_labels(data: Path, seed: int) -> dict[str, Any]:
    seen, unseen = licences(data, seed)
    tuned = twinset.tune(seen.documents, truth=sorted(seen.truth))
    precision, recall, f1 = unseen.measures(found_by(unseen.documents, **options(tuned)))
    default = unseen.measures(found_by(unseen.documents))
    return {
        "collection": "licenses, half",
        "seed": seed,
        "plan": f"{tuned.best.view} from {tuned.best.threshold:g}",
        "default_f1": round(default[2], 3),
        "tuned_f1": round(f1, 3),
        "precision": round(precision, 3),
        "expected_precision": str(tuned.best.precision),
        "precision_inside": tuned.best.precision.holds(precision),
        "recall": round(recall, 3),
        "expected_recall": str(tuned.best.recall),
        "recall_inside": tuned.best.recall.holds(recall),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    rows = [told(without_labels(one)) for one in collections(given.data)]
    halves = [told(with_labels(given.data, seed)) for seed in range(given.seeds)]
    RESULTS.write_text(json.dumps({"without": rows, "with": halves}, indent=1) + "\n")
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{tables(rows, halves)}{END}{after}", encoding="utf-8")


def told(row: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(row), flush=True)
    return row


def tables(rows: list[dict[str, Any]], halves: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| collection | recommended | default F1 | tuned F1 | best F1 | precision, expected "
        "| recall, expected |",
        "|---|---|---:|---:|---:|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['collection']} | {row['plan']} | {row['default_f1']:.3f} "
            f"| {row['tuned_f1']:.3f} | {row['best_f1']:.3f} | {_both(row, 'precision')} "
            f"| {_both(row, 'recall')} |"
        )
    lines += [
        "",
        "With labels of half of the licences (by key), measured on the other half:",
        "",
        "| split | recommended | default F1 | tuned F1 | precision, expected | recall, expected |",
        "|---|---|---:|---:|---|---|",
    ]
    for row in halves:
        lines.append(
            f"| {row['seed']} | {row['plan']} | {row['default_f1']:.3f} | {row['tuned_f1']:.3f} "
            f"| {_both(row, 'precision')} | {_both(row, 'recall')} |"
        )
    return "\n".join(lines) + "\n"


def _both(row: dict[str, Any], name: str) -> str:
    outside = "" if row[f"{name}_inside"] else ", outside"
    return f"{row[name]:.3f}, {row['expected_' + name]}{outside}"


if __name__ == "__main__":
    main()
