"""Decisions carried out: a report as `dedup` writes it, with the kept and removed documents.

The user's own files are read and never written.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.outcomes import outcomes_of
from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model import compute as pc
from twinset.model.columns import column, words
from twinset.plan.output import OutputForm
from twinset.report import Report, ReportPlaces, ensure_free, write
from twinset.report.tables import DECIDED, EQUAL, NEAR
from twinset.report.texts import reopen
from twinset.review.index import ReportIndex
from twinset.review.journal import NAME, Journal
from twinset.review.settle import Settled, Undecided, counts, settle
from twinset.system.remote import Place


@dataclass(frozen=True)
class Applied:
    """Where the result is and how many documents were kept, removed, and removed by decision."""

    folder: Place
    kept: int
    removed: int
    by_decision: int


def apply(
    index: ReportIndex,
    folder: str | Place,
    *,
    undecided: Undecided = "keep",
    force: bool = False,
    language: str = "en",
    form: OutputForm | None = None,
) -> Applied:
    """Write a new folder with the kept and removed documents, as decided in the report's journal.

    Near-duplicates without a decision are kept, or go as `dedup` would have it.
    """
    report = index.report
    sources = [str(entry["source"]) for entry in index.manifest.get("inputs", [])]
    ensure_free(folder, force, sources)
    index.load()  # which checks the tables before anything is written
    inputs = reopen(index.manifest)
    entries = index.manifest["inputs"]
    inputs.expect({e["source"]: _digest(e) for e in entries if e.get("digest")})
    inputs.reference_documents = _count_references(report)
    decisions = Journal(report.folder).read()
    settled = settle(index, decisions, undecided)

    decided = {**decisions.counts(), "undecided": undecided, "unknown": settled.unknown}
    results = _Decided(report, index, settled, decided)

    def add(places: ReportPlaces) -> None:
        outcomes = outcomes_of(results.documents, results.clusters)
        written = inputs.write(outcomes, places.documents, form or OutputForm())
        results.manifest["written"] = written.described()
        if (report.folder / NAME).is_file():
            shutil.copyfile(report.folder / NAME, places.files / NAME)

    new_folder = write(results, folder, force, add, language)
    return Applied(new_folder, **counts(settled))


def _count_references(report: Report) -> int:
    """Documents that others were only compared with: they come first, and are not written."""
    names = [str(e["source"]) for e in report.manifest["inputs"] if e.get("reference")]
    sources = report.columns("documents", ["source"])["source"].cast(pa.string())
    return int(pc.sum(pc.is_in(sources, value_set=pa.array(names, pa.string()))).as_py() or 0)


def _digest(entry: dict[str, Any]) -> int:
    try:
        return int(entry["digest"], 16)
    except ValueError:
        raise ReportError(
            f"manifest.json has no digest of {entry['source']} but '{entry['digest']}'; "
            "run again with --force"
        ) from None


class _Decided:
    """The tables of a report with what was decided."""

    def __init__(
        self, report: Report, index: ReportIndex, settled: Settled, decided: dict[str, Any]
    ) -> None:
        self.pairs, self.more, self.lattices = report.pairs, report.more, report.lattices
        self.repeated, self.boilerplate = report.repeated, report.boilerplate
        self.documents = _documents(report.documents, index, settled)
        self.clusters = _clusters(report.clusters, index, settled)
        totals = counts(settled)
        self.manifest = {**report.manifest, "decisions": decided}
        self.manifest["counts"] = {
            **report.manifest["counts"],
            "kept": totals["kept"],
            "removed": totals["removed"],
            "removed_by_decision": totals["by_decision"],
        }
        self._report = report

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents."""
        return self._report.heads(ids)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents."""
        return self._report.texts(ids)


def _documents(table: pa.Table, index: ReportIndex, settled: Settled) -> pa.Table:
    goes = settled.target != np.arange(len(settled.target))
    gone = [n for n in ("kept_as", "kept_score", "kept_reason") if n in table.column_names]
    table = table.drop_columns(gone) if gone else table
    same = index.leader[settled.target] == index.leader
    reason = np.where(settled.decided, 2, np.where(same, 1, 0))
    ids = index.ids.combine_chunks()
    kept_as = ids.take(column(np.where(goes, settled.target, 0), missing=~goes))
    why = words(reason, [NEAR, EQUAL, DECIDED])
    table = table.append_column("kept_as", kept_as)
    score = column(settled.score, missing=~goes | np.isnan(settled.score))
    table = table.append_column("kept_score", score)
    return table.append_column("kept_reason", pc.if_else(column(goes), why, None))


def _clusters(table: pa.Table, index: ReportIndex, settled: Settled) -> pa.Table:
    goes = settled.target != np.arange(len(settled.target))
    role = words(goes[_numbers(table, index)].astype(np.int64), ["kept", "removed"])
    return table.set_column(table.column_names.index("role"), "role", role)


def _numbers(table: pa.Table, index: ReportIndex) -> np.ndarray[Any, np.dtype[np.int64]]:
    places = pc.index_in(table["id"], value_set=index.ids).combine_chunks()
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int64)
