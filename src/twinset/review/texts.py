"""The texts of a report's documents, read again from their sources, which stay open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from twinset.errors import ReportError, TwinsetError
from twinset.reading import Inputs
from twinset.result.texts import ensure_texts, is_quick, reopen, texts_at
from twinset.review.index import ReportIndex


class ReportTexts:
    """Reads documents of a report by number."""

    def __init__(self, index: ReportIndex) -> None:
        self.index = index
        self._inputs: dict[bool, Inputs] = {}

    @classmethod
    def of(cls, index: ReportIndex) -> ReportTexts:
        """The reader of this report, made once."""
        return index.kept("documents", lambda: cls(index))

    def texts(self, numbers: Iterable[int], *, original: bool = False) -> dict[int, str]:
        """Texts by number, with mark-up where ``original``; unreadable ones are left out."""
        codes, sources = self.index.source
        by_id: dict[str, int] = {}
        places: dict[str, dict[int, str]] = defaultdict(dict)
        for number in numbers:
            id = self.index.id(number)
            by_id[id] = number
            places[sources[codes[number]]][int(self.index.place[number])] = id
        try:
            texts = texts_at(self.index.manifest, self.inputs(original), places)
        except TwinsetError:
            return {}
        return {by_id[id]: text for id, text in texts.items()}

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
        return is_quick(self.index.manifest.get("inputs", []))

    def inputs(self, original: bool = False) -> Inputs:
        """The sources, opened again."""
        if original not in self._inputs:
            report = self.index.report
            self._inputs[original] = reopen(report.manifest, report, original=original)
        return self._inputs[original]
