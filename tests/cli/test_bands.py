"""Bands and rows chosen by hand: the recall follows from them, and is said wherever one reads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import twinset
from tests.cli.conftest import Twinset
from twinset.finding.candidates.bands import overlapping

LECTURE = "minhash:bands=20,rows=5"
# 1-(1-s^5)^20 as the lectures print it
CURVE = {0.2: 0.006, 0.3: 0.047, 0.4: 0.186, 0.5: 0.470, 0.6: 0.802, 0.7: 0.975, 0.8: 0.9996}


def test_the_example_of_the_lectures_is_planned(twinset: Twinset) -> None:
    told = json.loads(twinset("plan", "--method", LECTURE, "-t", "0.8", "--json").stdout)
    assert told["candidates"] == {"kind": "bands", "bands": 20, "rows": 5, "given": True}
    chances = {row[0]: row[1] for row in told["chances"]}
    for similarity in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        assert chances[similarity] == pytest.approx(CURVE[similarity], abs=6e-4)
    assert told["plan"]["recall"] == chances[0.8]
    said = twinset("plan", "--method", LECTURE, "-t", "0.8").stdout
    assert "20 bands of 5 rows" in said
    assert "as given, with a recall of 0.9996 at the threshold" in said


def test_the_example_of_the_lectures_is_run(twinset: Twinset, corpus: Path) -> None:
    done = twinset("find", corpus, "-o", "r", "--method", LECTURE, "-t", "0.8", "-q")
    assert done.returncode == 0
    manifest = json.loads(Path("r/manifest.json").read_text(encoding="utf-8"))
    assert manifest["plan"]["candidates"] == {
        "kind": "bands",
        "bands": 20,
        "rows": 5,
        "given": True,
    }
    assert manifest["plan"]["recall"] == manifest["predicted"]["recall_at_threshold"]
    assert manifest["predicted"]["recall_at_threshold"] == pytest.approx(0.9996, abs=5e-5)
    curve = dict(manifest["predicted"]["s_curve"])
    for similarity, chance in CURVE.items():
        assert curve[similarity] == pytest.approx(chance, abs=6e-4)
    said = twinset("show", "r", "--verbose").stdout
    assert "found with a probability of 0.9996" in said
    page = Path("r/report.html").read_text(encoding="utf-8")
    assert "20 bands of 5 rows as given: 0.9996 at the threshold" in page


def test_another_measure_is_held_at_its_own_similarity(twinset: Twinset) -> None:
    told = json.loads(
        twinset("plan", "--method", LECTURE, "-t", "0.8", "--measure", "dice", "--json").stdout
    )
    jaccard = 0.8 / (2 - 0.8)
    assert told["plan"]["recall"] == pytest.approx(1 - (1 - jaccard**5) ** 20)


REFUSED = {
    f"{LECTURE} --recall 0.99": "makes no use of a recall: leave recall=0.99 out",
    f"{LECTURE} --image oph:size=99": "need an image of 100 values, not of 99",
    f"{LECTURE} --image bottom": "cut a sketch, and the image bottom is a sample",
    "minhash:overlap=yes": "is about bands that are given",
    "minhash:bands=5,rows=3,overlap=yes --image minwise:size=4": "4 bands of 3 of 4 values",
    "minhash:bands=17,rows=3,overlap=yes": "16 bands of 3 of 128 values",
    "minhash:bands=2,rows=5,overlap=yes --image minwise:size=4": "need an image of 5 values",
    "minhash:bands=20": "give both, as bands=20,rows=5, or neither",
    "minhash:bands=-1,rows=5": "give both, as bands=20,rows=5, or neither",
}


def test_what_does_not_go_with_bands_is_refused(twinset: Twinset) -> None:
    for options, fault in REFUSED.items():
        done = twinset("plan", "--method", *options.split())
        assert done.returncode == 2
        assert fault in " ".join(done.stderr.split())


def test_bands_of_any_values_state_the_chance_they_have(twinset: Twinset, corpus: Path) -> None:
    """2 bands of 3 of 4 values: 2s³-s⁴; of 5 bands of 4 of 7, by all 2^7 ways to agree."""
    method = ("--method", "minhash:bands=2,rows=3,overlap=yes", "--image", "minwise:size=4")
    told = json.loads(twinset("plan", *method, "--json").stdout)
    assert told["candidates"]["overlap"]
    for similarity, chance in ((row[0], row[1]) for row in told["chances"]):
        assert chance == pytest.approx(2 * similarity**3 - similarity**4, abs=1e-9)
    cut, s = overlapping(5, 4, 7, 3), 0.7
    assert len(set(cut.choices)) == 5
    assert {len(set(choice)) for choice in cut.choices} == {4}
    agreeing = [{place for place in range(7) if bits >> place & 1} for bits in range(1 << 7)]
    found = (each for each in agreeing if any(each.issuperset(choice) for choice in cut.choices))
    exact = sum(s ** len(each) * (1 - s) ** (7 - len(each)) for each in found)
    assert cut.probability(s) == pytest.approx(exact)
    done = twinset("find", corpus, "-o", "r", *method, "-q")
    assert done.returncode == 0
    manifest = json.loads(Path("r/manifest.json").read_text(encoding="utf-8"))
    assert manifest["plan"]["candidates"]["overlap"]


def test_bands_of_any_values_find_as_many_pairs_as_they_state() -> None:
    rng, texts, count = random.Random(1), {}, 600
    for number in range(count):
        words = [f"w{number}x{place}" for place in range(40)]
        texts[f"{number}a"] = " ".join(words[:35])
        texts[f"{number}b"] = " ".join(rng.sample(words[5:], 35))  # 30 of 40 words: 0.75
    method = "minhash:bands=3,rows=3,overlap=yes,shingle=1"
    pairs = twinset.find(texts, method=method, image="minwise:size=5", threshold=0.7).pairs
    expected = overlapping(3, 3, 5, 1).probability(0.75)
    assert len(pairs) / count == pytest.approx(expected, abs=0.07)
