"""`evaluate`: from whatever the caller has to an `Evaluation`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.errors import PlanError, TwinsetError
from twinset.lab.evaluation.clusterings import compare_clusterings
from twinset.lab.evaluation.curve import curve
from twinset.lab.evaluation.findings import By, document_ids, is_results, side_of_report
from twinset.lab.evaluation.list_files import Kind, PairList, Wanted, column_names
from twinset.lab.evaluation.lists import take, take_ignored
from twinset.lab.evaluation.measures import Contest
from twinset.lab.evaluation.operations import NAME as LOG
from twinset.lab.evaluation.operations import Made, made_ids, read_log, recall_by_operation
from twinset.lab.evaluation.result import Evaluation
from twinset.lab.evaluation.sides import Ids, Side, only, taken
from twinset.lab.evaluation.truth import ignored_pairs, judged_pairs, true_side, without_unknown

FilePath = str | os.PathLike[str]
ONLY_KNOWN = "--only-known leaves them out"


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

    With ``only_judged`` only pairs count that were judged: those with a grade or, where the truth
    has none, those of two documents that it names. With ``only_known`` pairs do not count whose
    documents the report does not have. Of graded pairs those of at least ``grade`` are
    true. ``by`` says what of a report was found: its ``pairs`` or all pairs inside its
    ``clusters``; ``auto`` takes the clusters where they are closed sets. ``log`` is the log of a
    generated collection; it is found by itself beside a truth file.
    """
    _check(by, truth_kind)
    opened = _opened(found, found_columns)
    reported = is_results(opened)
    arrays = [document_ids(opened)] if reported else opened.ids
    name = _name(truth, "the truth")
    known = pa.concat_arrays(arrays)
    true = take(truth, _wanted("--truth", truth_columns, truth_kind, grade is not None, known))
    ignored = take_ignored(ignore, known)
    made = _log(log, truth)
    more = [*true.ids, *(ignored.ids if ignored else ()), *made_ids(made)]
    ids = Ids([*arrays, *more], ordered=not reported)
    ours = _found_side(opened, ids, by, _name(found, "the found pairs"))
    theirs = true_side(true, ids, grade, name)
    notes = [*ours.notes, *theirs.notes]
    if reported:
        theirs = without_unknown(
            theirs, ours.named, ids, name, notes, drop=only_known, remedy=ONLY_KNOWN
        )
    elif only_known:
        raise PlanError(["only-known needs a report, whose documents are known, not a file"])
    judged = judged_pairs(theirs) if only_judged else None
    if only_judged and judged is None:
        ours = only(ours, theirs.named)
    contest = Contest(theirs, ours, ignored_pairs(ignored, ids), judged)
    numbers = contest.numbers()
    about = theirs.named if only_judged else ours.named | theirs.named
    return Evaluation.of(
        numbers,
        compare_clusterings(theirs.clusters[about], ours.clusters[about]),
        int(about.sum()),
        notes=tuple(notes),
        curve=curve(contest, numbers.reference),
        operations=tuple(recall_by_operation(made, ours.pairs, ids)),
        _contest=contest,
        _ids=ids,
    )


def _check(by: str, kind: str) -> None:
    faults = []
    if by not in ("auto", "pairs", "clusters"):
        faults.append(f"by must be auto, pairs or clusters, not '{by}'")
    if kind not in ("auto", "pairs", "clusters"):
        faults.append(f"truth-kind must be auto, pairs or clusters, not '{kind}'")
    if faults:
        raise PlanError(faults)


def _opened(found: Any, columns: str | Sequence[str]) -> Any:
    """A report, or the pairs that were given."""
    from twinset.report import read, recover

    if is_results(found):
        return found
    if isinstance(found, str | os.PathLike):
        path = Path(found)
        if path.is_dir() or (not path.exists() and recover(path)):
            return read(path)
        if path.is_file() and not path.stat().st_size:  # duplicates.txt of a run without any
            nothing = pa.array([], pa.large_string())
            return PairList(nothing, nothing, notes=(f"{path} is empty: nothing was found",))
        if not path.exists():
            raise TwinsetError(f"there is no report or file {path}: check the name")
    return take(found, _wanted("--found", columns, "auto", False, None))


def _found_side(opened: Any, ids: Ids, by: By, name: str) -> Side:
    if is_results(opened):
        return side_of_report(opened, ids, by, name)
    if by == "clusters" and isinstance(opened, PairList):
        raise PlanError(["by clusters needs a report or a file of clusters, not pairs"])
    return taken(opened, ids, name)


def _wanted(
    option: str, columns: str | Sequence[str], kind: Kind, graded: bool, known: pa.Array | None
) -> Wanted:
    return Wanted(option, kind, column_names(columns), graded, known)


def _name(data: Any, otherwise: str) -> str:
    return os.fspath(data) if isinstance(data, str | os.PathLike) else otherwise


def _log(log: FilePath | None, truth: Any) -> list[Made]:
    """The log that was given, or the one beside a truth file."""
    if log is not None:
        return read_log(log)
    if isinstance(truth, str | os.PathLike):
        beside = Path(truth).with_name(LOG)
        if beside.is_file():
            return read_log(beside)
    return []
