"""How many pairs a report has decided on, where these are not the pairs that it lists."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from twinset.lab.evaluation.findings import decided_by, pairs_inside_clusters
from twinset.report import read as read_report
from twinset.report.staging import MANIFEST

KEPT = 32


def pairs_in_sets(folder: Path) -> int | None:
    """The pairs of documents inside the closed sets of a report; None for other clusters."""
    return _counted(str(folder), (folder / MANIFEST).stat().st_mtime_ns)


@lru_cache(KEPT)
def _counted(folder: str, changed: int) -> int | None:
    """Counted once for each state of the folder: ``changed`` is when it was written."""
    report = read_report(folder)
    if decided_by(report.manifest) == "pairs":
        return None
    return pairs_inside_clusters(report).count()
