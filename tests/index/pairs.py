"""Made-up collections, what an index should say of them, and the files that it has."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import twinset
from tests.contracts.collection import collection
from twinset.index import Index

OPTIONS = {"threshold": 0.6, "recall": 0.95, "seed": 3}
WORDS = [a + b + c for a in "bdfgk" for b in "aeiou" for c in ("lt", "n", "rs", "mp")]
AWKWARD = [
    *(" ", "\0", "a\0b", "a\nb", "'", '"', "\\", "%s", "{1,2}", "ключ", "😀", "../x", "\\x00"),
    "long" * 3000,
]
"""Ids that a table, a file or a question could stumble over."""

Documents = Mapping[str, str]
Pairs = dict[tuple[str, str], float]


def text(number: int, words: int = 60) -> str:
    """A text that has next to nothing in common with those of other numbers."""
    chosen = random.Random(number)
    return " ".join(chosen.choice(WORDS) for _ in range(words))


def documents(count: int = 20) -> dict[str, str]:
    """Texts with equal and near copies, empty and short ones."""
    made = {}
    for number in range(count):
        words = text(number).split()
        made[f"page{number}"] = " ".join(words)
        if number % 2:
            made[f"near{number}"] = " ".join([*words[:50], "other", *words[51:]])
        if number % 4 == 1:
            made[f"half{number}"] = " ".join(words[:40] + text(1000 + number, 20).split())
        if number % 5 == 0:
            made[f"copy{number}"] = made[f"page{number}"]
    return {**made, "empty": "", "blank": "  \n", "short": "one"}


def pairs_of(index: Index, asked: Documents) -> set[tuple[str, str, float]]:
    """The matches of documents of the index, both ways round once."""
    answers = index.query_texts(list(asked), list(asked.values()), top=0)
    return {
        (*sorted((str(answer.id), match.id)), match.score)  # type: ignore[misc]
        for answer in answers
        for match in answer.matches
    }


def pairs_found(asked: Documents) -> set[tuple[str, str, float]]:
    """The pairs of a run over all of them."""
    table = twinset.find(dict(asked), **OPTIONS).pairs
    columns = (table[name].to_pylist() for name in ("left", "right", "score"))
    return {(*sorted((left, right)), score) for left, right, score in zip(*columns, strict=True)}  # type: ignore[misc]


def add(index: Index, some: Documents, **options: bool) -> tuple[int, int, int]:
    """How many were added, replaced and unchanged."""
    added = index.add_texts(list(some), list(some.values()), **options)
    return added.added, added.replaced, added.unchanged


def batches(some: Documents, size: int) -> Iterable[dict[str, str]]:
    """The same, some at a time."""
    items: Sequence[tuple[str, str]] = list(some.items())
    for begin in range(0, len(items), size):
        yield dict(items[begin : begin + size])


def near(documents: int = 24) -> dict[str, str]:
    """Unrelated documents, copies, near copies, and texts that are hardly any."""
    texts = collection(documents)
    for name in list(texts)[::3]:
        words = texts[name].split()
        texts[f"{name} copy"] = texts[name]
        texts[f"{name} near"] = " ".join([*words[:-3], "another", "end"])
        texts[f"{name} half"] = " ".join(words[: len(words) // 2])
    return texts | {"nothing": "", "blank": " \n", "word": "kalimera", "again": "kalimera"}


def found(texts: Documents, **options: Any) -> Pairs:
    """The pairs that a run finds, by ids in order."""
    pairs = twinset.find(dict(texts), kinds="no", repeated="keep", **options).pairs
    columns = (pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {(min(a, b), max(a, b)): round(score, 12) for a, b, score in zip(*columns, strict=True)}


def answered(index: Index, texts: Documents) -> Pairs:
    """The pairs of texts with documents of an index, by ids in order."""
    return {
        (min(str(answer.id), match.id), max(str(answer.id), match.id)): round(match.score, 12)
        for answer in index.query(dict(texts), top=0)
        for match in answer.matches
    }


def files_of(place: Path, suffix: str) -> list[Path]:
    """The files of an index with this suffix."""
    return sorted(place.glob(f"*.{suffix}"))
