"""A page to plain text: the main text of it, or all that a reader of the page would see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from twinset.text.characters import unescaped
from twinset.text.page_lines import with_links_marked, with_menus_told
from twinset.text.pages import EnclosedParts, element_named, page_begin

if TYPE_CHECKING:
    from resiliparse.parse.html import DOMNode, HTMLTree

Outcome = Literal["html_main", "html_whole", "html_stripped", "html_empty"]
"""What became of a page, by the name that reports count it under."""

LEAST_MAIN = 0.05
"""The share of a page's words that its main text must have; below it, the whole page is taken."""

# Elements around the text of a page. Names such as "share" have to be the whole class; the others
# may be part of one ("site-navigation"), since designers add to them as they like.
_AROUND = ", ".join(
    (
        "nav, aside, footer, header, button, dialog, menu, [hidden], [aria-hidden=true]",
        "[role=navigation], [role=banner], [role=contentinfo], [role=complementary], [role=search]",
        '[style*="display:none"], [style*="display: none"]',
        "div[title=header], div[title=footer]",  # the page headers of LibreOffice
        "#footer, .footer, [id^=footer-], [class^=footer-], [id*=-footer], [class*=-footer]",
        "#nav, .nav, .share, .social, .pagination, .newsletter, .advertisement",
        *(
            f"[id*={name}], [class*={name}]"
            for name in (
                "navigation",
                "navbar",
                "sidebar",
                "breadcrumb",
                "menu",
                "cookie",
                "related",
            )
        ),
    )
)
_MAIN = ("main, [role=main]", "article")
_HOLDS_MAIN = "h1, main, article"
_MOST_AROUND = 0.9  # a larger part of the page is the page itself, whatever its class

# The parser behind resiliparse recurses over the tree; real pages stay far below this depth.
MAX_DEPTH = 2_000
MAX_TAGS = 200_000
MAX_LENGTH = 8 << 20
"""The most tags and characters of a page that is parsed: a tag takes up to 480 bytes, a character
10, so that a tree stays below 100 MB. 200,000 paragraphs take it 40 seconds, twice as many four
times as long. Larger pages lose their tags only."""
# A name is not tried again as a shorter one: a long one without end would be tried at each length.
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)(?![a-zA-Z0-9:-])[^<>]*?(/?)>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr")
)
# Elements that the next of their kind closes: any number of them in a row makes no depth.
_CLOSED_BY_NEXT = frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option", "tbody", "source"))
_FLAT = _VOID | _CLOSED_BY_NEXT
# What is opened and never closed hides the rest of the page from parsers: only in `_HIDDEN` it
# reaches to the end.
_UNSEEN = EnclosedParts(
    [
        *map(element_named, ("script", "style", "noscript", "template", "title")),
        ("<!--", "-->"),
        (r"<!\[CDATA\[", ""),
        (r"\]\]>", ""),
    ]
)
_HIDDEN = re.compile(r"<(?:script|style|template)\b.*\Z", re.IGNORECASE | re.DOTALL)
_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|h[1-6]|ul|ol|li|dl|dt|dd|table|tr|td|th|section|article|header|footer|main|nav"
    r"|pre|form|blockquote|body|html|head|title)\b[^<>]*>",
    re.IGNORECASE,
)
# The numbers of footnotes, as office programs and converters of Markdown write them: no words.
_NOTE_MARK = re.compile(
    r"<a\b[^<>]{0,500}?(?:sd(?:foot|end)note\d*(?:anc|sym)|\bfootnote-(?:ref|back)|#_(?:ftn|edn)"
    r"|doc-noteref|doc-backlink|epub:type=.noteref)[^<>]{0,500}>.{0,400}?</a\s*>",
    re.IGNORECASE | re.DOTALL,
)
_ANY_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_BLANKS = re.compile(r"[ \t\r\f\v]+")


class CleanPage(NamedTuple):
    """The text of a page and how it was obtained."""

    text: str
    outcome: Outcome


