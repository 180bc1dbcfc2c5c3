"""A text opened for editing, and what an edit draws on.

The operations choose words, letters or parts (paragraphs, sentences) of a `Sheet` by random
numbers that depend on a key alone, never on order, threads, machine or hash seeds, and take new
text from the other documents of a collection or from files of words.

The kernels return words without positions. So this module asks them once about every character
(is it part of a word, a word alone, a mark that continues a word, a separator) and needs no second
Unicode table.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeVar

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.model import Ints
from twinset.system.bounded import WORDS_BYTES, read_regular
from twinset.text.arrow import arrow_text
from twinset.text.segments import words

T = TypeVar("T")
_WORD, _SOLO, _MARK, _SEPARATOR = "w", "o", "m", "s"
_SPANS = re.compile(f"{_WORD}[{_WORD}{_MARK}]*|{_SOLO}{_MARK}*")
_LETTERS = re.compile(f"[{_WORD}{_SOLO}]{_MARK}*")
_JOINER = "\u200d"
_ASCII = {code: _WORD if chr(code).isalnum() else _SEPARATOR for code in range(128)}


class _Kinds(dict[int, str]):
    """The kind of every character met so far, by its code."""

    def learn(self, text: str) -> None:
        """Ask the kernels about characters that are new."""
        new = list(set(text).difference(_KNOWN))
        if not new:
            return
        alone = words(new)
        between = words([f"a{char}a" for char in new])
        for char, itself, inside in zip(new, alone, between, strict=True):
            if itself:
                self[ord(char)] = _WORD if len(inside) == 1 else _SOLO
            else:
                self[ord(char)] = _MARK if len(inside) == 1 else _SEPARATOR
        _KNOWN.update(new)


_KINDS, _KNOWN = _Kinds(_ASCII), set(map(chr, _ASCII))


def kinds(text: str) -> str:
    """A letter per character: w is part of a word, o a whole word, m continues one, s separates."""
    if not text.isascii():
        _KINDS.learn(text)
    return text.translate(_KINDS)


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    stop: int


def word_spans(text: str) -> list[Span]:
    """The positions of the words of a text, as many and in the order of ``twinset.text.words``."""
    return [Span(*match.span()) for match in _SPANS.finditer(kinds(text))]


def has_words(text: str) -> bool:
    """Whether there is any word in a text."""
    kind = kinds(text)
    return _WORD in kind or _SOLO in kind


@lru_cache(maxsize=100_000)
def script_of(char: str) -> str:
    """The script of a letter by its name in Unicode: LATIN, CYRILLIC, CJK, DIGIT."""
    return unicodedata.name(char, "").partition(" ")[0]


def letters(text: str) -> list[Span]:
    """The letters and digits with their marks; letters with a joiner between count as one."""
    joined: list[Span] = []
    for match in _LETTERS.finditer(kinds(text)):
        start, stop = match.span()
        if joined and joined[-1].stop == start and text[start - 1] == _JOINER:
            start = joined.pop().start
        joined.append(Span(start, stop))
    return joined


def sentence_starts(texts: list[str]) -> list[Ints]:
    """The number of the first word of each sentence, text by text."""
    first, bounds = _kernels.sentences(*arrow_text(texts), 1)
    return [first[a:b] for a, b in itertools.pairwise(bounds.tolist())]


def count_words(texts: list[str]) -> int:
    """Words in all the texts together."""
    _, _, bounds = _kernels.words(*arrow_text(texts), 1)
    return int(bounds[-1])


By = Literal["paragraph", "sentence"]
GAPS: dict[By, str] = {"paragraph": "\n\n", "sentence": " "}
_LINE = r"(?:\r\n|\r(?!\n)|[\n\x85\u2028])"
_BLANK = "[ \t\x0b\xa0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
_PARAGRAPH_END = re.compile(f"{_LINE}{_BLANK}*{_LINE}|[\x0c\u2029]")


class TextPart(NamedTuple):
    """A paragraph or sentence, and where what goes with it ends when it is removed."""

    start: int
    stop: int
    end: int


class Edit(NamedTuple):
    """A stretch of the source and what takes its place."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True)
