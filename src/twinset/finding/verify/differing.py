"""Where two texts differ, but for layout: line breaks, page headers, list numbers, hyphens.

`changes` says it in a few short phrases: "rent is 10,200" became "10,800".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from twinset.finding.verify.diff import Range, align, gaps, tidied
from twinset.finding.verify.valued_text import VALUES, Sort, ValuedText

_PAGE = re.compile(
    r"(?:page|p|pg|seite|стр|страница|лист|página|pagina|strona)\d{1,4}(?:(?:of|von|из|de|di|z)\d{1,4})?"
    r"|\d{1,4}(?:/|of|von|из)\d{1,4}"
)
_LAST_PAGE = re.compile(
    r"(?:.*[\W_])?(?:(?:page|p|pg|seite|стр|страница|лист|página|pagina|strona)\W{0,2}\d{1,4}"
    r"|(?P<page>\d{1,3}) ?(?:/|of|von|из|de|di|z) ?(?P=page))\W*",
    re.IGNORECASE,
)
"""A foot of the last page: "Lease, page 3", "Lease - 3 / 3"."""
HEAD_WORDS = 15
"""Words of the head or foot of a page, at most."""
MOST_OF_FOOT = 200
"""Characters of such a line, at most."""


@dataclass(frozen=True, slots=True)
class WordDifference:
    """The words of one place that the texts do not share, with their sorts; a side may be empty."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    left_sorts: tuple[Sort, ...]
    right_sorts: tuple[Sort, ...]
    where: Range


def differences(left: ValuedText, right: ValuedText) -> list[WordDifference]:
    """The places where the words of two texts differ, those of layout left out."""
    sizes = len(left.words), len(right.words)
    blocks = tidied(align(left.words, right.words), *sizes)
    furniture = _Furniture(left, right)
    return [
        WordDifference(
            tuple(left.words[a:b]),
            tuple(right.words[c:d]),
            tuple(left.sorts[a:b]),
            tuple(right.sorts[c:d]),
            (a, b, c, d),
        )
        for a, b, c, d in gaps(blocks, *sizes)
        if (a < b or c < d) and not furniture.holds((a, b, c, d))
    ]


class _Furniture:
    """What pages carry beside the text, and what programs add when they write a list."""

    def __init__(self, left: ValuedText, right: ValuedText) -> None:
        self._texts = left, right
        self._lines: dict[int, _Lines] = {}
        self._before: dict[int, list[int]] = {}

    def holds(self, where: Range) -> bool:
        """Whether a difference is one of layout alone."""
        a, b, c, d = where
        left, right = self._texts
        if "".join(left.words[a:b]) == "".join(right.words[c:d]):
            return True
        if a < b and c < d:
            return False
        side, begin, end = (0, a, b) if a < b else (1, c, d)
        text = self._texts[side]
        if all(sort == "marker" for sort in text.sorts[begin:end]):
            return True
        return any(
            text.begins_line(first) and text.begins_line(last) and self._repeated(side, first, last)
            for first, last in _slid(text.words, begin, end)
        )

    def _repeated(self, side: int, begin: int, end: int) -> bool:
        """Whether each line is the number of a page, or stands on several pages of one text."""
        if self._is_text(side, self._texts[side].lines[begin]):
            return False
        before = self._words_of_text(side)
        return before[begin] == before[end]

    def _is_text(self, side: int, line: int) -> bool:
        lines = self._running(side)
        return not (
            lines.is_page_number(line)
            or lines.frames_text(line)
            or (lines.runs_on(line) and self._running(1 - side).count_of(lines, line) < 2)
        )

    def _words_of_text(self, side: int) -> list[int]:
        """How many words before each one, and in all, stand in lines that are no furniture."""
        if side not in self._before:  # asked for every place that a difference may slide to
            is_text = [self._is_text(side, line) for line in range(len(self._running(side)))]
            counted = accumulate(is_text[line] for line in self._texts[side].lines)
            self._before[side] = [0, *counted]
        return self._before[side]

    def _running(self, side: int) -> _Lines:
        if side not in self._lines:
            self._lines[side] = _Lines(self._texts[side])
        return self._lines[side]


class _Lines:
    """The lines of a text, and which of them repeat as the head of each page does."""

    def __init__(self, text: ValuedText) -> None:
        self._joined = _joined(text.words, text.lines)
        self._text = text
        self._masked = re.sub(r"\d+", "#", "\n".join(self._joined)).split("\n")
        self._places: dict[str, list[int]] = {}
        self._counting: dict[str, bool] = {}
        for number, line in enumerate(self._masked):
            self._places.setdefault(line, []).append(number)

    def __len__(self) -> int:
        return len(self._joined)

    def is_page_number(self, line: int) -> bool:
        """ "Page 3 of 7"; a bare number only if the bare ones count all pages."""
        if self._masked[line] == "#":
            return self._counts_up("#")
        return _PAGE.fullmatch(self._joined[line]) is not None

    def runs_on(self, line: int) -> bool:
        """Whether the line occurs again, the same but for a number that counts the pages."""
        masked = self._masked[line]
        again = len(self._places[masked]) > 1
        return again and ("#" not in masked or self._counts_up(masked))

    def frames_text(self, line: int) -> bool:
        """Whether it is the head, or the foot, of the pages of a text that ends with such a foot.

        On a single page nothing repeats, so that the number of the page has to tell.
        """
        at_edge = line in (0, len(self._joined) - 1)
        return at_edge and self._text.lines.count(line) <= HEAD_WORDS and self._ends_with_foot

    @cached_property
    def _ends_with_foot(self) -> bool:
        last = re.split(r"[\n\r\f\v]", self._text.text[: self._text.ends[-1]])[-1]
        return len(last) <= MOST_OF_FOOT and _LAST_PAGE.fullmatch(last) is not None

    def count_of(self, lines: _Lines, line: int) -> int:
        """How often a line of another text occurs in this one."""
        return len(self._places.get(lines._masked[line], ()))

    def _counts_up(self, masked: str) -> bool:
        if masked not in self._counting:  # asked for every line that is alike
            self._counting[masked] = self._are_counted(masked)
        return self._counting[masked]

    def _are_counted(self, masked: str) -> bool:
        # A number of more digits counts no pages, and nothing is one more than it.
        numbers = [
            [
                int(digits) if len(digits) < 10 else math.nan
                for digits in re.findall(r"\d+", self._joined[line])
            ]
            for line in self._places[masked]
        ]
        return len(numbers) > 1 and any(
            all(after[at] == before[at] + 1 for before, after in pairwise(numbers))
            for at in range(len(numbers[0]))
        )


