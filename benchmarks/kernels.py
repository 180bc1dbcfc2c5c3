"""Speed of every kernel on one core: ``python benchmarks/kernels.py [FILE.jsonl] [--levels]``.

MB of UTF-8 text per second of CPU time, the best of a few runs; what a kernel makes of texts is
counted against the bytes of the texts. The first lines are bounds: no kernel can read faster than
memory is copied. ``--levels`` measures every set of vector instructions that the processor has.
Without a file it reads the labelled corpora in ``../shared/data``. A new kernel is a line in CASES.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from twinset import _kernels

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
LIMIT = 30_000_000  # bytes a corpus
RUNS = 5
BANDS, ROWS, SEED = 16, 6, 1  # as for a threshold of 0.8


@dataclass
class Corpus:
    """Texts as the kernels take them, and what earlier kernels make of them."""

    data: np.ndarray
    offsets: np.ndarray

    @cached_property
    def json_lines(self) -> np.ndarray:
        """The texts as the field ``text`` of JSON lines."""
        raw, ends = self.data.tobytes(), self.offsets.tolist()
        lines = (
            json.dumps({"id": i, "text": raw[a:b].decode()}, ensure_ascii=False)
            for i, (a, b) in enumerate(itertools.pairwise(ends))
        )
        return np.frombuffer("\n".join(lines).encode(), np.uint8)

    @cached_property
    def features(self) -> tuple[np.ndarray, np.ndarray]:
        """The shingles of five words."""
        return _kernels.shingles(self.data, self.offsets, 5, 1, 0, 1)[:2]

    @cached_property
    def sketches(self) -> np.ndarray:
        """One-permutation sketches."""
        return _kernels.oph(*self.features, BANDS * ROWS, SEED, False, True, 1)


Case = tuple[str, Callable[[Corpus], object]]

CASES: list[Case] = [
    ("bound: copy of the bytes", lambda c: c.data.copy()),
    ("bound: find line ends", lambda c: _kernels.line_ends(c.data, 1)),
    ("digest of the file", lambda c: _kernels.Digest().update(c.data)),
    ("JSON lines to texts", lambda c: _kernels.jsonl_rows(c.json_lines, "id", "text", "", 1)),
    ("valid_utf8", lambda c: _kernels.valid_utf8(c.data, c.offsets, 1)),
    ("words", lambda c: _kernels.words(c.data, c.offsets, 1)),
    ("words, plain path", lambda c: _kernels.words(c.data, c.offsets, 1, plain=True)),
    ("shingles 5, sorted unique", lambda c: _kernels.shingles(c.data, c.offsets, 5, 1, 0, 1)),
    ("shingles of 5 characters", lambda c: _kernels.shingles(c.data, c.offsets, 5, 1, 1, 1)),
    (
        "one-permutation sketch",
        lambda c: _kernels.oph(*c.features, BANDS * ROWS, SEED, False, True, 1),
    ),
    ("band keys", lambda c: _kernels.band_keys(c.sketches, BANDS, ROWS)),
    ("sentences", lambda c: _kernels.sentences(c.data, c.offsets, 1)),
    ("paragraphs", lambda c: _kernels.paragraphs(c.data, c.offsets, 1)),
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


def pack(texts: Iterator[str]) -> Corpus:
    """Up to LIMIT bytes of texts as the kernels take them."""
    parts, total = [], 0
    for text in texts:
        parts.append(text.encode())
        total += len(parts[-1])
        if total > LIMIT:
            break
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    return Corpus(data, np.cumsum([0, *map(len, parts)], dtype=np.int64))


def corpora(file: Path | None) -> dict[str, Corpus]:
    if file is not None:
        return {file.name: pack(lines(file))}
    guide = SHARED / "debian_guide_html" / "docs.jsonl.gz"
    found = {
        "English": pack(lines(SHARED / "reuters21578" / "docs.jsonl.gz")),
        "Russian": pack(mostly("а", "я", without_tags(lines(guide)))),
        "Chinese, Japanese": pack(mostly("ぁ", "鿿", without_tags(lines(guide)))),
    }
    return {name: texts for name, texts in found.items() if len(texts.data)}


def rate(case: Case, corpus: Corpus) -> float:
    best = float("inf")
    case[1](corpus)  # what it needs of earlier kernels is made now
    for _ in range(RUNS):
        start = time.process_time()
        case[1](corpus)
        best = min(best, time.process_time() - start)
    return len(corpus.data) / 1e6 / best


def rates(corpus: Corpus, levels: list[str]) -> dict[str, dict[str, int]]:
    """For each set of instructions the rate of each kernel."""
    table = {}
    for level in levels:
        _kernels.use_instructions(level)
        table[level] = {case[0]: round(rate(case, corpus)) for case in CASES}
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="JSON lines with a field 'text'")
    parser.add_argument("--levels", action="store_true", help="every set of vector instructions")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    options = parser.parse_args()
    if options.file is None and not SHARED.exists():
        parser.error(f"no corpora in {SHARED}: give a file of JSON lines with a field 'text'")
    levels = _kernels.instructions_here() if options.levels else [_kernels.instructions()]
    table = {name: rates(corpus, levels) for name, corpus in corpora(options.file).items()}
    if options.json:
        print(json.dumps(table, indent=1, ensure_ascii=False))
        return
    columns = [(name, level) for name, by_level in table.items() for level in by_level]
    print(f"{'MB/s on one core':<28}" + "".join(f"{name:>20}" for name, _ in columns))
    print(f"{'':<28}" + "".join(f"{level:>20}" for _, level in columns))
    for case, _ in CASES:
        row = (table[name][level][case] for name, level in columns)
        print(f"{case:<28}" + "".join(f"{value:>20}" for value in row))


if __name__ == "__main__":
    main()
