"""`compare`: one reading, every method, one yardstick."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from twinset.comparison.asking import SharedCounts, entries
from twinset.comparison.kept import Collection, keep
from twinset.comparison.measuring import JUDGE, MOST_JUDGED, Yardsticks, measure
from twinset.comparison.result import Comparison
from twinset.comparison.running import Entry, Outcome, run_method
from twinset.errors import PlanError, ReportError
from twinset.pipeline.opening import open_documents
from twinset.pipeline.progress import Progress, Silent
from twinset.plan import Plan, Resources
from twinset.temporary import temporary_folder

FilePath = str | os.PathLike[str]
RESULTS = "results"


def compare(
    documents: Any,
    methods: str | Iterable[str] = "all",
    *,
    truth: Any = None,
    ignore: Any = None,
    only_judged: bool = False,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    pool: bool | None = None,
    judge: float = JUDGE,
    most_judged: int = MOST_JUDGED,
    folder: FilePath | None = None,
    fresh: bool = False,
    threads: int = 0,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Run methods on the same documents and measure them against each other.

    ``methods`` is ``all`` or names, with options as in ``find``; each decides as its paper says
    unless ``verify`` says otherwise. The yardstick is ``truth`` (with ``ignore``, ``only_judged``
    and ``grade``, as in `evaluate`) or, without one, the pool: the pairs of all methods, of which
    those with an edit similarity of ``judge`` are good. More than ``most_judged`` pairs are
    sampled, and the table has intervals; ``pool`` judges the pool beside a truth. With a ``folder``
    the result is written there, and what a method found is kept and used again unless ``fresh``.
    """
    yardsticks = Yardsticks(
        truth, ignore, only_judged, grade, truth_columns, pool, judge, most_judged
    )
    asked = entries(methods, options)
    if yardsticks.faults():
        raise PlanError(yardsticks.faults())
    means = Resources.make(threads=threads, memory=memory)
    told = progress or Silent()
    with temporary_folder(means.folder) as temporary:
        store = temporary if folder is None else _store(Path(folder), fresh)
        opened, _ = open_documents(documents, Plan.make(**options), means, options)
        begun = time.perf_counter()
        collection = keep(opened, temporary / "texts.arrow", means.threads, told)
        read = time.perf_counter() - begun
        outcomes = _run(asked, collection, temporary, store, means, told)
        if all(outcome.fault is not None for outcome in outcomes):
            raise ReportError(f"no method came to its end; {asked[0].name}: {outcomes[0].fault}")
        measured = measure(outcomes, collection, yardsticks, store, means, told)
    seed = int(options.get("seed") or 1)
    measured.manifest.update(
        {"seed": seed, "seconds_reading": round(read, 3), "threads": means.threads}
    )
    if folder is not None:
        measured.save(Path(folder))
    return measured


def _store(folder: Path, fresh: bool) -> Path:
    """Where results are kept; only a folder of our own is written into."""
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"{folder} is a file; name a folder for the comparison")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / RESULTS).is_dir():
        raise ReportError(
            f"{folder} exists and is not a comparison; name another folder, or remove it yourself"
        )
    store = folder / RESULTS
    if fresh:
        shutil.rmtree(store, ignore_errors=True)
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ReportError(f"cannot write in {folder}: {fault.strerror}; name another one") from None
    return store


def _run(
    asked: Sequence[Entry],
    collection: Collection,
    temporary: Path,
    store: Path,
    means: Resources,
    progress: Progress,
) -> list[Outcome]:
    counts = SharedCounts(collection, temporary, means)
    outcomes = []
    for number, entry in enumerate(asked, 1):
        progress.stage(f"{entry.name} ({number} of {len(asked)})", None)
        outcomes.append(run_method(entry, collection, counts, store, means))
    return outcomes