def _slid(words: Sequence[str], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where else the same words may be called added: a head that repeats the title below it."""
    yield begin, end
    first, last = begin, end
    while first > 0 and words[first - 1] == words[last - 1]:
        first, last = first - 1, last - 1
        yield first, last
    while end < len(words) and words[begin] == words[end]:
        begin, end = begin + 1, end + 1
        yield begin, end


def _joined(words: Sequence[str], lines: Sequence[int]) -> list[str]:
    begins = np.flatnonzero(np.diff(lines, prepend=-1)).tolist()
    return ["".join(words[a:b]) for a, b in pairwise([*begins, len(words)])]


LONGEST = 60
"""Letters of a phrase; a longer one ends in "…"."""
REACH = 3
"""Words before a value among which the one that says what it is of is looked for."""
TELLING = 4
"""Letters of a word that says something."""


def changes(
    before: str | ValuedText, after: str | ValuedText, most: int = 3
) -> tuple[tuple[str, str], ...]:
    """At most ``most`` phrases that were exchanged, dropped (nothing after) or added, in order.

    Values (numbers, dates, names) that became others come first where there is no room for all.
    Case, punctuation and layout make no difference.

    >>> changes("The rent is 10,200 for six years.", "The rent is 10,800 for five years.")
    (('rent is 10,200', '10,800'), ('six years', 'five'))
    """
    left = ValuedText(before) if isinstance(before, str) else before
    right = ValuedText(after) if isinstance(after, str) else after
    if left.words == right.words:
        return ()
    places = list(_unmoved(differences(left, right)))
    phrases: dict[tuple[str, str], int] = {}
    for number in sorted(range(len(places)), key=lambda number: _rank(places[number])):
        if len(phrases) >= most:
            break
        phrases.setdefault(_phrases(left, right, places[number]), number)
    return tuple(sorted(phrases, key=phrases.__getitem__))


def _unmoved(places: list[WordDifference]) -> Iterator[WordDifference]:
    """The differences without passages that stand in another place of the other text."""
    dropped = {place.left for place in places if not place.right}
    added = {place.right for place in places if not place.left}
    moved = dropped & added
    return (place for place in places if (place.left or place.right) not in moved)


def _rank(place: WordDifference) -> int:
    """Values that became others first, then other words, then what was added or dropped."""
    if not place.left or not place.right:
        return 2
    return 0 if {*place.left_sorts, *place.right_sorts} & VALUES else 1


def _phrases(left: ValuedText, right: ValuedText, place: WordDifference) -> tuple[str, str]:
    a, b, c, d = place.where
    if a == b or c == d:
        return _phrase(left, a, b), _phrase(right, c, d)
    if place.left_sorts[0] in VALUES:
        return _phrase(left, _context(left, a), b), _phrase(right, c, d)
    return _phrase(left, a, _followed(left, b)), _phrase(right, c, d)


def _context(text: ValuedText, at: int) -> int:
    """Where the word begins that says what the value is of: the nearest long one before it."""
    for place in range(at - 1, max(at - 1 - REACH, -1), -1):
        if not _flows(text, place, ",: "):
            break
        if len(text.words[place]) >= TELLING:
            return place
    return at


def _followed(text: ValuedText, end: int) -> int:
    """With the next word of the sentence."""
    return end + 1 if end < len(text.words) and _flows(text, end - 1, " ") else end


def _flows(text: ValuedText, at: int, between: str) -> bool:
    """Whether nothing but these marks, or a line end in a sentence, parts a word from the next."""
    marks = text.text[text.ends[at] : text.begins[at + 1]]
    if marks == "\n":
        return text.written[at].islower() and not text.is_capital(at + 1)
    return not marks.strip(between)


def _phrase(text: ValuedText, begin: int, end: int) -> str:
    while begin < end and text.sorts[begin] == "marker":
        begin += 1
    while begin < end and text.sorts[end - 1] == "marker":
        end -= 1
    if begin == end:
        return ""
    first = text.begins[begin]
    window = text.text[first : min(text.ends[end - 1], first + 4 * LONGEST)]
    phrase = " ".join(window.split())
    if len(phrase) <= LONGEST:
        return phrase
    return phrase[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
