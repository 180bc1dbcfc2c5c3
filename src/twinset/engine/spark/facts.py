"""What was read, for the manifest: inputs with their documents, faults, and what was passed over.

All of it comes from the rows of blocks and faults, and from counts for each file; it is asked after
the first pass, which ends here where the input is not what it should be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from twinset.engine.manifest import MOST_PASSED_OVER
from twinset.engine.spark.frame import FrameRecords
from twinset.engine.spark.parsing import read_job
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sources import SparkSources
from twinset.errors import PlanError
from twinset.model import Fault
from twinset.reading.faults import Faults
from twinset.reading.unread import ReadTally, field_names, no_order, text_fields
from twinset.report.manifest import SORTS
from twinset.text.repeated import LEAST_ARTICLES

MOST_FAULTS = 100
"""Faults of each kind that are named: thousands of one must not hide the names of another."""
OK, BAD = 0, 2
"""Of the statuses of documents: one with text, and one that could not be read."""


def read_facts(records: SparkRecords, rows: Any) -> dict[str, Any]:
    """What was read, by the names that the manifest has for it.

    ``rows`` are those of the records without their texts, written already, and with the ``status``
    of each document. Raises where a local run would: at a fault, if it is to stop there, where no
    row has the field that decides which copy stays, and for pages that lose their repeated lines.
    """
    sources = records.sources
    files = _files(rows)
    kinds, faults = _faults(rows, sources) if any(f["faults"] for f in files.values()) else ({}, [])
    ordered = sorted(
        [*faults, *((file, 0, 0, fault) for file, fault in sources.faults)], key=_order
    )
    named, first = Counter(kinds), []
    named.update(fault.kind for _, fault in sources.faults)
    listed: Counter[str] = Counter()
    for _, _, _, fault in ordered:
        listed[fault.kind] += 1
        if listed[fault.kind] <= MOST_FAULTS:
            first.append(fault)
    if first and sources.options.on_error == "stop":
        Faults(first[0].source, "stop").add(first[0].line, first[0].kind, first[0].detail)
    counts = _counts(rows) + Counter(file.reason for file in sources.passed_over)
    _ensure_no_pages(sources, counts)
    return {
        "inputs": _inputs(records, files),
        "counts": dict(counts),
        "without_reader": {sort: counts[sort] for sort in SORTS if counts[sort]},
        "faults": {kind: named[kind] for kind in dict.fromkeys(fault.kind for fault in first)},
        "first_faults": [
            {"source": f.source, "line": f.line, "kind": f.kind, "detail": f.detail} for f in first
        ],
        "unread": None if isinstance(records, FrameRecords) else _unread(sources, files, first),
        "first_passed_over": [f._asdict() for f in sources.passed_over[:MOST_PASSED_OVER]],
    }


def _files(rows: Any) -> dict[int, Any]:
    """Of each file how many documents it has, and how many of them have what they should have."""
    from pyspark.sql import functions as f

    facts = rows.groupBy("file").agg(
        f.count("row").alias("documents"),
        f.count_if(f.col("row").isNotNull() & (f.col("status") == BAD)).alias("unread"),
        f.count_if(f.col("row").isNotNull() & (f.col("status") == OK)).alias("texts"),
        f.count("id").alias("ids"),
        f.count("order").alias("orders"),
        f.count("fault_kind").alias("faults"),
    )
    return {row.file: row for row in facts.collect()}


def _counts(rows: Any) -> Counter[str]:
    """What was done on the way that is no fault."""
    counts: Counter[str] = Counter()
    noted = rows.where("block_counts is not null").groupBy("block_counts").count()
    for text, times in noted.collect():
        counts.update({name: times * count for name, count in json.loads(text).items()})
    return counts


def _faults(
    rows: Any, sources: SparkSources
) -> tuple[dict[str, int], list[tuple[int, int, int, Fault]]]:
    """How many faults of each kind there are, and the first ones with file, block and line."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    place = ("file", "block", "fault_line", "fault_source", "fault_detail")
    faults = rows.where("fault_kind is not null").select(*place, "fault_kind")
    kinds = {row.fault_kind: row["count"] for row in faults.groupBy("fault_kind").count().collect()}
    # Of each block first: one kind may have too many for a single task.
    for by in (("file", "block", "fault_kind"), ("fault_kind",)):
        nth = f.row_number().over(Window.partitionBy(*by).orderBy(*place))
        faults = faults.withColumn("nth", nth).where(f.col("nth") <= MOST_FAULTS).drop("nth")
    chosen = faults.collect()
    before = _lines_before(rows, sorted({row.file for row in chosen}))
    return kinds, [
        (
            row.file,
            row.block,
            row.fault_line or 0,
            Fault(
                row.fault_source or sources.names[row.file],
                None if row.fault_line is None else before[row.file, row.block] + row.fault_line,
                row.fault_kind,
                row.fault_detail,
            ),
        )
        for row in chosen
    ]


