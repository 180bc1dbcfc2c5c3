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
from twinset.engine.spark.lines import read_job
from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sources import SparkSources
from twinset.engine.spark.tallies import STATUSES
from twinset.errors import PlanError
from twinset.model import Fault
from twinset.reading.faults import Faults
from twinset.reading.unread import ReadTally, field_names, no_order, text_fields
from twinset.report.manifest import SORTS
from twinset.text.repeated import LEAST_ARTICLES

MOST_FAULTS = 100
"""Faults of each kind that are named: thousands of one must not hide the names of another."""
NOT_ASKED = {"unread": None, "unread_files": None}


def read_facts(records: SparkRecords, rows: Any, blocks: Blocks) -> dict[str, Any]:
    """What was read, by the names that the manifest has for it, and the ``statuses`` of documents.

    ``rows`` are those of the records without their texts, written already. Raises where a local run
    would: at a fault, if it is to stop there, where no row has the field that decides which copy
    stays, and for pages that lose their repeated lines.
    """
    sources = records.sources
    files = blocks.files
    has_faults = any(file["faults"] for file in files.values())
    kinds, faults = _faults(rows, sources, blocks) if has_faults else (Counter(), [])
    ordered = sorted(
        [*faults, *((file, 0, 0, fault) for file, fault in sources.faults)], key=_order
    )
    kinds.update((file, fault.kind) for file, fault in sources.faults)
    named: Counter[str] = Counter()
    for (_, kind), count in kinds.items():
        named[kind] += count
    first: list[Fault] = []
    listed: Counter[str] = Counter()
    for _, _, _, fault in ordered:
        listed[fault.kind] += 1
        if listed[fault.kind] <= MOST_FAULTS:
            first.append(fault)
    if first and sources.options.on_error == "stop":
        Faults(first[0].source, "stop").add(first[0].line, first[0].kind, first[0].detail)
    counts = blocks.counts + Counter(file.reason for file in sources.passed_over)
    if sources.of("files"):
        counts += _counts(rows)
    _ensure_no_pages(sources, counts)
    return {
        "statuses": {name: sum(file[name] for file in files.values()) for name in STATUSES},
        "inputs": _inputs(records, files),
        "counts": dict(counts),
        "without_reader": {sort: counts[sort] for sort in SORTS if counts[sort]},
        "faults": {kind: named[kind] for kind in dict.fromkeys(fault.kind for fault in first)},
        "first_faults": [
            {"source": f.source, "line": f.line, "kind": f.kind, "detail": f.detail} for f in first
        ],
        **(
            NOT_ASKED
            if isinstance(records, FrameRecords)
            else _unread(sources, files, kinds, first)
        ),
        "first_passed_over": [f._asdict() for f in sources.passed_over[:MOST_PASSED_OVER]],
    }


def _counts(rows: Any) -> Counter[str]:
    """What was done on the way that is no fault, to blocks that several tasks work on."""
    counts: Counter[str] = Counter()
    noted = rows.where("block_counts is not null and block_documents is null")
    for text, times in noted.groupBy("block_counts").count().collect():
        counts.update({name: times * count for name, count in json.loads(text).items()})
    return counts


def _faults(
    rows: Any, sources: SparkSources, blocks: Blocks
) -> tuple[Counter[tuple[int, str]], list[tuple[int, int, int, Fault]]]:
    """How many faults of each kind each file has, and the first ones with file, block and line."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    place = ("file", "block", "fault_line", "fault_source", "fault_detail")
    faults = rows.where("fault_kind is not null").select(*place, "fault_kind")
    counted = faults.groupBy("file", "fault_kind").count().collect()
    kinds = Counter({(row.file, row.fault_kind): row["count"] for row in counted})
    # Of each block first: one kind may have too many for a single task.
    for by in (("file", "block", "fault_kind"), ("fault_kind",)):
        nth = f.row_number().over(Window.partitionBy(*by).orderBy(*place))
        faults = faults.withColumn("nth", nth).where(f.col("nth") <= MOST_FAULTS).drop("nth")
    chosen = faults.collect()
    return kinds, [
        (
            row.file,
            row.block,
            row.fault_line or 0,
            Fault(
                row.fault_source or sources.names[row.file],
                None
                if row.fault_line is None
                else blocks.lines[row.file, row.block] + row.fault_line,
                row.fault_kind,
                row.fault_detail,
            ),
        )
        for row in chosen
    ]


def _order(fault: tuple[int, int, int, Fault]) -> Any:
    return (*fault[:3], fault[3].source, fault[3].detail)


def _inputs(records: SparkRecords, files: Mapping[int, Counter[str]]) -> list[dict[str, Any]]:
    counts = [files[n]["documents"] if n in files else 0 for n in range(len(records.sources.names))]
    if isinstance(records, FrameRecords):
        return [{"source": records.sources.names[0], "documents": counts[0]}]
    every = zip(records.sources.sources, counts, strict=True)
    return [
        source.described(None) | ({"documents": count} if count else {}) for source, count in every
    ]


def _unread(
    sources: SparkSources,
    files: Mapping[int, Counter[str]],
    kinds: Mapping[tuple[int, str], int],
    faults: Sequence[Fault],
) -> dict[str, Any]:
    """What is wrong with the input as a whole or with files of it, as a local run says it."""
    tally = ReadTally(first_fault=faults[0] if faults else None)
    by_file: dict[int, dict[str, int]] = {}
    for (number, kind), count in kinds.items():
        by_file.setdefault(number, {})[kind] = count
    for number, source in enumerate(sources.sources):
        facts = files.get(number)
        documents, is_record = facts["documents"] if facts else 0, source.reader != "files"
        own = by_file.get(number, {})
        if is_record and (documents or own):
            file = tally.of_file(source.name)
            file.add(documents, facts["bad"] if facts else 0, ())
            file.faults = own
            file.first_fault = next((f for f in faults if f.source == source.name), None)
        if not facts or not documents:
            continue
        of_record = {"rows": documents, "unread_rows": facts["bad"]}
        of_record |= {"has_ids": facts["ids"] > 0, "has_order": facts["orders"] > 0}
        of_record["has_text_in_rows"] = facts["ok"] > 0
        one = ReadTally(documents=documents, unread=facts["bad"], has_text=facts["ok"] > 0)
        for name, value in of_record.items() if is_record else ():
            setattr(one, name, value)
        tally.merge(one)
    options = sources.options
    # Only what lies on this machine is looked into for other fields.
    jobs = [read_job(s, options) for s in sources.sources if isinstance(s.path, Path)]
    if tally.lacks_order(options):
        raise PlanError([no_order(options, field_names(jobs))])
    if tally.fault(options, []) is not None:
        unread = tally.fault(options, text_fields(jobs), field_names(jobs))
        return {"unread": unread, "unread_files": None}
    return {"unread": None, "unread_files": tally.files_without_text(options, jobs)}


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
