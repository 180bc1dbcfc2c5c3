"""Word counts of a collection, counted once for each way of cleaning and used by many runs."""

from __future__ import annotations

import dataclasses
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twinset.lab.runs.documents import Collection
from twinset.methods.keys import Signature
from twinset.methods.lexical import Lexical
from twinset.plan import Plan
from twinset.report.tables import write_parquet
from twinset.text.statistics import WordSurvey
from twinset.text.tokens import Cleaning
from twinset.text.wording import reworded, rewriter_of, spelt_wording


@dataclass(frozen=True)
class WordCounts:
    """A file of word counts and the seconds that counting took."""

    path: Path
    seconds: float


class SharedWordCounts:
    """Word counts of the collection, counted once for each way of cleaning."""

    def __init__(self, collection: Collection, folder: Path, threads: int) -> None:
        self._collection, self._folder, self._threads = collection, folder, threads
        self._counts: dict[tuple[Cleaning, str], WordCounts] = {}
        self._lock = threading.Lock()  # runs may be made at the same time

    def of(self, plan: Plan) -> WordCounts | None:
        """The counts that the plan's method would make for itself; None if it makes none."""
        cleaning = None if plan.statistics else _cleaning_of(plan.method)
        if cleaning is None:
            return None
        key = cleaning, spelt_wording(plan)
        with self._lock:
            if key not in self._counts:
                self._counts[key] = self._count(cleaning, plan)
            return self._counts[key]

    def _count(self, cleaning: Cleaning, plan: Plan) -> WordCounts:
        begun = time.perf_counter()
        survey, rewriter = WordSurvey(cleaning, self._threads), rewriter_of(plan)
        for batch in self._collection.texts.batches():
            survey.add(reworded(batch.texts, rewriter, self._threads))
        path = self._folder / f"words-{len(self._counts)}.parquet"
        counted = dataclasses.replace(survey.finish(), wording=spelt_wording(plan))
        write_parquet(counted.table(), path)
        return WordCounts(path, time.perf_counter() - begun)


def _cleaning_of(method: Any) -> Cleaning | None:
    """How a method cleans the words that it counts; None if it counts none, or more than words."""
    if isinstance(method, Lexical):
        return method.cleaning()
    if not isinstance(method, Signature) or not method.counts:
        return None
    counts_more = type(method).second_survey is not Signature.second_survey
    return None if counts_more else method.cleaning()
