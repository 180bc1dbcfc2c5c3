"""The interface of data in memory, and the errors for data that has no texts or columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from twinset.errors import TwinsetError, nearest, some_of
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import needed
from twinset.reading.source import ReadJob

NAME = "memory"
"""The source of documents that come from one collection."""
ROWS = 1 << 14
"""Documents that are converted at a time."""
SAMPLE = 100
"""Items that are looked at to tell what a collection holds."""
Mask = NDArray[np.bool_]


class MemoryKind(ABC):
    """A collection whose documents are its rows, so that a mask of documents is one of rows."""

    data: Any

    @abstractmethod
    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where there are no texts to read or, with ``strict``, a named field is missing."""

    @abstractmethod
    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """The documents from the beginning, any number of times."""

    @abstractmethod
    def select(self, mask: Mask) -> Any:
        """The rows of the mask, in the type of the data and with all that belongs to them."""


def named_fields(options: ReadOptions, strict: bool) -> dict[str, str]:
    """The fields that must be there, by option; the id only if the user named its field."""
    fields = {"text": options.text}
    if strict and options.id != ReadOptions().id:
        fields["id"] = options.id
    if strict and options.order:
        fields["keep"] = options.order
    return fields


def check_names(names: Sequence[str], options: ReadOptions, strict: bool) -> None:
    """Raise where a column is missing, or there twice."""
    for option, name in named_fields(options, strict).items():
        if not needed(names, ReadOptions(id=name, text=name)):
            value = f"{name}:max" if option == "keep" else name
            no_column(name, names, option, value)
    if repeated := [name for name in needed(names, options) if list(names).count(name) > 1]:
        raise TwinsetError(
            f"the table has several columns '{repeated[0]}'; rename all but one of them"
        )


def no_column(
    name: str, names: Sequence[str], option: str, value: str, *, of_dicts: bool = False
) -> NoReturn:
    """Raise for a column that is missing, with the nearest of those that are there."""
    usual = ReadOptions()
    others = [known for known in names if known != (usual.text if option == "id" else usual.id)]
    inside = (known for known in others if known.endswith(f".{name}"))
    meant = nearest(name, others) or next(inside, None)
    if meant is None and usual.id in others:
        meant = usual.id
    elif meant is None and option != "id" and len(others) == 1:
        meant = others[0]
    if meant is not None:
        remedy = f"did you mean {option}={value.replace(name, meant)!r}?"
    else:
        remedy = f"name it with {option}=..."
    have = some_of(names)
    fault = f"the table has no column '{name}' (it has {have})"
    if of_dicts:
        fault = f"no dict has a field '{name}' (they have {have})"
    raise TwinsetError(f"{fault}; {remedy}")


def no_texts(holds: str, name: str, others: Sequence[str] = ()) -> NoReturn:
    """Raise for a column, or an array without a name, whose values are not texts."""
    what = f"the column '{name}'" if name else "the array"
    remedy = "name a column of strings with text=..." if name else "give one of strings"
    if others:
        remedy = f"did you mean text={others[0]!r}?"
    raise TwinsetError(f"{what} holds {holds}, not text; {remedy}")


def no_fields(options: ReadOptions, what: str) -> None:
    """Raise where ``keep`` names a field of data that has no fields."""
    if options.order:
        raise TwinsetError(
            f"keep='{options.order}:...' needs a field, and {what} has none; give dicts or a table"
        )


def is_of(data: Any, library: str, *names: str) -> bool:
    """Whether the data is of one of these classes of a library, or of one derived from them."""
    return any(
        cls.__name__ in names and cls.__module__.split(".")[0].lstrip("_") == library
        for cls in type(data).__mro__
    )


def type_name(value: Any) -> str:
    """The name of a type in messages, with its module."""
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def ensure_unchanged(count: int, mask: Mask) -> None:
    """Raise where data has more or fewer rows than when it was read."""
    if count != len(mask):
        raise TwinsetError(
            f"the data has {count:,} rows now and had {len(mask):,} when it was read; run again"
        )
