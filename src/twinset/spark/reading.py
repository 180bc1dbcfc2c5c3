"""Documents as Spark reads them: JSON lines, Parquet and DataFrames.

Spark lists the files, cuts and unpacks them. A row of the input is known by ``at``, its place among
all that the tasks read, which is the same in every pass: the session cuts the same files into the
same partitions, whatever the cluster. Tasks make documents of rows by the local readers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from twinset.errors import PlanError
from twinset.model import Batch
from twinset.model import compute as pc
from twinset.plan import ReadOptions
from twinset.reading.batches import column_batch
from twinset.reading.compression import SUFFIXES
from twinset.reading.faults import Faults
from twinset.reading.formats import SIGNS, suffix_of
from twinset.reading.jsonl import lines_batch
from twinset.reading.memory.kind import NAME, no_column, no_texts
from twinset.reading.record_blocks import RecordBlock
from twinset.reading.source import ReadJob, Source
from twinset.spark.columns import few_rows, mapped
from twinset.spark.engine import is_spark_frame
from twinset.system.remote import is_remote

UNPACKED = ("gz", "bz2")
"""What Hadoop unpacks, by the ending of the name."""
KEYS = ("at", "file", "block")
PLACE = tuple(f"twinset_{name}" for name in KEYS)  # beside columns of any name
"""Where a row lies: among all rows, in which file, and where the piece begins that a task reads."""
TEXTS = ("string", "binary", "varchar", "char")
NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
GLOB = re.compile(r"[*?\[{]")
LINKED = dict.fromkeys(("number", "root", "piece", "position", "times"), "bigint")
"""What goes with the text of a linked document, beside ``stays``."""
FEW = 500_000
"""Rows of the input that all tasks know (100 MB); of more, Spark joins them with the texts."""


class InputFile(NamedTuple):
    """A file: as Spark spells its address, the name of its source, and as what it is read."""

    uri: str
    path: str
    source: str
    reader: str
    size: int


Parse = Callable[[pa.RecordBatch], Batch]
"""Makes documents of rows; their places are the numbers of the rows, from 1."""


class InputRows(NamedTuple):
    """The rows of all files with all columns, the columns that go to tasks, and the parser.

    ``suffix`` is that of the files that kept and removed documents are written to.
    """

    reader: str
    suffix: str
    table: Any
    columns: list[Any]
    parse: Parse


@dataclass(frozen=True)
class SparkInput:
    """The files of a run in reading order, and the session that reads them."""

    session: Any
    files: list[InputFile]
    options: ReadOptions
    is_frame: bool = False

    @property
    def sources(self) -> list[str]:
        """The names of the sources in reading order."""
        return list(dict.fromkeys(file.source for file in self.files))

    @cached_property
    def table(self) -> Any:
        """The files as rows (file, path, source)."""
        rows = [(n, file.uri, file.source) for n, file in enumerate(self.files)]
        return few_rows(self.session, rows, "file int, path string, source string")

    @cached_property
    def rows(self) -> InputRows:
        """The input as rows."""
        return self._parquet() if self.files[0].reader == "parquet" else self._lines()

    def through(self, task: Callable[..., Any], schema: str, beside: Any = None) -> Any:
        """What a task makes of the rows, or of those that are ``beside`` as well.

        It is called with a parser and with batches of rows.
        """
        places = [f.col(name).alias(key) for name, key in zip(PLACE, KEYS, strict=True)]
        frame = self.rows.table.select(*places, *self.rows.columns)
        if beside is not None:
            frame = frame.join(beside, "at")
        return mapped(frame, partial(task, self.rows.parse), schema)

    def texts(self, linked: Any, count: int) -> Any:
        """The texts of about ``count`` rows, beside what is known of them (`LINKED`)."""
        linked = f.broadcast(linked) if count <= FEW else linked
        kinds = ", ".join(f"{name} {kind}" for name, kind in LINKED.items())
        return self.through(_texts, f"{kinds}, stays boolean, text string", linked)

    def field_names(self) -> list[str]:
        """The names of the fields of records, of lines those of the first ones."""
        table = self.rows.table
        if self.rows.reader == "parquet":
            return [*table.drop(*PLACE).columns, *_leaves(table.schema)]
        first = table.limit(100).select(f.explode(f.json_object_keys("value")))
        return sorted(row[0] for row in first.distinct().collect())

    @property
    def _reader(self) -> Any:
        reader = self.session.read.option("ignoreCorruptFiles", "false")
        return reader.option("ignoreMissingFiles", "false")

    @property
    def _patterns(self) -> list[str]:
        return [as_pattern(file.path) for file in self.files]

    def _placed(self, rows: Any) -> Any:
        at, file, block = PLACE
        placed = rows.select(
            f.monotonically_increasing_id().alias(at),
            f.col("_metadata.file_block_start").alias(block),
            f.col("_metadata.file_path").alias("twinset_path"),
            "*",
        )
        known = self.table.select(f.col("file").alias(file), f.col("path").alias("twinset_path"))
        return placed.join(f.broadcast(known), "twinset_path").drop("twinset_path")

    def _lines(self) -> InputRows:
        packings = {os.path.splitext(file.path)[1] for file in self.files}
        packing = packings.pop() if len(packings) == 1 else ""
        suffix = f".jsonl{packing}" if packing[1:] in UNPACKED else ".jsonl"
        table = self._placed(self._reader.text(self._patterns, lineSep="\n"))
        return InputRows("jsonl", suffix, table, ["value"], partial(_of_lines, self.options))

    def _parquet(self) -> InputRows:
        rows = self._reader.option("mergeSchema", "true").parquet(*self._patterns)
        names = column_names(rows, self.options)
        parse = partial(_of_columns, self.options, names)
        # mapInArrow takes dots in names for nesting
        columns = [column_of(rows, name).alias(f"value{at}") for at, name in enumerate(names)]
        return InputRows("parquet", ".parquet", self._placed(rows), columns, parse)


def as_pattern(address: str) -> str:
    """The address as a pattern that matches nothing else: Spark takes every path for one."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", address)


