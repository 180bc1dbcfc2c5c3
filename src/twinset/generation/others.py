"""The other documents of a collection, as a store of paragraphs and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from twinset.generation.draw import Draw
from twinset.generation.sheet import open_sheet
from twinset.generation.units import word_spans
from twinset.text.clean import looks_like_html

T = TypeVar("T")


class Others:
    """Texts to take paragraphs and words from; a text equal to ``avoid`` is passed over."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts
        self._paragraphs = lru_cache(maxsize=256)(self._read_paragraphs)
        self._words = lru_cache(maxsize=256)(self._read_words)

    def paragraph(self, draw: Draw, avoid: str) -> str | None:
        """A paragraph of another document as plain text; None where there is none."""
        return self._one(draw, avoid, self._paragraphs)

    def word(self, draw: Draw, avoid: str) -> str | None:
        """A word of another document."""
        return self._one(draw, avoid, self._words)

    def _one(self, draw: Draw, avoid: str, parts_of: Callable[[int], list[T]]) -> T | None:
        """One part of one document, each equally likely; a document without any gives way."""
        if not self._texts:
            return None
        first = draw.below(len(self._texts))
        for step in range(len(self._texts)):
            number = (first + step) % len(self._texts)
            if self._texts[number] != avoid and (parts := parts_of(number)):
                return draw.choice(parts)
        return None

    def _read_paragraphs(self, number: int) -> list[str]:
        text = self._texts[number]
        sheet = open_sheet(text, looks_like_html(text))
        return [paragraph.plain for paragraph in sheet.paragraphs]

    def _read_words(self, number: int) -> list[str]:
        return [
            plain[start:stop]
            for plain in self._paragraphs(number)
            for start, stop in word_spans(plain)
        ]
