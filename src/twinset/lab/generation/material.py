"""The other documents of a collection, as a store of paragraphs and words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from twinset.lab.generation.draw import Draw
from twinset.lab.generation.parts import By, parts_of
from twinset.lab.generation.sheet import open_sheet
from twinset.lab.generation.units import script_of
from twinset.text import words
from twinset.text.clean import html_to_text, is_marked_up

MOST_CHARACTERS = 4_000_000


class Others:
    """Texts to take paragraphs and words from: the first ones, up to some millions of characters.

    They are read when first asked for, and once.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts

    def part(self, draw: Draw, avoid: str, by: By) -> str | None:
        """A paragraph, line or sentence as plain text; None where there is none to be had."""
        plain = self._paragraph(draw, avoid)
        return plain if plain is None or by == "paragraph" else draw.choice(parts_of(plain, by))

    def _paragraph(self, draw: Draw, avoid: str) -> str | None:
        """A paragraph of any text but the one to avoid."""
        store = self._paragraphs
        if not store:
            return None
        first = draw.below(len(store))
        for step in range(len(store)):
            number, plain = store[(first + step) % len(store)]
            if self._texts[number] != avoid:
                return plain
        return None

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The distinct words, lower-case, by script, in the order of their first appearance."""
        plain = [html_to_text(text) if is_marked_up(text) else text for _, text in self._some()]
        return by_script(dict.fromkeys(word for own in words(plain) for word in own))

    @cached_property
    def _paragraphs(self) -> list[tuple[int, str]]:
        return [
            (number, paragraph.plain)
            for number, text in self._some()
            for paragraph in open_sheet(text, is_marked_up(text)).paragraphs
        ]

    def _some(self) -> Iterator[tuple[int, str]]:
        taken = 0
        for number, text in enumerate(self._texts):
            if taken >= MOST_CHARACTERS:
                return
            taken += len(text)
            yield number, text


def by_script(found: Iterable[str]) -> dict[str, list[str]]:
    """Words by the script of their first letter."""
    scripts: dict[str, list[str]] = {}
    for word in found:
        scripts.setdefault(script_of(word[0]), []).append(word)
    return scripts