def open_input(session: Any, documents: Any, options: ReadOptions, place: str) -> SparkInput:
    """The documents of files, folders and addresses, or of a DataFrame.

    Rows of a DataFrame have no order and may come otherwise when they are computed again: they are
    written to ``place`` first, sorted by their ids.
    """
    if not is_spark_frame(documents):
        return SparkInput(session, _files(session, documents), options)
    names = column_names(documents, options, strict=True)
    order = [column_of(documents, name) for name in names[:2]]
    ordered = documents.repartitionByRange(*order).sortWithinPartitions(*order)
    ordered.write.mode("overwrite").parquet(place)
    copied = sorted((uri, path, size) for path, uri, size in _listed(session, [as_pattern(place)]))
    files = [InputFile(uri, path, NAME, "parquet", size) for uri, path, size in copied]
    return SparkInput(session, files, options, is_frame=True)


def column_names(rows: Any, options: ReadOptions, strict: bool = False) -> list[str]:
    """The columns that documents are made of: id, text, order; raises where one will not do.

    Files need no ids, unless the column was named; a DataFrame (``strict``) does.
    """
    known, names = [*rows.columns, *_leaves(rows.schema)], []
    strict |= options.id != ReadOptions().id
    for option, name in (("id", options.id), ("text", options.text), ("keep", options.order)):
        if name is None or (option == "id" and name not in known and not strict):
            continue
        if name not in known:
            no_column(name, known, option, f"{name}:max" if option == "keep" else name)
        kind = rows.select(column_of(rows, name)).schema[0].dataType.typeName()
        if option == "text" and kind not in TEXTS:
            no_texts(f"values of the type {kind}", name)
        if option == "id" and kind not in (*TEXTS, *NUMBERS):
            remedy = "name one of numbers or strings with id=..."
            raise PlanError([f"the column '{name}' holds values of the type {kind}; {remedy}"])
        names.append(name)
    return names


def column_of(frame: Any, dotted: str) -> Any:
    """The column of this name, or the field of nested structs."""
    keys = [dotted] if dotted in frame.columns else dotted.split(".")
    return f.col(".".join(f"`{key.replace('`', '``')}`" for key in keys))


def _leaves(schema: Any, above: str = "") -> Iterator[str]:
    """The names of the fields of structs, with dots."""
    for each in schema:
        if hasattr(each.dataType, "fields"):
            yield from _leaves(each.dataType, f"{above}{each.name}.")
        elif above:
            yield above + each.name


# --------------------------------------------------------------------------- files


def _listed(session: Any, addresses: list[str]) -> list[tuple[str, str, int]]:
    """The files of folders and patterns as Spark lists them: path, address as a URI, bytes."""
    reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    rows = reader.load(addresses).select("path", "_metadata.file_path", "length").collect()
    return [tuple(row) for row in rows]


