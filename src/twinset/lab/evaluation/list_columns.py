"""Which columns of a table hold pairs, clusters, grades or scores.

The names that people usually give them are recognised; a caller can name the columns instead.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pyarrow as pa

from twinset.errors import TwinsetError, did_you_mean, some_of
from twinset.spec.numerals import is_count

Kind = Literal["auto", "pairs", "clusters"]

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


class ListError(TwinsetError):
    """A list of pairs or clusters that cannot be understood."""


@dataclass(frozen=True)
class ListFormat:
    """What the caller knows about a list.

    ``option`` is the flag that messages name, followed by ``-columns``. ``columns`` are names
    or numbers from 1: the two of a pair and, if there is one, its grade or score; ``nameable``
    says whether the caller can name them. ``graded`` asks for grades. ``known`` are ids of
    documents, which tell a first line of data from a header.
    """

    option: str
    kind: Kind = "auto"
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
    columns = recognise_columns(names, format.kind)
    if columns is None or not format.graded or columns.grade is not None:
        return columns
    # Grades are needed and no column is named so: they are in the only other column.
    others = [at for at in range(len(names)) if at not in (columns.first, columns.second)]
    only_other = others[0] if len(others) == 1 else None
    return replace(columns, grade=only_other if columns.score is None else columns.score)


def recognise_columns(names: Sequence[str], kind: Kind = "auto") -> ListColumns | None:
    """The columns with usual names; None where there are none."""
    plain = [re.sub("[^a-z0-9]", "", name.lower()) for name in names]
    bare = [_without_noun(name) for name in plain]
    if kind != "clusters":
        for words, sides in ((bare, SIDES), (plain, OTHER_SIDES)):
            for left, right in sides:
                if left in words and right in words:
                    pair = words.index(left), words.index(right)
                    grade, score = (_position(bare, some, pair) for some in (GRADES, SCORES))
                    return ListColumns(*pair, False, grade, score)
    if kind != "pairs":
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
    return ListColumns(positions[0], positions[1], format.kind == "clusters", third, third)


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
