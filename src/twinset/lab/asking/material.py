"""What a dialogue is about: documents, the pairs worth asking about, and the pairs' signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from twinset.model import Floats, Ints
from twinset.signals.experts import scaled


@dataclass(frozen=True)
class Material:
    """Documents and their candidate pairs (left < right, each once), with a table of signals.

    ``names`` are the columns of ``table``. ``words`` says in words what stands out in the signals
    of a pair. Where only a sample is looked at, ``documents`` counts all documents there are, and
    a pair stands for ``weights`` pairs of theirs.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    left: Ints
    right: Ints
    table: Floats
    names: tuple[str, ...]
    words: Callable[[int, str], list[str]] = field(default=lambda row, language: [], repr=False)
    documents: int = 0
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The signals as experts see them, by name."""
        return {name: scaled(name, self.table[:, at]) for at, name in enumerate(self.names)}

    @cached_property
    def classes(self) -> Ints:
        """A number for each document, the same for those whose words are the same."""
        words = [" ".join(text.split()) for text in self.texts]
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(text, len(numbers)) for text in words], np.int64)

    @cached_property
    def rows(self) -> dict[tuple[int, int], int]:
        """The row of each candidate pair."""
        pairs = zip(self.left.tolist(), self.right.tolist(), strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each document by its id."""
        return {id: number for number, id in enumerate(self.ids)}
