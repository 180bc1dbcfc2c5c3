"""`evaluate`: what was found against what is true, as numbers, each with its definition."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset._version import VERSION
from twinset.errors import MissingFileError, PlanError, ReadError
from twinset.lab.lists import column_names, list_source
from twinset.lab.pairs import (
    NO_SCORES,
    ClusterScores,
    DocumentIds,
    NumberedPairs,
    PairSet,
    best_of,
    compare_clusterings,
)
from twinset.lab.truth import (
    BY,
    By,
    PairAgreement,
    Truth,
    TruthOptions,
    found_ids,
    found_side,
    is_report,
    open_found,
)
from twinset.model.columns import column, text
from twinset.model.spreadsheet import cells
from twinset.pages import engine
from twinset.pages.charts import Figure, draw
from twinset.pages.grids import Curves
from twinset.pages.language import exact, number, speaker
from twinset.result.result import Result
from twinset.system.bounded import LIST_BYTES, open_regular
from twinset.system.files import write_file
from twinset.system.lines import each_once
from twinset.system.remote import Place

LOG_NAME = "log.jsonl"
NO_OPERATION = ("no operation", None)


@dataclass(frozen=True)
class GeneratedDocument:
    """A generated document: what it was made from, and the operations it went through."""

    id: str
    source: str
    operations: tuple[tuple[str, float | None], ...]


@dataclass(frozen=True)
class OperationRecall:
    """How many documents that went through an operation of some strength were found.

    A document is found if it is a pair with its source. The fields ``alone_...`` count only
    documents that went through this operation and no other.
    """

    operation: str
    strength: float | None
    made: int
    found: int
    alone_made: int
    alone_found: int

    @property
    def recall(self) -> float:
        """The share of the generated documents that was found."""
        return self.found / self.made if self.made else 1.0

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "recall": self.recall}


def read_log(path: str | os.PathLike[str]) -> list[GeneratedDocument]:
    """The generated documents of a log."""
    if not os.path.isfile(path):
        raise MissingFileError(path, remedy="'twinset lab generate' writes log.jsonl")
    documents = []
    with TextIOWrapper(open_regular(path, most=LIST_BYTES, buffering=-1), "utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line, object_pairs_hook=each_once)
                operations = tuple(_operation(step) for step in entry["operations"])
                documents.append(GeneratedDocument(entry["id"], entry["source"], operations))
            except (ValueError, KeyError, TypeError):
                remedy = "give the log.jsonl of 'twinset lab generate'"
                fault = f"no entry with id, source and operations: {remedy}"
                raise ReadError(str(path), number, fault) from None
    return documents


def _operation(step: dict[str, Any]) -> tuple[str, float | None]:
    strength = step.get("strength")
    return str(step["name"]), None if strength is None else float(strength)


def ids_in_log(documents: list[GeneratedDocument]) -> tuple[pa.Array, pa.Array]:
    """The ids of the generated documents, and those of their sources."""
    ids = [document.id for document in documents]
    sources = [document.source for document in documents]
    return text(ids).cast(pa.large_string()), text(sources).cast(pa.large_string())


def recall_by_operation(
    documents: list[GeneratedDocument], pairs: PairSet, ids: DocumentIds
) -> list[OperationRecall]:
    """One row per operation and strength, in the order of names and strengths."""
    left, right = (ids.numbers(column) for column in ids_in_log(documents))
    was_found = pairs.contains(left, right).tolist()
    counts: dict[tuple[str, float | None], list[int]] = {}
    for document, hit in zip(documents, was_found, strict=True):
        operations = dict.fromkeys(document.operations or (NO_OPERATION,))
        alone = len(operations) == 1
        for operation in operations:
            row = counts.setdefault(operation, [0, 0, 0, 0])
            for at, add in enumerate((1, hit, alone, alone and hit)):
                row[at] += int(add)
    order = sorted(counts, key=lambda key: (key[0], -1.0 if key[1] is None else key[1]))
    return [OperationRecall(*key, *counts[key]) for key in order]


SHOWN = 12
"""Rows of the curve that are shown as numbers."""
OPERATIONS = ("operation", "strength", "made", "found", "recall", "alone_made", "alone_found")


def curve_picture(curve: pa.Table, language: str = "en") -> str:
    """Precision, recall and F1 over the threshold, as an SVG file."""
    return draw(_chart(curve, language), language, style=engine.style())


def operations_table(operations: Any, language: str = "en") -> list[tuple[str, ...]]:
    """Each operation and strength as texts, the header first; thousands separated."""
    say = speaker(language, "evaluation")
    rows = [
        (
            one.operation,
            "" if one.strength is None else exact(language, one.strength),
            number(language, one.made),
            number(language, one.found),
            number(language, one.recall, 4),
            number(language, one.alone_made),
            number(language, one.alone_found),
        )
        for one in operations
    ]
    return [tuple(say(f"head_{name}") for name in OPERATIONS), *rows]


def _figure(curve: pa.Table, language: str) -> Figure:
    say = speaker(language, "evaluation")
    step = max(1, curve.num_rows // SHOWN)
    some = curve.take(list(range(0, curve.num_rows, step))).to_pylist()
    heads = {"threshold": say("threshold")}
    return Figure(
        chart=_chart(curve, language),
        caption=say("curve_caption"),
        head=[heads[name] if name in heads else say(f"name_{name}") for name in curve.column_names],
        rows=[[exact(language, float(f"{v:.4g}")) for v in row.values()] for row in some],
    )


def _chart(curve: pa.Table, language: str) -> Curves:
    say = speaker(language, "evaluation")
    threshold = curve["threshold"].to_pylist()
    at, best = best_of(curve)
    said = say("best", f1=number(language, best, 3), t=exact(language, float(f"{at:.3g}")))
    return Curves(
        series=[
            (say(f"name_{name}"), list(zip(threshold, curve[name].to_pylist(), strict=True)))
            for name in ("precision", "recall", "f1")
        ],
        title=say("curve"),
        x_label=say("threshold"),
        marks=[(at, said)],
    )


NUMBERS = ("reference", "found", "only_in_reference", "only_in_found", "common")
COMPARATOR = "comparator.txt"
MEASURES = ("precision", "recall", "f1")
FIGURES = (*NUMBERS, *MEASURES, "b3_precision", "b3_recall", "b3_f1", "adjusted_rand")
"""``pages/sentences/*/evaluation.toml`` has their names and definitions."""


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """How found pairs and clusters agree with the truth; `rows` defines each number."""

    TEMPLATE = "paper/evaluation.html"
    PAGE = "evaluation.html"
    reference: int
    """Pairs of the truth."""
    found: int
    """Pairs found."""
    only_in_reference: int
    """Pairs of the truth that were not found."""
    only_in_found: int
    """Pairs found that are not in the truth."""
    common: int
    """Pairs found that are in the truth."""
    precision: float
    """common / found; 1 where nothing was found."""
    recall: float
    """common / reference; 1 where there was nothing to find."""
    f1: float
    """The harmonic mean of precision and recall."""
    b3_precision: float | None
    """Mean over documents: the share of its found cluster that is in its true cluster.

    This and the other scores of clusters are None where some pairs do not count.
    """
    b3_recall: float | None
    """Mean over documents: the share of its true cluster that is in its found cluster."""
    b3_f1: float | None
    """The harmonic mean of B³ precision and B³ recall."""
    adjusted_rand: float | None
    """Agreement of both clusterings over all pairs: 1 if equal, 0 by chance."""
    documents: int
    """Documents whose clusters were compared."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about the lists and how they were counted."""
    curve: pa.Table | None = field(default=None, repr=False)
    """Precision and recall over the threshold, where the found pairs have scores."""
    operations: tuple[OperationRecall, ...] = field(default=(), repr=False)
    """Recall by operation, where there is the log of a generated collection."""
    asked: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What was compared, by which options; files with their digests."""
    _agreement: PairAgreement | None = field(default=None, repr=False)

    @classmethod
    def of(cls, pairs: PairAgreement, clusters: ClusterScores, **more: Any) -> Evaluation:
        """From the pairs and the scores of clusters; ``more`` are further fields."""
        return cls(
            **{name: getattr(pairs.numbers, name) for name in (*NUMBERS, *MEASURES)},
            **dataclasses.asdict(clusters),
            curve=pairs.curve(),
            _agreement=pairs,
            **more,
        )

    @property
    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest F1 of the curve, and that F1; None without a curve."""
        return None if self.curve is None else best_of(self.curve)

    def as_dict(self) -> dict[str, Any]:
        """The numbers and measures, flat; best F1, notes and operations where there are any."""
        flat: dict[str, Any] = {name: getattr(self, name) for name in (*FIGURES, "documents")}
        if self.best is not None:
            flat["best_threshold"], flat["best_f1"] = self.best
        if self.notes:
            flat["notes"] = list(self.notes)
        if self.operations:
            flat["operations"] = [row.as_dict() for row in self.operations]
        return flat

    def rows(self, language: str = "en") -> list[tuple[str, str, str]]:
        """Name, value and definition of each number, as text."""
        say = speaker(language, "evaluation")
        return [
            (say(f"name_{name}"), shown(getattr(self, name), language), say(name))
            for name in FIGURES
            if getattr(self, name) is not None
        ]

    def comparator_log(self, language: str = "en") -> str:
        """The five numbers as five lines of text, in the order of the papers' program Comparator.

        Pairs of the truth, pairs found, those of the one alone, those of the other alone, common.
        """
        say = speaker(language, "evaluation")
        return "".join(f"{say(f'name_{name}')}: {getattr(self, name)}\n" for name in NUMBERS)

    def missed(self) -> Iterator[tuple[str, str]]:
        """The pairs of the truth that were not found, one at a time."""
        return self._pairs("only_in_reference")

    def extra(self) -> Iterator[tuple[str, str]]:
        """The pairs found that are not in the truth, one at a time."""
        return self._pairs("only_in_found")

    def save(
        self,
        folder: str | Place,
        force: bool = False,
        language: str = "en",
        *,
        max_pairs: int = 10_000_000,
    ) -> Place:
        """Write a folder: numbers, two CSV files of unique pairs, the curve, a page.

        ``comparator.txt`` has the five lines of `comparator_log`. A CSV file ends after
        ``max_pairs`` pairs; the numbers say how many there are.
        """

        def pairs(files: Path, folder: Place) -> dict[str, Any]:
            for name in ("only_in_reference", "only_in_found"):
                _write_csv(files / f"{name}.csv", self._tables(name), max_pairs)
            return {}

        return self._write(folder, force, language, pairs)

    def fill(self, folder: Path, language: str) -> None:
        """The curve, as numbers and as a picture, and the log."""
        if self.curve is not None:
            _write_csv(folder / "curve.csv", [self.curve], self.curve.num_rows)
            write_file(folder / "precision-recall.svg", curve_picture(self.curve, language))
        write_file(folder / COMPARATOR, self.comparator_log(language))

    @property
    def manifest(self) -> dict[str, Any]:  # type: ignore[override]
        """The numbers, and what was compared."""
        return {"twinset": VERSION, **self.asked, "evaluation": self.as_dict()}

    def said(self, language: str = "en") -> list[str]:
        """The result in a sentence, and what a reader has to know."""
        return [
            speaker(language, "evaluation")(
                "headline",
                common=self.common,
                reference=self.reference,
                extra=self.only_in_found,
                found=self.found,
            ),
            *self.notes,
        ]

    def grid(self, language: str = "en") -> list[Sequence[str]]:
        """The numbers with their definitions."""
        say = speaker(language, "evaluation")
        head = tuple(say(f"head_{name}") for name in ("name", "value", "definition"))
        return [head, *self.rows(language)]

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """The curve, and recall by operation."""
        curve = None if self.curve is None else _figure(self.curve, language)
        return {"curve": curve, "operations": operations_table(self.operations, language)}

    def _pairs(self, name: str) -> Iterator[tuple[str, str]]:
        for table in self._tables(name):
            yield from zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True)

    def _tables(self, name: str) -> Iterator[pa.Table]:
        """The unique pairs of one side with their ids, an empty table first, then chunks."""
        agreement = self._agreement
        if agreement is None:
            return
        if name == "only_in_reference":
            side, chunks, value = agreement.truth.side, agreement.missed(), "grade"
        else:
            side, chunks, value = agreement.found, agreement.extra(), "score"
        fields = [("left", pa.large_string()), ("right", pa.large_string())]
        if side.listing is not None and side.listing.value is not None:
            fields.append((value, pa.float64()))
        schema = pa.schema(fields)
        yield schema.empty_table()
        for pairs in chunks:
            yield _with_ids(pairs, agreement.truth.ids, schema)


def _with_ids(pairs: NumberedPairs, ids: DocumentIds, schema: pa.Schema) -> pa.Table:
    columns = [ids.names.take(column(side)) for side in (pairs.left, pairs.right)]
    if len(schema) > 2:
        nulls = pa.nulls(len(pairs), pa.float64())
        columns.append(nulls if pairs.value is None else column(pairs.value))
    return pa.table(columns, schema=schema)


def _write_csv(path: Path, tables: Iterable[pa.Table], most: int) -> None:
    from pyarrow import csv

    tables = iter(tables)
    first = next(tables, None)
    if first is None:
        return
    with csv.CSVWriter(path, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(cells(table.slice(0, most)))
            most -= min(most, table.num_rows)
            if not most:
                break


def shown(value: float, language: str = "en") -> str:
    """A count with its thousands separated, a share with four places."""
    # Adding zero turns -0.0 into 0.0.
    return (
        number(language, value)
        if isinstance(value, int)
        else number(language, round(value, 4) + 0.0, 4)
    )


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
    if by not in BY:
        raise PlanError([f"by must be auto, pairs or clusters, not '{by}'"])
    opened = open_found(found, column_names(found_columns))
    if only_known and not is_report(opened):
        raise PlanError(["only-known needs a report, whose documents are known, not a file"])
    generated = _read_log(log, truth)
    options = TruthOptions(
        truth,
        ignore,
        only_judged,
        grade,
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
    scores = NO_SCORES
    if true.judged is None and true.ignored is None:
        scores = compare_clusterings(true.side.clusters[compared], side.clusters[compared])
    return Evaluation.of(
        true.agreement(side),
        scores,
        documents=int(compared.sum()),
        notes=(*side.notes, *true.notes),
        operations=tuple(recall_by_operation(generated, side.pairs, true.ids)),
        asked={
            "found": list_source(getattr(found, "folder", found)),
            **options.about,
            "only_known": only_known,
            "by": by,
        },
    )


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
