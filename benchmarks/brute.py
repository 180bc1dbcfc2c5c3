"""Checks twinset against brute force over its own words: ``python benchmarks/brute.py c20k``.

At every threshold it runs ``twinset find`` with and without ``--exact`` and compares the report
with all pairs computed by counting (`allpairs`): recall, precision, and that every score, both
containments and the number of shared shingles are exact to the last bit. A report made before can
be given with ``--report``. Where the corpus has a truth file, made with Python's ``\\w+`` words,
the pairs that other words push over the border are counted and named.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from allpairs import AllPairs, all_pairs, shingles_of
from contenders import Task, Twinset
from measure import measure
from quality import Pair, judge, ordered, truth_of
from table import machine

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
BATCH = 500
Numbers = tuple[float, float, float, int]
Truth = dict[Pair, Numbers]
"""Score, containment of each side and shared shingles by pair, over twinset's words."""
Words = Callable[[list[str]], list[list[str]]]


def at(truth: Truth, threshold: float) -> set[Pair]:
    return {pair for pair, numbers in truth.items() if numbers[0] >= threshold}


def brute_force(corpus: Path, lowest: float, words: Words) -> Truth:
    """All pairs of the corpus that reach the lowest threshold."""
    ids: list[str] = []
    documents: list[list[str]] = []
    texts: list[str] = []
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            ids.append(str(row["id"]))
            texts.append(row["text"])
            if len(texts) == BATCH:
                documents += words(texts)
                texts = []
    documents += words(texts) if texts else []
    return named(all_pairs(shingles_of(documents), lowest), ids)


def named(pairs: AllPairs, ids: list[str]) -> dict[Pair, Numbers]:
    names = np.array(ids, dtype=object)
    inside_left, inside_right = pairs.shared / pairs.left_size, pairs.shared / pairs.right_size
    measures = (pairs.jaccard, inside_left, inside_right, pairs.shared)
    return by_ids(*(c.tolist() for c in (names[pairs.left], names[pairs.right], *measures)))


def reported(report: Path) -> dict[Pair, Numbers]:
    table: pa.Table = pq.read_table(report / "pairs.parquet")
    names = ("left", "right", "score", "containment_left", "containment_right", "shared")
    return by_ids(*(table[name].to_pylist() for name in names))


def by_ids(*columns: list[Any]) -> dict[Pair, Numbers]:
    """Rows to a dictionary, the two containments in the order of the ids."""
    found: dict[Pair, Numbers] = {}
    for left, right, score, inside_left, inside_right, shared in zip(*columns, strict=True):
        pair = ordered(left, right)
        inside = (inside_left, inside_right)
        found[pair] = (score, *(inside if pair[0] == left else inside[::-1]), shared)
    return found


def check(report: Path, truth: Truth, threshold: float, title: str) -> dict[str, Any]:
    """What the report is worth at a threshold; ``good`` says whether it keeps what was promised."""
    found = {p: n for p, n in reported(report).items() if n[0] >= threshold}
    quality = judge(found, at(truth, threshold))
    wrong = [pair for pair, numbers in found.items() if truth.get(pair) != numbers]
    print(
        f"{threshold} {title}: recall {quality.recall:.6f} ({quality.true} pairs), "
        f"precision {quality.precision:.6f} ({quality.found} found), "
        f"{len(found) - len(wrong)} of {len(found)} scores exact"
    )
    for pair in wrong[:5]:
        print(f"  {pair}: reported {found[pair]}, is {truth.get(pair)}")
    enough = 1.0 if "--exact" in title else 0.99
    good = quality.recall >= enough and quality.precision == 1.0 and not wrong
    told = {"threshold": threshold, "run": title, **asdict(quality)}
    return told | {"inexact_scores": len(wrong), "good": good}


def border(corpus: Path, truth: Truth, threshold: float) -> dict[str, Any] | None:
    """Count the pairs that only one kind of word brings over the threshold."""
    plain = truth_of(corpus)
    if plain is None:
        return None
    theirs = {pair for pair, score in plain.items() if score >= threshold}
    differing = sorted(theirs ^ at(truth, threshold))
    print(f"{threshold} border: {len(differing)} pairs differ from the \\w+ truth ({len(theirs)})")
    for pair in differing[:5]:
        ours = truth.get(pair, (0.0,))[0]
        print(f"  {pair}: {ours:.6f} over our words, {plain.get(pair, 0.0):.6f} over \\w+")
    return {"threshold": threshold, "plain_words": len(theirs), "differing": len(differing)}


def run_and_check(
    corpus: Path, truth: Truth, threshold: float, asked: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run twinset both ways, check both reports, and tell how the times compare."""
    rows = []
    scratch = asked.work / "brute"
    scratch.mkdir(parents=True, exist_ok=True)
    task = Task(corpus, threshold, 0.99, 2, "1GB", scratch)
    for entrant in (Twinset(), Twinset("twinset --exact", ("--exact",))):
        costs = [measure(entrant.command(task)) for _ in range(asked.reps)]
        failed = [cost.errors[-500:] for cost in costs if not cost.finished]
        if failed:
            raise SystemExit(f"twinset failed: {failed[0]}")
        seconds = min(cost.wall for cost in costs)
        rows.append(check(entrant.report(task), truth, threshold, entrant.name))
        rows[-1]["seconds"] = seconds
    quick, exact = (row["seconds"] for row in rows)
    print(f"{threshold} time: {quick:.2f} s, --exact {exact:.2f} s, ratio {exact / quick:.2f}")
    return rows


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("corpus", nargs="?", default="c20k", help="c20k or a file of JSON lines")
    add("--thresholds", type=float, nargs="+", default=[0.7, 0.8, 0.9])
    add("--report", type=Path, action="append", help="check this folder instead of running")
    add("--reps", type=int, default=2, help="runs of each; the best time counts")
    add("--work", type=Path, default=ROOT / ".bench")
    asked = parser.parse_args()
    given = Path(asked.corpus)
    asked.corpus = given if given.is_file() else asked.work / f"{asked.corpus}.jsonl"
    if not asked.corpus.is_file():
        parser.error(f"there is no {asked.corpus}: make it with benchmarks/run.py --prepare")
    return asked


def main() -> None:
    from twinset.text.segments import words

    asked = options()
    truth = brute_force(asked.corpus, min(*asked.thresholds, 0.5), words)
    rows: list[dict[str, Any]] = []
    borders = []
    for threshold in asked.thresholds:
        rows += [check(folder, truth, threshold, str(folder)) for folder in asked.report or []]
        if not asked.report:
            rows += run_and_check(asked.corpus, truth, threshold, asked)
        borders.append(border(asked.corpus, truth, threshold))
    if not asked.report:
        told = json.dumps({"machine": machine(), "rows": rows, "borders": borders}, indent=1)
        path = RESULTS / f"brute-{asked.corpus.stem}.json"
        path.write_text(told + "\n", encoding="utf-8")
    sys.exit(0 if all(row["good"] for row in rows) else 1)


if __name__ == "__main__":
    main()
