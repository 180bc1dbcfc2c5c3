"""Which type every field has, by its values; where these do not agree it is text.

Whole numbers that 64 bits hold stay whole numbers. Together with fractions they are doubles, as
long as a double holds each of them. Lists and objects are lists and structs of what they hold.
Everything else, and values of several kinds in one field, are text: texts as they are, other values
as JSON.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from twinset.reading.encoding import without_surrogates
from twinset.reading.rows.record import FALSE, TRUE, UNHELD, Record, Value, Verbatim, parsed

EXACT = 1 << 53
"""Every whole number up to here is a double."""
MOST_KEYS = 256
"""An object with more keys than these is a table of its own and stays JSON."""
DEEPEST = 16
"""A value with more levels than these is not taken apart and stays JSON."""
_LONGEST, _TOO_LARGE = 64, 1 << 64
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
_SEEN = ("truth", "text", "json", "number", "fraction", "least", "greatest", "items", "keys")
_OTHER_THAN_ZERO = re.compile(r"-?[0.]*[1-9]")


class _TooDeepError(Exception):
    """A value with too many levels."""


@dataclass(slots=True)
class Kind:
    """What was seen of a field; nothing but nulls where all is empty."""

    truth: bool = False
    text: bool = False
    json: bool = False
    number: bool = False
    fraction: bool = False
    least: int = 0
    greatest: int = 0
    items: Kind | None = None
    keys: dict[str, Kind] | None = None
    arrow: pa.DataType | None = None

    def add(self, value: Value) -> None:
        """Look at a value of a record."""
        if value is None or self.json:
            return
        if type(value) is str:
            self.text = True
        elif value is TRUE or value is FALSE:
            self.truth = True
        elif value[0] in "[{":
            try:
                self._add_parsed(parsed(value), 0)
            except _TooDeepError:
                self.json = True
        else:
            self._add_number(value)

    def _add_number(self, written: str) -> None:
        self.number = True
        if written.lstrip("-").isdigit():
            number = int(written) if len(written) < _LONGEST else _TOO_LARGE
            self.least, self.greatest = min(self.least, number), max(self.greatest, number)
            return
        self.fraction = True
        held = float(written)
        is_lost = math.isinf(held) or (held == 0 and _OTHER_THAN_ZERO.match(written))
        self.json |= bool(is_lost) and written not in UNHELD

    def _add_parsed(self, value: Any, depth: int) -> None:
        if value is None or self.json:
            return
        if depth > DEEPEST:
            raise _TooDeepError
        if isinstance(value, list):
            self.items = self.items or Kind()
            for item in value:
                self.items._add_parsed(item, depth + 1)
        elif isinstance(value, dict):
            self.keys = {} if self.keys is None else self.keys
            for key, item in value.items():
                name = without_surrogates(key)
                self.keys.setdefault(name, Kind())._add_parsed(item, depth + 1)
            self.json |= len(self.keys) > MOST_KEYS
        elif isinstance(value, bool):
            self.truth = True
        elif isinstance(value, Verbatim):
            self._add_number(value)
        else:
            self.text = True

    def merge(self, other: Kind) -> None:
        """Take in what was seen of the same field elsewhere."""
        if self.arrow is not None or other.arrow is not None:
            self._merge_arrow(other)
            return
        self.truth |= other.truth
        self.text |= other.text
        self.json |= other.json
        self.number |= other.number
        self.fraction |= other.fraction
        self.least, self.greatest = (
            min(self.least, other.least),
            max(self.greatest, other.greatest),
        )
        if other.items is not None:
            self.items = self.items or Kind()
            self.items.merge(other.items)
        for key, kind in (other.keys or {}).items():
            self.keys = {} if self.keys is None else self.keys
            self.keys.setdefault(key, Kind()).merge(kind)
        self.json |= self.keys is not None and len(self.keys) > MOST_KEYS

    def _merge_arrow(self, other: Kind) -> None:
        if other.is_empty:
            return
        if self.arrow == other.arrow:
            self.least = min(self.least, other.least)
            self.greatest = max(self.greatest, other.greatest)
            return
        if self.is_empty:
            self.arrow, self.least, self.greatest = other.arrow, other.least, other.greatest
            return
        mine, theirs = self._loosened(), other._loosened()
        self.arrow = None
        for name in _SEEN:
            setattr(self, name, getattr(mine, name))
        self.merge(theirs)

    def _loosened(self, depth: int = 0) -> Kind:
        """A column of Arrow as values would have been seen; types of its own stay JSON."""
        kind = self.arrow
        if kind is None:
            return self
        if depth > DEEPEST:
            return Kind(json=True)
        if pa.types.is_struct(kind):
            return Kind(keys={child.name: _of_type(child.type, depth + 1) for child in kind})
        if any(is_list(kind) for is_list in _LISTS):
            return Kind(items=_of_type(kind.value_type, depth + 1))
        if pa.types.is_boolean(kind):
            return Kind(truth=True)
        if pa.types.is_integer(kind):
            return Kind(number=True, least=self.least, greatest=self.greatest)
        if pa.types.is_float32(kind) or pa.types.is_float64(kind):
            return Kind(number=True, fraction=True)
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return Kind(text=True) if is_text else Kind(json=True)

    @property
    def is_empty(self) -> bool:
        """Whether nothing but nulls was seen."""
        return self.arrow is None and not any(
            (self.truth, self.text, self.json, self.number, self.items, self.keys is not None)
        )

    def type(self) -> pa.DataType:
        """The type that holds every value; text where no other does."""
        if self.arrow is not None:
            return self.arrow
        sorts = [self.truth, self.text, self.number, self.items is not None, self.keys is not None]
        if self.json or sum(sorts) != 1 or self.text:
            return pa.string()
        if self.truth:
            return pa.bool_()
        if self.number:
            return self._number_type()
        if self.items is not None:
            return pa.list_(self.items.type())
        if not self.keys:
            return pa.string()  # Parquet has no structs without fields
        return pa.struct([(key, kind.type()) for key, kind in self.keys.items()])

    def _number_type(self) -> pa.DataType:
        if self.fraction:
            is_exact = self.least >= -EXACT and self.greatest <= EXACT
            return pa.float64() if is_exact else pa.string()
        if self.least >= -(1 << 63) and self.greatest < 1 << 63:
            return pa.int64()
        return pa.uint64() if self.least >= 0 and self.greatest < 1 << 64 else pa.string()


@dataclass(slots=True)
class FieldKinds:
    """The fields of all rows, in the order in which they were first met."""

    kinds: dict[str, Kind] = field(default_factory=dict)

    @classmethod
    def of_texts(cls, names: Iterable[str]) -> FieldKinds:
        """Fields that hold text."""
        return cls({name: Kind(text=True) for name in names})

    @classmethod
    def of_schema(
        cls, schema: pa.Schema, names: Iterable[str], bounds: Mapping[str, tuple[int, int]]
    ) -> FieldKinds:
        """The columns of a table; ``bounds`` has the least and the greatest number of some."""
        kinds = {}
        for name, column in zip(names, schema, strict=True):
            least, greatest = bounds.get(name) or _bounds(column.type)
            is_null = pa.types.is_null(column.type)
            kinds[name] = Kind(
                arrow=None if is_null else column.type, least=least, greatest=greatest
            )
        return cls(kinds)

    def add(self, record: Record) -> None:
        """Look at the fields of a row."""
        kinds = self.kinds
        for name, value in record.items():
            kind = kinds.get(name)
            if kind is None:
                kind = kinds[name] = Kind()
            if not (kind.text and type(value) is str):
                kind.add(value)

    def merge(self, other: FieldKinds) -> None:
        """Take in the fields of another source."""
        for name, kind in other.kinds.items():
            if name in self.kinds:
                self.kinds[name].merge(kind)
            else:
                self.kinds[name] = kind

    def schema(self) -> pa.Schema:
        """The columns of a table that holds all rows."""
        return pa.schema(
            [(without_surrogates(name), kind.type()) for name, kind in self.kinds.items()]
        )


def _of_type(kind: pa.DataType, depth: int) -> Kind:
    """What was seen of values inside a list or a struct of Arrow: all that their type may hold."""
    if pa.types.is_null(kind):
        return Kind()
    least, greatest = _bounds(kind)
    return Kind(arrow=kind, least=least, greatest=greatest)._loosened(depth)


def _bounds(kind: pa.DataType) -> tuple[int, int]:
    if not pa.types.is_integer(kind):
        return 0, 0
    bits = kind.bit_width
    if pa.types.is_signed_integer(kind):
        return -(1 << bits - 1), (1 << bits - 1) - 1
    return 0, (1 << bits) - 1
