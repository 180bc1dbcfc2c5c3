"""Text in the order a reader of the page meets it: boxes behind their paragraph, notes at the end.

Formats keep footnotes and text boxes in the middle of a sentence or in a file of their own. With
one order for all of them, a document has the same words in the same order in every format.
"""

from __future__ import annotations

from typing import Literal


class Flow:
    """Collects text; what is set aside is put where its kind belongs."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._outer: list[list[str]] = []
        self._boxes: list[str] = []
        self._notes: list[str] = []

    def add(self, text: str) -> None:
        """Text at this place."""
        self._parts.append(text)

    def end_paragraph(self) -> None:
        """A line ends; boxes that hang on the paragraph follow it."""
        self._parts.append("\n")
        if self._boxes and not self._outer:
            self._parts += self._boxes
            self._boxes = []

    def begin_aside(self) -> None:
        """What follows is a note or a box."""
        self._outer.append(self._parts)
        self._parts = []

    def end_aside(self, kind: Literal["box", "note"], is_unread: bool = False) -> None:
        """The aside ends: a box follows its paragraph, a note stands at the end of the document.

        Nothing is left of it if it was ``is_unread``.
        """
        if not self._outer:
            return
        text = "".join(self._parts)
        self._parts = self._outer.pop()
        if text and not is_unread:
            ended = text if text.endswith("\n") else f"{text}\n"
            (self._boxes if kind == "box" else self._notes).append(ended)

    def text(self) -> str:
        """All of it."""
        while self._outer:  # a file that was cut short
            self.end_aside("box")
        return "".join([*self._parts, *self._boxes, *self._notes])
