"""Evaluation: what was found against what is true.

`api` is the door, and follows the data: `findings` opens a report or a list of what
was found, `truth` reads the true pairs and numbers the documents of both, `measures` counts, and
`result` is the `Evaluation`. Below them, `lists` says what a list of duplicates is, `list_files`
and `list_columns` read one; `sides` numbers the documents of a list; `pair_set` holds pairs
without writing them out; `operations` has the recall by operation of a generated collection.
"""

from __future__ import annotations

from twinset.lab.evaluation.api import evaluate
from twinset.lab.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate"]
