"""Speed of every kernel on one core: ``python benchmarks/kernels.py [FILE.jsonl] [--json]``.

MB of UTF-8 text per second of CPU time, the best of a few runs; what a kernel makes of texts is
counted against the bytes of the texts. Without a file it reads the labelled corpora in
``../shared/data``. A new kernel is one line in CASES.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from twinset import _kernels

Texts = tuple[np.ndarray, np.ndarray]
Case = tuple[str, Callable[[np.ndarray, np.ndarray], object]]

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
LIMIT = 30_000_000  # bytes a corpus
RUNS = 5

CASES: list[Case] = [
    ("valid_utf8", lambda d, o: _kernels.valid_utf8(d, o, 1)),
    ("words", lambda d, o: _kernels.words(d, o, 1)),
    ("words, plain path", lambda d, o: _kernels.words(d, o, 1, plain=True)),
    ("shingles 5, sorted unique", lambda d, o: _kernels.shingles(d, o, 5, 1, False, 1)),
    ("shingles of 5 characters", lambda d, o: _kernels.shingles(d, o, 5, 1, True, 1)),
    ("sentences", lambda d, o: _kernels.sentences(d, o, 1)),
    ("paragraphs", lambda d, o: _kernels.paragraphs(d, o, 1)),
]


def lines(path: Path) -> Iterator[str]:
    """The texts of a file of JSON lines, compressed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def without_tags(texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        yield re.sub(r"<[^>]*>", " ", text)


def mostly(low: str, high: str, texts: Iterator[str]) -> Iterator[str]:
    """Texts with at least a third of their characters in the range."""
    for text in texts:
        if 3 * sum(low <= char <= high for char in text) > len(text):
            yield text


def pack(texts: Iterator[str]) -> Texts:
    """Up to LIMIT bytes of texts as the kernels take them."""
    parts, total = [], 0
    for text in texts:
        parts.append(text.encode())
        total += len(parts[-1])
        if total > LIMIT:
            break
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    return data, np.cumsum([0, *map(len, parts)], dtype=np.int64)


def corpora(file: Path | None) -> dict[str, Texts]:
    if file is not None:
        return {file.name: pack(lines(file))}
    guide = SHARED / "debian_guide_html" / "docs.jsonl.gz"
    found = {
        "English": pack(lines(SHARED / "reuters21578" / "docs.jsonl.gz")),
        "Russian": pack(mostly("а", "я", without_tags(lines(guide)))),
        "Chinese, Japanese": pack(mostly("ぁ", "鿿", without_tags(lines(guide)))),
    }
    return {name: texts for name, texts in found.items() if len(texts[0])}


def rate(case: Case, texts: Texts) -> float:
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        case[1](*texts)
        best = min(best, time.process_time() - start)
    return len(texts[0]) / 1e6 / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="JSON lines with a field 'text'")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    options = parser.parse_args()
    if options.file is None and not SHARED.exists():
        parser.error(f"no corpora in {SHARED}: give a file of JSON lines with a field 'text'")
    table = {
        name: {case[0]: round(rate(case, texts)) for case in CASES}
        for name, texts in corpora(options.file).items()
    }
    if options.json:
        print(json.dumps(table, indent=1, ensure_ascii=False))
        return
    print(f"{'MB/s on one core':<28}" + "".join(f"{name:>20}" for name in table))
    for name, _ in CASES:
        print(f"{name:<28}" + "".join(f"{table[corpus][name]:>20}" for corpus in table))


if __name__ == "__main__":
    main()
