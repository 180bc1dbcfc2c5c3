"""The judge of the pool: edit similarity, in parallel, each pair of texts only once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset.engine.progress import Progress
from twinset.lab.comparison.options import Yardstick
from twinset.lab.runs.documents import Collection
from twinset.model import Floats, Ints
from twinset.model.columns import column, numbers
from twinset.plan import Resources
from twinset.report.tables import write_parquet
from twinset.system.files import fresh_file
from twinset.verify.edit import edit_scores
from twinset.verify.texts import TextStore

AT_ONCE = 2000  # pairs between two steps of the progress bar


class PoolJudge:
    """Edit similarities of documents, stored in a file; equal texts count as one."""

    def __init__(
        self, collection: Collection, folder: Path, yardstick: Yardstick, means: Resources
    ) -> None:
        self.least, self._means = yardstick.least, means
        text = yardstick.check.text
        kind = "" if text == "words" else f"-{text}"
        self._path = folder / f"judged-{self.least:g}{kind}-{collection.digest[:16]}.parquet"
        self._documents = len(collection)
        self._texts = TextStore(means.folder, text)
        for batch in collection.texts.batches():
            self._texts.add(batch.texts, means.threads)
        self._texts.finish()
        first: dict[bytes, int] = {}
        self._same = np.array(
            [first.setdefault(_digest(self._texts.text(i)), i) for i in range(self._documents)],
            np.int64,
        )
        self._keys, self._scores = self._remembered()

    def scores(self, left: Ints, right: Ints, progress: Progress) -> Floats:
        """The similarity of each pair, 0 where it is below ``least``."""
        first, second = self._same[left], self._same[right]
        keys = np.minimum(first, second) * self._documents + np.maximum(first, second)
        new = np.setdiff1d(keys, self._keys)
        if len(new):
            self._judge(new, progress)
        score = self._scores[np.searchsorted(self._keys, keys)] if len(keys) else np.empty(0)
        # Documents without a word have no similarity, not even with each other.
        has_words = self._texts.characters[first] > 0
        return np.where((first == second) & has_words, 1.0, score)

    def _judge(self, new: Ints, progress: Progress) -> None:
        progress.stage("judging", len(new))
        left, right = new // self._documents, new % self._documents
        scores = np.zeros(len(new))
        for begin in range(0, len(new), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            apart = left[part] != right[part]
            scores[part][apart] = edit_scores(
                self._texts, left[part][apart], right[part][apart], self.least, self._means.threads
            )
            progress.advance(len(apart))
        keys = np.concatenate([self._keys, new])
        order = np.argsort(keys)
        self._keys, self._scores = keys[order], np.concatenate([self._scores, scores])[order]
        judged = pa.table({"pair": column(self._keys), "score": column(self._scores)})
        with fresh_file(self._path) as draft:
            write_parquet(judged, draft)

    def _remembered(self) -> tuple[Ints, Floats]:
        import pyarrow.parquet as pq

        nothing = np.empty(0, np.int64), np.empty(0)
        if not self._path.is_file():
            return nothing
        try:
            table = pq.read_table(self._path, columns=["pair", "score"])
            keys = np.array(numbers(table["pair"].cast(pa.int64())), np.int64)
            scores = np.array(numbers(table["score"].cast(pa.float64())), np.float64)
        except (OSError, KeyError, ValueError, pa.ArrowException):
            return nothing  # damaged: what was judged is judged again
        is_whole = (keys[1:] > keys[:-1]).all() and ((scores >= 0) & (scores <= 1)).all()
        return (keys, scores) if is_whole else nothing


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
