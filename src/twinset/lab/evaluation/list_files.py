"""Files of pairs and clusters: CSV, TSV, Parquet, and the papers' lines ``id1 id2 ... count``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.errors import TwinsetError
from twinset.lab.evaluation.list_columns import Columns, recognise
from twinset.model import Floats, Ints
from twinset.model.columns import numbers
from twinset.model.spreadsheet import plain, plain_column
from twinset.spec.numerals import is_count
from twinset.system.bounded import LIST_BYTES, open_for_arrow, read_up_to

Kind = Literal["auto", "pairs", "clusters"]
HEAD = 1 << 16
LIKE_AN_ID = re.compile(r"[\d/:.#]")
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}


class ListError(TwinsetError):
    """A file of pairs or clusters that cannot be understood."""


@dataclass(frozen=True)
class PairList:
    """Pairs of ids as a file gives them; ``grade`` and ``score`` are there if it has them."""

    left: pa.Array
    right: pa.Array
    grade: Floats | None = None
    score: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        """Every id that is named."""
        return [self.left, self.right]


@dataclass(frozen=True)
class SetList:
    """Sets of ids, which may overlap: ``member`` i lies in the set ``number`` i."""

    number: Ints
    member: pa.Array
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        """Every id that is named."""
        return [self.member]


Listed = PairList | SetList


@dataclass(frozen=True)
class Wanted:
    """What the caller knows of a file; ``option`` is what to change where it is not understood.

    ``columns`` are names or numbers from 1: the two of a pair and, if there is one, its grade or
    score; ``nameable`` says whether the caller may name them. ``known`` are ids that tell a first
    line of data from a header.
    """

    option: str
    kind: Kind = "auto"
    columns: tuple[str, ...] = ()
    graded: bool = False
    known: pa.Array | None = field(default=None, repr=False)
    nameable: bool = True

    @property
    def clusters(self) -> bool | None:
        """Whether the file must hold clusters; None where it may hold either."""
        return None if self.kind == "auto" else self.kind == "clusters"

    def remedy(self, names: Sequence[str], header: bool = True) -> str:
        """What to do where the columns of a file cannot be told."""
        if not self.nameable:
            return "call its columns left,right in a first line"
        told = f"name two of them with {self.option}-columns {','.join(names[:2])}"
        if header:
            return told
        return f"{told}, or their numbers, {self.option}-columns 1,2, if the file has no header"


def column_names(columns: str | Sequence[str]) -> tuple[str, ...]:
    """Columns given one by one, or in one text with commas between them."""
    names = columns.split(",") if isinstance(columns, str) else columns
    return tuple(name.strip() for name in names if name.strip())


def read_list(path: str | Path, wanted: Wanted) -> Listed:
    """The pairs or sets of a file, whatever its form."""
    path = Path(path)
    if path.is_dir():
        raise ListError(f"{path} is a folder: name a file of pairs or clusters")
    if not path.is_file():
        raise ListError(f"there is no file {path}: check the name")
    try:
        return _read(path, wanted)
    except (pa.ArrowException, UnicodeDecodeError, csv.Error, OSError) as fault:
        told = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise ListError(
            f"cannot read {path}: {told}; give CSV, Parquet or lines 'id1 id2 ... count' in UTF-8"
        ) from None


def _read(path: Path, wanted: Wanted) -> Listed:
    with open_for_arrow(path, most=LIST_BYTES) as file:
        if file.read(4) == b"PAR1":
            return _parquet(file, path, wanted)
    head = _head(path)
    first = next((line for line in head.splitlines() if line.strip()), "")
    if not first:
        raise ListError(
            f"{path} is empty: list pairs in it, or a header alone (left,right) if there are none"
        )
    delimiter = _delimiter(path, first)
    if delimiter is None:
        return _lines(path)
    cells = next(csv.reader([first], delimiter=delimiter))
    return _delimited(path, delimiter, [plain(cell) for cell in cells], wanted)


@contextmanager
def _unpacked(path: Path) -> Iterator[Any]:
    """The bytes of a file, unpacked; a packed one is held in memory, up to the largest size."""
    with open_for_arrow(path, most=LIST_BYTES) as file:
        packing = PACKED.get(path.suffix.lower())
        with pa.input_stream(file, compression=packing) as stream:
            yield stream if packing is None else io.BytesIO(read_up_to(stream, LIST_BYTES, path))


def _head(path: Path) -> str:
    with open_for_arrow(path, most=LIST_BYTES) as file:
        packing = PACKED.get(path.suffix.lower())
        with pa.input_stream(file, compression=packing) as stream:
            raw = bytes(stream.read(HEAD))
    return raw.decode("utf-8-sig", "strict" if len(raw) < HEAD else "ignore")


def _delimiter(path: Path, first: str) -> str | None:
    """What parts the columns; None for the papers' lines, which blanks part."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
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


