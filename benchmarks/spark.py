"""What a run on Spark costs, beside others on it: ``python benchmarks/spark.py --work DIR``.

Three questions, each a part of ``results/spark.json`` (``--only race,beside,series``):

``race``    c20k by twinset on Spark, by MinHashLSH of Spark's own MLlib and by datatrove, with the
            recall and precision of what they find. MLlib joins by single hashes (each of its tables
            is one): five of them find what our bands find, and with 128 everything would be a
            candidate.
``beside``  c200k on Spark and by the local engine of an older version (``--before``) and of this
            one: CPU time, and whether the pairs are the same.
``series``  CPU time a document and the memory of each kind of process over documents.
Everything runs on this machine, in ``local[2]`` unless said otherwise. CPU time and memory are
those of all processes that a command starts (`measure`).
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import run
from contenders import TWINSET, Contender, Peer, Task, Twinset
from measure import Cost, measure
from quality import Pair, reported_pairs
from scaling_corpus import make_corpus
from table import Row, machine

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "spark:master=local[2]"
# All of Spark's own memory in local mode is that of its driver.
ENVIRONMENT = {
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_SUBMIT_ARGS": "--conf spark.driver.memory=1g pyspark-shell",
}


ON_SPARK = Twinset("twinset on Spark", engine=ENGINE)


@dataclass(frozen=True)
class MLlib(Peer):
    """The kit's script for Spark's MLlib, in our own environment, which has pyspark."""

    @property
    def python(self) -> Path:
        return Path(sys.executable)


def run_once(entrant: Contender, task: Task, timeout: int) -> Cost:
    """One run with all of its processes; what it said where it fails."""
    cost = measure(entrant.command(task), timeout, ENVIRONMENT, tree=True)
    words = f"{entrant.name}: {cost.wall:.1f} s, {cost.cpu:.1f} CPU s, {cost.peaks_mb}"
    print(words if cost.finished else f"{entrant.name} failed:\n{cost.errors[-2000:]}", flush=True)
    return cost


def race(asked: argparse.Namespace) -> dict[str, Any]:
    """The peers beside twinset on Spark; the time is that of the whole process of each."""
    task = task_of(asked, asked.work / "c20k.jsonl")
    peers = [MLlib("pyspark", asked.kit, asked.work), Peer("datatrove", asked.kit, asked.work)]
    entrants: list[Contender] = [ON_SPARK, *peers]
    kinds = ("ours", "peer", "peer")
    best = {each.name: Row(each.name, kind) for each, kind in zip(entrants, kinds, strict=True)}
    for _ in range(asked.reps):
        run.race(best, entrants, task, asked.timeout, ENVIRONMENT)
    rows = [run.judged(best[entrant.name], entrant, task) for entrant in entrants]
    ours = rows[0]
    return {
        "corpus": task.corpus.name,
        "threshold": task.threshold,
        "peers": {peer.name: peer.version for peer in peers},
        "rows": [row.as_json() for row in rows],
        "time / peer": {
            row.name: round(ours.seconds / row.seconds, 3) for row in rows[1:] if row.finished
        },
        "CPU / peer": {row.name: round(ours.cpu / row.cpu, 3) for row in rows[1:] if row.finished},
    }


def beside(asked: argparse.Namespace) -> dict[str, Any]:
    """Spark and the local engine on the same file: CPU time, and whether they find the same."""
    task = task_of(asked, asked.work / "c200k.jsonl")
    programs = {"local": TWINSET} | ({"before": asked.before} if asked.before else {})
    entrants: dict[str, Twinset] = {"spark": ON_SPARK}
    entrants |= {name: Twinset(name, program=program) for name, program in programs.items()}
    costs = {
        name: min((run_once(entrant, task, asked.timeout) for _ in range(asked.reps)), key=cpu_of)
        for name, entrant in entrants.items()
    }
    pairs: dict[str, set[Pair]] = {
        name: set(reported_pairs(entrant.report(task)))
        for name, entrant in entrants.items()
        if costs[name].finished
    }
    return {
        "corpus": task.corpus.name,
        "runs": {name: as_json(cost) for name, cost in costs.items()},
        "same pairs as local": pairs.get("spark") == pairs.get("local"),
        "CPU / others": {
            name: round(costs["spark"].cpu / costs[name].cpu, 2)
            for name in programs
            if costs["spark"].finished and costs[name].finished
        },
    }


def series(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """More and more documents of one paragraph, 460 bytes."""
    rows = []
    for documents in asked.documents:
        corpus = make_corpus(asked.work / f"short-{documents}.jsonl", documents, most=1)
        cost = run_once(ON_SPARK, task_of(asked, corpus), asked.timeout)
        rows.append(
            {
                "documents": documents,
                "bytes": corpus.stat().st_size,
                "cpu_us_per_document": round(1e6 * cost.cpu / documents, 1),
                **as_json(cost),
            }
        )
    return rows


def task_of(asked: argparse.Namespace, corpus: Path) -> Task:
    scratch = asked.work / "runs"
    scratch.mkdir(parents=True, exist_ok=True)
    return Task(corpus, 0.8, 0.99, 2, "2GB", scratch)


def cpu_of(cost: Cost) -> float:
    """What of several runs decides; a run that failed is none."""
    return cost.cpu if cost.finished else float("inf")


def as_json(cost: Cost) -> dict[str, Any]:
    return {
        "wall": round(cost.wall, 1),
        "cpu": round(cost.cpu, 1),
        "peaks_mb": cost.peaks_mb,
        "together_mb": cost.together_mb,
        "finished": cost.finished,
    }


PARTS = {"race": race, "beside": beside, "series": series}


def main() -> None:
    """Measure what was asked for; other parts of the results stay as they are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", default=",".join(PARTS), help="parts, separated by commas")
    add("--work", type=Path, default=ROOT / ".bench", help="where corpora and peers live")
    add("--kit", type=Path, default=ROOT.parent / "shared" / "bench", help="the benchmark kit")
    add("--before", type=Path, help="the program of another version, for the part beside")
    add("--documents", type=int, nargs="*", default=[200_000, 1_000_000])
    add("--reps", type=int, default=2)
    add("--timeout", type=int, default=3600, help="seconds that a run may take")
    add("-o", "--out", type=Path, default=ROOT / "benchmarks" / "results" / "spark.json")
    asked = parser.parse_args()
    results = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for name in asked.only.split(","):
        results |= {"machine": machine(), name: PARTS[name](asked)}
        asked.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
