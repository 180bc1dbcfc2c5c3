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
from twinset.plan import ReadOptions
from twinset.reading.memory import from_memory

GUIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "debian_guide_html"
LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщ"  # as many letters, in the same order
TO_CYRILLIC = str.maketrans(LATIN + LATIN.upper(), CYRILLIC + CYRILLIC.upper())
# A sample drawn by hashes: which near-duplicates survive is chance, how many is not (see below).
DRAWN = {"logshingles"}
# These have no option for them.
NO_STOP_WORDS = {"minhash", "exact", "bottom", "sketch", "given", "grams", "learned", "asked"}


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


def test_a_drawn_sample_puts_equal_sets_of_shingles_together_in_any_script():
    """Near-duplicates that any hash must group: texts go on at their beginning, so the shingles of
    a document whose end was moved to the front, or that is there twice, are those of the document.
    """
    texts = with_copies()
    changed = [f"a{number:02}" for number in range(6, 16)]
    for name in changed:
        words = texts[name].split()
        for at in (1, 10, 30):
            texts[f"{name} turned at {at}"] = " ".join(words[at:] + words[:at])
        texts[f"{name} twice"] = f"{texts[name]} {texts[name].upper()}"
    moved = {name: text.translate(TO_CYRILLIC) for name, text in texts.items()}
    latin, cyrillic = (
        clusters(twinset.find(list(some.items()), method="logshingles:stop=none"))
        for some in (texts, moved)
    )
    assert latin == cyrillic
    assert {len(group) for group in latin} == {2, 3, 5}
    assert all(any(f"{name} turned at 1" in group for group in latin) for name in changed)
    assert len(latin) == 3 + len(changed)  # the copies, and these


@pytest.fixture(scope="module")
def russian() -> tuple[dict[str, str], dict[str, str]]:
    """The pages as they are, and their texts."""
    if not GUIDE.is_dir():
        pytest.skip(f"there is no {GUIDE}")
    with gzip.open(GUIDE / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        pages = {row["id"]: row["text"] for row in rows if "/ru/" in row["id"]}
    batches = from_memory(pages, ReadOptions(html="yes")).batches()
    texts = [text for batch in batches for text in batch.texts.to_pylist()]
    return pages, dict(zip(pages, texts, strict=True))


@pytest.mark.shared
@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_architecture_copies_among_russian_pages(method, russian):
    pages, texts = russian
    found = twinset.find(texts, method=ready(method), html="no", max_pairs=10**7)
    copies = {}
    for name, text in pages.items():
        copies.setdefault(text, []).append(name)
    together = {name: number for number, group in enumerate(clusters(found)) for name in group}
    missed = [
        names
        for names in copies.values()
        if len(names) > 1 and len({together.get(name) for name in names}) > 1
    ]
    assert missed == []
    assert sum(len(names) > 1 for names in copies.values()) > 20
