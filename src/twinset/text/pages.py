"""Which texts are HTML pages, wherever the page begins; texts about HTML and code are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels

HEAD = 16_384
"""The characters that decide."""

LEAST_IN_TAGS = 0.25
"""The share of characters in tags from which a text with tags is a page.

Measured: the bodies of 2,193 pages of an installation guide have 0.48 in the median, and 97 in 100
of them have more than this; of 15,000 texts, programs and manuals of Debian, two are taken for
pages."""

LEAST_BETWEEN_TAGS = 0.1
"""The same for a text that begins with a tag and ends with a closing one, as a body does."""

LEAST_TAGS = 6
"""The tags that a page has which does not begin with one."""

LEAST_CLOSED = 2
"""The closing tags among them: readers of many records look at these before anything else."""

MOST_BEFORE = 0.1
"""The share of a text that may stand before its first tag if it is a page."""

ELEMENTS = (
    "html|head|body|title|meta|link|script|style|div|span|p|br|hr|h1|h2|h3|h4|h5|h6|table|thead"
    "|tbody|tr|td|th|ul|ol|li|dl|dt|dd|a|b|i|u|em|strong|font|center|img|section|article|header"
    "|footer|main|nav|aside|pre|code|form|input|button|label|select|option|blockquote|small|sup"
    "|sub|iframe|noscript|figure|tt"
)
"""The elements whose tags count, as a pattern and as a list."""


def element_named(name: str) -> tuple[str, str]:
    """The patterns of an element of HTML: where it begins, and its closing tag."""
    return rf"<{name}\b", rf"</{name}\s*>"


class EnclosedParts:
    """Kinds of parts, each with a pattern for its beginning and one for its end.

    The patterns have no groups, and letters may be large or small. An empty end is behind the
    beginning.
    """

    def __init__(self, kinds: Sequence[tuple[str, str]]) -> None:
        self._begin = re.compile("|".join(f"({begin})" for begin, _ in kinds), re.IGNORECASE)
        self._ends = [re.compile(end, re.IGNORECASE) for _, end in kinds]

    def replaced(self, text: str, instead: str) -> str:
        """The text with something else for each part; one that has no end stays.

        An end that is missing is looked for once, not again behind every beginning.
        """
        kept: list[str] = []
        done, endless = 0, set[int]()
        for begin in self._begin.finditer(text):
            kind = (begin.lastindex or 1) - 1
            if begin.start() < done or kind in endless:
                continue
            if (end := self._ends[kind].search(text, begin.end())) is None:
                endless.add(kind)
                continue
            kept.append(text[done : begin.start()])
            done = end.end()
        return instead.join([*kept, text[done:]])


def _each(pattern: str, most: int) -> str:
    """The pattern up to so many times, none of which is tried in another way.

    Where nothing matches behind a hundred comments, each of which might be a longer one, there
    would be more ways than time. (Python 3.11 has ``(?>...)`` for this.)
    """
    return rf"(?:(?=(?P<next>{pattern}))(?P=next)){{0,{most}}}"


# A backslash inside a tag belongs to a string of a program that holds HTML.
_KNOWN_TAG = rf"</?(?:{ELEMENTS})(?:\s[^<>\\]{{0,2000}})?/?>"
_SPACE = r"[\s\ufeff]*"  # a byte order mark is no space to regular expressions
_PROLOGUE = _SPACE + _each(rf"(?:<\?xml[^>]{{0,200}}\?>|<!--.{{0,2000}}?-->){_SPACE}", 5)
# A single "<body>" may be anybody's notation: it needs another usual tag behind it.
_PAGE = re.compile(
    _PROLOGUE
    + rf"<(?:(?:!doctype\s+html|html|head)\b|body\b[^<>]{{0,2000}}>.{{0,8000}}?{_KNOWN_TAG})",
    re.IGNORECASE | re.DOTALL,
)
_FRAGMENT = re.compile(
    _PROLOGUE + _KNOWN_TAG + r".{0,8000}?" + _KNOWN_TAG, re.IGNORECASE | re.DOTALL
)
_BEGIN = r"<!doctype\s+html\b|<html(?:\s[^<>]{0,2000})?>"
# What tools write before a page that they store: HTTP header lines, "Name: value", a line of JSON,
# rules, elements of their own.
_WRAPPER = (
    r"(?:HTTP/[0-9][^\n]{0,200}\n|[a-z][\w .-]{0,40}[:=][^\n<>]{0,2000}\n|\{[^\n<>]{0,4000}\}\s*\n"
    r"|[-=*#_]{3,80}[ \t\r]*\n|<!--.{0,2000}?-->|<!\[CDATA\["
    r"|</?[a-z?][\w:.-]*(?:\s[^<>]{0,2000})?>)"
)
_WRAPPED = re.compile(
    _SPACE + _each(_WRAPPER + _SPACE, 64) + rf"(?={_BEGIN})", re.IGNORECASE | re.DOTALL
)
_ANY_BEGIN = re.compile(_BEGIN, re.IGNORECASE)
_TAG = re.compile(_KNOWN_TAG, re.IGNORECASE)
_ENDS = re.compile(
    rf"</(?:{ELEMENTS})\s*>\s*(?:<!--.{{0,2000}}?-->\s*)?\Z", re.IGNORECASE | re.DOTALL
)
_QUOTES = ("`", '"', "'")
_CODE = EnclosedParts([element_named("script"), element_named("style")])

Named = Literal["page", "plain"] | None
"""What the name or the declared type of a text says it is; None where it says nothing."""


def is_page(text: str, named: Named = None) -> bool:
    """Whether a text is an HTML page, to be cleaned; mark-up and code inside a text are none.

    Every reader asks here. A page is named so, or begins with a doctype or the html, head or body
    element, perhaps behind the lines that a tool has written before it. Where nothing names it a
    plain text, it is also a page if `LEAST_IN_TAGS` of its characters are in tags, from the first
    one on, and no more than `MOST_BEFORE` of it stand before that one.
    """
    if named == "page":
        return True
    head = text[:HEAD]
    if _PAGE.match(head):
        return True
    if not head.lstrip("\ufeff \t\r\n").startswith("<") and head.count("</") < LEAST_CLOSED:
        return False
    return _WRAPPED.match(head) is not None or (named is None and _is_dense(text))


def is_marked_up(text: str) -> bool:
    """Whether a text begins with a usual tag of HTML and has another, as pages and snippets do."""
    head = text[:HEAD]
    return _PAGE.match(head) is not None or _FRAGMENT.match(head) is not None


def page_begin(text: str) -> tuple[int, int]:
    """Where the text of a wrapped page begins, and where its doctype or html element does.

    The first is 0 unless the page stands behind nothing but lines that a tool has written.
    """
    begin = _ANY_BEGIN.search(text, 0, HEAD)
    if begin is None or begin.start() == 0:
        return 0, 0
    wrapped = _WRAPPED.match(text, 0, HEAD)
    return (wrapped.end() if wrapped else 0), begin.start()


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags of HTML in a text; one in quotes is only spoken of."""
    return (
        tag for tag in _TAG.finditer(text) if text[tag.start() - 1 : tag.start()] not in _QUOTES
    )


