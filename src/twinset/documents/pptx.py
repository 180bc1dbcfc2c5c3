"""Text of PPTX files, the presentations of PowerPoint since 2007: slide after slide.

Speaker's notes and what the master slide repeats on every page are not text of the document.
"""

from __future__ import annotations

from collections.abc import Iterator

from twinset.documents.package import Element, Package, attribute, local

_PRESENTATION = "ppt/presentation.xml"
# Filled by the program on every slide: date, footer, number of the slide.
_FILLED = ("dt", "ftr", "sldNum", "hdr")


def pptx_text(raw: bytes, limit: int) -> str:
    """The text of all slides in their order, a line for each paragraph."""
    package = Package(raw, limit)
    main = package.main_part(_PRESENTATION)
    relations = package.relations(main)
    listed = (item for item in package.tree(main).iter() if local(item.tag) == "sldId")
    targets = (relations[id][1] for item in listed if (id := attribute(item, "id")) in relations)
    return "\n".join("".join(_words(package.tree(name))) for name in package.inside(targets))


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
