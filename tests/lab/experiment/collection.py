"""A small collection with a truth, and a sweep over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WORDS = [f"word{number}" for number in range(40)]
TEXTS = {
    f"d{number}": " ".join(
        WORDS[: 40 - number % 5] + [f"own{number}{place}" for place in range(number % 7)]
    )
    for number in range(14)
}
TRUTH = [(f"d{a}", f"d{b}") for a in range(14) for b in range(a + 1, 14) if a % 5 == b % 5]
SWEEP: dict[str, Any] = {
    "title": "Length and size",
    "plan": {"threshold": 0.8, "method": "minhash"},
    "sweep": {"shingle": [1, 3], "image.size": [64, 128]},
}
SWEEP_FILE = """
title = "Length and size"

[plan]
threshold = 0.8
method = "minhash"

[sweep]
shingle = [1, 3]
"image.size" = [64, 128]
"""
FIVE = ("reference", "found", "only_in_reference", "only_in_found", "common")


def write_collection(folder: Path) -> None:
    """``corpus.jsonl``, ``truth.csv`` and ``sweep.toml``."""
    lines = [json.dumps({"id": name, "text": text}) for name, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pairs = [f"{left},{right}" for left, right in TRUTH]
    (folder / "truth.csv").write_text("\n".join(["left,right", *pairs]) + "\n", encoding="utf-8")
    (folder / "sweep.toml").write_text(SWEEP_FILE, encoding="utf-8")
