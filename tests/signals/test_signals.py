"""Each signal against its definition: scikit-learn for cosines, plain loops for the rest."""

from __future__ import annotations

import math
import unicodedata
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.kernels.test_signals import covered_twin, lcs_twin
from twinset import _kernels
from twinset.finding.candidates.nearest import nearest_by_containment, nearest_by_cosine
from twinset.finding.methods import bending
from twinset.finding.signals import SIGNALS, Profiles, standing
from twinset.finding.signals.base import CAP
from twinset.plan import Plan
from twinset.text.tokens import WHOLE

WORDS = ["the", "sea", "port", "12", "1990", "корабль", "море", "港", "ship", "rn", "barn", "клад"]
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), min_size=2, max_size=8
)
# The table of fold.hpp, written from its documentation.
ALIKE = "o0о l1ijі s5ѕ b86бв z2 g9q vu з3 шщ ьъ aа eе cс pр xх yу kк mм tт hн"
FOLDED = {letter: group[0] for group in ALIKE.split() for letter in group}
LETTERS = st.text("abcdefrnlvciou0123 щъёйïß", max_size=40)


def pairs_of(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.array(list(combinations(range(len(texts)), 2))).T
    return left, right


def column(name: str, texts: list[str]) -> list[float]:
    profiles = Profiles.of([pa.array(texts, pa.large_string())], 2)
    values: list[float] = SIGNALS[name].column(profiles, *pairs_of(texts), 2).tolist()
    return values


def runs(words: Any, length: int) -> list[tuple[str, ...]]:
    last = max(len(words) - length + 1, 1) if words else 0
    return [tuple(words[i : i + length]) for i in range(last)]


def plain_fold(text: str) -> str:
    """Lower case without accents and blanks, then what looks alike, then pairs of letters."""
    text = unicodedata.normalize("NFD", text.lower())
    out = ""
    for letter in text:
        if not letter.isalnum():
            continue
        out += FOLDED.get(letter, letter)
        for pair, single in (("rn", "m"), ("vv", "w"), ("cl", "d")):
            if out.endswith(pair):
                out = out[: -len(pair)] + single
    return out


def features(name: str, text: str) -> list[Any]:
    words = text.split()
    if name == "folded5":
        return runs(plain_fold(text), 5)
    if name == "numbers":
        return [word for word in words if any("0" <= letter <= "9" for letter in word)]
    return runs(words, int(name[-1]))


def idf_of(texts: list[str], view: str) -> dict[Any, float]:
    sets = [set(features(view, text)) for text in texts]
    n = sum(1 for one in sets if one)
    every = set().union(*sets)
    return {term: math.log((1 + n) / (1 + sum(term in one for one in sets))) + 1 for term in every}


@examples(60)
@given(st.lists(LETTERS, min_size=1, max_size=4))
def test_folding_follows_its_table(texts: list[str]) -> None:
    tokens = WHOLE.tokens(pa.array(texts, pa.large_string()), 1)
    data, offsets = _kernels.folded_text(tokens.bytes, tokens.text_offsets, 2)
    folded = [data[a:b].tobytes().decode() for a, b in pairwise(offsets)]
    assert folded == [plain_fold(text) for text in texts]


def test_a_scan_folds_to_what_was_scanned() -> None:
    clean, scan = "Modern clouds will burn 100 bills", "M0dem d0uds wi11 bum lOO bi11s"
    assert plain_fold(clean) == plain_fold(scan)
    assert column("jaccard5c", [clean, scan]) == [1.0]
    assert column("jaccard1", [clean, scan])[0] < 0.2


@pytest.mark.parametrize(("name", "view"), [("cosine2", "words2"), ("cosine5c", "folded5")])
@examples(25)
@given(TEXTS)
def test_cosines_are_those_of_scikit_learn(name: str, view: str, texts: list[str]) -> None:
    text_module = pytest.importorskip("sklearn.feature_extraction.text")
    filled = [text for text in texts if text.strip()]
    if len(filled) < 2:
        return
    vectors = text_module.TfidfVectorizer(
        analyzer=lambda text: features(view, text), sublinear_tf=True
    ).fit_transform(filled)
    expected = (vectors @ vectors.T).toarray()[pairs_of(filled)]
    assert column(name, filled) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "view"),
    [("jaccard1", "words1"), ("jaccard3", "words3"), ("jaccard5c", "folded5")],
)
@examples(25)
@given(TEXTS)
def test_jaccards_are_those_of_sets(name: str, view: str, texts: list[str]) -> None:
    sets = [set(features(view, text)) for text in texts]
    expected = [len(a & b) / max(len(a | b), 1) for a, b in combinations(sets, 2)]
    assert column(name, texts) == pytest.approx(expected)


