"""Lines of PDF pages to running text: paragraphs, and words cut at line ends.

Programs draw a page as it is read, column after column, so their order is kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from twinset.documents.pdf.lines import PageLines, TextLine

OUTERMOST = 3
"""Rows at the top and at the bottom of a page that may be running ones."""
LEAST_PAGES = 3
"""On so many pages a line is a running one; on fewer, if these are a third of all."""
_NUMBER = re.compile(r"\d{1,5}")
_MOST_NUMBERS = 6
_SAME_ROW = 2.0
_SAME_HEIGHT = 4.0

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
    return rows if len(rows) <= 2 * OUTERMOST else rows[:OUTERMOST] + rows[-OUTERMOST:]


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


_PITCH = 2.2
"""Lines of one paragraph are at most so many heights apart."""
_INDENT = 0.8
_SHORT = 0.5
_AROUND = 4
_SPACED = 1.25


def running_text(pages: Sequence[PageLines]) -> str:
    """The text of a document, a line for each paragraph."""
    lines = [_readable(line) for page in without_running_lines(pages) for line in page]
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
        elif _goes_on(before, line, *_column(lines, number - 1)):
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


def _column(lines: Sequence[TextLine], number: int) -> tuple[float, float]:
    """How far the lines around one reach to the right, and how far one is below the other."""
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
    return max(rights), pitch


def _overlap(one: TextLine, other: TextLine) -> bool:
    return one.left < other.right and other.left < one.right


def _goes_on(line: TextLine, following: TextLine, edge: float, pitch: float) -> bool:
    """Whether a paragraph goes on from one line to the next, which may be in the next column."""
    height = max(1.0, line.top - line.bottom)
    first_word = following.text.partition(" ")[0]
    share = (len(first_word) + 1) / max(1, len(following.text))
    if line.right + share * (following.right - following.left) < edge - _SHORT * height:
        return False  # there was room for another word
    down = line.bottom - following.bottom
    if not 0 < down < _PITCH * height or not _overlap(line, following):
        return first_word[:1].islower()  # another column or page
    return down <= _SPACED * pitch and following.left - line.left < _INDENT * height
