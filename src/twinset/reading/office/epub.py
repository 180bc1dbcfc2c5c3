"""Text of EPUB files: the chapters of the book in the order of its spine, each an HTML page."""

from __future__ import annotations

import posixpath
import re

from twinset.reading.encoding import decode
from twinset.reading.office.base import OfficeError
from twinset.reading.office.markup import MarkupReader
from twinset.reading.office.package import Package, inner_path
from twinset.text.clean import html_to_text

_CONTAINER = "META-INF/container.xml"
# A link that shows nothing but a number or a sign leads to a footnote or back.
_MARK = re.compile(r"<a\b([^<>]{0,1100})>\s*[\[(]?(?:\d{1,4}|[ivxl]{1,6}|[*†‡↩])[\])]?\s*</a\s*>")
_TARGET = re.compile(r"\bhref=.")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def epub_text(raw: bytes, limit: int) -> str:
    """The text of all chapters; the list of contents that readers show apart is left out."""
    package = Package(raw, limit, "EPUB")
    container = _Container()
    package.feed(_CONTAINER, container)
    if not container.root:
        raise OfficeError("damaged", "the EPUB document does not say where its book is")
    book = _Book()
    package.feed(container.root, book)
    folder = posixpath.dirname(container.root)
    chapters = []
    names = (inner_path(folder, book.pages[id]) for id in book.spine if id in book.pages)
    for name in package.inside(names):
        page = decode(package.read(name), html=True).text
        chapters.append(html_to_text(_MARK.sub(_without_note_mark, page)))
    return "\n".join(chapters)


def _without_note_mark(link: re.Match[str]) -> str:
    """Nothing for a link to a place in a page; any other stays."""
    target = _TARGET.search(link[1])
    return "" if target and "#" in link[1][target.end() :] else link[0]


class _Container(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.root = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A book; the first one counts."""
        if name == "container:rootfile":
            self.root = self.root or inner_path("", attributes.get("full-path", ""))


class _Book(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, str] = {}
        self.spine: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A file of the book or its place in the order of reading."""
        if name == "opf:item" and attributes.get("media-type") in _PAGES:
            if "nav" not in attributes.get("properties", "").split():
                self.pages[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "opf:itemref":
            self.spine.append(attributes.get("idref", ""))