class _Input(NamedTuple):
    """An input as it was named, and as its files begin in a listing."""

    name: str
    head: str
    address: str
    is_pattern: bool

    @classmethod
    def of(cls, name: str) -> _Input:
        name = name.removeprefix("file://")
        is_pattern = bool(GLOB.search(name)) and not os.path.lexists(name)
        head = GLOB.split(name)[0] if is_pattern else name.rstrip("/") or "/"
        if is_remote(name):
            return cls(head, head, name, is_pattern)
        here = os.path.join(os.getcwd(), head)
        ending = "/" if here.endswith("/") else ""
        address = f"file:{os.path.abspath(name)}"
        beginning = f"file:{os.path.normpath(here)}{ending}"
        return cls(head, beginning, address if is_pattern else as_pattern(address), is_pattern)


def _files(session: Any, names: Sequence[str]) -> list[InputFile]:
    """The files that the inputs name in reading order, as the local engine has it."""
    inputs = [_Input.of(name) for name in names]
    found = {path: (uri, size) for path, uri, size in _listed(session, [i.address for i in inputs])}
    exact = {each.head: number for number, each in reversed([*enumerate(inputs)])}
    files, faults = [], []
    for path, (uri, size) in found.items():
        near = (n for n, i in enumerate(inputs) if path.startswith(i.head))
        number = exact[path] if path in exact else next(near)
        given, below = inputs[number], path[len(inputs[number].head) :]
        reader, fault = _reader_of(path)
        if fault:
            faults.append(f"{given.name}{below}: {fault}")
        file = InputFile(uri, path, given.name + below, reader, size)
        files.append((number, PurePosixPath(path).parts, file))
    hidden = [i.name for i in inputs if os.path.isfile(i.name) and i.head not in found]
    faults += [f"{name}: Spark passes over files of this name; rename it" for name in hidden]
    if not files and not faults:
        faults.append("the input holds no files; name a folder that holds documents")
    if {"jsonl", "parquet"} <= {file.reader for *_, file in files}:
        faults.append(
            "Spark reads files of one format, and these are JSON lines and Parquet: name those of "
            "one, or turn all into Parquet first"
        )
    if faults:
        raise PlanError(faults[:3])
    return [entry[-1] for entry in sorted(files)]


def _reader_of(path: str) -> tuple[str, str]:
    """As what a file is read, by its name, and why it cannot be."""
    suffix, packing = suffix_of(path), SUFFIXES.get(os.path.splitext(path)[1].lower())
    reader = next((name for name in ("jsonl", "parquet") if suffix in SIGNS[name].suffixes), "")
    if not reader:
        return reader, (
            "Spark reads JSON lines and Parquet; turn it into Parquet first, by "
            "'twinset find IN -o OUT --method md5 --annotate --to parquet'"
        )
    if packing and (reader == "parquet" or packing not in UNPACKED):
        return reader, "Spark unpacks gzip and bzip2, and no packed Parquet; unpack it"
    return reader, ""


# --------------------------------------------------------------------------- in the tasks


def _job(options: ReadOptions, reader: str) -> ReadJob:
    """Faults never stop a task, which would be tried again: whoever gathers them does."""
    source = Source(Path("input"), "input", reader, None, None)
    return ReadJob(source, options, Faults("input", "skip"), threads=1)


def _of_lines(options: ReadOptions, rows: pa.RecordBatch) -> Batch:
    """Lines of JSON, with their ends again, one behind the other."""
    ended = pc.binary_join_element_wise(
        rows["value"].cast(pa.large_binary()),
        pa.scalar(b"\n", pa.large_binary()),
        pa.scalar(b"", pa.large_binary()),
    )
    ends = np.frombuffer(ended.buffers()[1], np.int64)[: len(ended) + 1]
    data = np.frombuffer(ended.buffers()[2], np.uint8)[ends[0] : ends[-1]]
    return lines_batch(_job(options, "jsonl"), RecordBlock(data), 0)


def _of_columns(options: ReadOptions, names: list[str], rows: pa.RecordBatch) -> Batch:
    """Columns of Parquet."""
    columns = [rows[f"value{at}"] for at in range(len(names))]
    return column_batch(_job(options, "parquet"), pa.RecordBatch.from_arrays(columns, names), 1)


def _texts(parse: Parse, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The texts of rows, and what is known of them."""
    names = [*LINKED, "stays"]
    for rows in batches:
        if rows.num_rows:
            batch = parse(rows)
            known = rows.select(names).take(pa.array(batch.places - 1))
            columns = [*known.columns, batch.texts.cast(pa.string())]
            yield pa.RecordBatch.from_arrays(columns, [*names, "text"])
