"""Inflected copies of the Russian pages of a guide, which forms find and words as written do not.

The pages lie beside the repository, where they are present.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

import twinset
from twinset.text.clean import html_to_text

GUIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "debian_guide_html"
CASES = ("gent", "datv", "accs", "ablt", "loct")
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not GUIDE.is_dir(), reason=f"there is no {GUIDE}"),
]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The Russian pages of one architecture that have more than 150 Russian words, and copies."""
    from pymorphy3 import MorphAnalyzer

    analyser, rng = MorphAnalyzer(lang="ru"), random.Random(1)

    def inflected(match: re.Match[str]) -> str:
        word = match.group()
        if rng.random() > 0.3 or not re.fullmatch("[а-яё]+", word.lower()):
            return word
        parsed = analyser.parse(word.lower())[0]
        if parsed.tag.POS not in ("NOUN", "ADJF", "PRTF"):
            return word
        form = parsed.inflect({rng.choice(CASES), rng.choice(("sing", "plur"))})
        return form.word if form else word

    with gzip.open(GUIDE / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["id"].startswith("amd64/ru")]
    texts = {row["id"]: html_to_text(row["text"]) for row in rows}
    long = {id: text for id, text in texts.items() if len(re.findall("[а-яё]+", text)) > 150}
    return long | {f"{id} inflected": re.sub(r"\w+", inflected, t) for id, t in long.items()}


@pytest.mark.parametrize(("method", "without"), [("minhash", 0.0), ("lexical", 0.4)])
def test_inflected_pages_are_found_by_their_stems(
    pages: dict[str, str], method: str, without: float
) -> None:
    copies = {(id.removesuffix(" inflected"), id) for id in pages if id.endswith(" inflected")}
    assert len(copies) > 40
    for forms, least, most in (("none", 0.0, without), ("stem", 0.95, 1.0)):
        table = twinset.find(list(pages.items()), method=method, forms=forms, threshold=0.8).pairs
        pairs = set(zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True))
        assert least <= len(pairs & copies) / len(copies) <= most
        assert pairs <= copies
