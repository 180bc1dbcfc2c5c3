"""Small collections with known near-duplicates, made from a seed."""

from __future__ import annotations

import random

VOCABULARY = 3000


def vocabulary(draw):
    letters = "abcdefghijklmnoprstuvwz"
    return ["".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(VOCABULARY)]


def document(draw, words, length):
    # Zipf-like: some words are in every document, most are rare.
    return [words[int(VOCABULARY * draw.random() ** 3)] for _ in range(length)]


def edited(draw, text, words, share):
    return [draw.choice(words) if draw.random() < share else word for word in text]


def collection(seed=1, *, documents=300, copies=60, length=80, change=0.08, frame=()):
    """Texts by id, and the true pairs; ``frame`` stands around every text."""
    draw = random.Random(seed)
    words = vocabulary(draw)
    texts = {f"d{i}": document(draw, words, length) for i in range(documents)}
    truth = []
    for i in range(copies):
        share = change * draw.random() * 2
        texts[f"c{i}"] = edited(draw, texts[f"d{i}"], words, share)
        truth.append((f"d{i}", f"c{i}"))
    framed = {id: " ".join([*frame, *text, *frame]) for id, text in texts.items()}
    return list(framed.items()), truth
