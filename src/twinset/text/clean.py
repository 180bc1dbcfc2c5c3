"""Mark-up to plain text: which texts are HTML, and what a reader of the page would see."""

from __future__ import annotations

import html
import re
from typing import Literal

_PROLOGUE = r"\s*(?:<\?xml[^>]{0,200}\?>\s*|<!--.{0,2000}?-->\s*){0,5}"
_KNOWN_TAG = (
    r"</?(?:html|head|body|title|meta|link|script|style|div|span|p|br|hr|h[1-6]|table|tbody|tr|td|ul|ol"
    r"|li|a|b|i|em|strong|font|center|img|section|article|header|main|nav|pre|form|blockquote|small|dl)"
    r"(?:\s[^<>]{0,2000})?/?>"
)
# A single "<body>" may be anybody's notation: it needs another usual tag behind it.
_PAGE = re.compile(
    _PROLOGUE
    + rf"<(?:(?:!doctype\s+html|html|head)\b|body\b[^<>]{{0,2000}}>.{{0,8000}}?{_KNOWN_TAG})",
    re.IGNORECASE | re.DOTALL,
)
_FRAGMENT = re.compile(
    _PROLOGUE + _KNOWN_TAG + r".{0,8000}?" + _KNOWN_TAG, re.IGNORECASE | re.DOTALL
)
_HEAD = 16_384

LEAST_IN_TAGS = 0.25
"""The share of characters in tags from which a text that begins with a tag is a page.

Measured: the bodies of 2,193 pages of an installation guide have 0.48 in the median and 97 in 100
of them more than this; of Markdown and reStructuredText files that begin with a tag none has more
than 0.21."""

Named = Literal["page", "plain"] | None
"""What the name or the declared type of a text says it is; None where it says nothing."""

# The parser behind resiliparse recurses over the tree; real pages stay far below this depth.
MAX_DEPTH = 2_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)[^<>]*?(/?)>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr")
)
# Elements that the next of their kind closes: any number of them in a row makes no depth.
_CLOSED_BY_NEXT = frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option", "tbody", "source"))
_FLAT = _VOID | _CLOSED_BY_NEXT
_DROPPED = re.compile(
    r"<(script|style|noscript|template)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<!\[CDATA\[|\]\]>",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|h[1-6]|ul|ol|li|dl|dt|dd|table|tr|td|th|section|article|header|footer|main|nav"
    r"|pre|form|blockquote|body|html|head|title)\b[^<>]*>",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_BLANKS = re.compile(r"[ \t\r\f\v]+")


def is_page(text: str, named: Named = None) -> bool:
    """Whether a text is an HTML page, to be cleaned; mark-up and code inside a text are none.

    Every reader asks here. A page is named so, begins with a doctype or the html, head or body
    element, or begins with a tag and has `LEAST_IN_TAGS` of its first characters in tags; the
    last does not count for what is named a plain text.
    """
    if named == "page":
        return True
    head = text[:_HEAD]
    if _PAGE.match(head):
        return True
    return named is None and is_marked_up(head) and share_in_tags(head) >= LEAST_IN_TAGS


def is_marked_up(text: str) -> bool:
    """Whether a text begins with a usual tag of HTML and has another, as pages and snippets do."""
    head = text[:_HEAD]
    return _PAGE.match(head) is not None or _FRAGMENT.match(head) is not None


def share_in_tags(text: str) -> float:
    """The share of the characters of a text that belong to tags."""
    return sum(len(tag.group()) for tag in _TAG.finditer(text)) / max(1, len(text))


def html_to_text(page: str) -> str:
    """The visible text of a page, a line or more for every block, scripts and styles left out."""
    from resiliparse.extract.html2text import extract_plain_text

    if too_deep(page):
        return strip_tags(page)
    visible: str = extract_plain_text(
        page.replace("\0", "\ufffd"),
        preserve_formatting=True,
        main_content=False,
        list_bullets=False,
        alt_texts=False,
        links=False,
        form_fields=False,
        noscript=False,
    )
    return visible


def too_deep(page: str) -> bool:
    """Whether elements may nest deeper than the parser is trusted with; errs on the safe side."""
    if page.count("<") <= MAX_DEPTH:
        return False
    depth: dict[str, int] = {}
    total = 0
    for tag in _TAG.finditer(page):
        closing, name, empty = tag.group(1), tag.group(2).lower(), tag.group(3)
        if name in _FLAT or empty:
            continue
        if not closing:
            depth[name] = depth.get(name, 0) + 1
            total += 1
        elif depth.get(name):
            depth[name] -= 1
            total -= 1
        if total > MAX_DEPTH:
            return True
    return False


def strip_tags(page: str) -> str:
    """The text of a page without a tree: tags cut, entities decoded, blocks on their own lines."""
    plain = _DROPPED.sub(" ", page)
    plain = html.unescape(_ANY_TAG.sub("", _BLOCK.sub("\n", plain)))
    lines = (_BLANKS.sub(" ", line).strip() for line in plain.split("\n"))
    return "\n".join(line for line in lines if line)
