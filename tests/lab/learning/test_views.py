"""Views and frequencies, against what is worked out by hand."""

from __future__ import annotations

import itertools
import math

import pyarrow as pa
import pytest

from twinset.finding.methods.profiles import VIEWS, ViewProfiles, Views
from twinset.text.stopwords import hashes_of
from twinset.text.terms import TermSurvey

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
