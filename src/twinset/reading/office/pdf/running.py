"""Lines that stand on page after page: running heads, footers and page numbers, which are dropped.

A document saved in another format has them nowhere, or once. A line is dropped if it is one of the
outermost of its page and stands at the same height on other pages, word for word except that one
number may count the pages. So the number and the date of an invoice stay, even if every page of a
file is an invoice of one form.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from twinset.reading.office.pdf.client import PageLines, TextLine

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
