"""Large collections of JSON lines, made from a seed by all cores: the same bytes on any machine.

A vocabulary of made-up words, used as often as words are (Zipf), makes paragraphs; a document is a
few of them with their words in another order, so that no two resemble each other by chance. One in
four is an edited copy of a document not far before it: one to eleven words are replaced.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

VOCABULARY, PARAGRAPHS, RECENT = 60_000, 4_000, 2_000
PART = 12_500  # documents made in one go, whatever the number of cores
EDITS = ("alpha", "beta", "gamma", "delta")


def edited_copy(documents: list[list[str]], chance: random.Random) -> list[str]:
    """One of the documents with one to eleven words replaced."""
    words = list(chance.choice(documents))
    for _ in range(chance.randrange(1, 12)):
        words[chance.randrange(len(words))] = chance.choice(EDITS)
    return words


@lru_cache(maxsize=1)
def paragraphs(longest: int = 100) -> list[list[str]]:
    """The paragraphs that documents are made of, of ten words to so many."""
    rng = random.Random(7)
    words = set()
    while len(words) < VOCABULARY:
        size = min(2 + int(rng.expovariate(0.23)), 16)
        words.add("".join(rng.choices("etaoinshrdlucmfwypvbgk", k=size)))
    weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    known = sorted(words)
    rng.shuffle(known)
    sizes = (rng.randrange(10, longest + 1) for _ in range(PARAGRAPHS))
    return [rng.choices(known, cum_weights=weights, k=size) for size in sizes]


def make_part(job: tuple[int, int, int, int, Path]) -> Path:
    """Write one part of a collection to a file of its own."""
    number, documents, most, longest, folder = job
    rng, recent = random.Random(1_000_003 * number + most), []
    pool = paragraphs(longest)
    path = folder / f"part-{number:05}.jsonl"
    with path.open("w") as file:
        for row in range(documents):
            if recent and rng.random() < 0.25:
                words = edited_copy(recent, rng)
            else:
                words = []
                for _ in range(rng.randint(1, most)):
                    more = rng.choice(pool)
                    words += rng.sample(more, len(more))
                if len(recent) < RECENT:
                    recent.append(words)
                else:
                    recent[rng.randrange(RECENT)] = words
            file.write(json.dumps({"id": f"{number}-{row}", "text": " ".join(words)}) + "\n")
    return path


def make_corpus(path: Path, documents: int, most: int = 11, longest: int = 100) -> Path:
    """One file of so many documents of up to ``most`` paragraphs of up to ``longest`` words.

    One that is there already stays.
    """
    if path.exists():
        return path
    folder = path.with_suffix(".parts")
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [min(PART, documents - begin) for begin in range(0, documents, PART)]
    jobs = [(number, size, most, longest, folder) for number, size in enumerate(sizes)]
    paragraphs(longest)
    unfinished = path.with_suffix(".unfinished")
    with multiprocessing.get_context("fork").Pool() as pool, unfinished.open("wb") as file:
        for part in pool.imap(make_part, jobs):
            file.write(part.read_bytes())
            part.unlink()
    folder.rmdir()
    os.replace(unfinished, path)
    return path
