"""`compare`: read the documents once, run every method, measure all by one yardstick."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError, ReportError
from twinset.lab.comparison.judge import PoolJudge
from twinset.lab.comparison.measure import measure_methods
from twinset.lab.comparison.options import (
    JUDGE,
    MOST_JUDGED,
    Yardstick,
    method_plans,
)
from twinset.lab.comparison.result import Comparison
from twinset.lab.evaluation.list_columns import column_names
from twinset.lab.evaluation.list_files import ensure_list
from twinset.lab.evaluation.truth import Truth, TruthOptions
from twinset.lab.runs.documents import store_documents
from twinset.lab.runs.folder import results_folder
from twinset.lab.runs.planned import PlannedRun
from twinset.lab.runs.runner import Outcome, Runner
from twinset.pages.language import ensure_known
from twinset.plan import Plan, Reading, Resources, Unit, reading_arguments, reads_documents
from twinset.system.temporary import temporary_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

FilePath = str | os.PathLike[str]
RESULTS = "results"


@reads_documents
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
    judge: float | str = JUDGE,
    most_judged: int = MOST_JUDGED,
    folder: FilePath | None = None,
    fresh: bool = False,
    language: str = "en",
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
    forms: str | Any = None,
    synonyms: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Comparison:
    """Run methods on the same documents and measure them against each other.

    >>> texts = ["one two three four five six", "one two three four five six", "seven eight"]
    >>> [row["method"] for row in compare(texts, "md5,minhash").methods.to_pylist()]
    ['md5', 'minhash']

    ``methods`` is ``all`` or names, with options as in ``find``, and presets as ``preset:text``;
    each method decides as its paper says unless ``verify`` says otherwise. Options such as
    ``shingle`` go to the methods that take them. The yardstick is ``truth`` (with ``ignore``,
    ``only_judged`` and ``grade``, as in `evaluate`) or, without one, the pool: the pairs of all
    methods, of which those with an edit similarity of at least ``judge`` are good. Of more than
    ``most_judged`` pairs a sample is judged, and the table has intervals; ``pool`` judges the pool
    beside a truth. With a ``folder`` the result is written there, and results of methods in it are
    used again unless ``fresh``. ``language`` is that of its page.
    """
    given = reading_arguments(reading, "compare")
    labels = TruthOptions(truth, ignore, only_judged, grade, "auto", column_names(truth_columns))
    yardstick = Yardstick(labels, pool, judge, most_judged, seed)
    options: dict[str, Any] = given | {
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
        "forms": forms,
        "synonyms": synonyms,
    }
    plans = method_plans(methods, options)
    if yardstick.faults():
        raise PlanError(yardstick.faults())
    ensure_list(truth)
    ensure_list(ignore)
    resources = Resources.make(threads=threads, memory=memory)
    ensure_known(language)
    progress = progress or Silent()
    with temporary_folder(resources.folder) as temporary:
        store = (
            temporary if folder is None else results_folder(folder, RESULTS, "comparison", fresh)
        )
        raw = any(planned.plan.read.raw for planned in plans)
        opened, _ = open_documents(documents, Plan.make(**given), resources, given, raw=raw)
        begun = time.perf_counter()
        collection = store_documents(
            opened, temporary / "texts.arrow", resources.threads, progress, raw=raw
        )
        seconds = time.perf_counter() - begun
        # Before the methods run, which may take hours: a faulty truth would make it all in vain.
        true = Truth.read(yardstick.truth, collection.ids) if yardstick.has_truth else None
        runner = Runner(collection, temporary, store, resources)
        outcomes = _run_methods(plans, runner, progress)
        judge_of_pool = PoolJudge(collection, store, yardstick, resources)
        result = measure_methods(outcomes, collection, yardstick, true, judge_of_pool, progress)
    result.manifest.update(
        {"seed": seed, "seconds_reading": round(seconds, 3), "threads": resources.threads}
    )
    if folder is not None:
        result.save(Path(folder), language)
    return result


def _run_methods(plans: Sequence[PlannedRun], runner: Runner, progress: Progress) -> list[Outcome]:
    outcomes = []
    for number, method in enumerate(plans, 1):
        progress.stage(f"{method.name} ({number} of {len(plans)})", None)
        outcomes.append(runner.run(method))
    if all(outcome.fault is not None for outcome in outcomes):
        raise ReportError(f"no method finished; {plans[0].name}: {outcomes[0].fault}")
    return outcomes
