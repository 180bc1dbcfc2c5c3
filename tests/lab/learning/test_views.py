"""Views and frequencies, against what is worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

from twinset.finding.methods.profiles import VIEWS, ViewProfiles, Views
from twinset.model import Ragged
from twinset.text.stopwords import hashes_of
from twinset.text.terms import Frequencies, TermSurvey
from twinset.text.vectors import WeightedTerms

TEXTS = [
    "The heron stands in the reeds. The heron waits, and a boat passes. Boats of 1987 pass.",
    "A boat waits. The boat sinks in 1987, not in 1988.",
    "Reeds and reeds and reeds.",
]


def frequencies(views: Views, texts: list[str] = TEXTS) -> dict:
    survey = TermSurvey(views.kinds(), 1)
    survey.add(texts)
    return survey.finish()


def seen(view: str, texts: list[str] = TEXTS, **options: int) -> list[dict[str, float]]:
    views = Views((view,), **options)
    lists = views.of(texts, frequencies(views), 1)[0][view]
    words = sorted(set(" ".join(texts).lower().replace(".", " ").replace(",", " ").split()))
    names = dict(zip(hashes_of(words).tolist(), words, strict=True))
    bounds = lists.offsets.tolist()
    rows = list(zip(lists.features.tolist(), lists.weights.tolist(), strict=True))
    return [
        {names.get(f, "?"): w for f, w in rows[begin:end]}
        for begin, end in itertools.pairwise(bounds)
    ]


def idf(df: int, documents: int = 3) -> float:
    return math.log((1 + documents) / (1 + df)) + 1


def test_the_heaviest_words_of_a_document_without_stop_words():
    first = seen("words", text_top=2)[0]
    # heron: twice, in one document; the others once; of equal weights the first by the alphabet
    assert set(first) == {"heron", "boats"}
    assert first["heron"] == pytest.approx(2 * idf(1))
    assert first["boats"] == pytest.approx(idf(1))
    assert "the" not in seen("words", text_top=1000)[0]


def test_the_heaviest_words_of_each_sentence_are_united():
    first = seen("sentences", sentence_top=1)[0]
    # heron leads two sentences; boats, 1987, of, pass stand in the third
    assert set(first) == {"heron", "boats"}
    assert first["heron"] == pytest.approx(2 * idf(1))  # tf of the document, not of the sentence
    two = seen("sentences", sentence_top=2)[0]
    assert set(two) == {"heron", "stands", "passes", "boats", "pass"}


def test_all_words_of_a_text_are_weighed():
    third = seen("text")[2]
    assert third == {"reeds": pytest.approx(3 * idf(2)), "and": pytest.approx(2 * idf(2))}


def test_numbers_are_words_with_a_digit():
    assert seen("numbers") == [{"1987": 1.0}, {"1987": 1.0, "1988": 1.0}, {}]


def test_the_length_is_one_feature():
    lists = Views(("length",)).of([*TEXTS, ""], {}, 1)[0]["length"]
    assert lists.weights.tolist() == [17.0, 11.0, 5.0]
    assert np.diff(lists.offsets).tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("view", VIEWS)
def test_lists_rise_and_hold_each_feature_once(view):
    views = Views((view,))
    texts = [*TEXTS, "", "...", "of the", None]
    lists = views.of(pa.array(texts, pa.large_string()), frequencies(views, TEXTS), 2)[0][view]
    assert len(lists.offsets) == len(texts) + 1
    for begin, end in itertools.pairwise(lists.offsets):
        part = lists.features[begin:end]
        assert (part[1:] > part[:-1]).all()
    assert (lists.weights > 0).all()


@pytest.mark.parametrize("view", VIEWS)
def test_batches_play_no_part(view):
    views = Views((view,))
    known = frequencies(views)
    whole, parts = ViewProfiles(views, known), ViewProfiles(views, known)
    whole.add(TEXTS, 1)
    for text in TEXTS:
        parts.add([text], 2)
    one, other = whole.seen(view).terms, parts.seen(view).terms
    assert one.features.tolist() == other.features.tolist()
    assert one.weights.tolist() == other.weights.tolist()
    assert one.offsets.tolist() == other.offsets.tolist()


def test_some_documents_in_another_order():
    terms = Ragged.from_rows([[1, 2], [], [5, 7]], np.uint64)
    vectors = WeightedTerms(terms, np.array([1.0, 2, 3, 4]))
    chosen = vectors.take(np.array([2, 1, 0], np.uint32))
    assert chosen.features.tolist() == [5, 7, 1, 2]
    assert chosen.offsets.tolist() == [0, 2, 2, 4]
    assert chosen.weights.tolist() == [3.0, 4.0, 1.0, 2.0]
    assert vectors.sums().tolist() == [3.0, 0.0, 7.0]


def test_frequencies_of_batches_add_up():
    survey = TermSurvey(["word", "pair"], 1)
    for text in TEXTS:
        survey.add([text])
    together = frequencies(Views(("text", "pairs")))
    for kind, one in survey.finish().items():
        assert one.hashes.tolist() == together[kind].hashes.tolist()
        assert one.df.tolist() == together[kind].df.tolist()
        assert one.documents == 3


def test_rare_terms_are_not_reported_apart():
    known = Frequencies(np.arange(6, dtype=np.uint64), np.array([1, 4, 2, 9, 2, 7]), 10)
    wanted = np.array([0, 1, 2, 3, 5, 77], np.uint64)
    whole = known.frequent()
    assert whole.rare == 1
    assert whole.of(wanted).tolist() == known.of(wanted).tolist() == [1, 4, 2, 9, 7, 1]
    assert len(whole.hashes) == 5  # one that occurs once need not be listed
    cut = known.frequent(3)
    assert (len(cut.hashes), cut.rare) == (3, 2)
    assert cut.of(wanted).tolist() == [2, 4, 2, 9, 7, 2]
    tied = known.frequent(4)  # one of two equal ones would be left to chance
    assert (len(tied.hashes), tied.rare) == (3, 2)
    assert known.frequent(0).of(wanted).tolist() == [9] * 6
    assert cut.idf(wanted)[1] == pytest.approx(math.log(11 / 5) + 1)
