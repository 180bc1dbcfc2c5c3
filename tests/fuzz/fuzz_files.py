"""Targets of the files that twinset itself writes or mines: none may end in a traceback.

Model files, plans, FIMI files, and report folders of which one file is made up.
"""

from __future__ import annotations

import atexit
import io
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq

import twinset
from tests.contracts.models import model
from tests.fuzz.mutation import Target
from twinset.finding.clusters.mine.fimi import read_fimi
from twinset.finding.clusters.mine.miners import mine
from twinset.plan import Plan
from twinset.result import read as read_report
from twinset.result.words import headline, threshold
from twinset.review import Journal, Query, members, overview, page, regroup
from twinset.review.index import ReportIndex

TEXTS = {
    "a": "Twice a day the harbour empties itself, and the boats lean on their keels in the mud.",
    "b": "Twice a day the harbour empties itself, and the boats lean on their keels in the sand.",
    "c": "Twice a day the harbour empties itself, and the boats lean on their keels in the mud!",
    "d": "A loaf of rye needs time more than it needs work.",
}


@cache
def report() -> Path:
    """A small report with a decision, made once; it goes when the process ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    saved = twinset.find(TEXTS, threshold=0.6).save(folder / "report")
    Journal(saved).add(["a", "b"], "duplicate")
    # What differs from run to run would make other inputs out of the same seed.
    manifest = saved / "manifest.json"
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    facts |= {"timings": {"compare": 0.5}, "cpu_seconds": 0.5, "peak_memory_mb": 90.5, "threads": 2}
    manifest.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return saved


@cache
def files_of_report() -> tuple[str, ...]:
    """The names of the files that are read again, the page not among them."""
    return tuple(sorted(path.name for path in report().iterdir() if path.suffix != ".html"))


def read_made_up_report(data: bytes) -> None:
    """Looks through a report whose file of the number in the first byte holds the other bytes."""
    names = files_of_report()
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "report"
        shutil.copytree(report(), folder)
        (folder / names[data[0] % len(names) if data else 0]).write_bytes(data[1:])
        found = read_report(folder)
        headline(found.manifest)
        index = ReportIndex(found)
        regrouped = regroup(index, max(threshold(index.manifest), 0.9))
        overview(index, 0.9, regrouped.pairs, regrouped.clusters)
        for clusters in (index.clusters, regrouped.clusters):
            page(index, clusters, Query(sort="weakest", id="a"))
            for row in range(min(len(clusters), 3)):
                members(index, clusters, row)
        Journal(folder).read()


def report_seeds() -> list[bytes]:
    """Every file of the report, with its number before it; tables without Arrow's schema, too."""
    folder = report()
    seeds = []
    for number, name in enumerate(files_of_report()):
        seeds.append(bytes([number]) + (folder / name).read_bytes())
        if name.endswith(".parquet"):
            bare = io.BytesIO()
            pq.write_table(pq.read_table(folder / name), bare, store_schema=False)
            seeds.append(bytes([number]) + bare.getvalue())
    return seeds


def read_made_up_model(data: bytes) -> None:
    """Loads the bytes as a model and searches with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_bytes(data)
        twinset.find(TEXTS, method=f"learned:model={path}")


def mine_bytes(data: bytes) -> None:
    """Reads the bytes as a FIMI file and mines it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.dat"
        path.write_bytes(data[:2000])
        fimi = read_fimi(path)
        fimi.notes()
        mine("search", fimi.table, 2)


def read_plan(data: bytes) -> None:
    """Reads the bytes as a plan."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.toml"
        path.write_bytes(data)
        Plan.make(plan=path)


def plan_seeds() -> list[bytes]:
    """Plans as they are saved."""
    plans = (
        Plan.make(threshold=0.3, unit="char", shingle=5, keep="longest", html="no", id="näme"),
        Plan.make(threshold=0.7, method="minhash:shingle=3", image="oph:size=64,seed=2"),
    )
    return [plan.as_toml().encode() for plan in plans]


TARGETS = [
    Target("report", read_made_up_report, report_seeds),
    Target("model", read_made_up_model, lambda: [model().read_bytes()]),
    Target("fimi", mine_bytes, lambda: [b"1 2 3\n1 2\n2 3 4\n\n1 2 3 3\n", b"7\n7 8\n" * 9]),
    Target("plan", read_plan, plan_seeds),
]
