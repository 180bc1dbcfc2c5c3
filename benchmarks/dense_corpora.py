"""Seeded collections that are hard for a near-duplicate finder, and ordinary ones of their size.

The words are made up (lower-case ASCII letters, Zipf-distributed), so that splitting at spaces
gives the words of a document to whoever checks the answer. Every collection says by itself which
documents belong together: ``family`` numbers them, documents of different families share little.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
VOCABULARY = 50_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TWINS = 0.2


@dataclass(frozen=True)
class Document:
    """One text and the family it belongs to."""

    family: int
    text: str


class Writer:
    """Makes running text out of made-up words, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        lengths = self.random.integers(2, 11, VOCABULARY).tolist()
        letters = self.random.choice(list(LETTERS), (VOCABULARY, 10))
        spelt = ["".join(row[:size]) for row, size in zip(letters, lengths, strict=True)]
        self.words = np.array(spelt, dtype=object)
        chances = 1 / np.arange(10, VOCABULARY + 10)
        self.bounds = np.cumsum(chances / chances.sum())

    def draw(self, count: int) -> Ints:
        """Word numbers of a stretch of text."""
        drawn = np.searchsorted(self.bounds, self.random.random(count))
        return np.minimum(drawn, VOCABULARY - 1)

    def spell(self, numbers: Ints) -> str:
        """The text of word numbers."""
        return " ".join(self.words[numbers])


def ordinary(writer: Writer, count: int, length: int) -> Iterator[Document]:
    """Texts of their own; every fifth is an earlier one with three words in a row replaced."""
    yield from _with_twins(writer, count, lambda: writer.draw(length))


def boilerplate(writer: Writer, count: int, length: int) -> Iterator[Document]:
    """As `ordinary`, but a third of every text is one and the same paragraph at its beginning."""
    shared = writer.draw(length // 3)
    own = length - len(shared)
    yield from _with_twins(writer, count, lambda: np.concatenate([shared, writer.draw(own)]))


def identical(writer: Writer, count: int, length: int) -> Iterator[Document]:
    """One text again and again."""
    text = writer.spell(writer.draw(length))
    for _ in range(count):
        yield Document(0, text)


def template(writer: Writer, count: int, length: int) -> Iterator[Document]:
    """Pages of one template: two slots, together 5 % of the words, hold words of their own.

    Any two pages share more than 0.8 of their 5-word shingles: all belong together.
    """
    yield from _pages(writer, count, length, lambda: 0.025)


def template_border(writer: Writer, count: int, length: int) -> Iterator[Document]:
    """Pages whose two slots hold 5 to 10 % of the words: pairs lie on both sides of 0.8."""
    yield from _pages(writer, count, length, lambda: writer.random.uniform(0.025, 0.05))


def _pages(
    writer: Writer, count: int, length: int, share: Callable[[], float]
) -> Iterator[Document]:
    body = writer.draw(length)
    first, second = length // 3, 2 * length // 3
    for _ in range(count):
        slot = round(share() * length)
        page = body.copy()
        page[first : first + slot] = writer.draw(slot)
        page[second : second + slot] = writer.draw(slot)
        yield Document(0, writer.spell(page))


def _with_twins(writer: Writer, count: int, draw: Callable[[], Ints]) -> Iterator[Document]:
    recent: list[tuple[int, Ints]] = []
    for number in range(count):
        if recent and writer.random.random() < TWINS:
            family, body = recent[int(writer.random.integers(len(recent)))]
            body = body.copy()
            place = int(writer.random.integers(2 * len(body) // 3, len(body) - 3))
            body[place : place + 3] = writer.draw(3)
        else:
            family, body = number, draw()
            recent = [*recent[-99:], (family, body)]
        yield Document(family, writer.spell(body))


MAKERS: dict[str, Callable[[Writer, int, int], Iterator[Document]]] = {
    "ordinary": ordinary,
    "identical": identical,
    "template": template,
    "template-border": template_border,
    "boilerplate": boilerplate,
}


def make(name: str, count: int, length: int, folder: Path, seed: int = 1) -> Path:
    """The collection as JSON lines (id, text, family), made unless it is there already."""
    path = folder / f"{name}-{count}-{length}-{seed}.jsonl"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    growing = path.with_suffix(".part")
    with growing.open("w", encoding="utf-8") as lines:
        for number, document in enumerate(MAKERS[name](Writer(seed), count, length)):
            row = {"id": str(number), "text": document.text, "family": document.family}
            lines.write(json.dumps(row) + "\n")
    return growing.rename(path)
