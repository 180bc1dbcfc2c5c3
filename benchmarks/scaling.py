"""How do time, CPU time and memory grow with threads and with documents?

    python benchmarks/scaling.py --work DIR
    python benchmarks/scaling.py --work DIR --before OTHER/bin/twinset
    python benchmarks/scaling.py --work DIR --million 0 --documents 1000000 10000000 100000000 \
        --longest 64 --memory 32GB --shards 64 --reps 1 -o hundred-million.json

Two series of `twinset find`, from the start of the process to its end, report written: one over
threads on a million documents of 2.6 GB, beside `pyarrow.json` reading the same file with as many
threads, and one over the number of documents with a fixed memory. The share of each stage is that
of the manifest; `rest` is what it does not count: starting, and writing the report. Collections
are made from a seed in a minute or two. Of several runs the quickest counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from measure import measure
from scaling_corpus import make_corpus
from table import machine

HERE = Path(__file__).parent


def one_run(
    program: Path, corpus: Path, threads: int, memory: str, reps: int, shards: int = 0
) -> dict[str, Any]:
    """The quickest of some runs of ``find``, or of ``dedup`` that writes so many shards."""
    report = corpus.with_suffix(".report")
    command = [program, "dedup" if shards else "find", corpus, "-o", report, "--force", "--quiet"]
    command += ["--html", "no", "--threads", threads, "--memory", memory]
    command += ["--shards", shards, "--to", "jsonl.zst"] if shards else []
    runs = []
    for _ in range(reps):
        cost = measure([str(part) for part in command])
        if not cost.finished:
            raise SystemExit(f"{' '.join(map(str, command))} failed:\n{cost.errors[-2000:]}")
        manifest = json.loads((report / "manifest.json").read_text())
        stages = manifest["timings"]
        runs.append(
            {
                "threads": threads,
                "wall": round(cost.wall, 3),
                "cpu": round(cost.cpu, 2),
                "peak_mb": round(cost.peak_mb),
                "documents": manifest["counts"]["documents"],
                "report_mb": round(sum(p.stat().st_size for p in report.rglob("*")) / 1e6),
                "stages": stages | {"rest": round(cost.wall - sum(stages.values()), 3)},
            }
        )
    shutil.rmtree(report)
    return min(runs, key=lambda run: float(run["wall"]))


def arrow_seconds(corpus: Path, threads: int, reps: int) -> float:
    """The quickest of several readings by pyarrow.json, without its import."""
    command = [sys.executable, HERE / "read_json.py", corpus, str(threads)]
    return round(min(float(measure(command).output.split()[0]) for _ in range(reps)), 3)


def over_threads(options: argparse.Namespace) -> dict[str, Any]:
    documents = options.million
    corpus = make_corpus(options.work / f"scaling-{documents}.jsonl", documents)
    runs = []
    for threads in options.threads:
        run = one_run(options.program, corpus, threads, "8GB", options.reps)
        run["pyarrow_json"] = arrow_seconds(corpus, threads, options.reps)
        if options.before and threads == options.threads[0]:
            run["before"] = one_run(options.before, corpus, threads, "8GB", options.reps)
        print(line(run), flush=True)
        runs.append(run)
    return {"documents": documents, "bytes": corpus.stat().st_size, "runs": runs}


def over_documents(options: argparse.Namespace) -> dict[str, Any]:
    """The series over documents, of one paragraph each."""
    runs = []
    for documents in options.documents:
        corpus = options.work / f"short-{documents}-{options.longest}.jsonl"
        make_corpus(corpus, documents, most=1, longest=options.longest)
        how = options.program, corpus, max(options.threads), options.memory, options.reps
        for shards in (0, options.shards) if options.shards else (0,):
            run = {"shards": shards, **one_run(*how, shards), "bytes": corpus.stat().st_size}
            print(line(run), flush=True)
            runs.append(run)
        if documents > 2_000_000:
            corpus.unlink()
    return {"memory": options.memory, "runs": runs}


def line(run: dict[str, Any]) -> str:
    stages = ", ".join(f"{name} {seconds:.2f}" for name, seconds in run["stages"].items())
    beside = f"  pyarrow.json {run['pyarrow_json']:.2f} s" if "pyarrow_json" in run else ""
    before = f"  before {run['before']['wall']:.2f} s" if "before" in run else ""
    return (
        f"{run['documents']:>10,} documents {run['threads']:>3} threads {run['wall']:8.2f} s "
        f"{run['cpu']:8.2f} CPU s {run['peak_mb']:>6} MB  ({stages}){beside}{before}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    cores = len(os.sched_getaffinity(0))
    usual = [threads for threads in (1, 2, 4, 8, 16) if threads <= cores]
    add("--program", type=Path, default=Path(sys.executable).with_name("twinset"))
    add("--before", type=Path, help="another version, measured with the fewest threads")
    add("--work", type=Path, default=Path(".bench"), help="folder for the collections")
    add("--threads", type=int, nargs="*", default=usual)
    add("--million", type=int, default=1_000_000, help="documents of the series over threads")
    add("--documents", type=int, nargs="*", default=[20_000, 200_000, 1_000_000, 10_000_000])
    add("--memory", default="2GB")
    add("--longest", type=int, default=100, help="words of a paragraph, over documents")
    add("--shards", type=int, default=0, help="dedup the series over documents to so many, too")
    add("--reps", type=int, default=2)
    add("-o", "--out", type=Path, default=HERE / "results" / "scaling.json")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    results = {
        "machine": machine(),
        "threads": over_threads(options) if options.million else None,
        "documents": over_documents(options) if options.documents else None,
    }
    options.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
