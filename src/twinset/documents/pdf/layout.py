"""Lines of PDF pages to running text: the order of columns, paragraphs, words cut at line ends.

Programs draw a page as it is read, column after column, so their order is kept. Where they draw row
by row across the columns, the gutter tells: the left column is read before the right one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from twinset.documents.pdf.lines import PageLines, TextLine

OUTERMOST = 3
"""Rows at the top and at the bottom of a page that may be running ones."""
LEAST_PAGES = 3
"""On so many pages a line is a running one; on fewer, if these are a third of all."""
_NUMBER = re.compile(r"\d{1,5}")
_MOST_NUMBERS = 6
_SAME_ROW = 2.0
_SAME_HEIGHT = 4.0
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|pages|p\.|стр\.?|страница|с\.|лист)\s*)?1(?:\s*(?:of|из|/)\s*1)?\W*",
    re.IGNORECASE,
)

Row = list[TextLine]


def without_running_lines(pages: Sequence[PageLines]) -> list[list[TextLine]]:
    """The lines of every page that belong to its text, in the order of the page."""
    outer = [_outermost(page) for page in pages]
    bodies = [_body(page) for page in pages]
    pages_with: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for number, rows in enumerate(outer):
        for row in rows:
            for key in _keys(row, number):
                # Two copies of one page in a file show nothing about either.
                pages_with[key].add(bodies[number])
    least = min(LEAST_PAGES, max(2, -(-len(pages) // 3)))
    texts = []
    for number, page in enumerate(pages):
        dropped = {
            id(line)
            for row in outer[number]
            if any(len(pages_with[key]) >= least for key in _keys(row, number))
            for line in row
        }
        if len(pages) == 1:
            dropped |= {id(line) for line in _lone_number(page)}
        texts.append([line for line in page.lines if id(line) not in dropped])
    # A document of running lines alone has no other text.
    return texts if any(texts) else [list(page.lines) for page in pages]


def _rows(page: PageLines) -> list[Row]:
    """The lines of a page by height, from the top."""
    rows: list[Row] = []
    for line in sorted(page.lines, key=lambda line: (-line.bottom, line.left)):
        if rows and rows[-1][0].bottom - line.bottom < _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _outermost(page: PageLines) -> list[Row]:
    rows = _rows(page)
    if len(rows) <= 2 * OUTERMOST:
        return rows
    return rows[:OUTERMOST] + rows[-OUTERMOST:]


def _keys(row: Row, number: int) -> Iterator[tuple[str, int]]:
    """What a row has in common with those of other pages: its text, and that with a number counted.

    A number that counts the pages differs from the number of the page always by the same.
    """
    text = " ".join(line.text for line in row).lower()
    height = round(row[0].bottom / _SAME_HEIGHT)
    yield text, height
    for match in list(_NUMBER.finditer(text))[:_MOST_NUMBERS]:
        beyond = int(match.group()) - number
        yield f"{text[: match.start()]}\0{beyond}\0{text[match.end() :]}", height


def _body(page: PageLines) -> str:
    """The text of a page without its digits, by which its copies are told."""
    return _NUMBER.sub("", " ".join(line.text for line in page.lines))


def _lone_number(page: PageLines) -> Row:
    """The number at the foot of a document's only page, if it stands apart."""
    rows = _rows(page)
    if len(rows) < 2:
        return []
    last, above = rows[-1], rows[-2]
    apart = above[0].bottom - last[0].top > 1.5 * (last[0].top - last[0].bottom)
    is_number = _PAGE_NUMBER.fullmatch(" ".join(line.text for line in last)) is not None
    return last if apart and is_number else []


HYPHENS = "-\u2010\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W\d_]+\Z")
_FIRST = re.compile(r"[^\W\d_]+")
LONGEST = 64
"""Characters of a line among which its last word is."""
_LEAST = 3
"""Halves that are shorter are words too often: "in-form", "по-лучить"."""
_COMPOUND_FIRST = frozenset(("well", "self", "half", "quasi", "кое", "вице", "экс"))
_COMPOUND_LAST = frozenset(("либо", "нибудь", "таки"))
# Words that as often begin another word: "при-знаком", "over-come".
_PREFIXES = frozenset(
    (
        *("без", "вне", "для", "над", "под", "при", "про", "раз", "через"),
        *("after", "for", "inter", "non", "off", "out", "over", "per", "sub", "under"),
    )
)
_ADVERB = re.compile(r"по-\w+(?:ому|ему|ски|цки|ьи)|во?-\w+ых|из-(?:за|под)")


