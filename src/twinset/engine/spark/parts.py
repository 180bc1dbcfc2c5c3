"""The input as Spark's own readers see it: a frame for each format, with what parses its rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from twinset.engine.spark.lines import LinesOfSpark, LinesOfTasks, is_read_by_tasks, tasks_of
from twinset.engine.spark.parsing import ColumnParser, FileParser, LineParser, TableParser
from twinset.engine.spark.sources import SparkSources, address_of, as_pattern, uri_of
from twinset.engine.spark.tasks import Task
from twinset.reading.parquet import parquet_columns


class InputPart(NamedTuple):
    """Sources of one format, by their numbers: the frame that Spark reads and what parses it.

    ``columns`` are those of Parquet files.
    """

    format: str
    files: tuple[int, ...]
    frame: Any
    parse: Task
    columns: pa.Schema | None = None


def parts_of(sources: SparkSources) -> Iterator[InputPart]:
    """All that is read, by format; Parquet files by their columns, too."""
    yield from lines_parts(sources)
    tables = sources.of("csv", "tsv")
    numbers, options = sources.numbers, sources.options
    if tables:
        table = TableParser(numbers, sources.sources, options)
        yield InputPart("csv", tables, whole_lines_frame(sources, tables), table)
    for schema, files in sources.columns.items():
        names = parquet_columns(options, schema)
        frame = columns_frame(sources, files, names)
        columns = ColumnParser(numbers, sources.sources, options, names, schema)
        yield InputPart("parquet", files, frame, columns, schema)
    if plain := sources.of("files"):
        yield files_part(sources, plain)


def lines_parts(sources: SparkSources) -> Iterator[InputPart]:
    """JSON lines: files that tasks read themselves, and all others."""
    every, options = sources.sources, sources.options
    files = sources.of("jsonl")
    own = [file for file in files if is_read_by_tasks(every[file])]
    others = [file for file in files if not is_read_by_tasks(every[file])]
    if own:
        tasks = tasks_of(every, own, sources.block_bytes)
        frame = sources.session.range(0, len(tasks), 1, len(tasks))
        # tasks are run in other folders than this one
        found = [dataclasses.replace(each, path=each.path.absolute()) for each in every]
        parse = LineParser(LinesOfTasks(tasks, found, options), every, options)
        yield InputPart("jsonl", tuple(own), frame, parse)
    if others:
        frame = lines_frame(sources, others)
        parse = LineParser(LinesOfSpark(sources.numbers, every), every, options)
        yield InputPart("jsonl", tuple(others), frame, parse)


def lines_frame(sources: SparkSources, files: Sequence[int]) -> Any:
    """The lines of files: ``path``, ``block``, ``value`` (their bytes, whatever the encoding)."""
    from pyspark.sql import functions as f

    return sources.reader.text(patterns_of(sources, files), lineSep="\n").select(
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("block"),
        "value",
    )


def whole_lines_frame(sources: SparkSources, files: Sequence[int]) -> Any:
    """The same of files that are not cut, since a quoted field may hold line ends."""
    largest = max((sources.sources[file].size or 0) for file in files)
    return lines_frame(sources.with_blocks_of(largest), files)


def columns_frame(sources: SparkSources, files: Sequence[int], names: Sequence[str]) -> Any:
    """Rows of Parquet files: ``path``, ``block``, ``index``, then the values of these columns."""
    return with_places(sources.reader.parquet(*patterns_of(sources, files)), names)


def with_places(rows: Any, names: Sequence[str]) -> Any:
    """Where each row of Parquet files lies, and the values of these columns."""
    from pyspark.sql import functions as f

    return rows.select(
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("block"),
        f.col("_metadata.row_index").alias("index"),
        # mapInArrow takes dots in names for nesting
        *(column_of(rows, name).alias(f"value{at}") for at, name in enumerate(names)),
    )


def column_of(frame: Any, dotted: str) -> Any:
    """The column of this name, or the field of nested structs."""
    from pyspark.sql import functions as f

    keys = [dotted] if dotted in frame.columns else dotted.split(".")
    return f.col(".".join(f"`{key.replace('`', '``')}`" for key in keys))


def files_part(sources: SparkSources, files: Sequence[int]) -> InputPart:
    """Plain files: ``path``, ``content``, which is null where it is longer than a document.

    Files that are empty or too long are not read: Spark passes over the former.
    """
    from pyspark.sql import functions as f

    places, patterns, known = {}, [], []
    limit = sources.options.max_document_bytes
    for number in files:
        source = sources.sources[number]
        paths = source.files or (source.path,)
        for row, (path, state) in enumerate(zip(paths, source.states, strict=True)):
            address = address_of(path)
            uri = uri_of(address)
            places[uri] = number, row
            if 0 < state.bytes <= limit:
                patterns.append(as_pattern(address))
            else:
                known.append((uri, None if state.bytes else b""))
    frame = sources.session.createDataFrame(known, "path string, content binary")
    if patterns:
        read = sources.reader.format("binaryFile").load(patterns)
        frame = frame.unionAll(read.select(f.col("_metadata.file_path"), "content"))
    parse = FileParser(places, sources.sources, sources.options)
    return InputPart("files", tuple(files), frame, parse)


def patterns_of(sources: SparkSources, files: Sequence[int]) -> list[str]:
    """What Spark is given for these sources to find nothing but them."""
    return [as_pattern(address_of(sources.sources[file].path)) for file in files]