def _order(fault: tuple[int, int, int, Fault]) -> Any:
    return (*fault[:3], fault[3].source, fault[3].detail)


def _lines_before(rows: Any, files: Sequence[int]) -> dict[tuple[int, int], int]:
    """How many lines of some files come before each of their blocks."""
    from pyspark.sql import functions as f

    ends = rows.where(f.col("block_lines").isNotNull() & f.col("file").isin(list(files)))
    before, lines = {}, Counter[int]()
    for file, block, count in sorted(ends.select("file", "block", "block_lines").collect()):
        before[file, block] = lines[file]
        lines[file] += count
    return before


def _inputs(records: SparkRecords, files: Mapping[int, Any]) -> list[dict[str, Any]]:
    counts = [files[n].documents if n in files else 0 for n in range(len(records.sources.names))]
    if isinstance(records, FrameRecords):
        return [{"source": records.sources.names[0], "documents": counts[0]}]
    every = zip(records.sources.sources, counts, strict=True)
    return [
        source.described(None) | ({"documents": count} if count else {}) for source, count in every
    ]


def _unread(sources: SparkSources, files: Mapping[int, Any], faults: Sequence[Fault]) -> str | None:
    """What is wrong with the input as a whole, and the remedy, as a local run says it."""
    tally = ReadTally(first_fault=faults[0] if faults else None)
    broken = {file for file, _ in sources.faults}
    for number, source in enumerate(sources.sources):
        facts = files.get(number)
        documents, is_record = facts.documents if facts else 0, source.reader != "files"
        if is_record and documents:
            tally.read_files.add(source.name)
        elif is_record and ((facts and facts.faults) or number in broken):
            tally.unread_files.add(source.name)
        if not facts or not documents:
            continue
        of_record = {"rows": documents, "unread_rows": facts.unread}
        of_record |= {"has_ids": facts.ids > 0, "has_order": facts.orders > 0}
        of_record["has_text_in_rows"] = facts.texts > 0
        one = ReadTally(documents=documents, unread=facts.unread, has_text=facts.texts > 0)
        for name, value in of_record.items() if is_record else ():
            setattr(one, name, value)
        tally.merge(one)
    options = sources.options
    # Only what lies on this machine is looked into for other fields.
    jobs = [read_job(s, options) for s in sources.sources if isinstance(s.path, Path)]
    if tally.lacks_order(options):
        raise PlanError([no_order(options, field_names(jobs))])
    if tally.fault(options, []) is None:
        return None
    return tally.fault(options, text_fields(jobs), field_names(jobs))


def _ensure_no_pages(sources: SparkSources, counts: Mapping[str, int]) -> None:
    """Raise where a local run may drop lines that pages repeat: that needs all pages at once."""
    if sources.options.drops_repeated and counts.get("html_cleaned", 0) >= LEAST_ARTICLES:
        raise PlanError(
            [
                f"{counts['html_cleaned']:,} of the texts are HTML pages, and lines that pages "
                "repeat are dropped on one machine only: add --repeated keep, clean the texts "
                "first, or run with --engine local"
            ]
        )
