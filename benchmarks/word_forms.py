"""How many inflected copies of Russian pages are found with and without word forms.

    python benchmarks/word_forms.py [FOLDER]

FOLDER holds the pages of the Debian installation guide (docs.jsonl.gz). A share of the nouns,
adjectives and participles of the Russian ones is put into another case and number.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
import time
from pathlib import Path

from pymorphy3 import MorphAnalyzer

import twinset
from twinset.text.clean import html_to_text

GUIDE = Path(__file__).resolve().parents[2] / "shared" / "data" / "debian_guide_html"
CASES = ("gent", "datv", "accs", "ablt", "loct")
MARK = " inflected"


def russian_pages(folder: Path) -> dict[str, str]:
    """The Russian pages of one architecture that have more than 150 Russian words."""
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["id"].startswith("amd64/ru")]
    texts = {row["id"]: html_to_text(row["text"]) for row in rows}
    return {id: text for id, text in texts.items() if len(re.findall("[а-яё]+", text)) > 150}


def inflected(text: str, share: float, analyser: MorphAnalyzer, rng: random.Random) -> str:
    """A copy with this share of its nouns, adjectives and participles inflected."""

    def form(match: re.Match[str]) -> str:
        word = match.group()
        if rng.random() > share or not re.fullmatch("[а-яё]+", word.lower()):
            return word
        parsed = analyser.parse(word.lower())[0]
        if parsed.tag.POS not in ("NOUN", "ADJF", "PRTF"):
            return word
        chosen = parsed.inflect({rng.choice(CASES), rng.choice(("sing", "plur"))})
        return str(chosen.word) if chosen else word

    return re.sub(r"\w+", form, text)


def main() -> None:
    """Print one row per share of inflected words, method and kind of forms."""
    pages = russian_pages(Path(sys.argv[1]) if len(sys.argv) > 1 else GUIDE)
    analyser = MorphAnalyzer(lang="ru")
    print(f"{len(pages)} pages")
    for share in (0.3, 1.0):
        rng = random.Random(1)
        copies = {id + MARK: inflected(text, share, analyser, rng) for id, text in pages.items()}
        true = {(id.removesuffix(MARK), id) for id in copies}
        for method, threshold in (("minhash", 0.8), ("minhash", 0.5), ("lexical", 0.8)):
            for forms in ("none", "stem", "lemma"):
                begun = time.process_time()
                table = twinset.find(
                    [*pages.items(), *copies.items()],
                    method=method,
                    threshold=threshold,
                    forms=forms,
                ).pairs
                spent = time.process_time() - begun
                pairs = set(zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True))
                print(
                    f"{share:.0%} inflected, {method} {threshold}, {forms}: "
                    f"{len(pairs & true)} found, {len(pairs - true)} others, {spent:.2f} s"
                )


if __name__ == "__main__":
    main()
