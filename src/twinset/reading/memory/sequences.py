"""What Python itself has: texts, pairs and dicts in lists, tuples, generators; dicts; NumPy."""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from twinset.errors import TwinsetError, warn
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import columns_batch
from twinset.reading.memory.kind import (
    FEW,
    ROWS,
    Mask,
    MemoryKind,
    changed,
    is_of,
    no_column,
    no_fields,
    no_texts,
    type_name,
)
from twinset.reading.memory.values import (
    field_of,
    ids_of,
    is_missing,
    orders_of,
    texts_of,
    written_id,
)
from twinset.reading.source import ReadJob


class ItemSequence(MemoryKind):
    """Texts, (id, text) pairs or dicts, in a list, a tuple or any other iterable.

    What runs only once is kept as a list, and what is selected of it is a list.
    """

    def __init__(self, data: Any) -> None:
        super().__init__(data if isinstance(data, list | tuple) else list(data))

    @classmethod
    def takes(cls, data: Any) -> bool:
        """Whatever can be iterated."""
        return isinstance(data, Iterable)

    @property
    def items(self) -> Sequence[Any]:
        """The documents, as they were handed over."""
        items: Sequence[Any] = self.data
        return items

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise for the first item that is no document; dicts are judged together."""
        records = False
        for number, item in enumerate(self.items, 1):
            if item is None or isinstance(item, str):
                continue
            if isinstance(item, tuple | list) and len(item) == 2:
                check_pair(item[0], item[1], number)
            elif isinstance(item, dict | Mapping):  # dict first, which is quicker to tell
                records = True
            else:
                raise TwinsetError(
                    f"document {number} is {type_name(item)}, neither a text, an (id, text) pair "
                    f"nor a dict{_remedy(item)}"
                )
        if records:
            _check_records(self.items, options, strict)
        elif strict:
            no_fields(options, "a list of texts")
            _warn_of_paths(self.items)

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many items."""
        for first in range(0, len(self.items), ROWS):
            yield _batch(job, self.items[first : first + ROWS], first + 1)

    def select(self, mask: Mask) -> Any:
        """A tuple of a tuple, else a list."""
        if len(self.items) != len(mask):
            raise changed(len(self.items), mask)
        selected = itertools.compress(self.items, mask.tolist())
        if isinstance(self.data, tuple):
            return tuple(selected)
        if type(self.data) is list:
            return list(selected)
        own = copy.copy(self.data)
        own[:] = selected
        return own


class TextsById(ItemSequence):
    """A mapping from id to text."""

    def __init__(self, data: Any) -> None:
        MemoryKind.__init__(self, data)

    @classmethod
    def takes(cls, data: Any) -> bool:
        """Dicts and the like."""
        return isinstance(data, Mapping)

    @property
    def items(self) -> Sequence[Any]:
        """The pairs in their order."""
        return list(self.data.items())

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise for the first pair that is no document."""
        for number, (id, text) in enumerate(self.data.items(), 1):
            check_pair(id, text, number)
        if strict:
            no_fields(options, "a dict of texts")

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many pairs."""
        pairs, first = iter(self.data.items()), 1
        while some := list(itertools.islice(pairs, ROWS)):
            yield _batch(job, some, first)
            first += len(some)

    def select(self, mask: Mask) -> Any:
        """A mapping of the same type and order."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        if type(self.data) is dict or not isinstance(self.data, MutableMapping):
            return dict(itertools.compress(self.data.items(), mask.tolist()))
        own = copy.copy(self.data)
        for key in itertools.compress(self.data, (~mask).tolist()):
            del own[key]
        return own


class NumpyArray(ItemSequence):
    """An array of texts."""

    def __init__(self, data: Any) -> None:
        MemoryKind.__init__(self, data)

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`numpy.ndarray`."""
        return is_of(data, "numpy", "ndarray")

    @property
    def items(self) -> Sequence[Any]:
        """The elements as Python objects."""
        items: Sequence[Any] = self.data.tolist()
        return items

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where the array is not one column of texts."""
        if self.data.ndim != 1:
            raise TwinsetError(
                f"the array has {self.data.ndim} dimensions; give one column of texts, or a table"
            )
        if self.data.dtype.kind not in "UTO":
            no_texts(self.data.dtype.name, "")
        if self.data.dtype.kind == "O":
            super().check(options, strict)
        elif strict:
            no_fields(options, "an array of texts")

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many elements."""
        for first in range(0, len(self.data), ROWS):
            yield _batch(job, self.data[first : first + ROWS].tolist(), first + 1)

    def select(self, mask: Mask) -> Any:
        """An array of the same type."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        return self.data[mask]


def check_pair(id: Any, text: Any, number: int) -> None:
    """Raise where this is no id, or no text."""
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
    fields = {"text": options.text}
    if strict and options.id != ReadOptions().id:
        fields["id"] = options.id
    if strict and options.order:
        fields["keep"] = options.order
    for option, name in fields.items():
        if not any(_has(item, name) for item in items):
            records = (item for item in items if isinstance(item, Mapping))
            keys = dict.fromkeys(key for item in itertools.islice(records, FEW) for key in item)
            value = f"{name}:max" if option == "keep" else name
            no_column(name, [str(key) for key in keys], option, value, of_dicts=True)


def _has(item: Any, name: str) -> bool:
    return not is_missing(field_of(item, name)) if isinstance(item, Mapping) else False


def _batch(job: ReadJob, items: Sequence[Any], first: int) -> Batch:
    options, ids, order = job.options, None, None
    texts: Sequence[Any] = items
    absent = "the text is None"
    shapes = set(map(type, items))
    if shapes <= {tuple, list}:
        texts = [item[1] for item in items]
        ids = ids_of(job, [item[0] for item in items], first)
    elif shapes != {str}:
        records = [item if isinstance(item, dict | Mapping) else None for item in items]
        if any(record is not None for record in records):
            absent = f"there is no '{options.text}', or it is None"
        texts = [_part(item, options.text, 1) for item in items]
        ids = ids_of(job, [_part(item, options.id, 0) for item in items], first)
        if options.order:
            order = orders_of(job, [field_of(item, options.order) for item in records], first)
    places = np.arange(first, first + len(items), dtype=np.int64)
    column = texts_of(job, texts, first, absent)
    return columns_batch(job, column, ids, order, places, nulls_are_known=True)


def _part(item: Any, field: str, place: int) -> Any:
    """A field of a dict, or what stands at a place of a pair; a text has nothing but itself."""
    if isinstance(item, dict | Mapping):
        return field_of(item, field)
    if isinstance(item, tuple | list):
        return item[place]
    return item if place == 1 else None


def _warn_of_paths(items: Sequence[Any]) -> None:
    """Say that names of files are compared as texts, which hardly anybody means."""
    if items and all(isinstance(item, str) and os.path.exists(item) for item in items):
        warn(
            "the texts are names of files, and the names are compared; to read the files, hand "
            "over pathlib.Path objects",
            UserWarning,
        )