def _is_dense(text: str) -> bool:
    latest = int(MOST_BEFORE * len(text))
    if not 0 <= text.find("<") <= latest:  # most texts that speak of tags: no pattern is tried
        return False
    first = next(_tags(text[:HEAD]), None)
    if first is None or first.start() > latest:
        return False
    # Pages may hold more scripts and styles than text and tags.
    shown = _CODE.replaced(text[first.start() : first.start() + 4 * HEAD], "")[:HEAD]
    begins = text[: first.start()].strip("\ufeff \t\r\n") == ""
    tags = [len(tag.group()) for tag in _tags(shown)]
    if begins and len(tags) >= LEAST_TAGS and _ENDS.search(text, max(0, len(text) - HEAD)):
        return sum(tags) >= LEAST_BETWEEN_TAGS * len(shown)
    return len(tags) >= (2 if begins else LEAST_TAGS) and sum(tags) >= LEAST_IN_TAGS * len(shown)


_NAMES = np.frombuffer(f"{ELEMENTS}|".replace("|", "\0").encode(), np.uint8)


def may_be_pages(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """False where a text is no page and does not begin with mark-up, which is so for most."""
    rules = HEAD, LEAST_CLOSED, LEAST_TAGS, MOST_BEFORE
    found = _kernels.may_be_pages(data, offsets, *rules, LEAST_IN_TAGS, _NAMES)
    return found.view(np.bool_)
