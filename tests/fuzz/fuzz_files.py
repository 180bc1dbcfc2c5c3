"""Targets of the files that twinset itself writes or mines: none may end in a traceback.

Model files, plans and FIMI files; `tests/report/test_damage.py` has report folders.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import twinset
from tests.contracts.models import model
from tests.fuzz.mutation import Target
from twinset.finding.clusters.mine.fimi import read_fimi
from twinset.finding.clusters.mine.miners import mine
from twinset.plan import Plan

TEXTS = {
    "a": "Twice a day the harbour empties itself, and the boats lean on their keels in the mud.",
    "b": "Twice a day the harbour empties itself, and the boats lean on their keels in the sand.",
    "c": "Twice a day the harbour empties itself, and the boats lean on their keels in the mud!",
    "d": "A loaf of rye needs time more than it needs work.",
}


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
    Target("model", read_made_up_model, lambda: [model().read_bytes()]),
    Target("fimi", mine_bytes, lambda: [b"1 2 3\n1 2\n2 3 4\n\n1 2 3 3\n", b"7\n7 8\n" * 9]),
    Target("plan", read_plan, plan_seeds),
]
