"""What Python itself has: texts, (id, text) pairs and dicts, in lists, generators and mappings."""

from __future__ import annotations

import copy
import datetime
import decimal
import itertools
import os
import uuid
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError, warn
from twinset.model import Batch
from twinset.model.columns import column
from twinset.plan import ReadOptions
from twinset.reading.arrays import strings
from twinset.reading.batches import columns_batch, lookup, order_of
from twinset.reading.memory.kind import (
    ROWS,
    SAMPLE,
    Mask,
    MemoryKind,
    ensure_unchanged,
    is_of,
    named_fields,
    no_column,
    no_fields,
    type_name,
)
from twinset.reading.source import ReadJob
from twinset.text.encoding import HALF, has_half


class ItemSequence(MemoryKind):
    """Texts, (id, text) pairs or dicts in an iterable; of a mapping its pairs.

    What runs only once is kept as a list, and what is selected of it is a list.
    """

    def __init__(self, data: Any) -> None:
        self.data = data if isinstance(data, list | tuple | Mapping) else list(data)
        self.items = list(data.items()) if isinstance(data, Mapping) else self.data

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        for first in range(0, len(self.items), ROWS):
            yield _batch(job, self.items[first : first + ROWS], first + 1)

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise for the first item that is no document; dicts are judged together."""
        records = False
        for number, item in enumerate(self.items, 1):
            if item is None or isinstance(item, str):
                continue
            if isinstance(item, tuple | list) and len(item) == 2:
                _check_pair(item[0], item[1], number)
            elif isinstance(item, Mapping):
                records = True
            else:
                raise TwinsetError(
                    f"document {number} is {type_name(item)}, neither a text, an (id, text) pair "
                    f"nor a dict{_remedy(item)}"
                )
        if records:
            _check_records(self.items, options, strict)
        elif strict:
            no_fields(options, f"a {type(self.data).__name__} of texts")
            if are_names_of_files(self.items):
                warn(f"{NAMES_OF_FILES}, and the names are compared; {AS_PATHS}", UserWarning)

    def select(self, mask: Mask) -> Any:
        ensure_unchanged(len(self.data), mask)
        if isinstance(self.data, Mapping):
            if not isinstance(self.data, MutableMapping):
                return dict(itertools.compress(self.data.items(), mask.tolist()))
            own = copy.copy(self.data)
            for key in itertools.compress(self.data, (~mask).tolist()):
                del own[key]
            return own
        selected = list(itertools.compress(self.data, mask.tolist()))
        if isinstance(self.data, tuple):
            return tuple(selected)
        own = copy.copy(self.data)
        own[:] = selected
        return own


def _check_pair(id: Any, text: Any, number: int) -> None:
    if type(text) is str and type(id) in (str, int):
        return  # nearly always
    if not isinstance(text, str) and text is not None:
        raise TwinsetError(
            f"the text of document {number} is {type_name(text)}; give a str{_remedy(text)}"
        )
    if isinstance(id, float) or (id is not None and written_id(id) is None):
        raise TwinsetError(
            f"the id of document {number} is {type_name(id)}; give text, a whole number or a UUID"
        )


def _remedy(value: Any) -> str:
    """How to mend the commonest mistakes."""
    if isinstance(value, bytes):
        return " (decode it first)"
    if isinstance(value, list):
        return " (columns in a dict are a table: hand over pyarrow.table(columns))"
    if is_of(value, "datasets", "Dataset", "IterableDataset"):
        return " (splits are taken in a DatasetDict)"
    if hasattr(value, "__fspath__"):
        return " (paths are taken in a list or a tuple of nothing else)"
    return ""


def _check_records(items: Sequence[Any], options: ReadOptions, strict: bool) -> None:
    """Raise where no dict has the text or, if it was named, the id or the order."""
    for option, name in named_fields(options, strict).items():
        if all(is_missing(lookup(item, name)) for item in items):
            records = (item for item in items if isinstance(item, Mapping))
            keys = dict.fromkeys(key for item in itertools.islice(records, SAMPLE) for key in item)
            value = f"{name}:max" if option == "keep" else name
            no_column(name, [str(key) for key in keys], option, value, of_dicts=True)


NAMES_OF_FILES = "the texts are names of files"
AS_PATHS = "to read the files, hand over pathlib.Path objects"


def are_names_of_files(items: Any) -> bool:
    """Whether names of files would be taken for texts, which hardly anybody means."""
    return (
        isinstance(items, list | tuple)
        and len(items) > 0
        and all(isinstance(item, str) and os.path.exists(item) for item in items)
    )


def _batch(job: ReadJob, items: Sequence[Any], first: int) -> Batch:
    options, ids, order = job.options, None, None
    texts: Sequence[Any] = items
    absent = "the text is None"
    shapes = set(map(type, items))
    if shapes <= {tuple, list}:
        texts = [item[1] for item in items]
        ids = ids_of(job, [item[0] for item in items], first)
    elif shapes != {str}:
        if any(isinstance(item, Mapping) for item in items):
            absent = f"there is no '{options.text}', or it is None"
        texts = [_part(item, options.text, 1) for item in items]
        ids = ids_of(job, [_part(item, options.id, 0) for item in items], first)
        if options.order:
            order = orders_of(job, [lookup(item, options.order) for item in items], first)
    places = np.arange(first, first + len(items), dtype=np.int64)
    column = texts_of(job, texts, first, absent)
    return columns_batch(job, column, ids, order, places, nulls_are_known=True)


def _part(item: Any, field: str, place: int) -> Any:
    """A field of a dict, or what stands at a place of a pair; a text has nothing but itself."""
    if isinstance(item, Mapping):
        return lookup(item, field)
    if isinstance(item, tuple | list):
        return item[place]
    return item if place == 1 else None


def texts_of(job: ReadJob, values: Sequence[Any], first: int, absent: str) -> pa.Array:
    """Texts, as strings or bytes; ``absent`` says what is wrong with a value that is not there."""
    if set(map(type, values)) == {str} and not any(map(has_half, values)):
        return strings(values, pa.large_string())
    plain: list[str | bytes | None] = []
    for place, value in enumerate(values, first):
        plain.append(value if isinstance(value, str | bytes) else None)
        if is_missing(value):
            job.faults.add(place, "missing", absent)
        elif isinstance(value, str):
            if has_half(value):
                plain[-1] = None
                job.faults.add(place, "encoding", f"the text holds {HALF}")
        elif not isinstance(value, bytes):
            job.faults.add(place, "type", f"the text is of the type {type_name(value)}")
    has_bytes = any(isinstance(value, bytes) for value in plain)
    return strings(plain, pa.large_binary() if has_bytes else pa.large_string())


def ids_of(job: ReadJob, values: Sequence[Any], first: int) -> pa.Array:
    """Ids: texts, numbers or UUIDs; others have none."""
    kinds = set(map(type, values))
    if kinds == {str} and not any(map(has_half, values)):
        return strings(values, pa.string())
    ids: list[str | bytes | None] = []
    for place, value in enumerate(values, first):
        id = written_id(value)
        if id is None and not is_missing(value):
            job.faults.add(place, "type", f"the id is of the type {type_name(value)}")
        elif id and has_half(id):
            job.faults.add(place, "encoding", f"the id holds {HALF}")
            id = None
        ids.append(id or None)
    return strings(ids, pa.string())


def written_id(value: Any) -> str | None:
    """An id as text; None for what is none."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool) or is_missing(value):
        return None
    if hasattr(value, "__index__"):
        return str(int(value))
    return str(value) if isinstance(value, uuid.UUID | float) else None


def orders_of(job: ReadJob, values: Sequence[Any], first: int) -> pa.Array:
    """What documents are ordered by: numbers, dates, or texts that are written so."""
    places = enumerate(values, first)
    orders = [order_of(job, _comparable(value), place) for place, value in places]
    return column(np.array(orders, dtype=np.float64))


def _comparable(value: Any) -> Any:
    if is_missing(value):
        return None
    if isinstance(value, datetime.date):  # and so a datetime
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(microseconds=1)
    return value.item() if hasattr(value, "item") else value  # a number of NumPy


def is_missing(value: Any) -> bool:
    """Whether it is None, or one of the values that pandas has for nothing."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")
