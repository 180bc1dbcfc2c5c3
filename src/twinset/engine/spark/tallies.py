"""What tasks count of every file while they read: nobody has to look through the rows again."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa

from twinset.engine.spark.schemas import with_nulls
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, text, valid

STATUSES = ("documents", "ok", "empty", "bad", "bytes", "without_features", "other")
"""How many documents there are, and of each status; those without features, and those whose copies
have a similarity of their own."""


class FileTallies:
    """The counts of a task by the number of the file."""

    def __init__(self) -> None:
        self._files: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add(self, rows: pa.RecordBatch) -> None:
        """Count rows of sketches."""
        files = numbers(rows["file"])
        for file in np.unique(files).tolist():
            self._files[file].update(_counts(rows.filter(column(files == file))))

    def rows(self, schema: pa.Schema) -> pa.RecordBatch:
        """A row for each file, null in all columns but ``file`` and ``file_facts``."""
        facts = [json.dumps(counts) for counts in self._files.values()]
        files = column(np.array([*self._files], np.int32))
        return with_nulls(schema, {"file": files, "file_facts": text(facts)})


def _counts(rows: pa.RecordBatch) -> dict[str, int]:
    documents = rows.filter(rows["row"].is_valid())
    status, score = numbers(documents["status"]), numbers(documents["copy_score"])
    is_ok = status == 0
    counts = {
        "documents": documents.num_rows,
        "ok": np.count_nonzero(is_ok),
        "empty": np.count_nonzero(status == 1),
        "bad": np.count_nonzero(status == 2),
        "bytes": np.count_nonzero(status == 3),
        "without_features": np.count_nonzero(is_ok & (numbers(documents["features"]) == 0)),
        "other": np.count_nonzero(is_ok & (score != 0) & (score != 1)),
        "key_bytes": pc.sum(pc.binary_length(documents["links"])).as_py() or 0,
        **{
            name: np.count_nonzero(valid(rows[column]))
            for name, column in (("ids", "id"), ("orders", "order"), ("faults", "fault_kind"))
        },
    }
    return {name: int(count) for name, count in counts.items() if count}
