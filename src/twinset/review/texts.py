"""The texts of a report's documents, read again from their sources, which stay open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from twinset.documents.base import FORMATS, SUFFIXES
from twinset.errors import ReportError, TwinsetError
from twinset.finding.verify.kinds import pages_with
from twinset.model.flow import KINDS
from twinset.pages.language import say
from twinset.pages.shown import shown
from twinset.reading import Inputs
from twinset.result.texts import ensure_texts, is_quick, reopen, texts_at
from twinset.review.index import ReportIndex


class PlaceInWhole(NamedTuple):
    """The pages (slides, ...: ``of_what``) of a larger document on which a part of it stands."""

    of_what: str
    pages: list[int]
    name: str

    def in_words(self, language: str = "en") -> str:
        """As in: pages 3–5, 9 of Annual report.pdf."""
        first = [page for page in self.pages if page - 1 not in self.pages]
        last = [page for page in self.pages if page + 1 not in self.pages]
        ends = zip(first, last, strict=True)
        pages = ", ".join(f"{a}–{b}" if a < b else str(a) for a, b in ends)
        n = min(2, len(self.pages))  # in Russian 21 pages would be "one" again
        return say(language, f"kinds.of_{self.of_what}", n=n, pages=pages, name=shown(self.name))


class ReportTexts:
    """Reads documents of a report by number."""

    def __init__(self, index: ReportIndex) -> None:
        self.index = index
        self._inputs: dict[tuple[bool, bool], Inputs] = {}

    @classmethod
    def of(cls, index: ReportIndex) -> ReportTexts:
        """The reader of this report, made once."""
        return index.kept("documents", lambda: cls(index))

    def place(self, left: int, right: int) -> PlaceInWhole | None:
        """Where a listed part stands in the larger document; None where that has no pages."""
        row = self.index.pairs.row_of(min(left, right), max(left, right))
        if row is None or self.index.pairs.kind[row] != KINDS.index("part"):
            return None
        part, whole = sorted((left, right), key=lambda number: int(self.index.units[number]))
        paged = self.texts([whole], paged=True).get(whole, "")
        pages = pages_with(self.texts([part]).get(part, ""), paged) if "\f" in paged else []
        name = PurePosixPath(self.index.id(whole)).name
        format = FORMATS.get(SUFFIXES.get(PurePosixPath(name).suffix.lower(), ""))
        of_what = format.of_what if format else ""
        return PlaceInWhole(of_what or "page", pages, name) if pages else None

    def texts(
        self, numbers: Iterable[int], *, original: bool = False, paged: bool = False
    ) -> dict[int, str]:
        """Texts by number, with mark-up where ``original``; unreadable ones are left out."""
        codes, sources = self.index.source
        by_id: dict[str, int] = {}
        places: dict[str, dict[int, str]] = defaultdict(dict)
        for number in numbers:
            id = self.index.id(number)
            by_id[id] = number
            places[sources[codes[number]]][int(self.index.place[number])] = id
        try:
            texts = texts_at(self.index.manifest, self.inputs(original, paged), places)
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

    def inputs(self, original: bool = False, paged: bool = False) -> Inputs:
        """The sources, opened again."""
        key, report = (original, paged), self.index.report
        if key not in self._inputs:
            again = reopen(report.manifest, report, original=original, paged=paged)
            self._inputs[key] = again
        return self._inputs[key]
