"""Kept and removed documents, written by Spark in the format of the input.

The records are read again and told apart by the numbers of those that go, which are mostly few. An
output is a folder of parts; documents of different formats, or of different columns, go to folders
of their own. Of documents that are files, lists of their names are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa

from twinset.engine.spark.blocks import DOCUMENT
from twinset.engine.spark.checks import form_refusals
from twinset.engine.spark.frame import FrameRecords
from twinset.engine.spark.hadoop import file_system
from twinset.engine.spark.lines import read_job
from twinset.engine.spark.parsing import LineParser
from twinset.engine.spark.parts import InputPart, patterns_of
from twinset.engine.spark.raw_rows import HEADER, RAW, RawLines, RawRecords
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.tasks import mapped
from twinset.errors import PlanError, ReportError
from twinset.plan.output import OutputForm
from twinset.reading.files import document_name, documents
from twinset.reading.output.written import WrittenRoute

CODECS = {"gz": "gzip", "bz2": "bzip2"}
"""How Spark calls the packings that it reads."""
FEW = 1_000_000
"""So many removed documents are known to all tasks (60 MB); where more go, records are shuffled."""
NAMES = "-files.jsonl"
"""Behind the name of an output that lists files."""


class SplitRows(NamedTuple):
    """Rows that are written in one way: those that stay and those that go.

    ``first`` is the number of the first source that they come from, ``suffix`` that of the parts.
    Parts of CSV begin with a ``header``.
    """

    first: int
    suffix: str
    kept: Any
    removed: Any
    header: bytes = b""


def write(
    records: SparkRecords, decided: Any, folder: str, form: OutputForm | None = None
) -> dict[str, dict[str, Any]]:
    """Write the documents below a folder; what was written, as the manifest of a report has it.

    ``decided`` has a row for every document: ``file``, ``block``, ``row`` and ``keep``.
    """
    from pyspark.sql import functions as f

    form = form or OutputForm()
    if faults := form_refusals(form):
        raise PlanError(faults)
    if form.no_split:
        return {}
    counts = _counts(records, decided)
    removed = decided.where(~f.col("keep")).select(*DOCUMENT)
    if counts[False, False] + counts[False, True] <= FEW:
        removed = f.broadcast(removed)  # or Spark may shuffle the records
    groups = list(_groups(records, removed))
    lists = [rows for rows in groups if rows.suffix == NAMES]
    own = sorted((rows for rows in groups if rows.suffix != NAMES), key=lambda rows: rows.first)
    if form.shards is not None and len(own) > 1:
        raise PlanError(
            [
                "shards: the documents are of several formats or columns and cannot be joined; "
                "leave it out"
            ]
        )
    written = {}
    for name, keep in (("kept", True), ("removed", False)):
        if own:
            path = name + own[0].suffix if len(own) == 1 else name
            parts = [
                _save(
                    records.sources.session,
                    rows,
                    getattr(rows, name),
                    f"{folder}/{path}" if len(own) == 1 else f"{folder}/{path}/{at}{rows.suffix}",
                    form.shards,
                )
                for at, rows in enumerate(own, 1)
            ]
            files, size = (sum(values) for values in zip(*parts, strict=True))
            written[name] = WrittenRoute(path, counts[keep, False], files, size)
        for rows in lists:
            path = name + NAMES
            saved = _save(
                records.sources.session, rows, getattr(rows, name), f"{folder}/{path}", None
            )
            route = WrittenRoute(path, counts[keep, True], *saved)
            written[f"{name}_files" if own else name] = route
    return {name: asdict(route) for name, route in written.items()}


def _counts(records: SparkRecords, decided: Any) -> Counter[tuple[bool, bool]]:
    """How many documents are kept or not, and are files or not."""
    from pyspark.sql import functions as f

    is_file = f.col("file").isin(list(records.sources.of("files")))
    rows = decided.groupBy("keep", is_file.alias("is_file")).count().collect()
    return Counter({(row.keep, row.is_file): row["count"] for row in rows})


def _groups(records: SparkRecords, removed: Any) -> Iterator[SplitRows]:
    if isinstance(records, FrameRecords):
        yield SplitRows(0, ".parquet", *records.split(removed))
        return
    for part in records.parts():
        if isinstance(part.parse, LineParser):
            raw = mapped(part.frame, RawLines(part.parse.lines), RAW)
            suffix = f".jsonl{_packing(records, part.files)}"
            yield SplitRows(part.files[0], suffix, *_split(raw, removed))
        elif part.format == "csv":
            yield from _tables(records, part, removed)
        elif part.format == "parquet":
            yield _columns(records, part, removed)
        else:
            yield _names(records, part, removed)


def _split(rows: Any, removed: Any, by: list[str] | None = None) -> tuple[Any, Any]:
    by = by or list(DOCUMENT)
    return rows.join(removed, by, "left_anti"), rows.join(removed, by, "left_semi")


def _tables(records: SparkRecords, part: InputPart, removed: Any) -> Iterator[SplitRows]:
    """Records of CSV and TSV by their headers, which are few."""
    from pyspark.sql import functions as f

    sources = records.sources
    task = RawRecords(sources.numbers, sources.sources, sources.options)
    raw = mapped(part.frame, task, RAW)
    headers: dict[tuple[str, bytes], list[int]] = {}
    for file, header in sorted(raw.where(f"row = {HEADER}").select("file", "value").collect()):
        key = sources.sources[file].reader, bytes(header)
        headers.setdefault(key, []).append(file)
    for (reader, header), files in headers.items():
        suffix = f".{reader}{_packing(records, files)}"
        of_files = raw.where(f.col("file").isin(files) & ~f.col("row").eqNullSafe(HEADER))
        yield SplitRows(files[0], suffix, *_split(of_files, removed), header)


def _columns(records: SparkRecords, part: InputPart, removed: Any) -> SplitRows:
    """Rows of Parquet files, whose numbers Spark knows itself."""
    from pyspark.sql import functions as f

    sources = records.sources
    numbers = [(path, file) for path, file in sources.numbers.items() if file in part.files]
    files = few_rows(sources.session, numbers, "twinset_path string, twinset_file int")
    rows = sources.reader.parquet(*patterns_of(sources, part.files)).select(
        "*",
        f.col("_metadata.file_path").alias("twinset_path"),
        f.col("_metadata.row_index").alias("twinset_row"),
    )
    rows = rows.join(f.broadcast(files), "twinset_path").drop("twinset_path")
    places = removed.select(
        f.col("file").alias("twinset_file"), (f.col("block") + f.col("row")).alias("twinset_row")
    )
    by = ["twinset_file", "twinset_row"]
    kept, gone = (split.drop(*by) for split in _split(rows, places, by))
    return SplitRows(part.files[0], ".parquet", kept, gone)


def _names(records: SparkRecords, part: InputPart, removed: Any) -> SplitRows:
    """Ids and paths of files, which the driver has listed."""
    sources = records.sources
    rows = []
    for file in part.files:
        job = read_job(sources.sources[file], sources.options)
        for row, path in enumerate(documents(job)):
            rows.append((file, 0, row, document_name(job, path), str(path)))
    schema = "file int, block bigint, row bigint, id string, path string"
    frame = sources.session.createDataFrame(rows, schema)
    kept, gone = (split.select("id", "path") for split in _split(frame, removed))
    return SplitRows(part.files[0], NAMES, kept, gone)


def _packing(records: SparkRecords, files: Any) -> str:
    """The suffix of the packing that all of the files have."""
    packings = {records.sources.sources[file].compression for file in files}
    only = packings.pop() if len(packings) == 1 else None
    return f".{only}" if only else ""


def _save(
    session: Any, rows: SplitRows, frame: Any, place: str, shards: int | None
) -> tuple[int, int]:
    """Write rows to a folder; the number of its parts and their bytes."""
    if shards is not None:
        frame = frame.repartition(shards)
    if rows.suffix == ".parquet":
        frame.write.parquet(place)
    elif rows.suffix == NAMES:
        frame.write.json(place)
    else:
        frame = frame.select("value")
        if rows.header:
            frame = frame.mapInArrow(partial(_headed, rows.header), "value binary")
        codec = CODECS.get(rows.suffix.rpartition(".")[2], "none")
        lines = frame.selectExpr("cast(value as string) as value")
        lines.write.option("compression", codec).text(place)
    return _named(session, place, rows.suffix[rows.suffix.index(".") :])


def _headed(header: bytes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a part behind a header."""
    head = pa.RecordBatch.from_pydict({"value": pa.array([header], pa.binary())})
    for batch in batches:
        if batch.num_rows and head is not None:
            yield head
            head = None
        yield batch


def _named(session: Any, place: str, suffix: str) -> tuple[int, int]:
    """Give the parts of a folder the suffix of their format, by which readers know it.

    Spark calls all lines ``.txt``, and every text file would be a document.
    """
    make = session._jvm.org.apache.hadoop.fs.Path
    system, folder = file_system(session, place)
    files, size = 0, 0
    for status in system.listStatus(folder):
        name = status.getPath().getName()
        if not name.startswith("part-"):
            continue
        files, size = files + 1, size + status.getLen()
        new = name.partition(".")[0] + suffix
        is_parquet = suffix == ".parquet"
        if not is_parquet and not system.rename(status.getPath(), make(folder, new)):
            raise ReportError(f"{place}: the part {name} cannot be renamed to {new}")
    return files, size
