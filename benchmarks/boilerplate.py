"""Boilerplate: the false pairs that it makes, and what it costs to compare documents without it.

``python benchmarks/boilerplate.py`` sends the news stories of Reuters as mails of five companies,
each with a signature and a disclaimer of its own, and takes for true the pairs of stories that are
near without these. The pages of the Debian guide have menus around them, and pages that are the
same for another machine as their truth. With ``--speed`` it measures the command on c20k and
c200k, which ``benchmarks/run.py`` makes. The corpora are those of the tests marked ``shared``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import twinset
from measure import measure

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "boilerplate.json"
SHARED = HERE.parents[1] / "shared" / "data"
COMPANIES, SIGNATURE, DISCLAIMER = 5, 12, 110
THRESHOLD = 0.8
DROPPED = (None, 200, 20, 5)
"""The numbers of documents beyond which a paragraph is left out; None leaves nothing out."""

Pairs = set[tuple[str, str]]


def texts_of(corpus: str) -> dict[str, str]:
    """The documents of a corpus by id."""
    with gzip.open(SHARED / corpus / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["id"]: row["text"] for row in map(json.loads, lines)}


def listed(corpus: str, name: str, least: float = 0.0) -> Pairs:
    """The pairs of a list, those with a similarity of so much at least if it has any."""
    with (SHARED / corpus / name).open() as lines:
        rows = list(csv.reader(lines))[1:]
    return {_ordered(*row[:2]) for row in rows if len(row) < 3 or float(row[2]) >= least}


def _ordered(left: str, right: str) -> tuple[str, str]:
    return (left, right) if left < right else (right, left)


def pairs_of(texts: dict[str, str], **options: Any) -> tuple[Pairs, twinset.Findings]:
    """All pairs at the threshold."""
    found = twinset.find(texts, THRESHOLD, exact=True, **options)
    rows = zip(*(found.pairs[side].to_pylist() for side in ("left", "right")), strict=True)
    return {_ordered(*row) for row in rows}, found


def mails(seed: int = 1) -> dict[str, str]:
    """The stories, each with the signature and the disclaimer of one of the companies."""
    stories, chosen = texts_of("reuters21578"), random.Random(seed)
    words = [word for story in list(stories.values())[:2000] for word in story.split()]
    tails = [
        "\n\n" + "\n\n".join(" ".join(chosen.choices(words, k=k)) for k in (SIGNATURE, DISCLAIMER))
        for _ in range(COMPANIES)
    ]
    return {id: story + chosen.choice(tails) for id, story in stories.items()}


def quality(texts: dict[str, str], truth: Pairs, unjudged: Pairs, **options: Any) -> list[Any]:
    """Precision and recall with each of the numbers, and what was left out."""
    rows = []
    for more_than in DROPPED:
        pairs, found = pairs_of(texts, drop_boilerplate=more_than, **options)
        pairs -= unjudged
        hits = len(pairs & truth)
        row = {
            "drop_boilerplate": more_than,
            "pairs": len(pairs),
            "precision": round(hits / len(pairs), 3) if pairs else None,
            "recall": round(hits / len(truth), 3),
            "paragraphs": 0 if found.boilerplate is None else len(found.boilerplate),
        }
        print(row)
        rows.append(row)
    return rows


def speed(corpus: Path) -> list[Any]:
    """The command with and without the option: the best of three, start and report too."""
    rows = []
    for options in ([], ["--drop-boilerplate", "20"]):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "twinset", "find", corpus, "-o", f"{folder}/r"]
            runs = [measure([*command, *options, "--force", "-q"]) for _ in range(3)]
        best = min(runs, key=lambda run: run.cpu)
        row = {"options": options, "cpu": round(best.cpu, 2), "peak_mb": round(best.peak_mb)}
        print(row)
        rows.append(row)
    return rows


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true", help="c20k and c200k, too")
    parser.add_argument("--work", type=Path, default=Path("/tmp/bench"), help="where these lie")
    asked = parser.parse_args()
    results: dict[str, Any] = {"threshold": THRESHOLD}
    near = listed("reuters21578", "exact_pairs_J03.csv", THRESHOLD)
    results["mails"] = quality(mails(), near, set())
    guide = "debian_guide_html"
    same, unjudged = listed(guide, "truth.csv"), listed(guide, "dontcare.csv")
    whole = {"page_text": "whole"}
    results["pages"] = quality(texts_of(guide), same, unjudged, **whole)
    if asked.speed:
        for name in ("c20k", "c200k"):
            results[name] = speed(asked.work / f"{name}.jsonl")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
