"""Races twinset against its peers on one corpus: ``python benchmarks/run.py c20k --reps 3``.

Corpora and peers come from the benchmark kit that lies beside the repository (``--kit``); they are
prepared once in ``--work``, every peer in a virtual environment of its own. The contenders take
turns, because a shared machine is faster at one time than at another, and the best run of each
counts. The numbers go to ``benchmarks/results`` as JSON and to the screen as a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from contenders import ArrowRead, Contender, Peer, Task, Twinset
from measure import measure
from pages import filled
from quality import Quality, judge, truth_of
from table import Row, machine, markdown, ratios

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "explanation" / "other-tools.md"]
RESULTS = ROOT / "benchmarks" / "results"
LONG = 60
"""Seconds of a contender's runs together after which it runs no more: by then it is far behind."""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("corpus", nargs="?", default="c20k", help="c20k, c200k or a file of JSON lines")
    add("--peers", nargs="*", default=["daft", "gaoya"], help="NAME or NAME:VARIANT of the kit")
    add("--threshold", type=float, default=0.8)
    add("--recall", type=float, default=0.99)
    add("--memory", default="1GB", help="the limit given to twinset")
    add("--threads", type=int, default=2)
    add("--reps", type=int, default=3, help="rounds; the best counts")
    add("--timeout", type=int, default=1800, help="seconds for one run")
    add("--exact", action="store_true", help="race twinset --exact as well")
    add("--kit", type=Path, default=ROOT.parent / "shared" / "bench", help="the benchmark kit")
    add("--work", type=Path, default=ROOT / ".bench", help="where corpora and peers live")
    add("--prepare", action="store_true", help="let the kit make what is missing in --work")
    add("--readme", action="store_true", help="put the table into README.md or the manual")
    return parser.parse_args()


def prepare(asked: argparse.Namespace, peers: list[Peer], corpus: Path) -> None:
    """Have the kit make what is missing, or say how to get it."""
    missing = [str(peer.python) for peer in peers if not peer.python.exists()]
    missing += [] if corpus.is_file() else [str(corpus)]
    if not missing:
        return
    script = asked.kit / "prepare.sh"
    if not asked.prepare or not script.is_file():
        remedy = f"run again with --prepare ({script}, about 15 minutes and 2 GB)"
        if not script.is_file():
            remedy = f"name the benchmark kit with --kit (there is no {script})"
        raise SystemExit(f"missing: {', '.join(missing)}; {remedy}")
    names = [peer.name.partition(":")[0] for peer in peers]
    subprocess.run([script, asked.work, *names], check=True)


def race(
    rows: dict[str, Row],
    entrants: Sequence[Contender],
    task: Task,
    timeout: int,
    environment: Mapping[str, str] | None = None,
) -> None:
    """One round: every contender once, its row replaced when this run was its best.

    With an environment the memory is that of all processes together.
    """
    for entrant in entrants:
        row = rows[entrant.name]
        if not row.finished or sum(row.runs) > LONG:
            continue
        cost = measure(entrant.command(task), timeout, environment, tree=environment is not None)
        if not cost.finished:
            last = cost.errors.strip().splitlines()[-1:] or [f"exit code {cost.code}"]
            rows[row.name] = replace(row, fault=f"did not finish: {last[0][:120]}")
            continue
        seconds = entrant.seconds(task, cost)
        runs = (*row.runs, round(seconds, 3))
        print(f"{row.name}: {seconds:.2f} s, {cost.cpu:.2f} CPU s, {cost.peak_mb:.0f} MB",
              file=sys.stderr, flush=True)  # fmt: skip
        if seconds < row.seconds:
            memory = cost.together_mb or cost.peak_mb
            row = replace(row, seconds=seconds, cpu=cost.cpu, peak_mb=memory)
        rows[row.name] = replace(row, runs=runs)


def judged(row: Row, entrant: Contender, task: Task) -> Row:
    """The row with the quality of the contender's latest pairs (all its runs give the same)."""
    known = truth_of(task.corpus)
    pairs = entrant.pairs(task) if row.finished else None
    if pairs is None:
        return row
    if known is None:
        return replace(row, quality=Quality(0.0, 0.0, len(set(pairs)), 0))
    true = {pair for pair, score in known.items() if score >= task.threshold}
    return replace(row, quality=judge(pairs, true))


def main() -> None:
    asked = options()
    given = Path(asked.corpus)
    corpus = given if given.is_file() else asked.work / f"{given}.jsonl"
    peers = [Peer(name, asked.kit, asked.work) for name in asked.peers]
    prepare(asked, peers, corpus)
    scratch = asked.work / "runs"
    scratch.mkdir(parents=True, exist_ok=True)
    limits = (asked.threads, asked.memory, scratch)
    task = Task(corpus, asked.threshold, asked.recall, *limits)
    lanes: list[tuple[str, Contender]] = [("reader", ArrowRead()), ("ours", Twinset())]
    if asked.exact:
        lanes.append(("exact", Twinset("twinset --exact", ("--exact",))))
    lanes += [("peer", peer) for peer in peers]
    entrants = [entrant for _, entrant in lanes]
    rows = {entrant.name: Row(entrant.name, kind) for kind, entrant in lanes}
    measure(["cat", corpus])  # the file is in the page cache for everybody, the first one too
    for _ in range(asked.reps):
        race(rows, entrants, task, asked.timeout)
    final = [judged(rows[entrant.name], entrant, task) for entrant in entrants]
    publish(asked, corpus, final, {peer.name: peer.version for peer in peers})


def publish(
    asked: argparse.Namespace, corpus: Path, rows: list[Row], versions: dict[str, str]
) -> None:
    """JSON into the results, the table to the screen and, when asked, into its page."""
    told = ratios(rows)
    name = f"{corpus.stem}-{asked.threshold}"
    settings = {key: getattr(asked, key) for key in ("threshold", "recall", "memory", "threads")}
    result = {
        "corpus": corpus.name,
        "megabytes": round(corpus.stat().st_size / 1e6, 1),
        **settings,
        "machine": machine(),
        "peers": versions,
        "rows": [row.as_json() for row in rows],
        "ratios": told,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")
    text = markdown(rows, told)
    if asked.readme:
        page = next((p for p in PAGES if name in p.read_text(encoding="utf-8")), PAGES[0])
        page.write_text(filled(page.read_text(encoding="utf-8"), name, text), encoding="utf-8")
    print(text)
    print(f"written to {path.relative_to(ROOT)}", file=sys.stderr)
    if not any(row.kind == "ours" and row.finished for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
