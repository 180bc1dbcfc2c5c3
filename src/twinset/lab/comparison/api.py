"""`compare`: one reading, every method, one yardstick."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError, ReportError
from twinset.lab.comparison.documents import Collection, keep
from twinset.lab.comparison.measuring import JUDGE, MOST_JUDGED, Yardsticks
from twinset.lab.comparison.measuring import measure as measure_all
from twinset.lab.comparison.options import SharedCounts, entries
from twinset.lab.comparison.result import Comparison
from twinset.lab.comparison.runner import Entry, Outcome, run_method
from twinset.plan import Html, OnError, Plan, Resources, Unit
from twinset.system.temporary import temporary_folder

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
    threshold: float | None = None,
    recall: float | None = None,
    measure: str | Any = None,
    verify: str | Any = None,
    statistics: str | None = None,
    shingle: int | None = None,
    offset: int | None = None,
    unit: Unit | None = None,
    image: str | Any = None,
    seed: int = 1,
    dense: int | None = None,
    id: str | None = None,
    text: str | None = None,
    html: Html | None = None,
    on_error: OnError | None = None,
    max_document_bytes: int | str | None = None,
    within: Sequence[str] = (),
    max_unread: float | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run methods on the same documents and measure them against each other.

    >>> texts = ["one two three four five six", "one two three four five six", "seven eight"]
    >>> [row["method"] for row in compare(texts, "md5,minhash").methods.to_pylist()]
    ['md5', 'minhash']

    ``methods`` is ``all`` or names, with options as in ``find``; each decides as its paper says
    unless ``verify`` says otherwise. Options such as ``shingle`` go to the methods that
    take them. The yardstick is ``truth`` (with ``ignore``, ``only_judged``
    and ``grade``, as in `evaluate`) or, without one, the pool: the pairs of all methods, of which
    those with an edit similarity of ``judge`` are good. More than ``most_judged`` pairs are
    sampled, and the table has intervals; ``pool`` judges the pool beside a truth. With a ``folder``
    the result is written there, and what a method found is kept and used again unless ``fresh``.
    """
    yardsticks = Yardsticks(
        truth, ignore, only_judged, grade, truth_columns, pool, judge, most_judged, seed
    )
    reading: dict[str, Any] = {
        "id": id,
        "text": text,
        "html": html,
        "on_error": on_error,
        "max_document_bytes": max_document_bytes,
        "within": within,
        "max_unread": max_unread,
    }
    options: dict[str, Any] = reading | {
        "threshold": threshold,
        "recall": recall,
        "measure": measure,
        "verify": verify,
        "statistics": statistics,
        "shingle": shingle,
        "offset": offset,
        "unit": unit,
        "image": image,
        "seed": seed,
        "dense": dense,
    }
    asked = entries(methods, options)
    if yardsticks.faults():
        raise PlanError(yardsticks.faults())
    means = Resources.make(threads=threads, memory=memory)
    told = progress or Silent()
    with temporary_folder(means.folder) as temporary:
        store = temporary if folder is None else _store(Path(folder), fresh)
        opened, _ = open_documents(documents, Plan.make(**reading), means, reading)
        begun = time.perf_counter()
        collection = keep(opened, temporary / "texts.arrow", means.threads, told)
        read = time.perf_counter() - begun
        outcomes = _run(asked, collection, temporary, store, means, told)
        if all(outcome.fault is not None for outcome in outcomes):
            raise ReportError(f"no method came to its end; {asked[0].name}: {outcomes[0].fault}")
        measured = measure_all(outcomes, collection, yardsticks, store, means, told)
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
