"""Reused passages: how much of them is found, and what the search costs.

``python benchmarks/reuse.py`` plants a passage of each of 400 news stories into another one, edited
more and more, and measures what `twinset.reuse` finds of it, by characters as at PAN (Potthast et
al. 2010). On the bills it compares `passage_score` with the grades that people gave. With
``--speed`` it measures the command on c20k, which ``benchmarks/run.py`` makes. The corpora are
those of the tests marked ``shared``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import twinset
from measure import measure

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "reuse.json"
SHARED = HERE.parents[1] / "shared" / "data"
CASES = 400
RATES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)


def texts_of(corpus: str) -> dict[str, str]:
    """The documents of a corpus by id."""
    with gzip.open(SHARED / corpus / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["id"]: row["text"] for row in map(json.loads, lines)}


def edited(words: list[str], rate: float, others: list[str], chosen: random.Random) -> list[str]:
    """Words of which so many are replaced, dropped, or followed by another."""
    result: list[str] = []
    for word in words:
        if chosen.random() >= rate:
            result.append(word)
            continue
        other = chosen.choice(others)
        result += chosen.choice(([other], [other], [], [word, other]))
    return result


def planted(rate: float, seed: int = 1) -> dict[str, Any]:
    """Recall and precision by characters, and how many cases were found at all."""
    chosen = random.Random(seed)
    stories = [t.split() for t in texts_of("reuters21578").values() if len(t.split()) >= 150]
    chosen.shuffle(stories)
    others = [word for words in stories[2 * CASES : 3 * CASES] for word in words]
    left, right, truth = {}, {}, {}
    for number in range(CASES):
        source, target = stories[number], stories[CASES + number]
        size = chosen.randint(40, 120)
        begin = chosen.randrange(len(source) - size + 1)
        to = chosen.randrange(len(target) + 1)
        copy = edited(source[begin : begin + size], rate, others, chosen)
        left[str(number)] = " ".join(source)
        right[str(number)] = " ".join([*target[:to], *copy, *target[to:]])
        start = len(" ".join([*source[:begin], ""]))
        there = len(" ".join([*target[:to], ""]))
        truth[str(number)] = (
            set(range(start, start + len(" ".join(source[begin : begin + size])))),
            set(range(there, there + len(" ".join(copy)))),
        )
    hit = reported = 0
    cases = set()
    for row in twinset.reuse(left, right).passages.to_pylist():
        if row["left"] != row["right"]:
            continue  # stories share passages of their own, of which nothing is known
        for side, places in zip(("left", "right"), truth[row["left"]], strict=True):
            here = range(row[f"{side}_start"], row[f"{side}_end"])
            reported += len(here)
            hit += len(places.intersection(here))
            if places.intersection(here):
                cases.add(row["left"])
    planted_characters = sum(len(places) for both in truth.values() for places in both)
    return {
        "edited words": rate,
        "cases found": round(len(cases) / CASES, 3),
        "recall": round(hit / planted_characters, 3),
        "precision": round(hit / max(reported, 1), 3),
    }


def graded(threshold: float = 0.8) -> dict[str, float]:
    """Pairs of bills that people call identical, or nearly so, against their passage score."""
    texts = texts_of("bills_human")
    scores = {
        (row["left"], row["right"]): row["passage_score"]
        for row in twinset.reuse(texts, texts, least=10).pairs.to_pylist()
    }
    with (SHARED / "bills_human" / "graded.csv").open(encoding="utf-8") as file:
        graded_rows = list(csv.DictReader(file))
    rows = [(row["id_a"], row["id_b"], float(row["label"]) >= 3) for row in graded_rows]
    answers = [(scores.get((a, b), 0.0) >= threshold, same) for a, b, same in rows]
    both = sum(yes and same for yes, same in answers)
    return {
        "pairs": len(rows),
        "passage_score at least": threshold,
        "precision": round(both / sum(yes for yes, _ in answers), 3),
        "recall": round(both / sum(same for _, same in answers), 3),
    }


def cost(words: Sequence[str | Path], reps: int) -> dict[str, float]:
    """The least CPU time of a whole command, and its memory."""
    costs = []
    for _ in range(reps):
        with tempfile.TemporaryDirectory() as folder:
            out = ["-o", f"{folder}/out", "-q"]
            costs.append(measure([sys.executable, "-m", "twinset", *words, *out]))
    if not all(one.finished for one in costs):
        raise SystemExit(costs[0].errors)
    best = min(costs, key=lambda one: one.cpu)
    return {"cpu": round(best.cpu, 2), "wall": round(best.wall, 2), "mb": round(best.peak_mb)}


def speed(work: Path, reps: int) -> dict[str, Any]:
    """A small set and one half against c20k, and spans of the same."""
    corpus = work / "c20k.jsonl"
    with corpus.open(encoding="utf-8") as file:
        lines = file.readlines()
    with tempfile.TemporaryDirectory() as folder:
        parts = {}
        for name, chosen in (
            ("200 documents", lines[:200]),
            ("first half", lines[: len(lines) // 2]),
            ("second half", lines[len(lines) // 2 :]),
        ):
            parts[name] = Path(folder, f"{name}.jsonl")
            parts[name].write_text("".join(chosen), encoding="utf-8")
        return {
            "bytes": corpus.stat().st_size,
            "200 documents against all": cost(["reuse", parts["200 documents"], corpus], reps),
            "one half against the other": cost(
                ["reuse", parts["first half"], parts["second half"]], reps
            ),
            "spans of all": cost(["spans", corpus], reps),
        }


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default=str(Path(tempfile.gettempdir()) / "bench"), type=Path)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--speed", action="store_true", help="c20k, too")
    asked = parser.parse_args()
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results = known | {"planted": [planted(rate) for rate in RATES], "bills": graded()}
    if asked.speed:
        results["c20k"] = speed(asked.work, asked.reps)
    text = json.dumps(results, indent=1) + "\n"
    sys.stdout.write(text)
    RESULTS.write_text(text)


if __name__ == "__main__":
    main()
