"""Small collections, what an index answers about them, and the files that it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import twinset
from tests.contracts.collection import collection
from twinset.index import Index

Pairs = dict[tuple[str, str], float]


def near(documents: int = 24) -> dict[str, str]:
    """Unrelated documents, copies, near copies, and texts that are hardly any."""
    texts = collection(documents)
    for name in list(texts)[::3]:
        words = texts[name].split()
        texts[f"{name} copy"] = texts[name]
        texts[f"{name} near"] = " ".join([*words[:-3], "another", "end"])
        texts[f"{name} half"] = " ".join(words[: len(words) // 2])
    return texts | {"nothing": "", "blank": " \n", "word": "kalimera", "again": "kalimera"}


def found(texts: Mapping[str, str], **options: Any) -> Pairs:
    """The pairs that a run finds, by ids in order."""
    pairs = twinset.find(dict(texts), kinds="no", repeated="keep", **options).pairs
    columns = (pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {(min(a, b), max(a, b)): round(score, 12) for a, b, score in zip(*columns, strict=True)}


def answered(index: Index, texts: Mapping[str, str]) -> Pairs:
    """The pairs of texts with documents of an index, by ids in order."""
    return {
        (min(str(answer.id), match.id), max(str(answer.id), match.id)): round(match.score, 12)
        for answer in index.query(dict(texts), top=0)
        for match in answer.matches
    }


def files_of(place: Path, suffix: str) -> list[Path]:
    """The files of an index with this suffix."""
    return sorted(place.glob(f"*.{suffix}"))
