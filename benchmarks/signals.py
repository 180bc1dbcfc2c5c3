"""What candidates and signals cost, and how many true pairs are among the candidates.

    python benchmarks/signals.py [COLLECTION ...] [--jsonl FILE] [--threads 2]

For every labelled collection (see `judging`): recall of the candidates, pairs per document, CPU
seconds of the views, of the nearest neighbours and of each signal, and microseconds per pair.
``--jsonl`` takes documents without labels. Results are written to ``results/signals.json``, and
merged into what is there.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent))

from judging.collections import collections
from twinset.finding.signals import NAMES, SIGNALS, Profiles, signal_table
from twinset.finding.signals.base import ProfiledPairs
from twinset.text.clean import html_to_text
from twinset.text.pages import is_page

RESULTS = Path(__file__).resolve().parent / "results" / "signals.json"
BATCH = 2000
VIEWS = ("words1", "words2", "words3", "words5", "folded5", "numbers")
Result = TypeVar("Result")


def used() -> float:
    """CPU seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Clock:
    """CPU seconds by name of the step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.wall = time.perf_counter()

    def __call__(self, name: str, step: Callable[[], Result]) -> Result:
        """Do the step and note what it took."""
        begun = used()
        result = step()
        self.seconds[name] = round(self.seconds.get(name, 0.0) + used() - begun, 3)
        return result


def measure(texts: list[str], truth: Iterable[tuple[int, int]], threads: int) -> dict[str, Any]:
    """Recall, pairs and times of one collection."""
    clock = Clock()
    batches = (
        pa.array(texts[i : i + BATCH], pa.large_string()) for i in range(0, len(texts), BATCH)
    )
    profiles = clock("words", lambda: Profiles.of(batches, threads))
    for view in VIEWS:
        clock(f"view {view}", lambda view=view: profiles.view(view))  # type: ignore[misc]
    clock("nearest", lambda: profiles.nearest)
    left, right = clock("nearest", lambda: profiles.pairs)
    candidates_wall = time.perf_counter() - clock.wall
    clock("table", lambda: signal_table(profiles, left, right, NAMES, threads))
    for name in NAMES:
        pairs = ProfiledPairs(profiles, left, right, threads)
        clock(f"signal {name}", lambda name=name, pairs=pairs: SIGNALS[name].of(pairs))  # type: ignore[misc]
    pairs_found = set(zip(left.tolist(), right.tolist(), strict=True))
    true = set(truth)
    steps = clock.seconds
    views = sum(seconds for name, seconds in steps.items() if name.startswith(("words", "view")))
    return {
        "documents": len(texts),
        "megabytes": round(sum(map(len, texts)) / 1e6, 2),
        "pairs": len(left),
        "pairs_per_document": round(len(left) / max(len(texts), 1), 1),
        "true_pairs": len(true),
        "recall": round(len(true & pairs_found) / len(true), 4) if true else None,
        "cpu_candidates": round(views + steps["nearest"], 2),
        "cpu_all": round(views + steps["nearest"] + steps["table"], 2),
        "wall_candidates": round(candidates_wall, 2),
        "us_per_pair": round(1e6 * steps["table"] / max(len(left), 1), 2),
        "cpu": steps,
        "terms_of_at_most": {n: lists.most_documents for n, lists in profiles.nearest.items()},
    }


def main() -> None:
    """Measure what is asked for and merge it into the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="COLLECTION")
    parser.add_argument("--jsonl", type=Path, help="documents without labels")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    results["machine"] = f"{platform.machine()}, {options.threads} threads"
    wanted = options.names or (None if not options.jsonl else [])
    for collection in collections(wanted):
        texts = [html_to_text(text) if is_page(text) else text for text in collection.texts]
        report(collection.name, measure(texts, collection.truth, options.threads), results)
    if options.jsonl:
        with options.jsonl.open(encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        report(options.jsonl.stem, measure(texts, (), options.threads), results)


def report(name: str, row: dict[str, Any], results: dict[str, Any]) -> None:
    """One line per collection, which is stored at once."""
    results[name] = row
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    print(
        f"{name:13} {row['documents']:6} documents, recall {row['recall']}, "
        f"{row['pairs_per_document']} pairs per document, {row['cpu_candidates']} CPU s for "
        f"candidates, {row['cpu_all']} with signals, {row['us_per_pair']} us per pair",
        flush=True,
    )


if __name__ == "__main__":
    main()
