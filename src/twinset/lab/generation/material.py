"""Where operations take new text from: the other documents of a collection, and files of words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from twinset.errors import TwinsetError
from twinset.lab.generation.draw import Draw
from twinset.lab.generation.splitting import By, open_sheet, parts_of
from twinset.lab.generation.units import script_of, word_spans
from twinset.system.bounded import WORDS_BYTES, read_regular
from twinset.text import words
from twinset.text.clean import html_to_text
from twinset.text.pages import is_marked_up

MOST_CHARACTERS = 4_000_000


class Others:
    """Texts to take paragraphs and words from: the first ones, up to `MOST_CHARACTERS`.

    They are split once, at the first use.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts

    def part(self, draw: Draw, avoid: str, by: By) -> str | None:
        """A paragraph, line or sentence as plain text; None where there is none."""
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
        characters = 0
        for number, text in enumerate(self._texts):
            if characters >= MOST_CHARACTERS:
                return
            characters += len(text)
            yield number, text


def by_script(words: Iterable[str]) -> dict[str, list[str]]:
    """Words by the script of their first letter."""
    scripts: dict[str, list[str]] = {}
    for word in words:
        scripts.setdefault(script_of(word[0]), []).append(word)
    return scripts


def load_words(path: str) -> tuple[str, ...]:
    """The words of a file; raises an error if the file is missing or has no words."""
    return _load(path, *_state(path))


def load_text(path: str) -> str:
    """The text of a file."""
    return _read(path, *_state(path))


def fault_of(path: str, name: str) -> list[str]:
    """What is wrong with a file of words, as a sentence."""
    try:
        load_words(path)
    except TwinsetError as fault:
        return [f"{name}: {fault}"]
    return []


def _state(path: str) -> tuple[int, int]:
    """Time and size of a file, which change when the file does."""
    try:
        state = os.stat(path)
    except (OSError, ValueError) as fault:  # the latter where the path holds a null character
        reason = getattr(fault, "strerror", None) or fault
        raise TwinsetError(
            f"the file {path!r} cannot be read ({reason}); give the path of a text file"
        ) from None
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=16)
def _load(path: str, time: int, size: int) -> tuple[str, ...]:
    text = _read(path, time, size)
    words = tuple(dict.fromkeys(text[a:b] for a, b in word_spans(text)))
    if not words:
        raise TwinsetError(f"the file '{path}' has no words; write one on each line")
    return words


@lru_cache(maxsize=16)
def _read(path: str, time: int, size: int) -> str:
    from twinset.reading.encoding import decode

    try:
        return decode(read_regular(path, WORDS_BYTES), html=False).text
    except OSError as fault:
        raise TwinsetError(
            f"the file '{path}' cannot be read ({fault.strerror}); give the path of a text file"
        ) from None
