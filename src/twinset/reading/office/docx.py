"""Text of DOCX files, the documents of Word since 2007.

The body, then the footnotes and endnotes in the order of their references. Page headers and
footers, comments, deleted and hidden text are not text of the document.
"""

from __future__ import annotations

import posixpath

from twinset.reading.office.flow import Flow
from twinset.reading.office.markup import MarkupReader, attribute
from twinset.reading.office.package import Package

_BODY = "word/document.xml"
_TEXT = ("w:t", "m:t")
_CHARACTERS = {
    "w:tab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "\u2011",
    "w:softHyphen": "\u00ad",
}
# Deleted or moved away, drawn a second time for old programs, the reading of a character.
_UNREAD = ("w:del", "w:moveFrom", "mc:Fallback", "w:rt")
_OFF = ("0", "false", "off")
_NOTES = (("w:footnote", "footnotes"), ("w:endnote", "endnotes"))


def docx_text(raw: bytes, limit: int) -> str:
    """The text of a DOCX file, a line for each paragraph, at most ``limit`` bytes of mark-up."""
    package = Package(raw, limit, "DOCX")
    main = package.main_part(_BODY)
    body = _Body()
    package.feed(main, body)
    parts = [body.flow.text()]
    for element, file in _NOTES:
        name = posixpath.join(posixpath.dirname(main), f"{file}.xml")
        if (references := body.references[element]) and name in package:
            notes = _Notes(element)
            package.feed(name, notes)
            parts += [notes.texts.pop(reference, "") for reference in references]
    return "".join(parts)


class _Body(MarkupReader):
    """The text of a DOCX document, gathered as its mark-up streams by."""

    def __init__(self) -> None:
        super().__init__()
        self.flow = Flow()
        self.references: dict[str, list[str]] = {element: [] for element, _ in _NOTES}
        self._in_text = self._in_run = self._is_hidden = self._in_properties = False
        self._unread = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Text begins, or what is none."""
        self._in_text = name in _TEXT
        if name in _UNREAD:
            self._unread += 1
        elif name == "w:pPr":
            self._in_properties = True  # where a w:tab is the place of one
        elif name == "w:r":
            self._in_run, self._is_hidden = True, False
        elif name == "w:vanish" and self._in_run:
            self._is_hidden = attribute(attributes, "w:val") not in _OFF
        elif name == "w:txbxContent":
            self.flow.begin_aside()
        elif name.endswith("Reference") and (kind := name[: -len("Reference")]) in self.references:
            self.references[kind].append(attribute(attributes, "w:id"))

    def end(self, name: str) -> None:
        """Text ends, or a paragraph."""
        self._in_text = False
        if name in _UNREAD:
            self._unread -= 1
        elif name == "w:pPr":
            self._in_properties = False
        elif name == "w:r":
            self._in_run = self._is_hidden = False
        elif name == "w:txbxContent":
            self.flow.end_aside("box", is_unread=self._unread > 0)
        elif self._unread:
            return
        elif name == "w:p":
            self.flow.end_paragraph()
        elif name in _CHARACTERS and not self._in_properties:
            self.flow.add(_CHARACTERS[name])

    def characters(self, text: str) -> None:
        """Characters, which count inside text only."""
        if self._in_text and not self._unread and not self._is_hidden:
            self.flow.add(text)


class _Notes(_Body):
    """The footnotes or endnotes of a DOCX document, by their ids."""

    def __init__(self, element: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._element, self._id = element, ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A note begins."""
        if name == self._element:
            self.flow, self._id = Flow(), attribute(attributes, "w:id")
        super().start(name, attributes)

    def end(self, name: str) -> None:
        """A note ends."""
        super().end(name)
        if name == self._element:
            self.texts[self._id] = self.flow.text()