class Sheet:
    """A text with the parts that may go, come or change places, in ascending order."""

    source: str
    parts: tuple[TextPart, ...]
    by: By = "paragraph"

    @classmethod
    def of(cls, source: str, by: By = "paragraph") -> Sheet:
        """A text in its paragraphs (what lies between blank lines and has words), or sentences."""
        ends = [match.span() for match in _PARAGRAPH_END.finditer(source)]
        starts, stops = [0, *(stop for _, stop in ends)], [*(start for start, _ in ends)]
        whole = list(_parts(source, zip(starts, [*stops, len(source)], strict=True)))
        if by == "sentence":
            whole = [
                part._replace(end=stop)
                for start, stop in _sentence_cuts(source, whole)
                for part in _parts(source, [(start, stop)])
            ]
        return cls(source, tuple(whole), by)

    def plain(self, number: int) -> str:
        """The text of a part."""
        part = self.parts[number]
        return self.source[part.start : part.stop]

    def edited(self, edits: Iterable[Edit]) -> str:
        """The source with the edits applied; edits at one place keep their order."""
        parts, at = [], 0
        for edit in sorted(edits, key=lambda edit: edit[:2]):
            parts += [self.source[at : edit.start], edit.text]
            at = edit.stop
        return "".join([*parts, self.source[at:]])

    def without(self, gone: Sequence[int]) -> str:
        """The source without some parts; a paragraph goes with the gap after or before it."""
        if self.by != "paragraph":
            return self.edited(
                Edit(self.parts[number].start, self.parts[number].end, "") for number in gone
            )
        kept = max(set(range(len(self.parts))) - set(gone), default=-1)
        cuts = [Edit(self.parts[n].start, self.parts[n + 1].start, "") for n in gone if n < kept]
        if gone and gone[-1] > kept:
            start = self.parts[kept].stop if kept >= 0 else self.parts[0].start
            cuts.append(Edit(start, self.parts[-1].stop, ""))
        return self.edited(cuts)

    def with_new(self, added: Iterable[tuple[int, str]]) -> str:
        """The source with new parts before those of these numbers."""
        return self.edited(self._insertion(number, text) for number, text in added)

    def _insertion(self, number: int, text: str) -> Edit:
        gap = GAPS[self.by]
        if number > 0:
            at = self.parts[number - 1].stop
            return Edit(at, at, gap + text)
        at = self.parts[0].start if self.parts else 0
        return Edit(at, at, text + (gap if self.parts else GAPS["paragraph"]))

    def put(self, new: Sequence[tuple[Span, str]], *, apart: bool = False) -> str:
        """The source with other text at some places, in their order.

        ``apart`` keeps new words from growing together with their neighbours.
        """
        pieces = [""]
        at = 0
        for (start, stop), text in [*new, (Span(len(self.source), len(self.source)), "")]:
            for piece in filter(None, (self.source[at:start], text)):
                pieces += [" ", piece] if apart and _would_merge(pieces[-1], piece) else [piece]
            at = stop
        return "".join(pieces)


def _parts(source: str, spans: Iterable[tuple[int, int]]) -> Iterator[TextPart]:
    """The stretches that have words, without white space at their ends."""
    for start, stop in spans:
        text = source[start:stop]
        if has_words(text):
            start += len(text) - len(text.lstrip())
            stop = start + len(text.strip())
            yield TextPart(start, stop, stop)


def _sentence_cuts(source: str, paragraphs: list[TextPart]) -> Iterator[tuple[int, int]]:
    raw = [source[start:stop] for start, stop, _ in paragraphs]
    for (start, stop, _), text, firsts in zip(paragraphs, raw, sentence_starts(raw), strict=True):
        spans = word_spans(text)
        cuts = [start + spans[first].start for first in firsts[1:].tolist()]
        yield from itertools.pairwise([start, *cuts, stop])


