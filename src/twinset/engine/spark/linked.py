"""What is known of the documents once they are linked with each other."""

from __future__ import annotations

from typing import Any

from twinset.engine.spark.copies import EqualDocuments
from twinset.lazy_dataclass import dataclass


@dataclass(frozen=True)
class LinkedDocuments:
    """``documents`` are all of them, ``linked`` those that are compared, with their ``root``.

    Documents of one root go to one task. There are about ``count`` of them, with ``units`` words.
    ``counts`` names the file of counted features, for methods whose keys are the rarest ones.
    ``is_whole`` says that one task had room for all documents.
    """

    documents: Any
    equal: EqualDocuments
    linked: Any
    count: int
    units: int
    repeated_ids: int
    counts: str | None = None
    is_whole: bool = False
