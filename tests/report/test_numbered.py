"""The numbers that a run hands over against those that its ids are looked up by."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import twinset
from twinset.result.tables import FoundNumbers, KnownNumbers, numbers_of

NAMES = ("leader", "member", "anchor", "left", "right")


def documents(seed: int = 3) -> Sequence[tuple[str, str]]:
    """Short texts, their copies and copies with a word changed; the ids are in another order."""
    random_ = random.Random(seed)
    texts = [" ".join(random_.choices("abcdefgh", k=12)) for _ in range(30)]
    texts += random_.choices(texts, k=20)
    texts += [f"{text} more" for text in random_.choices(texts, k=20)] + [""]
    ids = [f"d{number}" for number in range(len(texts))]
    random_.shuffle(ids)
    return list(zip(ids, texts, strict=True))


@pytest.mark.parametrize("clusters", ["anchored", "components", "cliques"])
def test_a_run_knows_the_numbers_that_its_tables_show(clusters: str) -> None:
    run = twinset.dedup(documents(), threshold=0.7, shingle=2, clusters=clusters)
    known, found = numbers_of(run), FoundNumbers(run)
    assert isinstance(known, KnownNumbers)
    for name in (*NAMES, "goes", "stays"):
        assert np.array_equal(getattr(known, name), getattr(found, name)), name
    assert len(known.goes) > 10
    assert len(known.left) > 10
    assert any(np.bincount(known.leader) > 1)


def test_nothing_goes_after_find() -> None:
    known = numbers_of(twinset.find(documents(), threshold=0.7, shingle=2))
    assert len(known.goes) == len(known.stays) == 0
