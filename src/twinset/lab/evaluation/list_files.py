"""Reads lists of duplicates: CSV, TSV, Parquet, JSON lines, ``id1 id2 ... count``, or memory."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import MissingFileError
from twinset.lab.evaluation.list_columns import (
    ListColumns,
    ListError,
    ListFormat,
    choose_columns,
)
from twinset.lab.evaluation.lists import (
    ClusterList,
    DuplicateList,
    PairList,
    list_from_columns,
    list_from_memory,
    list_from_table,
)
from twinset.model import compute as pc
from twinset.model.spreadsheet import plain, plain_column
from twinset.spec.numerals import is_count
from twinset.system.bounded import LIST_BYTES, open_for_arrow, read_up_to
from twinset.system.fetching import open_place
from twinset.system.remote import Place, RemotePath, place_of

HEAD = 1 << 16  # bytes that are looked at to recognise the form of a file
LIKE_AN_ID = re.compile(r"[\d/:.#]")
ANSWER = {"left", "right", "answer"}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}


def read_list(data: Any, format: ListFormat) -> DuplicateList:
    """The pairs or clusters in a file, a table, a dictionary or a list of tuples."""
    if not isinstance(data, str | os.PathLike | RemotePath):
        return list_from_memory(data, format)
    ensure_list(data)
    path = place_of(data)
    try:
        return _read_file(path, format)
    except (pa.ArrowException, UnicodeDecodeError, csv.Error, OSError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise ListError(
            f"cannot read {path}: {reason}; give CSV, Parquet, JSON lines or lines 'id1 id2 ... "
            "count' in UTF-8"
        ) from None


def ensure_list(data: Any) -> None:
    """Raise where ``data`` names a file that is missing or a folder; cheap, to be called early."""
    if not isinstance(data, str | os.PathLike | RemotePath):
        return
    path = place_of(data)
    if path.is_dir():
        raise ListError(f"{path} is a folder: name a file of pairs or clusters")
    if not path.exists():
        raise MissingFileError(str(path))


def _read_file(path: Place, format: ListFormat) -> DuplicateList:
    with _opened(path) as file:
        if file.read(4) == b"PAR1":
            return _read_parquet(file, path, format)
    first = next((line for line in _head(path).splitlines() if line.strip()), "")
    if not first:
        raise ListError(
            f"{path} is empty: list pairs in it, or a header alone (left,right) if there are none"
        )
    if first.lstrip().startswith("{"):
        return _read_objects(path, format)
    delimiter = _delimiter(path, first)
    if delimiter is None:
        return _read_lines(path)
    cells = next(csv.reader([first], delimiter=delimiter))
    return _read_delimited(path, delimiter, [plain(cell) for cell in cells], format)


def _opened(path: Place) -> Any:
    """The file for Arrow; one that lies elsewhere is fetched whole, since lists are small."""
    if not isinstance(path, RemotePath):
        return open_for_arrow(path, most=LIST_BYTES)
    with open_place(path, ahead=True) as file:
        return pa.BufferReader(read_up_to(file, LIST_BYTES, str(path)))


def _read_parquet(file: Any, path: Place, format: ListFormat) -> DuplicateList:
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file)
        table.validate(full=True)
    except OSError as fault:  # what Arrow raises for a damaged footer is no ArrowException
        raise pa.ArrowInvalid(str(fault)) from None
    return list_from_table(table, format, str(path))


def _head(path: Place) -> str:
    with _decompressed(path) as stream:
        raw = bytes(stream.read(HEAD))
    return raw.decode("utf-8-sig", "strict" if len(raw) < HEAD else "ignore")


@contextmanager
def _decompressed(path: Place) -> Iterator[Any]:
    with _opened(path) as file:
        compression = COMPRESSIONS.get(path.suffix.lower())
        with pa.input_stream(file, compression=compression) as stream:
            yield stream


@contextmanager
def _bounded(path: Place) -> Iterator[Any]:
    """The bytes of a file; decompressed ones are held in memory, up to the largest size."""
    with _decompressed(path) as stream:
        if path.suffix.lower() in COMPRESSIONS:
            yield io.BytesIO(read_up_to(stream, LIST_BYTES, str(path)))
        else:
            yield stream


def _delimiter(path: Place, first: str) -> str | None:
    """What separates the columns; None for lines of ids separated by blanks."""
    suffixes = [
        suffix.lower()
        for suffix in PurePosixPath(path.name).suffixes
        if suffix.lower() not in COMPRESSIONS
    ]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".tsv" or "\t" in first:
        return "\t"
    words = first.split()
    if suffix != ".csv" and len(words) > 2 and is_count(words[-1]):
        return None
    if "," in first:
        return ","
    if ";" in first:
        return ";"
    return "," if suffix == ".csv" else None


def _read_delimited(
    path: Place, delimiter: str, first: list[str], format: ListFormat
) -> DuplicateList:
    from pyarrow import csv as arrow_csv

    columns, header, notes = _columns_of(path, first, format)
    numbers = [str(number) for number in range(len(first))]
    with _bounded(path) as stream:
        table = arrow_csv.read_csv(
            stream,
            arrow_csv.ReadOptions(column_names=numbers, skip_rows=1 if header else 0),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(numbers, pa.large_string()), strings_can_be_null=False
            ),
        )
    for at in (columns.first, columns.second):
        table = table.set_column(at, numbers[at], plain_column(table.column(at)))
    return list_from_columns(str(path), table, columns, first if header else numbers, notes)


def _columns_of(
    path: Place, first: list[str], format: ListFormat
) -> tuple[ListColumns, bool, tuple[str, ...]]:
    """The columns, whether the first line is a header, and notes for the user."""
    columns = choose_columns(str(path), first, format)
    if columns is not None:
        by_number = bool(format.columns) and all(is_count(name) for name in format.columns)
        return columns, not by_number, ()
    if len(first) < 2:
        raise ListError(
            f"{path} has one column, '{first[0]}': a pair needs two, as left,right, "
            "and a cluster id,cluster"
        )
    if not _is_data(first[:2], format):
        raise ListError(
            f"cannot tell which columns of {path} hold the pairs: it begins with "
            f"'{','.join(first[:4])}'; {format.remedy(first, header=False)}"
        )
    clusters = format.kind == "clusters"
    content = "clusters (id, cluster)" if clusters else "pairs"
    note = f"{path} has no header: its first two columns were read as {content}"
    return ListColumns(0, 1, clusters), False, (note,)


def _is_data(cells: list[str], format: ListFormat) -> bool:
    """Whether the first line looks like ids rather than like names of columns."""
    if format.known is not None:
        known = pc.is_in(pa.array(cells, format.known.type), value_set=format.known)
        if pc.any(known).as_py():
            return True
    return all(LIKE_AN_ID.search(cell) for cell in cells)


def _read_objects(path: Place, format: ListFormat) -> DuplicateList:
    """JSON objects, one on each line, with the columns of a table; or answers of 'twinset ask'."""
    with _decompressed(path) as stream:
        lines = read_up_to(stream, LIST_BYTES, str(path)).decode("utf-8-sig").splitlines()
    rows: list[dict[str, Any]] = []
    needed: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            if number == len(lines) and needed == ANSWER:
                break  # a dialogue that was killed leaves half a line
            row = None
        if not needed and isinstance(row, dict):
            needed = ANSWER if "answer" in row else {*row}
        if not isinstance(row, dict) or not row.keys() >= needed:
            names = ", ".join(sorted(needed)) or "left, right"
            raise ListError(
                f"line {number} of {path} is no JSON object with {names}: correct it, or give CSV"
            )
        rows.append(row)
    if needed == ANSWER:
        return _list_of_answers(path, rows, format)
    return list_from_table(pa.Table.from_pylist(rows), format, str(path))


def _list_of_answers(path: Place, rows: list[dict[str, Any]], format: ListFormat) -> DuplicateList:
    """Answers as pairs with a label of 1 or 0.

    Of several answers about a pair the last counts; unsure ones say nothing.
    """
    answers = {tuple(sorted((str(row["left"]), str(row["right"])))): row["answer"] for row in rows}
    known = [
        (*pair, int(answer == "yes")) for pair, answer in answers.items() if answer != "unsure"
    ]
    columns = {
        name: [row[at] for row in known] for at, name in enumerate(("left", "right", "label"))
    }
    types = {"left": pa.large_string(), "right": pa.large_string(), "label": pa.int64()}
    table = pa.table({name: pa.array(columns[name], kind) for name, kind in types.items()})
    return list_from_table(table, format, str(path))


def _read_lines(path: Place) -> DuplicateList:
    """Lines of ids, each with the number of shared units at its end, or of two ids alone."""
    with _decompressed(path) as stream:
        text = read_up_to(stream, LIST_BYTES, str(path)).decode("utf-8-sig")
    rows = [row for row in map(_words, text.splitlines()) if row]
    if all(len(row) == 2 for row in rows):
        left, right = (pa.array([row[i] for row in rows], pa.large_string()) for i in (0, 1))
        return PairList(left, right)
    for number, row in enumerate(rows, 1):
        if len(row) < 3 or not is_count(row[-1]):
            raise ListError(
                f"line {number} of {path} is neither 'id1 id2 ... count' nor CSV: "
                f"'{' '.join(row)[:60]}'; end each line with a whole number, "
                "or separate the columns with commas"
            )
    sizes = [len(row) - 1 for row in rows]
    members = itertools.chain.from_iterable(row[:-1] for row in rows)
    return ClusterList(np.repeat(np.arange(len(rows)), sizes), pa.array(members, pa.large_string()))


def _words(line: str) -> list[str]:
    """The words of a line; one in double quotes is read as JSON."""
    if '"' not in line:
        return line.split()
    words = re.findall(r'("(?:[^"\\]|\\.)*")|(\S+)', line)
    return [_unquoted(quoted) if quoted else bare for quoted, bare in words]


def _unquoted(word: str) -> Any:
    try:
        return json.loads(word)
    except ValueError:
        return word
