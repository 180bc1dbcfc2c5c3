"""Scans and versions: what the rules see of made examples, and what they choose."""

from __future__ import annotations

import random

import twinset
from tests.lab.tuning.collections import collection, document, edited, vocabulary

CONFUSED = {"o": "0", "l": "1", "i": "l", "m": "rn", "s": "5", "b": "8", "d": "cl", "w": "vv"}


def scanned(draw, text, rate):
    return "".join(CONFUSED.get(c, c) if draw.random() < rate else c for c in text)


def scans(seed=1):
    draw = random.Random(seed)
    texts = [text for _, text in collection(seed, copies=0)[0]]
    return texts + [scanned(draw, text, 0.15) for text in texts[:150]]


def test_scans_stand_out_from_their_neighbours():
    texts = scans()
    tuned = twinset.tune(texts)
    pairs = twinset.find(texts, plan=tuned.plan).pairs
    found = set(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))
    originals = len(texts) - 150
    assert sum((f"{n}", f"{originals + n}") in found for n in range(150)) >= 148
    assert len(found) <= 155


def test_versions_with_other_facts_are_told_apart_by_their_numbers():
    """Each report was sent twice with slips; the next one has other figures in the same words."""
    draw = random.Random(3)
    words = vocabulary(draw)
    texts = []
    for _ in range(60):
        report, places = document(draw, words, 150), draw.sample(range(150), 6)
        for _ in range(2):
            for place in places:
                report[place] = str(draw.randint(1, 9999))
            texts.append(" ".join(report))
            texts.append(" ".join(edited(draw, report, words, 0.004)))
    tuned = twinset.tune(texts)
    assert tuned.rule == "facts"
    assert tuned.best.view == "5 words, Jaccard"
    assert tuned.ask


def test_frames_of_small_sites_are_left_out_in_plain_text_too():
    """Sites of three to nine notes, each between the head and the foot of its site."""
    draw = random.Random(5)
    words = vocabulary(draw)
    texts, originals = [], []
    for site in range(40):
        head, foot = document(draw, words, 60), document(draw, words, 60)
        for number in range(3 + site % 7):
            note = document(draw, words, 50)
            copies = [note, edited(draw, note, words, 0.05)][: 1 + (number == 0)]
            originals += [len(texts)] * (len(copies) - 1)
            texts += ["\n\n".join(map(" ".join, (head, copy, foot))) for copy in copies]
    tuned = twinset.tune(texts)
    assert (tuned.rule, tuned.plan.drop_boilerplate) == ("frames", 2)
    pairs = twinset.find(texts, plan=tuned.plan).pairs
    found = set(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))
    assert found == {(f"{first}", f"{first + 1}") for first in originals}
