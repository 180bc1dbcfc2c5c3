"""What a run on Spark costs, beside others on it: ``python benchmarks/spark.py --work DIR``.

Six questions, each a part of ``results/spark.json`` (``--only large,crowd``):

``race``    c20k by twinset on Spark, by MinHashLSH of Spark's own MLlib and by datatrove, with the
            recall and precision of what they find. MLlib joins by single hashes (each of its tables
            is one): five of them find what our bands find, and with 128 everything would be a
            candidate.
``beside``  c200k on Spark and by the local engine of an older version (``--before``) and of this
            one: CPU time, and whether the pairs are the same.
``series``  CPU time a document, bytes shuffled, and the memory of each kind of process over
            documents.
``large``   The same where Spark joins the texts of all documents with what is known of them: the
            constants for larger collections.
``crowd``   100,000 near copies of one text and 50,000 pairs, in 20 parts: the longest task that
            compares beside the median one, and whether the answer is that of the local engine.
``tasks``   The heap of the driver over tasks before a shuffle, after a collection of garbage.
Everything runs on this machine, in ``local[2]`` unless said otherwise. CPU time and memory are
those of all processes that a command starts (`measure`).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet as pq

import run
from contenders import TWINSET, Contender, Peer, Task, Twinset
from measure import Cost, measure
from quality import Pair, reported_pairs
from scaling_corpus import make_corpus
from table import Row, machine

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "spark:master=local[2]"
# All of Spark's own memory in local mode is that of its driver.
SUBMIT = "PYSPARK_SUBMIT_ARGS"
ENVIRONMENT = {
    "PYSPARK_PYTHON": sys.executable,
    SUBMIT: "--conf spark.driver.memory=1g pyspark-shell",
}


ON_SPARK = Twinset("twinset on Spark", engine=ENGINE)


@dataclass(frozen=True)
class MLlib(Peer):
    """The kit's script for Spark's MLlib, in our own environment, which has pyspark."""

    @property
    def python(self) -> Path:
        return Path(sys.executable)


def run_once(
    entrant: Contender, task: Task, timeout: int, environment: dict[str, str] = ENVIRONMENT
) -> Cost:
    """One run with all of its processes; what it said where it fails."""
    cost = measure(entrant.command(task), timeout, environment, tree=True)
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
    return [grown(asked, documents, TWINSET) for documents in asked.documents]


def large(asked: argparse.Namespace) -> dict[str, Any]:
    """The same as if there were too many linked documents to tell each task of all of them.

    What a document costs is the difference of two sizes.
    """
    program = asked.work.absolute() / "as-large"
    few = "import twinset.spark.reading as reading; reading.FEW = 0"
    program.write_text(f"#!{sys.executable}\n{few}\nfrom twinset.cli import main; main()\n")
    program.chmod(0o755)
    rows = [grown(asked, documents, program) for documents in asked.large]
    more = rows[-1]["documents"] - rows[0]["documents"]
    names = "bytes", "shuffled", "written"
    bytes_each = {name: round((rows[-1][name] - rows[0][name]) / more) for name in names}
    cpu = round(1e6 * (rows[-1]["cpu"] - rows[0]["cpu"]) / more, 1)
    return {"rows": rows, "cpu_us_per_document": cpu, "bytes_per_document": bytes_each}


def grown(asked: argparse.Namespace, documents: int, program: Path) -> dict[str, Any]:
    """What a run over so many short documents takes."""
    corpus = make_corpus(asked.work / f"short-{documents}.jsonl", documents, most=1)
    entrant = Twinset(f"{documents}", engine=ENGINE, program=program)
    cost, stages = with_stages(entrant, task_of(asked, corpus), asked.timeout)
    tasks = [task for stage in stages for task in stage["tasks"]]
    return {
        "documents": documents,
        "bytes": corpus.stat().st_size,
        "cpu_us_per_document": round(1e6 * cost.cpu / documents, 1),
        "shuffled": sum(task["shuffled"] for task in tasks),
        "written": sum(task["written"] for task in tasks),
        "tasks": len(tasks),
        **as_json(cost),
    }


def crowd(asked: argparse.Namespace) -> dict[str, Any]:
    """The longest task that compares beside the median of the stage that has all documents.

    Stages behind it, where there are crowds alone, count with their longest tasks.
    """
    copies, pairs, parts = 100_000, 50_000, 20
    task = task_of(asked, crowded_corpus(asked.work / "crowd.jsonl", copies, pairs))
    local = Twinset("crowd-local")
    run_once(local, task, asked.timeout)
    names = "documents", "pairs", "clusters"
    expected = [sorted_rows(local.report(task) / f"{name}.parquet") for name in names]
    rows: dict[str, Any] = {"documents": copies + 2 * pairs, "parts": parts}
    for name, program in {"now": TWINSET, "before": asked.before}.items():
        if program is None:
            continue
        entrant = Twinset(name, engine=f"{ENGINE},partitions={parts}", program=program)
        cost, stages = with_stages(entrant, task, asked.timeout)
        comparing = [
            [each["seconds"] for each in stage["tasks"]]
            for stage in stages
            if stage["name"] == "twinset: comparing" and stage["tasks"][0]["python"]
        ]
        at = next(n for n, seconds in enumerate(comparing) if len(seconds) == parts)
        middle, longest = median(comparing[at]), max(map(max, comparing[at:]))
        found = [sorted_rows(entrant.report(task) / f"{name}.parquet") for name in names]
        rows[name] = {
            "median": middle,
            "longest": longest,
            "longest / median": round(longest / middle, 1),
            "stages": [{"tasks": len(each), "longest": max(each)} for each in comparing[at:]],
            "same rows as local": found == expected,
            **as_json(cost),
        }
    return rows


def crowded_corpus(path: Path, copies: int, pairs: int) -> Path:
    """Texts of 50 words: near copies of one of them, and pairs of others, one word changed."""
    rng, words = random.Random(1), [f"w{number}" for number in range(50_000)]
    texts = [rng.choices(words, k=50)] * copies
    for _ in range(pairs):
        texts += [rng.choices(words, k=50)] * 2
    rng.shuffle(texts)
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            at = rng.randrange(50)
            changed = " ".join([*text[:at], rng.choice(words), *text[at + 1 :]])
            file.write(json.dumps({"id": f"d{number}", "text": changed}) + "\n")
    return path


def sorted_rows(table: Path) -> list[str]:
    """The rows of a table of a report in one order, but for the kinds of pairs."""
    rows = pq.read_table(table).to_pylist()
    return sorted(repr({name: row[name] for name in sorted(row) if name != "kind"}) for row in rows)


def tasks(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """What the driver keeps of tasks: their states, and where what each has written lies."""
    from pyspark.sql import SparkSession

    rows = []
    for count in asked.tasks:
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.sql.adaptive.enabled": "false",
        }
        builder = SparkSession.builder.master("local[2]").config(map=settings)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        parts = session.range(0, count, 1, count).repartition(asked.reducers, "id")
        heap = []
        for frame in (session.range(1), parts):
            frame.count()
            session._jvm.java.lang.System.gc()
            memory = session._jvm.java.lang.Runtime.getRuntime()
            heap.append(memory.totalMemory() - memory.freeMemory())
        session.stop()
        bytes_each = round((heap[1] - heap[0]) / (count + asked.reducers))
        rows.append({"tasks": count, "reducers": asked.reducers, "heap_bytes_per_task": bytes_each})
    return rows


def with_stages(entrant: Contender, task: Task, timeout: int) -> tuple[Cost, list[dict[str, Any]]]:
    """One run, and the stages that it has had, in Spark's own account of its tasks."""
    with tempfile.TemporaryDirectory(prefix="events-") as folder:
        log = f"--conf spark.eventLog.enabled=true --conf spark.eventLog.dir=file:{folder} "
        log += "--conf spark.eventLog.compress=false "
        asked = {**ENVIRONMENT, SUBMIT: log + ENVIRONMENT[SUBMIT]}
        cost = run_once(entrant, task, timeout, asked)
        logs = sorted(Path(folder).rglob("events_*"))
        lines = [line for path in logs for line in path.open(encoding="utf-8")]
    names, found = {}, defaultdict(list)
    for event in map(json.loads, lines):
        if event["Event"] == "SparkListenerStageSubmitted":
            about = event.get("Properties") or {}
            names[event["Stage Info"]["Stage ID"]] = about.get("spark.job.description")
        elif event["Event"] == "SparkListenerTaskEnd":
            of_task = event["Task Metrics"]
            written = of_task["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            sums = event["Task Info"]["Accumulables"]
            known = {
                "seconds": of_task["Executor Run Time"] / 1e3,
                "shuffled": written,
                "written": of_task["Output Metrics"]["Bytes Written"],
                "python": any("Python" in each.get("Name", "") for each in sums),
            }
            found[event["Stage ID"]].append(known)
    return cost, [{"name": names.get(stage), "tasks": found[stage]} for stage in sorted(found)]


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


PARTS = {"race": race, "beside": beside, "series": series, "large": large, "crowd": crowd}
PARTS |= {"tasks": tasks}


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
    add("--large", type=int, nargs=2, default=[100_000, 400_000])
    add("--tasks", type=int, nargs="*", default=[1500], help="tasks before the shuffle")
    add("--reducers", type=int, default=500, help="tasks behind it")
    add("--reps", type=int, default=2)
    add("--timeout", type=int, default=3600, help="seconds that a run may take")
    add("-o", "--out", type=Path, default=ROOT / "benchmarks" / "results" / "spark.json")
    asked = parser.parse_args()
    results = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for name in asked.only.split(","):
        results[name] = PARTS[name](asked)
        command = f"python benchmarks/spark.py --only {name}"
        results.setdefault("made", {})[name] = {"command": command, **machine()}
        asked.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
