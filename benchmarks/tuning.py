"""How well `tune` chooses, on every labelled collection: the default, the preset and its own plan.

    python benchmarks/tuning.py [--data ../shared/data] [--only guide,forms]

Without labels: the F1 of what `tune` recommends beside that of the default and of the preset, the
rule that decided, the kinds of collection it named, and whether precision and recall lie where it
said. Real collections are apart from made ones. With labels on half of the
licences, checked on the other half: precision and recall must lie in the stated intervals.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

import twinset
from judging.collections import DATA, ROOT, Collection, collections, f1

RESULTS = ROOT / "benchmarks" / "results" / "tuning.json"
PAGE = ROOT / "docs" / "how-to" / "tune.md"
BEGIN, END = "<!-- tuning: begin -->", "<!-- tuning: end -->"
Pair = tuple[str, str]


def found_by(documents: Any, **plan: Any) -> set[Pair]:
    pairs = twinset.find(documents, max_pairs=50_000_000, **plan).pairs
    return set(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))


def without_labels(one: Collection) -> dict[str, Any]:
    """One row of the table."""
    documents = one.table()
    tuned = twinset.tune(documents)
    plans = {"default": {}, "preset": {"preset": "text"}, "tuned": {"plan": tuned.plan}}
    reached = {
        name: f1(one.numbers(found_by(documents, **plan)), one) for name, plan in plans.items()
    }
    own, best = reached["tuned"], tuned.best
    return {
        "collection": one.name,
        "real": one.real,
        "plan": f"{best.view} from {best.threshold:g}",
        "rule": tuned.rule,
        "ask": tuned.ask,
        "named": [each.kind for each in tuned.situations],
        "f1": {name: round(figures.f1, 3) for name, figures in reached.items()},
        "light_edits": round(best.light, 3),
        "precision": _checked(own.precision, best.precision),
        "recall": _checked(own.recall, best.recall),
    }


def _checked(value: float, expected: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"value": round(value, 3)}
    if expected is not None:
        row |= {"expected": str(expected), "inside": expected.holds(value)}
        row["width"] = round(expected.high - expected.low, 3)
    return row


@dataclass
class Half:
    """Half of the licences with their true pairs."""

    documents: pa.Table
    truth: set[Pair]

    def measures(self, pairs: Iterable[Pair]) -> tuple[float, float, float]:
        """Precision, recall and F1 of found pairs."""
        found = {in_order(*pair) for pair in pairs}
        common = len(found & self.truth)
        precision = common / max(len(found), 1)
        recall = common / max(len(self.truth), 1)
        return precision, recall, 2 * common / max(len(found) + len(self.truth), 1)


def in_order(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def read_pairs(path: Path) -> set[Pair]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {in_order(row[0], row[1]) for row in rows}


def licences(data: Path, seed: int) -> tuple[Half, Half]:
    """Two halves by licence key, so that no cluster is in both."""
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
        halves.append(Half(table, pairs))
    return halves[0], halves[1]


def with_labels(data: Path, seed: int) -> dict[str, Any]:
    seen, unseen = licences(data, seed)
    tuned = twinset.tune(seen.documents, truth=sorted(seen.truth))
    precision, recall, reached = unseen.measures(found_by(unseen.documents, plan=tuned.plan))
    default = unseen.measures(found_by(unseen.documents))
    return {
        "collection": "licenses, half",
        "seed": seed,
        "plan": f"{tuned.best.view} from {tuned.best.threshold:g}",
        "default_f1": round(default[2], 3),
        "tuned_f1": round(reached, 3),
        "precision": round(precision, 3),
        "expected_precision": str(tuned.best.precision),
        "precision_inside": tuned.best.precision.holds(precision),
        "recall": round(recall, 3),
        "expected_recall": str(tuned.best.recall),
        "recall_inside": tuned.best.recall.holds(recall),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", default="", help="names of collections, separated by commas")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    only = [name for name in given.only.split(",") if name] or None
    rows = [told(without_labels(one)) for one in collections(only, data=given.data)]
    if only:
        return
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
        "| collection | rule | recommended | default F1 | preset F1 | tuned F1 "
        "| precision, expected | recall, expected | named |",
        "|---|---|---|---:|---:|---:|---|---|---|",
    ]
    for real in (True, False):
        group = [row for row in rows if row["real"] == real]
        for row in group:
            scores = (f"{row['f1'][name]:.3f}" for name in ("default", "preset", "tuned"))
            rule = f"{row['rule']}, ask" if row["ask"] else row["rule"]
            lines.append(
                f"| {row['collection']} | {rule} | {row['plan']} | {' | '.join(scores)} "
                f"| {_said(row['precision'])} | {_said(row['recall'])} "
                f"| {', '.join(row['named'])} |"
            )
        if group:
            means = (
                f"**{sum(row['f1'][name] for row in group) / len(group):.3f}**"
                for name in ("default", "preset", "tuned")
            )
            kind = "real" if real else "made"
            lines.append(f"| **mean of {len(group)}, {kind}** | | | {' | '.join(means)} | | | |")
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


def _said(row: dict[str, Any]) -> str:
    if "expected" not in row:
        return f"{row['value']:.3f}, not said"
    outside = "" if row["inside"] else ", **outside**"
    return f"{row['value']:.3f}, {row['expected']}{outside}"


def _both(row: dict[str, Any], name: str) -> str:
    outside = "" if row[f"{name}_inside"] else ", **outside**"
    return f"{row[name]:.3f}, {row['expected_' + name]}{outside}"


if __name__ == "__main__":
    main()
