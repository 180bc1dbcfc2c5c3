"""Text of OpenDocument files: ODT and ODP.

Footnotes stand at the end. Comments, deleted text, speaker's notes and descriptions of pictures are
not text of the document. Spreadsheets are read by `sheet`.
"""

from __future__ import annotations

import re

from twinset.documents.base import OfficeError
from twinset.documents.flow import AsideKind, Flow
from twinset.documents.package import Element, Package

_SPACES = "urn:oasis:names:tc:opendocument:xmlns:"
_CONTENT = "content.xml"
_ENCRYPTED = b"encryption-data"
_PARAGRAPHS = ("text:p", "text:h")
_CHARACTERS = {"text:tab": "\t", "text:line-break": "\n"}
_UNREAD = (
    "text:tracked-changes",
    "text:note-citation",
    "text:hidden-text",
    "text:ruby-text",
    "office:annotation",
    "office:scripts",
    "office:styles",
    "office:automatic-styles",
    "office:master-styles",
    "office:meta",
    "office:settings",
    "presentation:notes",
    "svg-compatible:title",
    "svg-compatible:desc",
    "table:tracked-changes",
)
_SPACE = re.compile(r"[ \t\r\n]+")


def odf_text(raw: bytes) -> str:
    """The text of an OpenDocument file, a line for each paragraph."""
    package = Package(raw)
    manifest = "META-INF/manifest.xml"
    if manifest in package and _ENCRYPTED in package.read(manifest):
        raise OfficeError("damaged", "the OpenDocument document is protected by a password")
    return _Reader(package.tree(_CONTENT)).flow.text()


class _Reader:
    """Gathers the text of a document."""

    def __init__(self, root: Element) -> None:
        self.flow = Flow()
        self._note: AsideKind = "footnote"
        self._hidden = {
            _get(style, "style:name")
            for style in root.iter(_long("style:style"))
            if any(_get(inner, "text:display") == "none" for inner in style)
        }
        self._read(root, inside=False)

    def _read(self, element: Element, inside: bool) -> None:
        """What is ``inside`` a paragraph is text."""
        name = _short(element.tag)
        if name in _UNREAD or (
            name == "text:span" and _get(element, "text:style-name") in self._hidden
        ):
            return
        aside: AsideKind | None = None
        if name.startswith("drawing:") and inside:
            aside = "box"
        elif name == "text:note-body":
            aside = self._note
        elif name == "text:note":
            self._note = "endnote" if _get(element, "text:note-class") == "endnote" else "footnote"
        if aside:
            self.flow.begin_aside()
        inside = inside or name in _PARAGRAPHS
        if inside:
            shown = (
                " " * int(_get(element, "text:c") or 1)
                if name == "text:s"
                else _CHARACTERS.get(name, "")
            )
            self.flow.add(shown + _SPACE.sub(" ", element.text or ""))
        for inner in element:
            self._read(inner, inside)
            if inside and inner.tail:
                self.flow.add(_SPACE.sub(" ", inner.tail))
        if aside:
            self.flow.end_aside(aside)
        elif name in _PARAGRAPHS:
            self.flow.end_paragraph()


def _long(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES}{prefix}:1.0}}{local}"


def _short(name: str) -> str:
    space, _, local = name.rpartition("}")
    return f"{space.removeprefix('{' + _SPACES).partition(':')[0]}:{local}"


def _get(element: Element, name: str) -> str:
    return element.get(_long(name), "")
