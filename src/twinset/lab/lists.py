"""Lists of duplicates, as pairs or as clusters of ids: what they are, and how they are read.

A list is a file (CSV, TSV, Parquet, JSON lines, ``id1 id2 ... count``), a table, a dictionary or
tuples. The names that people usually give to columns are recognised; a caller can name the columns
instead.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import PurePosixPath
from typing import Any, Literal, cast, get_args

import numpy as np
import pyarrow as pa

from twinset.errors import MissingFileError, TwinsetError, did_you_mean, some_of
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.model.spreadsheet import plain, plain_column
from twinset.plan.spec import is_count
from twinset.system.bounded import LIST_BYTES, read_regular, read_up_to
from twinset.system.lines import each_once
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath, place_of

NOUNS = ("documents", "document", "docs", "doc", "ids", "id", "texts", "text", "files", "file",
         "pages", "page", "records", "record", "items", "item")  # fmt: skip
SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("0", "1"), ("x", "y"), ("i", "j"),
         ("first", "second"), ("source", "target"), ("query", "match"),
         ("removed", "kept"))  # fmt: skip
OTHER_SIDES = (("original", "copy"), ("original", "variant"), ("source", "id"), ("one", "other"))
CLUSTERS = ("cluster", "group", "class", "family", "component")
IDS = ("", "name", "key", "member", "path", "url")
GRADES = ("grade", "label", "relevance", "judgement", "judgment", "rating", "gold", "duplicate")
SCORES = ("score", "similarity", "sim", "jaccard", "cosine", "weight")


Answer = Literal["yes", "no", "unsure"]
ANSWERS = get_args(Answer)


class ListError(TwinsetError):
    """A list of pairs, clusters or answers that cannot be understood."""


@dataclass(frozen=True)
class ListFormat:
    """What the caller knows about a list.

    ``option`` is the flag that messages name, followed by ``-columns``. ``columns`` are names
    or numbers from 1: the two of a pair and, if there is one, its grade or score; ``nameable``
    says whether the caller can name them. ``graded`` asks for grades. ``known`` are ids of
    documents, which tell a first line of data from a header.
    """

    option: str
    columns: tuple[str, ...] = ()
    graded: bool = False
    known: pa.Array | None = field(default=None, repr=False)
    nameable: bool = True

    def remedy(self, names: Sequence[str], header: bool = True) -> str:
        """What to do where the columns of a list are not recognised."""
        if not self.nameable:
            return "call its columns left,right in a first line"
        columns = shlex.quote(",".join(names[:2]))
        remedy = f"name two of them with {self.option}-columns {columns}"
        if header:
            return remedy
        return f"{remedy}, or their numbers, {self.option}-columns 1,2, if the file has no header"


@dataclass(frozen=True)
class ListColumns:
    """Positions of the columns; ``clusters`` says that the second one names a cluster."""

    first: int
    second: int
    clusters: bool = False
    grade: int | None = None
    score: int | None = None


def column_names(columns: str | Sequence[str]) -> tuple[str, ...]:
    """Names in a list, or in one text separated by commas."""
    names = columns.split(",") if isinstance(columns, str) else columns
    return tuple(name.strip() for name in names if name.strip())


def choose_columns(path: str, names: list[str], format: ListFormat) -> ListColumns | None:
    """The columns that the caller has named, or those that are recognised; None if there are none.

    Raises `ListError` where a column that the caller has named is not there.
    """
    if format.columns:
        return _named_columns(path, names, format)
    columns = recognise_columns(names)
    if columns is None or not format.graded or columns.grade is not None:
        return columns
    # Grades are needed and no column is named so: they are in the only other column.
    others = [at for at in range(len(names)) if at not in (columns.first, columns.second)]
    only_other = others[0] if len(others) == 1 else None
    return replace(columns, grade=only_other if columns.score is None else columns.score)


def recognise_columns(names: Sequence[str]) -> ListColumns | None:
    """The columns with usual names; None where there are none."""
    plain = [re.sub("[^a-z0-9]", "", name.lower()) for name in names]
    bare = [_without_noun(name) for name in plain]
    for words, sides in ((bare, SIDES), (plain, OTHER_SIDES)):
        for left, right in sides:
            if left in words and right in words:
                pair = words.index(left), words.index(right)
                grade, score = (_position(bare, some, pair) for some in (GRADES, SCORES))
                return ListColumns(*pair, False, grade, score)
    cluster, member = _position(bare, CLUSTERS), _position(bare, IDS)
    if cluster is not None and member is not None:
        return ListColumns(member, cluster, True)
    return None


def _named_columns(path: str, names: list[str], format: ListFormat) -> ListColumns:
    if len(format.columns) not in (2, 3):
        raise ListError(
            f"{format.option}-columns takes two names, or three with a grade or score, "
            f"not '{','.join(format.columns)}'"
        )
    positions = []
    for name in format.columns:
        if name in names:
            positions.append(names.index(name))
        elif is_count(name) and 1 <= int(name) <= len(names):
            positions.append(int(name) - 1)
        else:
            meant = did_you_mean(name, names)
            raise ListError(
                f"{path} has no column '{name}'; {meant}it has {some_of(names)}: "
                f"choose among them with {format.option}-columns"
            )
    third = positions[2] if len(positions) == 3 else None
    return ListColumns(positions[0], positions[1], False, third, third)


def _without_noun(name: str) -> str:
    """``doc1``, ``id_a``, ``left_id`` without the noun: 1, a, left; a noun alone gives nothing."""
    for noun in NOUNS:
        if name.startswith(noun):
            return _without_noun(name[len(noun) :])
        if name.endswith(noun):
            return _without_noun(name[: -len(noun)])
    return name


def _position(
    words: Sequence[str], choices: Sequence[str], except_for: Sequence[int] = ()
) -> int | None:
    """Where the first of the choices is among the words."""
    positions = (words.index(choice) for choice in choices if choice in words)
    return next((at for at in positions if at not in except_for), None)


ACCEPTED = "a file, pairs of ids, a dictionary of id to cluster, or a table with named columns"


@dataclass(frozen=True)
class PairList:
    """Pairs of ids as they are listed; ``grade`` and ``score`` are there if the list has them."""

    left: pa.Array
    right: pa.Array
    grade: Floats | None = None
    score: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        return [self.left, self.right]


@dataclass(frozen=True)
class ClusterList:
    """Clusters of ids, which may overlap: ``member`` i lies in the cluster ``number`` i."""

    number: Ints
    member: pa.Array
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        return [self.member]


DuplicateList = PairList | ClusterList


def list_from_memory(data: Any, format: ListFormat) -> DuplicateList:
    """The pairs or clusters of a table, a dictionary or tuples."""
    table = _as_table(data)
    if table is not None:
        return list_from_table(table, format)
    if isinstance(data, Mapping):
        labels = [str(cluster) for cluster in data.values()]
        numbering = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        number = np.array([numbering[label] for label in labels], np.int64)
        return ClusterList(number, pa.array([str(id) for id in data], pa.large_string()))
    if isinstance(data, Iterable):
        return _list_from_tuples(list(data))
    raise TwinsetError(f"cannot take pairs from {type(data).__name__}: give {ACCEPTED}")


def list_from_table(table: pa.Table, format: ListFormat, name: str = "the table") -> DuplicateList:
    """The pairs or clusters of an Arrow table, by the names of its columns."""
    names = table.column_names
    if not format.columns and "ids" in names and "group" in names:  # a report's groups
        lists = table["ids"].combine_chunks()
        members = lists.flatten().cast(pa.large_string())
        return ClusterList(np.asarray(numbers(lists.value_parent_indices()), np.int64), members)
    columns = choose_columns(name, names, format)
    if columns is None:
        raise ListError(
            f"cannot tell which columns of {name} hold the pairs: it has "
            f"{', '.join(names)}; {format.remedy(names)}"
        )
    return list_from_columns(name, table, columns, names)


def list_from_columns(
    path: str,
    table: pa.Table,
    columns: ListColumns,
    names: list[str],
    notes: tuple[str, ...] = (),
) -> DuplicateList:
    """The pairs or clusters in these columns; ``path`` and ``names`` are for messages."""
    first, second = (
        table.column(at).cast(pa.large_string()).combine_chunks()
        for at in (columns.first, columns.second)
    )
    if columns.clusters:
        number = numbers(second.dictionary_encode().indices).astype(np.int64)
        return ClusterList(number, first, notes)
    grade, score = (
        None if at is None else _as_numbers(path, table.column(at), names[at])
        for at in (columns.grade, columns.score)
    )
    return PairList(first, second, grade, score, notes)


def _as_table(data: Any) -> pa.Table | None:
    if isinstance(data, pa.Table):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data).read_all()
    return None


def _as_numbers(path: str, values: pa.ChunkedArray, name: str) -> Floats:
    try:
        return np.asarray(numbers(pc.cast(values, pa.float64())), float)
    except pa.ArrowInvalid as fault:
        raise ListError(
            f"the column '{name}' of {path} must hold numbers: correct it there ({fault})"
        ) from None


def _list_from_tuples(rows: list[Any]) -> PairList:
    for entry, row in enumerate(rows, 1):
        is_row = isinstance(row, tuple | list) and len(row) in (2, 3)
        if not is_row or not all(isinstance(value, Real) for value in row[2:]):
            raise TwinsetError(
                f"entry {entry} is {row!r:.60}, not a pair (left, right) or (left, right, grade): "
                "a grade or score must be a number"
            )
    left, right = (pa.array([str(row[i]) for row in rows], pa.large_string()) for i in (0, 1))
    if not rows or any(len(row) < 3 for row in rows):
        return PairList(left, right)
    values = np.array([row[2] for row in rows], float)
    return PairList(left, right, values, values)


HEAD = 1 << 16  # bytes that are looked at to recognise the form of a file
LIKE_AN_ID = re.compile(r"[\d/:.#]")
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


def list_source(data: Any) -> dict[str, str | None] | None:
    """The path of a list or a report, for a manifest; None for what lies in memory.

    The digest is that of the bytes of a file, unpacked.
    """
    if not isinstance(data, str | os.PathLike | RemotePath):
        return None
    path = place_of(data)
    digest = None if path.is_dir() else hashlib.sha256(_whole(path)).hexdigest()
    return {"path": str(path.absolute()), "sha256": digest}


def _read_file(path: Place, format: ListFormat) -> DuplicateList:
    data = _whole(path)
    if data.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        table = pq.read_table(pa.BufferReader(data))
        table.validate(full=True)
        return list_from_table(table, format, str(path))
    head = data[:HEAD].decode("utf-8-sig", "strict" if len(data) < HEAD else "ignore")
    first = next((line for line in head.splitlines() if line.strip()), "")
    if not first:
        raise ListError(
            f"{path} is empty: list pairs in it, or a header alone (left,right) if there are none"
        )
    if first.lstrip().startswith("{"):
        return _read_objects(data, path, format)
    delimiter = _delimiter(path, first)
    if delimiter is None:
        return _read_lines(data, path)
    cells = next(csv.reader([first], delimiter=delimiter))
    return _read_delimited(data, path, delimiter, [plain(cell) for cell in cells], format)


def _whole(path: Place) -> bytes:
    """All bytes of a list, decompressed."""
    if isinstance(path, RemotePath):
        with open_place(path, ahead=True) as file:
            data = read_up_to(file, LIST_BYTES, str(path))
    else:
        data = read_regular(path, LIST_BYTES)
    compression = COMPRESSIONS.get(path.suffix.lower())
    if compression is None:
        return data
    with pa.input_stream(pa.BufferReader(data), compression=compression) as stream:
        return read_up_to(stream, LIST_BYTES, str(path))


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
    data: bytes, path: Place, delimiter: str, first: list[str], format: ListFormat
) -> DuplicateList:
    from pyarrow import csv as arrow_csv

    columns, header, notes = _columns_of(path, first, format)
    numbers = [str(number) for number in range(len(first))]
    table = arrow_csv.read_csv(
        pa.BufferReader(data),
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
    note = f"{path} has no header: its first two columns were read as pairs"
    return ListColumns(0, 1), False, (note,)


def _is_data(cells: list[str], format: ListFormat) -> bool:
    """Whether the first line looks like ids rather than like names of columns."""
    if format.known is not None:
        known = pc.is_in(pa.array(cells, format.known.type), value_set=format.known)
        if pc.any(known).as_py():
            return True
    return all(LIKE_AN_ID.search(cell) for cell in cells)


def _read_objects(data: bytes, path: Place, format: ListFormat) -> DuplicateList:
    """JSON objects, one on each line, with the columns of a table; or answers of 'twinset ask'."""
    if b'"answer"' in data.partition(b"\n")[0]:
        return _list_of_answers(_answers(data, path).answers)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(data.decode("utf-8-sig").splitlines(), 1):
        row = _object_of(line) if line.strip() else {}
        if row is None or (line.strip() and rows and not row.keys() >= rows[0].keys()):
            names = ", ".join(sorted(rows[0])) if rows else "left, right"
            raise ListError(
                f"line {number} of {path} is no JSON object with {names}, each once: correct it, "
                "or give CSV"
            )
        if row:
            rows.append(row)
    return list_from_table(pa.Table.from_pylist(rows), format, str(path))


def _object_of(line: str | bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line, object_pairs_hook=each_once)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer of a dialogue as it stands in its journal."""

    left: str
    right: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """The answers of a file in their order, the length of its sound part, and what is wrong."""

    answers: list[GivenAnswer]
    sound_bytes: int
    notes: list[str]


