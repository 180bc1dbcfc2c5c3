"""Text in the order a reader of the page meets it: boxes behind their paragraph, notes at the end.

Formats keep footnotes and text boxes in the middle of a sentence or in a file of their own. With
one order for all of them, a document has the same words in the same order in every format.
"""

from __future__ import annotations

from typing import Literal

AsideKind = Literal["box", "footnote", "endnote"]


class Flow:
    """Collects text; what is set aside is put where its kind belongs."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._outer: list[list[str]] = []
        self._asides: dict[AsideKind, list[str]] = {"box": [], "footnote": [], "endnote": []}

    def add(self, text: str) -> None:
        """Text at this place."""
        self._parts.append(text)

    def end_paragraph(self) -> None:
        """A line ends; boxes that hang on the paragraph follow it."""
        self._parts.append("\n")
        if self._asides["box"] and not self._outer:
            self._parts += self._asides["box"]
            self._asides["box"] = []

    def begin_aside(self) -> None:
        """What follows is a note or a box."""
        self._outer.append(self._parts)
        self._parts = []

    def end_aside(self, kind: AsideKind, is_unread: bool = False) -> None:
        """The aside ends: a box follows its paragraph, notes stand at the end, footnotes first.

        Nothing is left of it if it ``is_unread``.
        """
        if not self._outer:
            return
        text = "".join(self._parts)
        self._parts = self._outer.pop()
        if text and not is_unread:
            ended = text if text.endswith("\n") else f"{text}\n"
            self._asides[kind].append(ended)

    def text(self) -> str:
        """All of it."""
        while self._outer:  # a file that was cut short
            self.end_aside("box")
        asides = [text for texts in self._asides.values() for text in texts]
        body = "".join(self._parts)
        if asides and body and not body.endswith("\n"):
            body += "\n"
        return "".join([body, *asides])
