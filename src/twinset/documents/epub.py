"""Text of EPUB files: the chapters of the book in the order of its spine, each an HTML page."""

from __future__ import annotations

import posixpath
import re

from twinset.documents.package import Package, inner_path, local
from twinset.text.clean import html_to_text
from twinset.text.encoding import decode

_CONTAINER = "META-INF/container.xml"
# A link that shows nothing but a number or a sign leads to a footnote or back.
_MARK = re.compile(r"<a\b([^<>]{0,1100})>\s*[\[(]?(?:\d{1,4}|[ivxl]{1,6}|[*†‡↩])[\])]?\s*</a\s*>")
_TARGET = re.compile(r"\bhref=.")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def epub_text(raw: bytes, between: str = "\n") -> str:
    """The text of all chapters; the list of contents that readers show apart is left out."""
    package = Package(raw)
    roots = (
        e.get("full-path") for e in package.tree(_CONTAINER).iter() if local(e.tag) == "rootfile"
    )
    root = inner_path("", next(filter(None, roots), ""))
    pages, spine = dict[str, str](), list[str]()
    for element in package.tree(root).iter():
        name = local(element.tag)
        is_list = "nav" in element.get("properties", "").split()
        if name == "item" and element.get("media-type") in _PAGES and not is_list:
            pages[element.get("id", "")] = element.get("href", "")
        elif name == "itemref":
            spine.append(element.get("idref", ""))
    folder = posixpath.dirname(root)
    chapters = []
    names = (inner_path(folder, pages[id]) for id in spine if id in pages)
    for name in package.inside(names):
        page = decode(package.read(name), html=True).text
        chapters.append(html_to_text(_MARK.sub(_without_note_mark, page)))
    return between.join(chapters)


def _without_note_mark(link: re.Match[str]) -> str:
    """Nothing for a link to a place in a page; any other stays."""
    target = _TARGET.search(link[1])
    return "" if target and "#" in link[1][target.end() :] else link[0]