def _delimited(path: Path, delimiter: str, first: list[str], wanted: Wanted) -> Listed:
    columns, header, notes = _columns_of(path, first, wanted)
    names = [str(number) for number in range(len(first))]
    from pyarrow import csv as arrow_csv

    with _unpacked(path) as stream:
        table = arrow_csv.read_csv(
            stream,
            arrow_csv.ReadOptions(column_names=names, skip_rows=1 if header else 0),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False
            ),
        )
    for at in (columns.first, columns.second):
        table = table.set_column(at, names[at], plain_column(table.column(at)))
    return _from_table(str(path), table, columns, first if header else names, notes)


def _columns_of(
    path: Path, first: list[str], wanted: Wanted
) -> tuple[Columns, bool, tuple[str, ...]]:
    """The columns, whether the first line is a header, and what is to be told."""
    if wanted.columns:
        header = not all(is_count(name) for name in wanted.columns)
        return _chosen(str(path), first, wanted), header, ()
    found = recognise(first, wanted.clusters)
    if found is not None:
        return _with_grade(found, first, wanted), True, ()
    if len(first) < 2:
        raise ListError(
            f"{path} has one column, '{first[0]}': a pair needs two, as left,right, "
            "and a cluster id,cluster"
        )
    if not _is_data(first[:2], wanted):
        raise ListError(
            f"cannot tell which columns of {path} hold the pairs: it begins with "
            f"'{','.join(first[:4])}'; {wanted.remedy(first, header=False)}"
        )
    what = "clusters (id, cluster)" if wanted.kind == "clusters" else "pairs"
    note = f"{path} has no header: its first two columns were taken as {what}"
    return Columns(0, 1, wanted.kind == "clusters"), False, (note,)


def _is_data(cells: list[str], wanted: Wanted) -> bool:
    """Whether the first line looks like ids rather than like names of columns."""
    if wanted.known is not None:
        known = pc.is_in(pa.array(cells, wanted.known.type), value_set=wanted.known)
        if pc.any(known).as_py():
            return True
    return all(LIKE_AN_ID.search(cell) for cell in cells)


def _chosen(path: str, names: list[str], wanted: Wanted) -> Columns:
    """The columns that the caller has named."""
    if len(wanted.columns) not in (2, 3):
        raise ListError(
            f"{wanted.option}-columns takes two names, or three with a grade or score, "
            f"not '{','.join(wanted.columns)}'"
        )
    places = []
    for name in wanted.columns:
        if name in names:
            places.append(names.index(name))
        elif is_count(name) and 1 <= int(name) <= len(names):
            places.append(int(name) - 1)
        else:
            raise ListError(
                f"{path} has no column '{name}'; it has {', '.join(names)}: "
                f"choose among them with {wanted.option}-columns"
            )
    third = places[2] if len(places) == 3 else None
    return Columns(places[0], places[1], wanted.kind == "clusters", third, third)


def _with_grade(found: Columns, names: list[str], wanted: Wanted) -> Columns:
    """Where grades are asked for and no name speaks of one, the only other column has them."""
    if not wanted.graded or found.grade is not None:
        return found
    rest = [row for row in range(len(names)) if row not in (found.first, found.second)]
    grade = found.score if found.score is not None else rest[0] if len(rest) == 1 else None
    return Columns(found.first, found.second, found.clusters, grade, found.score)


