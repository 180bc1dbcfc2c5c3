"""Pairs of documents with their kind, in groups by where they come from."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kinds.edits import (
    EDITS,
    PROSE,
    add_sentence,
    change_figure,
    drop_sentence,
    reword,
    rewrapped,
    sentences,
)
from kinds.forms import FORMS, Filled

FACTS = ("a figure changed", "a name changed")
"""Edits that change nothing but a fact, and make another paper of the form."""


class Labelled(NamedTuple):
    """Two texts, what they are to each other, and the group that is left out together."""

    group: str
    how: str
    kind: str
    left: str
    right: str


def _kind(how: str) -> str:
    return "same-form" if how in FACTS else "revision"


def forms(seed: int, each: int) -> Iterator[Labelled]:
    """Two papers of each template, and versions of one paper."""
    for name in FORMS:
        rng = random.Random(f"{seed} {name}")
        for _ in range(each):
            paper = Filled(name, rng, PROSE)
            facts, others = paper.draw(), paper.draw()
            text = paper.text(facts)
            if (other := paper.text(others)) != text:
                yield Labelled(name, "other facts", "same-form", text, other)
            for how, edit in EDITS.items():
                if (edited := edit(text, rng)) != text:
                    yield Labelled(
                        name, how, "same-form" if how in FACTS else "revision", text, edited
                    )
            figures = paper.text(paper.redrawn(facts, 1, figures=True))
            if figures != text:
                yield Labelled(name, "one fact changed", "same-form", text, figures)
            yield Labelled(name, "other layout", "equal-layout", text, rewrapped(text, rng))
            mixed = add_sentence(change_figure(text, rng), rng)
            yield Labelled(name, "a figure and a sentence", "revision", text, mixed)


def prose(name: str, texts: list[str], seed: int, each: int) -> Iterator[Labelled]:
    """Versions and parts of real texts."""
    rng = random.Random(f"{seed} {name}")
    long_enough = [text for text in texts if 60 < len(text.split()) < 8000]
    for text in rng.sample(long_enough, min(each, len(long_enough))):
        for how, edit in EDITS.items():
            if (edited := edit(text, rng)) != text:
                yield Labelled(name, how, _kind(how), text, edited)
        heavy = text
        for _ in range(4):
            edit = rng.choice([add_sentence, drop_sentence, change_figure, reword])
            heavy = edit(heavy, rng)
        if heavy != text:
            yield Labelled(name, "four edits", "revision", text, heavy)
        yield Labelled(name, "other layout", "equal-layout", text, rewrapped(text, rng))
        parts = sentences(text)
        if len(parts) > 8:
            size = rng.randrange(len(parts) // 5, len(parts) // 2)
            begin = rng.randrange(len(parts) - size)
            part = "".join(parts[begin : begin + size])
            if 30 < len(part.split()) < 0.5 * len(text.split()):
                yield Labelled(name, "excerpt", "part", text, part)
                framed = "Dear all, see what they wrote:\n" + part + "\nBest wishes, Tom"
                yield Labelled(name, "quoted", "part", text, framed)


def collection(folder: Path, seed: int, each: int) -> Iterator[Labelled]:
    """Pairs of a labelled collection: true copies as versions, hard pairs as other documents."""
    with gzip.open(folder / "docs.jsonl.gz", "rt") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    name = folder.name.split("-")[0]
    for file, kind in (("truth.csv", "revision"), ("hard.csv", "same-form")):
        rows = (folder / file).read_text().splitlines()[1:]
        rng = random.Random(f"{seed} {name}")
        for row in rng.sample(rows, min(each, len(rows))):
            left, right = row.split(",")[:2]
            if left in texts and right in texts:
                yield Labelled(name, file.split(".")[0], kind, texts[left], texts[right])
