"""Text of DOCX and PPTX files, the documents of Word and PowerPoint since 2007.

DOCX: the body, then the footnotes and endnotes in the order of their references. Page headers and
footers, comments, deleted and hidden text are not text of the document. PPTX: slide after slide,
without speaker's notes and what the master slide repeats on every page.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from twinset.documents.flow import Flow
from twinset.documents.package import Element, Package, attribute, local

_BODY = "word/document.xml"
_CHARACTERS = {
    "tab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "\u2011",
    "softHyphen": "\u00ad",
}
# Properties, where a tab is the place of one; what is deleted or moved away, drawn a second time
# for old programs, the reading of a character.
_UNREAD = ("pPr", "del", "moveFrom", "Fallback", "rt")
_OFF = ("0", "false", "off")
_NOTES = ("footnote", "endnote")


def docx_text(raw: bytes) -> str:
    """The text of a DOCX file, a line for each paragraph."""
    package = Package(raw)
    main = package.main_part(_BODY)
    body = _Reader()
    body.read(package.tree(main))
    parts = [body.flow.text()]
    for kind in _NOTES:
        name = posixpath.join(posixpath.dirname(main), f"{kind}s.xml")
        if (references := body.references[kind]) and name in package:
            notes = {attribute(note, "id"): note for note in package.tree(name)}
            for reference in references:
                if (note := notes.pop(reference, None)) is not None:
                    reader = _Reader()
                    reader.read(note)
                    parts.append(reader.flow.text())
    return "".join(parts)


class _Reader:
    """Gathers the text of an element, and the ids of the notes that it refers to."""

    def __init__(self) -> None:
        self.flow = Flow()
        self.references: dict[str, list[str]] = {kind: [] for kind in _NOTES}

    def read(self, element: Element) -> None:
        name = local(element.tag)
        if name in _UNREAD or (name == "r" and _is_hidden(element)):
            return
        if name == "t":
            self.flow.add(element.text or "")
        elif name in _CHARACTERS:
            self.flow.add(_CHARACTERS[name])
        elif (kind := name.removesuffix("Reference")) != name and kind in _NOTES:
            self.references[kind].append(attribute(element, "id"))
        if name == "txbxContent":
            self.flow.begin_aside()
        for inner in element:
            self.read(inner)
        if name == "txbxContent":
            self.flow.end_aside("box")
        elif name == "p":
            self.flow.end_paragraph()


def _is_hidden(run: Element) -> bool:
    properties = (inner for part in run if local(part.tag) == "rPr" for inner in part)
    return any(local(p.tag) == "vanish" and attribute(p, "val") not in _OFF for p in properties)


_PRESENTATION = "ppt/presentation.xml"
# Filled by the program on every slide: date, footer, number of the slide.
_FILLED = ("dt", "ftr", "sldNum", "hdr")


def pptx_text(raw: bytes, between: str = "\n") -> str:
    """The text of all slides in their order, a line for each paragraph."""
    package = Package(raw)
    main = package.main_part(_PRESENTATION)
    relations = package.relations(main)
    listed = (item for item in package.tree(main).iter() if local(item.tag) == "sldId")
    targets = (relations[id][1] for item in listed if (id := attribute(item, "id")) in relations)
    return between.join("".join(_words(package.tree(name))) for name in package.inside(targets))


def _words(element: Element) -> Iterator[str]:
    name = local(element.tag)
    if name == "sp" and any(
        local(place.tag) == "ph" and place.get("type") in _FILLED for place in element.iter()
    ):
        return
    if name == "t":
        yield element.text or ""
    for inner in element:
        yield from _words(inner)
    if name in ("br", "p"):
        yield "\n"