@examples(25)
@given(TEXTS)
def test_rare_runs_weigh_more(texts: list[str]) -> None:
    weight = idf_of(texts, "words5")
    sets = [set(features("words5", text)) for text in texts]
    expected = [
        sum(weight[t] for t in a & b) / max(sum(weight[t] for t in a | b), 1e-9)
        for a, b in combinations(sets, 2)
    ]
    assert column("idfjaccard5", texts) == pytest.approx(expected, abs=1e-3)


@examples(25)
@given(TEXTS)
@example(["the sea port 12 ship barn", "barn the sea port 12 ship barn rn", "sea port 12"])
def test_containment_and_coverage_count_runs(texts: list[str]) -> None:
    sets = [set(features("words3", text)) for text in texts]
    expected = [len(a & b) / max(min(len(a), len(b)), 1) for a, b in combinations(sets, 2)]
    assert column("containment3", texts) == pytest.approx(expected)
    numbers = [[WORDS.index(word) for word in text.split()] for text in texts]
    covered = [covered_twin(a, b, 3) / max(len(a) + len(b), 1) for a, b in combinations(numbers, 2)]
    assert column("covered3", texts) == pytest.approx(covered)


@examples(25)
@given(TEXTS)
def test_order_counts_in_subsequences(texts: list[str]) -> None:
    numbers = [[WORDS.index(word) for word in text.split()] for text in texts]
    lengths = [(lcs_twin(a, b), len(a), len(b)) for a, b in combinations(numbers, 2)]
    ratios = [2 * common / max(a + b, 1) for common, a, b in lengths]
    short = [common / max(min(a, b), 1) for common, a, b in lengths]
    assert column("lcs", texts) == pytest.approx(ratios)
    assert column("lcs_short", texts) == pytest.approx(short)


def test_the_order_of_the_first_words_is_compared() -> None:
    words = [f"w{n % 700}" for n in range(CAP + 500)]
    texts = [" ".join(words), " ".join([*words[:CAP], *reversed(words[CAP:])])]
    assert column("lcs", texts) == [1.0]
    assert column("covered3", texts)[0] < 1
    other = [" ".join([*(f"{letter}{n}" for n in range(CAP)), "same"]) for letter in "ab"]
    assert column("lcs", other) == [0.0]


@examples(25)
@given(TEXTS)
def test_lengths_numbers_and_differences(texts: list[str]) -> None:
    words = [text.split() for text in texts]
    ratios = [
        1.0 if len(a) == len(b) else min(len(a), len(b)) / max(len(a), len(b))
        for a, b in combinations(words, 2)
    ]
    assert column("length_ratio", texts) == pytest.approx(ratios)
    sets = [set(features("numbers", text)) for text in texts]
    alike = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(sets, 2)]
    assert column("numbers", texts) == pytest.approx(alike)
    weight = idf_of(texts, "words1")
    differing = [set(runs(a, 1)) ^ set(runs(b, 1)) for a, b in combinations(words, 2)]
    rarity = [sum(weight[t] for t in terms) / max(len(terms), 1) for terms in differing]
    assert column("idf_of_differences", texts) == pytest.approx(rarity, abs=1e-3)


def plain_standing(profiles: Profiles, view: str, i: int, j: int) -> tuple[float, list[float]]:
    name = {"folded5": "cosine5c", "words2": "cosine2"}[view]
    left, right = (side.tolist() for side in profiles.pairs)
    others = [b if a == i else a for a, b in zip(left, right, strict=True) if i in (a, b)]
    others = [other for other in others if other != j]
    cosine = SIGNALS[name].column
    scores = [float(cosine(profiles, np.array([i]), np.array([k]), 1)[0]) for k in others]
    return float(cosine(profiles, np.array([i]), np.array([j]), 1)[0]), scores


