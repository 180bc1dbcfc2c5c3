"""Two texts side by side: what both have, where they differ, and what stands elsewhere.

The work is that of ``verify.diff``, bounded for any texts; a page shows a window of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from twinset.finding.verify.diff import NO_MASKS, Block, ComparedText, TextDiff, text_diff
from twinset.text.wording import VEIL

Kind = Literal["same", "changed", "moved", "masked"]
EQUAL = ("same", "masked")
"""Kinds of pieces that are no difference."""
LINE, SENTENCE, MOST = 8, 60, 120
"""Words of a row after which a line break, the end of a sentence, or any word ends it."""
LETTERS = 3
"""Letters that a number may carry: 3rd, 10am, Q4, 2024г."""
_MONTHS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь "
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря "
    "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре "
    "янв фев мар апр июн июл авг сен сент окт ноя нояб дек"
)
_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun "
    "понедельник вторник среда четверг пятница суббота воскресенье "
    "понедельника вторника среды четверга пятницы субботы воскресенья среду пятницу субботу "
    "пн вт ср чт пт сб вс am pm"
)
NAMES = frozenset(f"{_MONTHS} {_DAYS}".split())


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Characters of one text; pieces of both texts with the same kind and link belong together."""

    kind: Kind
    start: int
    end: int
    link: int


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces that stand beside each other."""

    left: tuple[TextPiece, ...]
    right: tuple[TextPiece, ...]

    @property
    def differs(self) -> bool:
        """Whether there is anything but equal and masked words in it."""
        return any(piece.kind not in EQUAL for piece in self.left + self.right)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the texts differ: the row it begins in, and whether only in numbers or dates."""

    row: int
    numbers_only: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two texts in rows; ``words``, ``same`` and ``masked`` count, ``cut``: not all were compared.

    ``moved`` has for each passage that changed its place the rows where it stands in the left and
    in the right text.
    """

    left: str
    right: str
    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]
    moved: tuple[tuple[int, int], ...]
    words: tuple[int, int]
    same: int
    cut: bool
    masked: int = 0

    @property
    def equal(self) -> bool:
        """Whether the words are all the same but for what is masked, in the same order."""
        return not self.differences and not self.cut

    @property
    def numbers_only(self) -> bool:
        """Whether the texts differ, and in nothing but numbers and dates."""
        return bool(self.differences) and all(d.numbers_only for d in self.differences)


def side_by_side(left: str, right: str, masks: Mapping[str, str] = NO_MASKS) -> SideBySide:
    """Compare two texts word by word, but for what ``masks`` match, and lay them out."""
    return lay_out(text_diff(left, right, masks))


def lay_out(diff: TextDiff) -> SideBySide:
    """The diff of two texts in rows."""
    layout = _Rows(diff).rows()
    return SideBySide(
        diff.left.text,
        diff.right.text,
        tuple(layout.rows_),
        tuple(layout.differences),
        tuple((left, right) for left, right in layout.places),
        (len(diff.left.words), len(diff.right.words)),
        sum(block.size for block in diff.blocks),
        diff.cut,
        sum(text.keys.count(VEIL) for text in (diff.left, diff.right)),
    )


class _Rows:
    """Lays the pieces out in rows, which end inside equal words if they can."""

    def __init__(self, diff: TextDiff) -> None:
        self.diff, self.texts = diff, (diff.left, diff.right)
        self.rows_: list[Row] = []
        self.differences: list[Difference] = []
        self.sides: tuple[list[TextPiece], list[TextPiece]] = ([], [])
        self.count = 0
        self.passages = diff.moved()
        self.places = [[-1, -1] for _ in range(len(self.passages))]

    def rows(self) -> _Rows:
        """All rows, made."""
        for number, gap in enumerate(self.diff.gaps()):
            self._gap(gap)
            if number < len(self.diff.blocks):
                self._same(self.diff.blocks[number], number)
        self._end_row()
        return self

    def _same(self, block: Block, number: int) -> None:
        begin = 0
        for word in range(block.size):
            self.count += 1
            if self._row_ends(block.left + word, block.right + word):
                self._put_same(block, begin, word + 1, number)
                self._end_row()
                begin = word + 1
        if begin < block.size:
            self._put_same(block, begin, block.size, number)

    def _put_same(self, block: Block, begin: int, end: int, number: int) -> None:
        for side, start in enumerate((block.left, block.right)):
            self._put(side, "same", start + begin, start + end, number)

    def _row_ends(self, left: int, right: int) -> bool:
        if self.count >= MOST:
            return True
        if self.count >= SENTENCE and self.texts[0].words[left][-1] in ".!?…:;":
            return True
        if self.count < LINE:
            return False
        return _ends_line(self.texts[0], left) or _ends_line(self.texts[1], right)

    def _gap(self, gap: tuple[int, int, int, int]) -> None:
        a, b, c, d = gap
        if a == b and c == d:
            return
        number = len(self.differences)
        spans = ((self.texts[0], a, b), (self.texts[1], c, d))
        pieces = [(text, piece) for text, *span in spans for piece in text.pieces(*span)]
        words = [w for text, (masked, *at) in pieces if not masked for w in text.words[slice(*at)]]
        if words:
            numbers_only = all(map(is_number_or_date, words))
            self.differences.append(Difference(len(self.rows_), numbers_only))
        while a < b or c < d:
            room = max(MOST - self.count, 1)
            ends = min(b, a + room), min(d, c + room)
            self._changed(0, a, ends[0], number)
            self._changed(1, c, ends[1], number)
            self.count += max(ends[0] - a, ends[1] - c)
            a, c = ends
            if self.count >= MOST:
                self._end_row()

    def _changed(self, side: int, first: int, last: int, number: int) -> None:
        """A difference's words in one text, the moved passages among them as such."""
        for link in self.passages.within(side, first, last):
            start, end = self.passages.span(side, link)
            start, end = max(start, first), min(end, last)
            self._put(side, "changed", first, start, number)
            self._put(side, "moved", start, end, link)
            if self.places[link][side] < 0:
                self.places[link][side] = len(self.rows_)
            first = end
        self._put(side, "changed", first, last, number)

    def _put(self, side: int, kind: Kind, first: int, last: int, link: int) -> None:
        """Words of one text as pieces of a kind; those that are masked are pieces of their own."""
        text = self.texts[side]
        for masked, begin, end in text.pieces(first, last):
            self.sides[side].append(_piece(text, "masked" if masked else kind, begin, end, link))

    def _end_row(self) -> None:
        if self.sides[0] or self.sides[1]:
            self.rows_.append(Row(tuple(self.sides[0]), tuple(self.sides[1])))
        self.sides = ([], [])
        self.count = 0


def _ends_line(text: ComparedText, word: int) -> bool:
    """Whether a line ends after this word."""
    if word + 1 >= len(text.places):
        return False
    return "\n" in text.text[text.places[word][1] : text.places[word + 1][0]]


def _piece(text: ComparedText, kind: Kind, first: int, last: int, link: int) -> TextPiece:
    """The words from first to before last."""
    return TextPiece(kind, text.places[first][0], text.places[last - 1][1], link)


def is_number_or_date(word: str) -> bool:
    """Whether a word is a number, a date, a time, an amount, or the name of a month or a day."""
    letters = sum(mark.isalpha() for mark in word)
    if any(mark.isdigit() for mark in word):
        return letters <= LETTERS
    plain = "".join(mark for mark in word if mark.isalpha()).casefold()
    return plain in NAMES