def _would_merge(before: str, after: str) -> bool:
    """Whether the last word of ``before`` and the first of ``after`` would become one word."""
    return kinds(after[0]) == _WORD and kinds(before).rstrip(_MARK).endswith(_WORD)


_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def key_of(*parts: object) -> int:
    """64 bits that stand for the parts, numbers or strings, in their order."""
    encoded = json.dumps([str(part) for part in parts], ensure_ascii=True).encode()
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")


class Draw:
    """A stream of random numbers (SplitMix64 [Steele, Lea & Flood 2014]) that begins at a key."""

    def __init__(self, *key: object) -> None:
        self.key = self._state = key_of(*key)

    def bits(self) -> int:
        self._state = (self._state + _GOLDEN) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count`` - 1, each equally likely."""
        unfair = (1 << 64) % count
        while True:
            product = self.bits() * count
            if product & _MASK >= unfair:
                return product >> 64

    def choice(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def sample(self, count: int, size: int) -> list[int]:
        """``size`` different numbers below ``count``, in ascending order."""
        swapped: dict[int, int] = {}
        for place in range(size):
            other = place + self.below(count - place)
            at_place, at_other = swapped.get(place, place), swapped.get(other, other)
            swapped[place], swapped[other] = at_other, at_place
        return sorted(swapped[place] for place in range(size))

    def cycle(self, count: int) -> list[int]:
        """A permutation in one cycle (Sattolo's): with two or more, every place changes."""
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last)
            places[last], places[other] = places[other], places[last]
        return places


MOST_CHARACTERS = 4_000_000


class Others:
    """Texts to take paragraphs and words from: the first ones, up to `MOST_CHARACTERS`.

    They are split once, at the first use.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        before = itertools.accumulate(map(len, texts), initial=0)
        self._texts = [
            text for text, at in zip(texts, before, strict=False) if at < MOST_CHARACTERS
        ]
        self._split: dict[str, list[str]] = {}

    def part(self, draw: Draw, avoid: str, by: By) -> str | None:
        """A paragraph or sentence of any text but the one to avoid, if there is one."""
        store = self._paragraphs
        first = draw.below(len(store)) if store else 0
        for step in range(len(store)):
            number, plain = store[(first + step) % len(store)]
            if self._texts[number] != avoid:
                if by == "paragraph":
                    return plain
                if plain not in self._split:
                    self._split[plain] = parts_of(plain, by)
                return draw.choice(self._split[plain])
        return None

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The distinct words, lower-case, by script, in the order of their first appearance."""
        scripts: dict[str, list[str]] = {}
        for word in dict.fromkeys(itertools.chain.from_iterable(words(self._texts))):
            scripts.setdefault(script_of(word[0]), []).append(word)
        return scripts

    @cached_property
    def _paragraphs(self) -> list[tuple[int, str]]:
        return [
            (number, plain)
            for number, text in enumerate(self._texts)
            for plain in parts_of(text, "paragraph")
        ]


def parts_of(text: str, by: By) -> list[str]:
    """The parts of a text."""
    sheet = Sheet.of(text, by)
    return [sheet.plain(number) for number in range(len(sheet.parts))]


def words_of_file(path: str) -> list[str]:
    """The distinct words of a file, of which there is one at least."""
    from twinset.text.encoding import decode

    try:
        text = decode(read_regular(path, WORDS_BYTES), html=False).text
    except (OSError, ValueError) as fault:  # the latter where the path holds a null character
        reason = getattr(fault, "strerror", None) or fault
        raise TwinsetError(
            f"the file {path!r} cannot be read ({reason}); give the path of a text file"
        ) from None
    known = list(dict.fromkeys(text[start:stop] for start, stop in word_spans(text)))
    if not known:
        raise TwinsetError(f"the file '{path}' has no words; write one on each line")
    return known
