"""Text of PPTX files, the presentations of PowerPoint since 2007: slide after slide.

Speaker's notes and what the master slide repeats on every page are not text of the document.
"""

from __future__ import annotations

from twinset.reading.office.markup import MarkupReader, attribute
from twinset.reading.office.package import Package

_PRESENTATION = "ppt/presentation.xml"
# Filled by the program on every slide: date, footer, number of the slide.
_FILLED = ("dt", "ftr", "sldNum", "hdr")


def pptx_text(raw: bytes, limit: int) -> str:
    """The text of all slides in their order, a line for each paragraph."""
    package = Package(raw, limit, "PPTX")
    main = package.main_part(_PRESENTATION)
    order = _Order()
    package.feed(main, order)
    relations = package.relations(main)
    slide = _Slide()
    targets = (relations[id][1] for id in order.slides if id in relations)
    for target in package.inside(targets):
        slide.begin()
        package.feed(target, slide)
    return "".join(slide.parts)


class _Order(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.slides: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A slide is listed."""
        if name == "p:sldId":
            self.slides.append(attribute(attributes, "r:id"))


class _Slide(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._in_text = self._is_filled = False

    def begin(self) -> None:
        """Another slide; bounds go on counting."""
        self._renew()
        if self.parts:
            self.parts.append("\n")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """A shape or text begins."""
        self._in_text = name == "a:t"
        if name == "p:sp":
            self._is_filled = False
        elif name == "p:ph":
            self._is_filled = attributes.get("type") in _FILLED

    def end(self, name: str) -> None:
        """A paragraph or a shape ends."""
        self._in_text = False
        if self._is_filled:
            self._is_filled = name != "p:sp"
        elif name in ("a:br", "a:p"):
            self.parts.append("\n")

    def characters(self, text: str) -> None:
        """Characters, which count inside text only."""
        if self._in_text and not self._is_filled:
            self.parts.append(text)
