"""Scans, forms and versions: what the rules see of made examples, and what they choose."""

from __future__ import annotations

import random

import twinset
from tests.lab.tuning.collections import collection, document, edited, vocabulary
from twinset.lab.decision import GARBLED, folded, garbled_share

CONFUSED = {"o": "0", "l": "1", "i": "l", "m": "rn", "s": "5", "b": "8", "d": "cl", "w": "vv"}


def scanned(draw, text, rate):
    return "".join(CONFUSED.get(c, c) if draw.random() < rate else c for c in text)


def scans(seed=1):
    draw = random.Random(seed)
    texts = [text for _, text in collection(seed, copies=0)[0]]
    return texts + [scanned(draw, text, 0.15) for text in texts[:150]]


def forms(seed=1):
    """Six forms that are filled in 80 times each, more or less, and 40 that were sent twice."""
    draw = random.Random(seed)
    words = vocabulary(draw)
    blanks = [document(draw, words, 90) for _ in range(6)]
    texts = []
    for number in range(480):
        share = draw.choice([0.05, 0.1, 0.2, 0.3])
        filled = [
            draw.choice([str(draw.randint(1, 9999)), draw.choice(words)])
            if draw.random() < share
            else word
            for word in blanks[number % 6]
        ]
        texts.append(" ".join(filled))
    return texts + texts[:40]


def revised(seed=1):
    draw = random.Random(seed)
    words = vocabulary(draw)
    texts = [document(draw, words, 120) for _ in range(120)]
    copies = [edited(draw, text, words, 0.1) for text in texts for _ in range(2)]
    return [" ".join(text) for text in [*texts, *copies]]


def test_forms_are_compared_strictly_and_the_owner_is_asked():
    tuned = twinset.tune(forms())
    assert tuned.rule == "crowds"
    assert tuned.best.view == "5 words, Jaccard"
    assert tuned.ask
    assert tuned.best.precision is None


def test_scans_are_compared_by_characters():
    tuned = twinset.tune(scans())
    assert tuned.rule == "scans"
    assert tuned.plan.method.unit == "char"


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


def test_what_scanners_confuse_folds_to_one():
    assert folded("frorn") == folded("from")
    assert folded("h0u5e") == folded("house")
    assert folded("house") != folded("mouse")


def test_names_and_endings_are_no_noise():
    assert garbled_share(revised()) == 0
    assert garbled_share(scans()) > 0.01 > GARBLED
