"""The kind of a collection, on made examples of each and on examples of none."""

from __future__ import annotations

import random

import pytest

import twinset
from tests.lab.tuning.collections import collection, document, edited, vocabulary
from twinset.lab.decision import folded, noise

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


def excerpts(seed=1):
    draw = random.Random(seed)
    words = vocabulary(draw)
    sources = [document(draw, words, 400) for _ in range(150)]
    parts = [text[100 : 100 + draw.randint(60, 150)] for text in sources[:80]]
    return [" ".join(text) for text in [*sources, *parts]]


def short(seed=1):
    return [text for _, text in collection(seed, length=14)[0]]


def site(seed=1):
    draw = random.Random(seed)
    words = vocabulary(draw)
    frames = [[" ".join(document(draw, words, 12)) for _ in range(6)] for _ in range(4)]
    pages = []
    for number in range(240):
        frame = frames[number % 4]
        body = [" ".join(document(draw, words, 15)) for _ in range(6)]
        pages.append("\n".join([*frame[:3], *body, *frame[3:]]))
    return pages + ["\n".join([*frames[0], page]) for page in pages[1:40:4]]


def revised(seed=1):
    draw = random.Random(seed)
    words = vocabulary(draw)
    texts = [document(draw, words, 120) for _ in range(120)]
    copies = [edited(draw, text, words, 0.1) for text in texts for _ in range(2)]
    return [" ".join(text) for text in [*texts, *copies]]


KINDS = {"scans": scans, "forms": forms, "excerpts": excerpts, "short": short, "site": site}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_named_and_no_other(kind, seed):
    tuned = twinset.tune(KINDS[kind](seed))
    named = {each.kind for each in tuned.situations}
    assert named - {"numbers"} == {kind}
    assert "numbers" not in named or kind == "forms"
    assert f"It looks like {tuned.situations[0].sentence}." in tuned.as_toml()


@pytest.mark.parametrize("seed", [1, 2])
def test_plain_revisions_are_of_no_kind(seed):
    assert twinset.tune(revised(seed)).situations == ()


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
    clean, garbled = noise(revised()), noise(scans())
    assert clean.confusable == 0
    assert clean.one_letter < 0.01
    assert garbled.confusable > 0.01