class Vocabulary:
    """The words of one document, against which the cut ones are held."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._whole = {word for line in lines for word in _WORD.findall(line.lower())}
        compounds = [word.split("-") for word in self._whole if "-" in word]
        self._first = _COMPOUND_FIRST.union(parts[0] for parts in compounds if _is_long(parts[0]))
        self._last = _COMPOUND_LAST.union(parts[-1] for parts in compounds if _is_long(parts[-1]))

    def joined(self, line: str, following: str) -> str:
        """Two lines of which the first ended with a hyphen (not in it any more) as one."""
        # A search for the last word would look at all of the line.
        left, right = _LAST.search(line[-LONGEST:]), _FIRST.match(following)
        if left is None or right is None or not right.group()[0].islower():
            return f"{line}-{following}"  # 1990-1995, Saint-Paul
        keeps = self._keeps(left.group().lower(), right.group().lower())
        return f"{line}-{following}" if keeps else f"{line}{following}"

    def _keeps(self, left: str, right: str) -> bool:
        if left + right in self._whole:
            return False
        with_hyphen = f"{left}-{right}"
        if with_hyphen in self._whole or _ADVERB.fullmatch(with_hyphen):
            return True
        if left in self._first or right in self._last:
            return True
        both = left in self._whole and right in self._whole
        return both and _is_long(left) and _is_long(right)


def _is_long(half: str) -> bool:
    return len(half) >= _LEAST and half not in _PREFIXES


LEAST_ROWS = 5
"""A gutter goes through at least so many rows."""
MOST_COLUMNS = 64
"""Columns of prose beside each other; what is to the right of them stays as it is drawn."""
MOST_ROWS = 200
"""Rows at the end of a table among which columns of prose may begin."""
LEAST_WORDS = 3
"""Words of a line of prose in a narrow column; cells of tables have fewer, in the mean."""
LEAST_FILLED = 0.7
"""The mean length of lines of prose, as a share of the longest."""
_PITCH = 2.2
"""Lines of one paragraph are at most so many heights apart."""
_INDENT = 0.8
_SHORT = 0.5
_AROUND = 4
_SPACED = 1.25
_SIZES = 1.33
_FLUSH = 2.5
_SENTENCE_ENDS = ".!?:;\u2026"


def running_text(pages: Sequence[PageLines]) -> str:
    """The text of a document, a line for each paragraph."""
    lines = [
        _readable(line) for page in without_running_lines(pages) for line in in_reading_order(page)
    ]
    words = Vocabulary(_whole_words(lines))
    pieces: list[str] = []
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else None
        if before is None:
            pieces.append(line.text)
        elif before.hyphen:
            # Only the last word counts; a paragraph may grow by thousands of such lines.
            last = pieces.pop()
            pieces += [last[:-LONGEST], words.joined(last[-LONGEST:], line.text)]
        elif line.same_row or _goes_on(before, line, _column(lines, number - 1)):
            pieces += [" ", line.text]
        else:
            pieces += ["\n", line.text]
    return "".join(pieces)


def _readable(line: TextLine) -> TextLine:
    text, hyphen = line.text, line.hyphen
    if text[-1:] in HYPHENS and text[-2:-1].isalnum():
        text, hyphen = text[:-1], True
    return line._replace(text=text.replace("\u00ad", ""), hyphen=hyphen)


def _whole_words(lines: Sequence[TextLine]) -> Iterator[str]:
    """The lines without what a hyphen has cut off."""
    cut = False
    for line in lines:
        text = line.text
        if cut:
            text = text.partition(" ")[2]
        if line.hyphen:
            text = text.rpartition(" ")[0]
        cut = line.hyphen
        yield text


class _Column(NamedTuple):
    """The lines around one: how far they reach to the right, whether they end there flush, and how
    far one is below the other."""

    right: float
    is_justified: bool
    pitch: float


def _column(lines: Sequence[TextLine], number: int) -> _Column:
    line = lines[number]
    rights = [line.right]
    pitch = _PITCH * (line.top - line.bottom)
    above = lines[max(0, number - _AROUND) : number][::-1]
    for around in (above, lines[number + 1 : number + 1 + _AROUND]):
        beside = line
        for other in around:
            if not _overlap(other, line):
                break
            rights.append(other.right)
            down = abs(other.bottom - beside.bottom)
            if 0 < down < pitch:
                pitch = down
            beside = other
    edge = max(rights)
    # Hyphens are not counted, and stand beyond the right end of their line.
    flush = sum(edge - right < _FLUSH for right in rights)
    return _Column(edge, flush >= len(rights) / 2, pitch)


def _overlap(one: TextLine, other: TextLine) -> bool:
    return one.left < other.right and other.left < one.right


def _goes_on(line: TextLine, following: TextLine, column: _Column) -> bool:
    """Whether a paragraph goes on from one line to the next, which may be in the next column."""
    height = max(1.0, line.top - line.bottom)
    first_word = following.text.partition(" ")[0]
    share = (len(first_word) + 1) / max(1, len(following.text))
    if line.right + share * (following.right - following.left) < column.right - _SHORT * height:
        return False  # there was room for another word
    ends = line.text[-1:] in _SENTENCE_ENDS and first_word[:1].isupper()
    if ends and column.is_justified and line.right < column.right - _FLUSH:
        return False
    down = line.bottom - following.bottom
    if not 0 < down < _PITCH * height or not _overlap(line, following):
        return first_word[:1].islower()  # another column or page
    other_size = following.top - following.bottom
    if down > _SPACED * column.pitch or not 1 / _SIZES < other_size / height < _SIZES:
        return False
    return following.left - line.left < _INDENT * height


class _Gutter(NamedTuple):
    """The gap between two columns."""

    left: float
    right: float

    def narrowed(self, row: Sequence[TextLine]) -> _Gutter | None:
        """What of it a row leaves open; None where the row crosses it."""
        left, right = self
        for line in row:
            if line.right <= right and line.left < left:
                left = max(left, line.right)
            elif line.left >= left:
                right = min(right, line.left)
            else:
                return None
        return _Gutter(left, right) if left < right else None


def in_reading_order(lines: Sequence[TextLine], columns: int = MOST_COLUMNS) -> list[TextLine]:
    """The lines as they are drawn, except where they are drawn across columns of prose."""
    if columns == 1:
        return list(lines)
    rows: list[list[TextLine]] = []
    for line in lines:
        if line.same_row and rows:
            rows[-1].append(line)
        else:
            rows.append([line])
    ordered: list[TextLine] = []
    at = 0
    while at < len(rows):
        end, gutter = _run(rows, at)
        if gutter is None:
            # Of a long table only the last rows are looked at once more, each as a first one.
            after = max(at + 1, end - MOST_ROWS)
            ordered += [line for row in rows[at:after] for line in row]
            at = after
            continue
        run = rows[at:end]
        lefts = [line for row in run for line in row if line.left < gutter.left]
        rights = [[line for line in row if line.left >= gutter.left] for row in run]
        ordered += _apart(lefts)
        # A third column lies to the right of the second.
        ordered += in_reading_order(
            [
                line._replace(same_row=number > 0)
                for row in rights
                for number, line in enumerate(row)
            ],
            columns - 1,
        )
        at = end
    return ordered


def _run(rows: Sequence[Sequence[TextLine]], start: int) -> tuple[int, _Gutter | None]:
    """Where the rows end that leave one gutter open, and that gutter if it parts prose."""
    if len(rows[start]) < 2:
        return start + 1, None
    gutter = _Gutter(rows[start][0].right, rows[start][1].left)
    end, crossing = start, 0
    sides: tuple[list[str], list[str]] = ([], [])
    while end < len(rows) and (narrowed := gutter.narrowed(rows[end])) is not None:
        gutter = narrowed
        if len(rows[end]) > 1:
            crossing += 1
            for side, line in zip(sides, rows[end], strict=False):
                side.append(line.text)
        end += 1
    return end, gutter if crossing >= LEAST_ROWS and all(map(_is_prose, sides)) else None


def _is_prose(lines: Sequence[str]) -> bool:
    words = sum(len(line.split()) for line in lines)
    lengths = [len(line) for line in lines]
    is_filled = sum(lengths) >= LEAST_FILLED * max(lengths) * len(lengths)
    return is_filled and words >= LEAST_WORDS * len(lines)


def _apart(lines: Sequence[TextLine]) -> list[TextLine]:
    return [line._replace(same_row=False) for line in lines]