def clean_page(page: str, whole: bool = False) -> CleanPage:
    """The main text of a page, or all of it with ``whole`` or where the main text is tiny.

    Text that stands before the page stays, unless a tool wrote it there about the page. Lines of
    menus end in a tab unless ``whole``, see `twinset.text.page_lines`.
    """
    text_begin, begin = page_begin(page)
    before = strip_tags(page[text_begin:begin]) if begin > text_begin else ""
    shown = page[begin:]
    if too_large(shown):
        return _joined(before, strip_tags(shown), "html_stripped")
    marked = shown if whole else with_links_marked(shown)
    tree = _parsed(marked)
    body = tree.body
    characters = len(body.text) if body is not None else 0
    main = "" if whole or body is None else with_menus_told(_main_text(tree, body, characters))
    # Scripts are among these characters: only where the main text seems tiny, the rest is needed.
    if has_words(main) and len(main) >= LEAST_MAIN * characters:
        return _joined(before, main, "html_main")
    complete = _visible(tree) if whole else with_menus_told(_visible(_parsed(marked)))
    if has_words(main) and len(main.split()) >= LEAST_MAIN * len(complete.split()):
        return _joined(before, main, "html_main")
    if has_words(complete):
        return _joined(before, complete, "html_whole")
    return _joined(before, strip_tags(shown), "html_stripped")


def _joined(before: str, text: str, outcome: Outcome) -> CleanPage:
    together = f"{before}\n{text}" if before else text
    return CleanPage(together, outcome if has_words(together) else "html_empty")


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(map(str.isalnum, text))


def _without_note_marks(page: str) -> str:
    """The page without the numbers that link a footnote to its place and back."""
    return _NOTE_MARK.sub("", page) if "note" in page or "#_ftn" in page else page


def html_to_text(page: str) -> str:
    """The visible text of a page, a line or more for every block, scripts and styles left out."""
    return strip_tags(page) if too_large(page) else _visible(_parsed(page))


def _parsed(page: str) -> HTMLTree:
    from resiliparse.parse.html import HTMLTree

    return HTMLTree.parse(_without_note_marks(page).replace("\0", "\ufffd"))


def _visible(tree: HTMLTree) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    visible: str = extract_plain_text(
        tree,
        preserve_formatting=True,
        main_content=False,
        list_bullets=False,
        alt_texts=False,
        links=False,
        form_fields=False,
        noscript=False,
    )
    return visible


def _main_text(tree: HTMLTree, body: DOMNode, characters: int) -> str:
    """The text without navigation and the like; takes the tree apart.

    ``characters`` are those of the body, scripts included.
    """
    for selector in _MAIN:
        mains = body.query_selector_all(selector)
        if len(mains) == 1 and len(mains[0].text) >= LEAST_MAIN * characters:
            _leave_alone(mains[0], body)
            characters = len(body.text)
            break
    for element in body.query_selector_all(_AROUND):
        if element.parent is None or element.tag in ("html", "body", "main", "article"):
            continue
        if len(element.text) > _MOST_AROUND * characters or element.query_selector(_HOLDS_MAIN):
            continue
        element.decompose()
    return _visible(tree)


def _leave_alone(element: DOMNode, body: DOMNode) -> None:
    """Remove everything beside an element and its ancestors."""
    inside = element
    while inside != body:
        parent = inside.parent
        child = parent.first_child
        while child is not None:
            following = child.next
            if child != inside:
                parent.remove_child(child)
            child = following
        inside = parent


def too_large(page: str) -> bool:
    """Whether a page would take the parser too much memory or time."""
    return len(page) > MAX_LENGTH or page.count("<") > MAX_TAGS or too_deep(page)


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
    plain = _HIDDEN.sub(" ", _UNSEEN.replaced(page, " "))
    plain = unescaped(_ANY_TAG.sub("", _BLOCK.sub("\n", plain)))
    lines = (_BLANKS.sub(" ", line).strip() for line in plain.split("\n"))
    return "\n".join(line for line in lines if line)
