"""Which copy stays: policies that rank documents, the lowest rank first.

Several are asked in turn: the first that tells two documents apart decides, then the id.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError
from twinset.model import FileFacts, Floats, Ints
from twinset.plan.spec import option

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.finding.clusters.names import NameMarks

SECOND = 1_000_000_000
MINUTE, DAY = 60 * SECOND, 86_400 * SECOND
SAME_TIME = 2 * MINUTE
"""Saving a text in two formats takes minutes, and memory sticks keep times to two seconds."""
MANY_IN_A_MINUTE = 10
"""So many files in a minute were unpacked or synchronised: a person writes them more slowly."""
MAILS = (".eml", ".msg")


class KeepReason(NamedTuple):
    """Why one of two documents goes: the name of a sentence, and its values."""

    name: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Traits:
    """What policies look at: ``units`` (words), ``values`` of the plan's field, and files.

    ``paths`` (binary, null for what is no file) and ``modified`` are None where there are no files.
    """

    units: Ints
    values: Floats | None = None
    paths: pa.Array | None = None
    modified: Ints | None = None

    @classmethod
    def of(cls, units: Ints, values: Floats | None, files: FileFacts | None) -> Traits:
        """From the facts of files, where the documents are files."""
        if files is None:
            return cls(units, values)
        return cls(units, values, files.path, files.modified)

    def path(self, document: int) -> str | None:
        """The path of a document that is a file; None for any other."""
        path = None if self.paths is None else self.paths[document].as_py()
        return None if path is None else os.fsdecode(path)

    @cached_property
    def names(self) -> list[str | None]:
        """The names of the files, without their folders."""
        if self.paths is None:
            return [None] * len(self.units)
        paths = self.paths.to_pylist()
        return [None if path is None else os.fsdecode(path.rpartition(b"/")[2]) for path in paths]

    @cached_property
    def marks(self) -> list[NameMarks]:
        """Draft, version, date and copy marks that stand in the names."""
        from twinset.finding.clusters.names import NameMarks, marks_of

        return [NameMarks(0, 0, 1) if name is None else marks_of(name) for name in self.names]

    @cached_property
    def earlier_dates(self) -> list[int]:
        """How many earlier dates stand in names that are the same but for the date.

        A name without a date counts as the latest: times of change then decide.
        """
        dates: dict[str, list[tuple[str, str, str]]] = {}
        for base, date in sorted({(marks.base, marks.date) for marks in self.marks if marks.base}):
            if any(date):
                dates.setdefault(base, []).append(date)
        return [
            bisect_left(known, marks.date) if any(marks.date) else len(known) - 1
            for marks in self.marks
            for known in [dates.get(marks.base, [marks.date])]
        ]

    @cached_property
    def mails(self) -> NDArray[np.bool_]:
        """Files that are mails: none stays in the place of its document."""
        if self.paths is None:
            return np.zeros(len(self.units), bool)
        return np.array([(name or "").lower().endswith(MAILS) for name in self.names], bool)

    @cached_property
    def times(self) -> Floats:
        """Times as ranks, the oldest 0; files that were written in one go are equal.

        So are all those within a day of a moment at which many were written.
        """
        if self.modified is None:
            return np.zeros(len(self.units))
        order = np.argsort(self.modified, kind="stable")
        times = self.modified[order]
        before = np.concatenate([times[:1], times[:-1]])
        within_a_minute = np.searchsorted(times, times + MINUTE, "right") - np.arange(len(times))
        written = times[within_a_minute >= MANY_IN_A_MINUTE]
        near = np.searchsorted(written, before + DAY, "right") > np.searchsorted(
            written, times - DAY, "left"
        )
        steps = (times - before > SAME_TIME) & ~near
        ranks = np.empty(len(order))
        ranks[order] = np.cumsum(steps)
        return ranks


class _Policy:
    """A policy that needs no field of the input: `ByField` alone has one."""

    field: ClassVar[str | None] = None
    of_files: ClassVar[bool] = False


class _OfFiles(_Policy):
    """A policy that looks at names and times of files, so that all records are equal to it."""

    of_files: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class First(_Policy):
    """The copy that was read first."""

    def rank(self, traits: Traits) -> Floats | None:
        """None stands for the order of reading, which tells any two documents apart."""
        return None

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("later", {})


@dataclass(frozen=True, slots=True)
class Longest(_Policy):
    """The copy with the most words."""

    def rank(self, traits: Traits) -> Floats | None:
        return -traits.units.astype(np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("shorter", {"n": int(traits.units[kept]) - int(traits.units[removed])})


@dataclass(frozen=True, slots=True)
class Shortest(_Policy):
    """The copy with the fewest words."""

    def rank(self, traits: Traits) -> Floats | None:
        return traits.units.astype(np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("longer", {"n": int(traits.units[removed]) - int(traits.units[kept])})


@dataclass(frozen=True, slots=True)
class Newest(_OfFiles):
    """The file that was changed last; times within two minutes do not tell files apart."""

    def rank(self, traits: Traits) -> Floats | None:
        return -traits.times

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("older", {"seconds": _seconds_between(traits, removed, kept)})


@dataclass(frozen=True, slots=True)
class Oldest(_OfFiles):
    """The file whose last change is the earliest; times within two minutes are equal."""

    def rank(self, traits: Traits) -> Floats | None:
        return traits.times

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("newer", {"seconds": _seconds_between(traits, kept, removed)})


@dataclass(frozen=True, slots=True)
class OriginalName(_OfFiles):
    """The file whose name is no draft's or copy's ("X (1)"), final or signed, the latest by name.

    "X 2024" comes before "X 2023", and v2 before v1.
    """

    def rank(self, traits: Traits) -> Floats | None:
        """Drafts last; then by date, what is finished, version, and marks of a copy."""
        from twinset.finding.clusters.names import MOST_VERSIONS

        # One number whose places are these in turn: 1000 dates, 4 degrees of being finished, and
        # 100 copies.
        rows = [
            (((m.drafts * 1000 - min(earlier, 999)) * 4 - m.finished) * MOST_VERSIONS - m.version)
            * 100
            + min(m.copies, 99)
            for m, earlier in zip(traits.marks, traits.earlier_dates, strict=True)
        ]
        return np.array(rows, dtype=np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        """A draft, an earlier version or a copy by its name."""
        own, other = traits.marks[removed], traits.marks[kept]
        if own.drafts > other.drafts:
            return KeepReason("draft_name", {})
        dates = traits.earlier_dates
        is_same = (dates[removed], own[2:4]) == (dates[kept], other[2:4])
        return KeepReason("copy_name" if is_same else "earlier_version", {})


@dataclass(frozen=True, slots=True)
class ShortestName(_OfFiles):
    """The file with the shortest name."""

    def rank(self, traits: Traits) -> Floats | None:
        return np.array([len(name or "") for name in traits.names], dtype=np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("longer_name", {})


@dataclass(frozen=True, slots=True)
class Format(_OfFiles):
    """The file in the preferred format: format:order=docx/odt/pdf; others come last."""

    order: str = option(
        "docx/odt/doc/rtf/xlsx/ods/xls/pptx/odp/ppt/txt/pdf",
        "Suffixes of the formats, the best first, as docx/pdf.",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return [] if _listed(self.order) else ["name formats, as in format:order=docx/pdf"]

    def rank(self, traits: Traits) -> Floats | None:
        """The place of the suffix in the order."""
        order = {suffix.lower().lstrip("."): at for at, suffix in enumerate(_listed(self.order))}
        last = len(order)
        rows = [order.get(_suffix(name), last) for name in traits.names]
        return np.array(rows, dtype=np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        own, other = (_suffix(traits.names[at]).upper() for at in (removed, kept))
        return KeepReason("other_format" if own else "no_format", {"own": own, "other": other})


@dataclass(frozen=True, slots=True)
class Folder(_OfFiles):
    """The file in the preferred folder: folder:order=Contracts/Downloads; others come last."""

    order: str = option(
        "", "Names of folders, the best first; the nearest one above a file counts."
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return [] if _listed(self.order) else ["name folders, as in folder:order=Contracts/Old"]

    def rank(self, traits: Traits) -> Floats | None:
        """The best place of a folder above the file in the order."""
        order = {name: at for at, name in enumerate(_listed(self.order))}
        places: dict[str, int] = {}
        rows = []
        for number in range(len(traits.units)):
            above = os.path.dirname(traits.path(number) or "")
            if above not in places:
                named = (order[part] for part in reversed(above.split("/")) if part in order)
                places[above] = next(named, len(order))
            rows.append(places[above])
        return np.array(rows, dtype=np.float64)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        folder = os.path.basename(os.path.dirname(traits.path(kept) or ""))
        return KeepReason("other_folder", {"folder": folder})


@dataclass(frozen=True, slots=True)
class ByField:
    """The copy with the largest or smallest number or date in a field: FIELD:max or FIELD:min."""

    field: str = option(
        "", "Field of the input that holds a number or an ISO date; use dots for nested fields."
    )
    way: Literal["max", "min"] = option(
        "max", "Keep the largest (latest) or the smallest (earliest) value."
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return [] if self.field else ["name a field, as in date:max"]

    @classmethod
    def from_text(cls, text: str) -> ByField | None:
        """``FIELD:max`` or ``FIELD:min``; None for anything else."""
        field, _, way = text.rpartition(":")
        return cls(field, "max" if way == "max" else "min") if way in ("max", "min") else None

    def as_text(self) -> str:
        """``FIELD:max`` or ``FIELD:min``, where that can be read again."""
        return f"{self.field}:{self.way}" if self.field == self.field.strip() else ""

    def rank(self, traits: Traits) -> Floats | None:
        """By the numbers or dates; documents without one come last."""
        values = traits.values
        if values is None or np.isnan(values).all():
            raise PlanError(
                [
                    f"no document has a number or a date in the field '{self.field}', which keep "
                    f"'{self.as_text()}' asks for"
                ]
            )
        ranked = values if self.way == "min" else -values
        return np.where(np.isnan(ranked), np.inf, ranked)

    def reason(self, traits: Traits, kept: int, removed: int) -> KeepReason:
        return KeepReason("less" if self.way == "max" else "more", {"field": self.field})


Policy = (
    First
    | Longest
    | Shortest
    | Newest
    | Oldest
    | OriginalName
    | ShortestName
    | Format
    | Folder
    | ByField
)


def ranks_of(policies: Sequence[Any], traits: Traits) -> tuple[list[Floats], bool]:
    """A rank for each policy in turn, up to one that tells any two documents apart if any does."""
    ranks: list[Floats] = []
    for policy in policies:
        rank = policy.rank(traits)
        if rank is None:
            return [*ranks, np.arange(len(traits.units), dtype=np.float64)], True
        ranks.append(rank)
    return ranks, False


def deciding(
    policies: Sequence[Any], ranks: Sequence[Floats], traits: Traits, kept: int, removed: int
) -> KeepReason:
    """Why ``kept`` stays and ``removed`` goes: by the first policy that tells the two apart.

    Where one before that prefers the other, it stays because it must, or because it is the copy
    that the removed one is near enough to.
    """
    if traits.mails[removed] and not traits.mails[kept]:
        return KeepReason("mail", {})
    for policy, rank in zip(policies, ranks, strict=False):
        if rank[kept] < rank[removed]:
            reason: KeepReason = policy.reason(traits, kept, removed)
            return reason
        if rank[kept] > rank[removed]:
            return KeepReason("other_stays", {})
    return KeepReason("later_by_id", {})


def _seconds_between(traits: Traits, earlier: int, later: int) -> int:
    times = traits.modified
    return 0 if times is None else max(0, int(times[later] - times[earlier]) // SECOND)


def _listed(order: str) -> list[str]:
    return [name.strip() for name in order.split("/") if name.strip()]


def _suffix(name: str | None) -> str:
    return os.path.splitext(name or "")[1].lower().lstrip(".")
