"""The texts of a report's documents, read again from their sources and kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable

from twinset.errors import ReportError, TwinsetError
from twinset.reading import Inputs, Source
from twinset.result.texts import ensure_texts, reopen, texts_at
from twinset.review.index import ReportIndex

MOST = 32 << 20
"""Characters that are kept."""


SMALL = 64 << 20
"""Bytes of sources that are read through without hesitation."""


class ReportTexts:
    """Reads documents of a report by number; what was read last is read once."""

    def __init__(self, index: ReportIndex) -> None:
        self.index = index
        self._kept: OrderedDict[tuple[int, bool], str] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._inputs: dict[bool, Inputs] = {}

    @classmethod
    def of(cls, index: ReportIndex) -> ReportTexts:
        """The reader of this report, made once."""
        return index.kept("documents", lambda: cls(index))

    def texts(self, numbers: Iterable[int], *, original: bool = False) -> dict[int, str]:
        """Texts by number, with mark-up where ``original``; unreadable ones are left out."""
        distinct = list(dict.fromkeys(numbers))
        with self._lock:
            texts = {n: self._kept[n, original] for n in distinct if (n, original) in self._kept}
        missing = [number for number in distinct if number not in texts]
        if missing:
            read = self._read(missing, original)
            self._keep(read, original)
            texts |= read
        return texts

    def text(self, number: int, *, original: bool = False) -> str:
        """One text; raises where it cannot be had."""
        texts = self.texts([number], original=original)
        if number not in texts:
            ensure_texts(self.index.manifest)
            codes, sources = self.index.source
            status = self.index.report.columns("documents", ["status"])["status"][number].as_py()
            if status in ("bad", "bytes"):
                raise ReportError(
                    f"no text was read of '{self.index.id(number)}': it was compared byte for byte"
                )
            outside = ", or lies outside the folders that this page may open"
            raise ReportError(
                f"the text of '{self.index.id(number)}' cannot be read again: its source "
                f"{sources[codes[number]]} is gone or has changed"
                f"{outside if self.index.report.within else ''}"
            )
        return texts[number]

    @property
    def quick(self) -> bool:
        """Whether single documents can be read without most of their sources."""
        return self.is_quick(SMALL)

    def is_quick(self, most_bytes: int) -> bool:
        """The same, where sources of so many bytes in all may be read through."""
        try:
            inputs = self.inputs()
        except TwinsetError:
            return False
        small = inputs.total_bytes <= most_bytes
        return small or all(s.files or _is_seekable(s) for s in inputs.sources)

    def inputs(self, original: bool = False) -> Inputs:
        """The sources, opened again."""
        if original not in self._inputs:
            report = self.index.report
            self._inputs[original] = reopen(report.manifest, report, original=original)
        return self._inputs[original]

    def _read(self, numbers: list[int], original: bool) -> dict[int, str]:
        codes, sources = self.index.source
        places: dict[str, dict[int, str]] = defaultdict(dict)
        by_id = {self.index.id(number): number for number in numbers}
        for id, number in by_id.items():
            places[sources[codes[number]]][int(self.index.place[number])] = id
        try:
            texts = texts_at(self.index.manifest, self.inputs(original), places)
        except TwinsetError:
            return {}
        return {by_id[id]: text for id, text in texts.items()}

    def _keep(self, texts: dict[int, str], original: bool) -> None:
        with self._lock:
            for number, text in texts.items():
                if (number, original) not in self._kept:
                    self._kept[number, original] = text
                    self._size += len(text)
            while self._size > MOST and self._kept:
                _, text = self._kept.popitem(last=False)
                self._size -= len(text)


def _is_seekable(source: Source) -> bool:
    return source.reader == "jsonl" and not source.compression
