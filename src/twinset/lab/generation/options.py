"""The options of ``twinset.generate``.

This module imports nothing heavy, because the command line makes its help from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from twinset.plan.shared import seed
from twinset.spec import option

Originals = Literal["sources", "all", "none"]
Format = Literal["jsonl", "jsonl.gz", "csv", "csv.gz", "parquet", "romip", "folder"]
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """How many variants of how many documents are made, and what is kept beside them."""

    limit: int | None = option(
        None, "How many documents get variants.", metavar="N", group="Operations"
    )
    variants: int = option(
        1,
        "How many variants each of them gets.",
        metavar="N",
        group="Operations",
        least=1,
        most=10_000,
    )
    originals: Originals = option(
        "sources", "Which originals to keep: those that have variants, all of them, or none."
    )
    seed: int = seed()
    least_similarity: float = option(
        0.0,
        "Write pairs of a lower Jaccard similarity to ignore.csv instead of truth.csv.",
        metavar="S",
        least=0,
        most=1,
    )

    def faults(self) -> list[str]:
        """A limit below 1; the message calls it ``documents``, as the command line does."""
        if self.limit is None or self.limit >= 1:
            return []
        return [f"documents must be at least 1, not {self.limit}"]