@examples(10)
@given(TEXTS)
@example(
    [f"the sea port {n} ship {WORDS[n]} barn {WORDS[n + 1]} the {WORDS[n // 2]}" for n in range(8)]
)
def test_standing_is_relative_to_the_other_neighbours(texts: list[str]) -> None:
    profiles = Profiles.of([pa.array(texts, pa.large_string())], neighbours=2, crowd=3)
    left, right = pairs_of(texts)
    names = ("z5c", "gap2", "density")
    z, gap, density = (SIGNALS[n].column(profiles, left, right, 1).tolist() for n in names)
    for row, (i, j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        zs, gaps, densities = [], [], []
        for a, b in ((i, j), (j, i)):
            cosine, scores = plain_standing(profiles, "folded5", a, b)
            mean, sd = (float(np.mean(scores)), float(np.std(scores))) if scores else (0.0, 0.0)
            zs.append((cosine - mean) / (sd + 0.03))
            cosine, scores = plain_standing(profiles, "words2", a, b)
            gaps.append(cosine - max(scores, default=0.0))
            densities.append(sum(sorted(scores, reverse=True)[:10]) / 10)
        assert z[row] == pytest.approx(max(zs), abs=1e-4)
        assert gap[row] == pytest.approx(max(gaps), abs=1e-9)
        assert density[row] == pytest.approx(max(densities), abs=1e-9)


def test_what_many_documents_have_is_left_out_of_containment() -> None:
    common = "one two three four five six seven"
    texts = [f"{common} {' '.join(f'x{d}y{n}' for n in range(20))}" for d in range(20)]
    texts.append(" ".join(texts[4].split()[10:18]))
    nearest = nearest_by_containment(Profiles.of([pa.array(texts)]).view("words3"), 1)
    assert nearest.numbers[20].tolist() == [4]
    assert nearest.scores[nearest.numbers.offsets[20]] == 1.0
    assert nearest.most_documents == 4


def test_frequent_terms_are_left_out_beyond_the_bound_of_work() -> None:
    texts = [f"common words here a{d // 2} b{d // 2} c{d // 2}" for d in range(40)]
    view = Profiles.of([pa.array(texts)]).view("words2")
    whole = nearest_by_cosine(view, 1, neighbours=1)
    bounded = nearest_by_cosine(view, 1, neighbours=1, work=500)
    assert whole.most_documents == 40
    assert bounded.most_documents < 40
    assert bounded.numbers.values.tolist() == [d ^ 1 for d in range(40)]


def test_documents_are_added_before_they_are_looked_at() -> None:
    profiles = Profiles.of([pa.array(["a b", "a c"])])
    profiles.view("words1")
    with pytest.raises(ValueError, match="cannot be added"):
        profiles.add(pa.array(["d"]))


def test_the_signal_of_the_preset_goes_by_its_numbers() -> None:
    plan = Plan.make(preset="text")
    assert {
        "cosine2": plan.threshold,
        "containment3": plan.method.contained,
        "lcs": plan.method.order,
        "z5c": plan.method.outstanding,
        "lcs_short": bending.IN_ORDER,
    } == standing.RULE
    assert plan.method.crowd == standing.CROWD
    assert (standing.LEAST, standing.ALIKE) == (bending.LEAST, bending.ALIKE)


CODES = [
    ("Sony WH-1000XM4 black", "sony wh1000xm4", 1.0),
    ("Sony WH-1000XM4 black", "Sony WH-1000XM3 black", 0.0),
    ("Sony black", "Sony WH-1000XM3 black", 0.5),
]


@pytest.mark.parametrize(("left", "right", "expected"), CODES)
def test_codes_are_the_same_however_they_are_written(
    left: str, right: str, expected: float
) -> None:
    profiles = Profiles.of([pa.array([left, right, "a chair", "no code"])])
    column = SIGNALS["codes"].column(profiles, np.array([0]), np.array([1]), 1)
    assert column.tolist() == [expected]
