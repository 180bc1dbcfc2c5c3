"""What differs between a file and the one that stays, in a few phrases; read and compared once."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from twinset.errors import TwinsetError
from twinset.review.cleaning.files import FolderFiles
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts

Phrases = tuple[tuple[str, str], ...]
AT_ONCE = 1 << 16
"""Bytes of files that one page may read to say what differs; the rest is asked for by itself."""
COMPARED = 200_000
"""Characters of a text that are compared."""


class Differences:
    """Phrases by (keeper, document): what the keeper has, and what the document has instead."""

    def __init__(self, index: ReportIndex, files: FolderFiles) -> None:
        self._index, self._files = index, files
        self._known: dict[tuple[int, int], Phrases] = {}
        self._lock = threading.Lock()

    def known(self, keeper: int, document: int) -> Phrases | None:
        """The phrases of a pair that was compared before."""
        return self._known.get((keeper, document))

    def compare(self, pairs: Sequence[tuple[int, int]], most_bytes: int | None = AT_ONCE) -> None:
        """Compare pairs as far as they are new and their files have so few bytes in all."""
        from twinset.verify.changes import changes

        with self._lock:
            chosen, size = [], 0
            for pair in pairs:
                if pair in self._known:
                    continue
                size += sum(int(self._files.bytes[document]) for document in pair)
                if most_bytes is not None and size > most_bytes:
                    break
                chosen.append(pair)
            texts = self._texts([document for pair in chosen for document in pair])
            for keeper, document in chosen:
                before, after = texts.get(keeper, ""), texts.get(document, "")
                self._known[keeper, document] = (
                    changes(before[:COMPARED], after[:COMPARED]) if before and after else ()
                )

    def _texts(self, documents: list[int]) -> dict[int, str]:
        if not documents:
            return {}
        try:
            return ReportTexts.of(self._index).texts(documents)
        except (TwinsetError, OSError):
            return {}
