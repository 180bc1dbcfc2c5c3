"""No method treats Cyrillic worse than Latin."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import twinset
from tests.contracts.collection import with_copies
from tests.contracts.models import ready
from tests.contracts.test_methods import METHODS, clusters

GUIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "debian_guide_html"
LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщ"  # as many letters, in the same order
TO_CYRILLIC = str.maketrans(LATIN + LATIN.upper(), CYRILLIC + CYRILLIC.upper())
DRAWN = {"logshingles"}  # a sample drawn by hashes: a near-duplicate survives by chance
NO_STOP_WORDS = {"minhash", "exact", "bottom", "learned"}  # and no option for them


def near_duplicates() -> dict[str, str]:
    texts = with_copies()
    texts["near"] = texts["a09"].replace(".", " pravodu.", 1)
    texts["nearer"] = texts["a11"] + " Kolidu."
    return texts


@pytest.mark.parametrize("method", [m for m in METHODS if m != "spotsigs"])
def test_transliterated_documents_make_the_same_groups(method):
    spec = ready(method if method in NO_STOP_WORDS else f"{method}:stop=none")
    texts = with_copies() if method in DRAWN else near_duplicates()
    moved = {name: text.translate(TO_CYRILLIC) for name, text in texts.items()}
    latin = twinset.find(list(texts.items()), method=spec)
    cyrillic = twinset.find(list(moved.items()), method=spec)
    assert clusters(latin) == clusters(cyrillic)
    assert len(clusters(latin)) >= 3


@pytest.fixture(scope="module")
def russian() -> dict[str, str]:
    if not GUIDE.is_dir():
        pytest.skip(f"there is no {GUIDE}")
    with gzip.open(GUIDE / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return {row["id"]: row["text"] for row in rows if "/ru/" in row["id"]}


@pytest.mark.shared
@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_architecture_copies_among_russian_pages(method, russian):
    found = twinset.find(list(russian.items()), method=ready(method), html="yes", max_pairs=10**7)
    copies = {}
    for name, text in russian.items():
        copies.setdefault(text, []).append(name)
    together = {name: number for number, group in enumerate(clusters(found)) for name in group}
    missed = [
        names
        for names in copies.values()
        if len(names) > 1 and len({together.get(name) for name in names}) > 1
    ]
    assert missed == []
    assert sum(len(names) > 1 for names in copies.values()) > 20