def read_answers(path: str | os.PathLike[str]) -> ReadAnswers:
    """The answers of a journal; a last line that was cut short is left out, with a note."""
    try:
        return _answers(read_regular(path, LIST_BYTES), path)
    except OSError as error:
        raise ListError(f"cannot read the answers {path}: {error.strerror}") from None


def _answers(data: bytes, path: object) -> ReadAnswers:
    answers = []
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        row = _object_of(line) or {}
        left, right, answer = row.get("left"), row.get("right"), row.get("answer")
        if isinstance(left, str) and isinstance(right, str) and answer in ANSWERS:
            answers.append(GivenAnswer(left, right, cast(Answer, answer)))
        elif line.strip() and number == len(lines) and not line.endswith(b"\n"):
            # A dialogue that was killed leaves half a line.
            notes = [f"the last line of {path} was cut short and is left out"]
            return ReadAnswers(answers, len(data) - len(line), notes)
        elif line.strip():
            raise ListError(
                f'line {number} of {path} is no answer: write {{"left": "a", "right": "b", '
                '"answer": "yes"}, with yes, no or unsure'
            )
    return ReadAnswers(answers, len(data), [])


def _list_of_answers(given: list[GivenAnswer]) -> PairList:
    """Answers as pairs with a grade of 1 or 0.

    Of several answers about a pair the last counts; unsure ones say nothing.
    """
    answers = {tuple(sorted((each.left, each.right))): each.answer for each in given}
    known = [pair for pair, answer in answers.items() if answer != "unsure"]
    left, right = (pa.array([pair[i] for pair in known], pa.large_string()) for i in (0, 1))
    return PairList(left, right, np.array([answers[pair] == "yes" for pair in known], float))


def _read_lines(data: bytes, path: Place) -> DuplicateList:
    """Lines of ids, each with the number of shared units at its end, or of two ids alone."""
    rows = [row for row in map(_words, data.decode("utf-8-sig").splitlines()) if row]
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
