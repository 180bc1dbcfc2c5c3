"""A report of spans, repeated units or reused passages, opened to look at these in context."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.errors import ReportError
from twinset.model import Ints
from twinset.model.columns import numbers
from twinset.model.schema import REPEATED, REUSED
from twinset.plan.spec import name_in, names
from twinset.result.checked import read_table
from twinset.result.manifest import INPUT, READ, Pattern, faults, is_about_units
from twinset.result.places import MANIFEST
from twinset.result.texts import reopen, texts_at
from twinset.run.passages.aligned import largest_first
from twinset.run.passages.searching import in_groups
from twinset.system.bounded import MANIFEST_BYTES, read_regular

AROUND = 300
"""Characters shown before and behind a passage."""
SIDES = ("left", "right")
PLACES = 8
"""Places of a span that are shown."""


def _level(value: Any, place: str) -> Iterator[str]:
    if not isinstance(value, str) or name_in(value) not in names("level"):
        yield f"{place} must be one of {', '.join(names('level'))}"


_SIDE = {"inputs": [INPUT], "read": READ}
_SPANS = ("documents", "characters", "spans", "places", "documents_with_spans")
_UNITS = ("characters", "repeated_units", "places", "same_as_others", "dropped_characters")
_OF_SIDES = (
    "documents",
    "words",
    "short_documents",
    "documents_with_passages",
    "reused_words",
)
SHAPES: dict[str, Pattern] = {
    "spans": {
        "options": {"unit": "word|char|byte", "least": int},
        "totals": dict.fromkeys((*_SPANS, "repeated_characters"), int),
        **_SIDE,
    },
    "units": {
        "plan": {"level": _level, "read": READ},
        "totals": dict.fromkeys(_UNITS, int),
        "inputs": [INPUT],
    },
    "reuse": {
        "options": {"least": int, "frequent": int, "shingle": int, "threshold": float},
        "totals": {
            **dict.fromkeys(("pairs", "passages", "frequent_seeds"), int),
            **{name: [int, 2] for name in _OF_SIDES},
        },
        "inputs": [INPUT],
        "sides": {"left": _SIDE, "right": _SIDE},
    },
}


class InContext(NamedTuple):
    """One place of a passage: characters, and the text with what stands around it."""

    side: str
    id: str
    start: int
    end: int
    before: str = ""
    text: str | None = None
    after: str = ""


class DocumentShare(NamedTuple):
    """How much of a document repeats, or is reused."""

    side: str
    id: str
    size: int
    share: float


def kind_of(folder: Path, within: Sequence[str] = ()) -> str | None:
    """What of passages a folder reports: ``spans``, ``reuse`` or ``units``; None of no others."""
    return _opened(folder, within)[0]


def _opened(folder: Path, within: Sequence[str]) -> tuple[str | None, Any]:
    """The kind of a report, and its manifest."""
    try:
        manifest = json.loads(read_regular(folder / MANIFEST, MANIFEST_BYTES, within))
    except (OSError, ValueError, RecursionError):
        return None, {}
    if not isinstance(manifest, dict):
        return None, {}
    kind = "units" if is_about_units(manifest) else manifest.get("command")
    return (kind if kind in [*SHAPES] else None), manifest


def open_passages(folder: Path, within: Sequence[str] = ()) -> PassagesReport:
    """A report of spans, units or reuse; raises where it is damaged, or about something else."""
    kind, manifest = _opened(folder, within)
    if kind is None:
        raise ReportError(
            f"{folder} is not a report of twinset spans, twinset reuse or a run with --level"
        )
    if wrong := list(faults(manifest, {"twinset": str, **SHAPES[kind]})):
        raise ReportError(
            f"{folder / MANIFEST} is damaged: {'; '.join(wrong[:3])}; run again with --force"
        )
    return PassagesReport(folder, kind, manifest, tuple(within))


@dataclass(frozen=True)
class PassagesReport:
    """The passages of a report by rank: those that take most text first."""

    folder: Path
    kind: str
    manifest: dict[str, Any]
    within: tuple[str, ...] = ()

    @cached_property
    def table(self) -> pa.Table:
        """Places of spans, or passages; units that stand in several places are spans."""
        table = read_table(self.folder, self.kind, None, self.within)
        return _as_spans(table) if self.kind == "units" else table

    @cached_property
    def documents(self) -> pa.Table:
        rules = REUSED if self.kind == "reuse" else REPEATED
        return read_table(self.folder, "documents", None, self.within, rules)

    @property
    def unit(self) -> str:
        """What the size of a span counts."""
        return "char" if self.kind == "units" else str(self.manifest["options"]["unit"])

    @cached_property
    def ranked(self) -> Ints:
        """The first rows of spans, or the rows of passages, the largest first."""
        if self.kind == "reuse":
            left, right = (
                self._column(f"{side}_end") - self._column(f"{side}_start") for side in SIDES
            )
            return largest_first(left + right, self.table["score"].to_numpy())
        begins = self._begins
        sizes = np.diff(np.append(begins, len(self.table)))
        weight = (sizes - 1) * self._column("units")[begins]
        return begins[np.argsort(-weight, kind="stable")]

    @cached_property
    def _begins(self) -> Ints:
        return np.flatnonzero(np.diff(self._column("span"), prepend=-1) != 0)

    def rows(self, start: int, count: int) -> list[dict[str, Any]]:
        """Passages from a rank on; of spans the first place, with ``size``: how many it has."""
        first = self.ranked[start : start + count]
        rows: list[dict[str, Any]] = self.table.take(pa.array(first)).to_pylist()
        if self.kind != "reuse":
            for row, at in zip(rows, first.tolist(), strict=True):
                row["size"] = self._size(at)
        return rows

    def shares(self, count: int) -> list[DocumentShare]:
        """The documents of which most repeats."""
        whole, part = ("words", "reused") if self.kind == "reuse" else ("characters", "repeated")
        size, held = (numbers(self.documents[name].combine_chunks()) for name in (whole, part))
        share = held / np.maximum(size, 1)
        order = np.argsort(-share, kind="stable")[:count]
        rows = self.documents.take(pa.array(order[share[order] > 0])).to_pylist()
        return [
            DocumentShare(side, row["id"], row[whole], row[part] / max(row[whole], 1))
            for row in rows
            if (side := row.get("side", "")) in ("", *SIDES)
        ]

    def context(self, rank: int) -> list[InContext]:
        """The places of one passage, as far as their texts can be read again."""
        if not 0 <= rank < len(self.ranked):
            raise ReportError(f"the report has no passage {rank}; choose one of the list")
        at = int(self.ranked[rank])
        if self.kind == "reuse":
            row = self.table.slice(at, 1).to_pylist()[0]
            places = [
                InContext(side, row[side], row[f"{side}_start"], row[f"{side}_end"])
                for side in SIDES
            ]
        else:
            places = [
                InContext("", row["id"], row["start"], row["end"])
                for row in self.table.slice(at, min(self._size(at), PLACES)).to_pylist()
            ]
        return [self._with_text(place) for place in places]

    def _size(self, first: int) -> int:
        after = int(np.searchsorted(self._begins, first, side="right"))
        end = self._begins[after] if after < len(self._begins) else len(self.table)
        return int(end) - first

    def _column(self, name: str) -> Ints:
        return numbers(self.table[name].combine_chunks())

    def _with_text(self, place: InContext) -> InContext:
        text = self._text(place.side, place.id)
        if text is None or place.end > len(text):
            return place
        return place._replace(
            before=text[max(0, place.start - AROUND) : place.start],
            text=text[place.start : place.end],
            after=text[place.end : place.end + AROUND],
        )

    def _text(self, side: str, id: str) -> str | None:
        """The text of a document, None where its source is gone or has changed."""
        from twinset.model import compute as pc

        described = self.manifest["sides"][side] if side else self.manifest
        options = self.manifest["plan"] if self.kind == "units" else described
        chosen = pc.equal(self.documents["id"], id)
        if side:
            chosen = pc.and_(chosen, pc.equal(self.documents["side"], side))
        for row in self.documents.filter(chosen).slice(0, 1).to_pylist():
            entries = [e for e in described["inputs"] if e["source"] == row["source"]]
            read = {**options["read"], "within": list(self.within)}
            manifest = {"plan": {"read": read}, "inputs": entries}
            try:
                inputs = reopen(manifest)
            except ReportError:
                return None
            return texts_at(manifest, inputs, {row["source"]: {row["place"]: id}}).get(id)
        return None


def _as_spans(units: pa.Table) -> pa.Table:
    """The places of units that stand in several, those of one together, in reading order."""
    same_as = units["same_as"].combine_chunks()
    goes = same_as.is_valid().to_numpy(zero_copy_only=False)
    number = np.arange(len(units))
    number[goes] = numbers(same_as.drop_null())
    rows, span = in_groups(number, goes)
    table = units.select(["id", "start", "end"]).take(pa.array(rows))
    size = numbers(table["end"].combine_chunks()) - numbers(table["start"].combine_chunks())
    return table.append_column("span", pa.array(span)).append_column("units", pa.array(size))
