"""`evaluate`: read what was found and what is true, match their ids, count, and measure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twinset.errors import PlanError
from twinset.lab.evaluation.findings import By, found_ids, found_side, is_report, open_found
from twinset.lab.evaluation.list_columns import Kind, column_names
from twinset.lab.evaluation.measures import compare_clusterings
from twinset.lab.evaluation.operations import (
    LOG_NAME,
    GeneratedDocument,
    ids_in_log,
    read_log,
    recall_by_operation,
)
from twinset.lab.evaluation.result import Evaluation
from twinset.lab.evaluation.truth import Truth, TruthOptions
from twinset.plan.reading import with_known_keywords

FilePath = str | os.PathLike[str]
ONLY_KNOWN = "--only-known leaves them out"


@with_known_keywords
def evaluate(
    found: Any,
    truth: Any,
    *,
    ignore: Any = None,
    only_judged: bool = False,
    only_known: bool = False,
    grade: float | None = None,
    by: By = "auto",
    truth_kind: Kind = "auto",
    truth_columns: str | Sequence[str] = (),
    found_columns: str | Sequence[str] = (),
    log: FilePath | None = None,
) -> Evaluation:
    """Compare found pairs with true ones.

    >>> result = evaluate([("a", "b"), ("c", "d")], [("a", "b"), ("a", "e")])
    >>> result.common, result.precision, result.recall
    (1, 0.5, 0.5)
    >>> list(result.missed())
    [('a', 'e')]

    ``found``: a report (folder, `Report` or `Findings`) or pairs; ``truth``: pairs, graded pairs or
    clusters; ``ignore``: pairs that count neither way. Pairs and clusters are files, tables, tuples
    (left, right, score or grade), or a dictionary of id to cluster.

    With ``only_judged``, only judged pairs count: those with a grade or, where the truth has no
    grades, those of two documents that it names. With ``only_known``, true pairs of documents that
    the report does not have do not count. Of graded pairs, those of at least ``grade`` are true.
    ``by`` chooses what counts as found in a report: its ``pairs``, or all pairs inside its
    ``clusters``; ``auto`` takes the clusters where they are closed sets. ``log`` is the log of a
    generated collection; a ``log.jsonl`` beside the truth file is used without asking.
    """
    _check(by, truth_kind)
    opened = open_found(found, column_names(found_columns))
    if only_known and not is_report(opened):
        raise PlanError(["only-known needs a report, whose documents are known, not a file"])
    generated = _read_log(log, truth)
    options = TruthOptions(
        truth,
        ignore,
        only_judged,
        grade,
        truth_kind,
        column_names(truth_columns),
        _name(truth, "the truth"),
    )
    true = Truth.read(
        options,
        found_ids(opened),
        ids_in_log(generated),
        unknown="accept" if not is_report(opened) else "drop" if only_known else "count",
        remedy=ONLY_KNOWN,
    )
    side = found_side(opened, true.ids, by, _name(found, "the found pairs"))
    compared = true.side.named if only_judged else side.named | true.side.named
    return Evaluation.of(
        true.agreement(side),
        compare_clusterings(true.side.clusters[compared], side.clusters[compared]),
        true.ids,
        documents=int(compared.sum()),
        notes=(*side.notes, *true.notes),
        operations=tuple(recall_by_operation(generated, side.pairs, true.ids)),
    )


def _check(by: str, kind: str) -> None:
    faults = []
    if by not in ("auto", "pairs", "clusters"):
        faults.append(f"by must be auto, pairs or clusters, not '{by}'")
    if kind not in ("auto", "pairs", "clusters"):
        faults.append(f"truth-kind must be auto, pairs or clusters, not '{kind}'")
    if faults:
        raise PlanError(faults)


def _name(data: Any, otherwise: str) -> str:
    return os.fspath(data) if isinstance(data, str | os.PathLike) else otherwise


def _read_log(log: FilePath | None, truth: Any) -> list[GeneratedDocument]:
    """The log that the caller names, or else ``log.jsonl`` beside the truth file."""
    if log is not None:
        return read_log(log)
    if isinstance(truth, str | os.PathLike):
        beside = Path(truth).parent / LOG_NAME
        if beside.is_file():
            return read_log(beside)
    return []