def _parquet(file: Any, path: Path, wanted: Wanted) -> Listed:
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file)
        table.validate(full=True)
    except OSError as fault:  # what Arrow raises for a damaged footer is no ArrowException
        raise pa.ArrowInvalid(str(fault)) from None
    return read_table(table, wanted, str(path))


def read_table(table: pa.Table, wanted: Wanted, name: str = "the table") -> Listed:
    """The pairs or sets of an Arrow table, by the names of its columns."""
    names = table.column_names
    if not wanted.columns and "ids" in names and "group" in names:  # a report's groups
        lists = table["ids"].combine_chunks()
        members = lists.flatten().cast(pa.large_string())
        return SetList(np.asarray(numbers(lists.value_parent_indices()), np.int64), members)
    if wanted.columns:
        columns = _chosen(name, names, wanted)
    else:
        found = recognise(names, wanted.clusters)
        if found is None:
            raise ListError(
                f"cannot tell which columns of {name} hold the pairs: it has "
                f"{', '.join(names)}; {wanted.remedy(names)}"
            )
        columns = _with_grade(found, names, wanted)
    return _from_table(name, table, columns, names, ())


def _from_table(
    path: str, table: pa.Table, columns: Columns, names: list[str], notes: tuple[str, ...]
) -> Listed:
    first, second = (_strings(table.column(at)) for at in (columns.first, columns.second))
    if columns.clusters:
        return SetList(numbers(second.dictionary_encode().indices).astype(np.int64), first, notes)
    grade, score = (
        None if at is None else _numbers(path, table.column(at), names[at])
        for at in (columns.grade, columns.score)
    )
    return PairList(first, second, grade, score, notes)


def _strings(values: pa.ChunkedArray) -> pa.Array:
    return values.cast(pa.large_string()).combine_chunks()


def _numbers(path: str, values: pa.ChunkedArray, name: str) -> Floats:
    try:
        return np.asarray(numbers(pc.cast(values, pa.float64())), float)
    except pa.ArrowInvalid:
        wrong = next(value for value in values if not _is_number(value))
        raise ListError(
            f"the column '{name}' of {path} must hold numbers, not '{wrong}': correct it there"
        ) from None


def _is_number(value: pa.Scalar) -> bool:
    try:
        value.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _lines(path: Path) -> Listed:
    """Lines of ids, each with the number of shared units at its end, or of two ids alone."""
    with _unpacked(path) as stream:
        text = read_up_to(stream, LIST_BYTES, path).decode("utf-8-sig")
    rows = [row for row in map(_words, text.splitlines()) if row]
    if all(len(row) == 2 for row in rows):
        left, right = (pa.array([row[i] for row in rows], pa.large_string()) for i in (0, 1))
        return PairList(left, right)
    for number, row in enumerate(rows, 1):
        if len(row) < 3 or not is_count(row[-1]):
            raise ListError(
                f"line {number} of {path} is neither 'id1 id2 ... count' nor CSV: "
                f"'{' '.join(row)[:60]}'; end each line with a whole number, "
                "or part the columns with commas"
            )
    sizes = [len(row) - 1 for row in rows]
    members = pa.array(_flat(row[:-1] for row in rows), pa.large_string())
    return SetList(np.repeat(np.arange(len(rows)), sizes), members)


def _flat(rows: Iterable[list[str]]) -> Iterator[str]:
    for row in rows:
        yield from row


def _words(line: str) -> list[str]:
    """The words of a line; one in double quotes is read as JSON."""
    if '"' not in line:
        return line.split()
    found: list[str] = []
    for quoted, bare in re.findall(r'("(?:[^"\\]|\\.)*")|(\S+)', line):
        found.append(_unquoted(quoted) if quoted else bare)
    return found


def _unquoted(word: str) -> Any:
    try:
        return json.loads(word)
    except ValueError:
        return word
