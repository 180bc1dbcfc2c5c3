"""Words, counts, choices and keys against their twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels import text_twins, word_twins
from tests.kernels.examples import examples
from tests.kernels.word_twins import lists, split
from twinset import _kernels
from twinset.text.arrow import arrow_text
from twinset.text.statistics import WordSurvey
from twinset.text.stopwords import WORDS, hashes_of, stop_words
from twinset.text.terms import runs
from twinset.text.tokens import Cleaning

TEXTS = st.lists(
    st.text(alphabet="ab и the кот. !\n é你", max_size=40).filter(lambda t: "\ud800" not in t),
    min_size=1,
    max_size=6,
)
STOP = ["a", "the", "и"]
HASHES = st.lists(st.integers(0, text_twins.MASK), max_size=12)
ROWS = st.lists(HASHES, min_size=1, max_size=5)
THREADS = st.integers(1, 3)


@given(TEXTS, st.integers(0, 3), st.booleans(), THREADS)
@examples(120)
def test_tokens(texts, letters, keep, threads):
    data, ends, hashes, sizes, stopped, offsets, first, parts = _kernels.tokens(
        *arrow_text(texts), letters, hashes_of(STOP), keep, not keep, threads
    )
    starts = [0, *(ends[:-1] + 1).tolist()]
    words = [bytes(data[a:b]).decode() for a, b in zip(starts, ends.tolist(), strict=False)]
    for i, text in enumerate(texts):
        own = words[offsets[i] : offsets[i + 1]]
        assert own == word_twins.cleaned(text_twins.words(text.encode()), letters, set(STOP), keep)
        if keep:
            marks = stopped[offsets[i] : offsets[i + 1]].tolist()
            assert marks == [word in STOP for word in own]
        else:
            bounds = [*first[parts[i] : parts[i + 1]].tolist(), offsets[i + 1]]
            cut = [words[a:b] for a, b in itertools.pairwise(bounds)]
            assert cut == word_twins.cleaned_sentences(text.encode(), letters, set(STOP))
    assert hashes.tolist() == [text_twins.hash_word(word) for word in words]
    assert sizes.tolist() == [len(word) for word in words]


@given(ROWS, THREADS)
@examples(60)
def test_distinct(rows, threads):
    values, offsets = lists([[h % 5 for h in row] for row in rows])
    first, times, ends, entry = _kernels.distinct(values, offsets, True, threads)
    for i, row in enumerate(split(values, offsets)):
        seen = list(dict.fromkeys(row))
        own = slice(ends[i], ends[i + 1])
        assert values[first[own]].tolist() == seen
        assert (first[own] - offsets[i]).tolist() == [row.index(h) for h in seen]
        assert times[own].tolist() == [row.count(h) for h in seen]
        assert (entry[offsets[i] : offsets[i + 1]] - ends[i]).tolist() == [
            seen.index(h) for h in row
        ]


ITEMS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, -2.5]), st.binary(min_size=1, max_size=4)), max_size=9
)


def slices(rows):
    items = [item for row in rows for _, item in row]
    stops = np.cumsum([len(item) for item in items], dtype=np.int64)
    starts = stops - np.array([len(item) for item in items], np.int64)
    weights = np.array([weight for row in rows for weight, _ in row])
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return np.frombuffer(b"".join(items), np.uint8), starts, stops, offsets, weights


@given(st.lists(ITEMS, min_size=1, max_size=4), st.integers(1, 5), THREADS)
@examples(80)
def test_heaviest_and_joined_keys(rows, most, threads):
    data, starts, stops, offsets, weights = slices(rows)
    chosen, ends = _kernels.heaviest(
        data, starts, stops, offsets, weights, np.empty(0, np.uint64), most, threads
    )
    found = [[bytes(data[starts[i] : stops[i]]) for i in part] for part in split(chosen, ends)]
    assert found == [word_twins.heaviest(row, most) for row in rows]
    crc = _kernels.joined_keys(data, starts, stops, chosen, ends, True)
    assert crc.tolist() == [word_twins.joined_key(row, True) for row in found]


@given(st.lists(ITEMS, min_size=1, max_size=4), st.integers(1, 5))
@examples(40)
def test_heaviest_with_ties_by_signature(rows, most):
    data, starts, stops, offsets, weights = slices(rows)
    ties = np.array([text_twins.mix(len(i) + i[0]) for row in rows for _, i in row], np.uint64)
    chosen, ends = _kernels.heaviest(data, starts, stops, offsets, weights, ties, most, 2)
    at = 0
    for row, part in zip(rows, split(chosen, ends), strict=True):
        own = {(-w, int(ties[at + k])) for k, (w, _) in enumerate(row)}
        assert [(-weights[i], int(ties[i])) for i in part] == sorted(own)[:most]
        at += len(row)


@given(st.lists(st.text(min_size=1, max_size=20), max_size=8))
@examples(40)
def test_slice_hashes_are_word_hashes(words):
    words = [word for word in words if word.isprintable()]
    assert hashes_of(words).tolist() == [text_twins.hash_word(word) for word in words]


@given(TEXTS, TEXTS, THREADS)
@examples(60)
def test_statistics(one, other, threads):
    survey = WordSurvey(Cleaning("none", 0), threads)
    survey.add(one)
    survey.add(other)
    known = survey.finish()
    documents = [text_twins.words(text.encode()) for text in one + other]
    rows = zip(known.df.tolist(), known.cf.tolist(), strict=True)
    assert dict(zip(known.words.to_pylist(), rows, strict=True)) == word_twins.counts(documents)
    assert known.hashes.tolist() == sorted(known.hashes.tolist())
    assert known.documents == sum(map(bool, documents))
    assert known.length == sum(map(len, documents))


@given(HASHES, HASHES)
@examples(60)
def test_hash_places(known, asked):
    known = list(dict.fromkeys(known))
    found = _kernels.HashPlaces(np.array(known, np.uint64)).find(
        np.array(asked + known, np.uint64), 2
    )
    assert found.tolist() == [known.index(h) if h in known else -1 for h in asked + known]


@given(ROWS, st.integers(0, 4), st.floats(0, 0.99), st.integers(0, 9), st.integers(0, 4), THREADS)
@examples(60)
def test_lexicon_and_list_keys(rows, lexica, share, seed, least, threads):
    values, offsets = lists(rows)
    inside = (values % np.uint64(3) > 0).astype(np.uint8)
    marks = split(inside, offsets)
    keys = _kernels.lexicon_keys(values, offsets, inside, lexica, share, seed, least, threads)
    assert split(*keys) == [
        word_twins.lexicon_keys(row, mark, lexica, share, seed, least)
        for row, mark in zip(rows, marks, strict=True)
    ]
    keys = _kernels.list_keys(values, offsets, lexica + 1, seed, least, threads)
    assert split(*keys) == [word_twins.list_keys(r, lexica + 1, seed, least) for r in rows]


@given(st.lists(st.lists(st.integers(0, 2**20), unique=True, max_size=12), min_size=1, max_size=4))
@examples(60)
def test_logarithmic_keys(rows):
    rows = [sorted(row) for row in rows]
    got = split(*_kernels.logarithmic_keys(*lists(rows), 2))
    assert got == [word_twins.logarithmic_key(row) for row in rows]


@given(ROWS, st.integers(1, 6), st.booleans(), st.booleans(), THREADS)
@examples(80)
def test_unit_shingles(rows, length, wrap, unique, threads):
    got = split(*_kernels.unit_shingles(*lists(rows), length, wrap, unique, threads))
    assert got == [word_twins.unit_shingles(row, length, wrap, unique) for row in rows]


@given(TEXTS, st.integers(1, 5))
@examples(40)
def test_runs(texts, length):
    tokens = Cleaning("none", 0).tokens(texts, 2, sentences=True)
    for unit in ("word", "char", "sentence"):
        wanted = []
        for text in texts:
            units = text_twins.units(text.encode(), unit)
            wanted.append(word_twins.unit_shingles(units, length, False, False))
        assert [row.tolist() for row in runs(tokens, length, unit)] == wanted


@given(ROWS, st.integers(1, 3), st.integers(1, 3), THREADS)
@examples(80)
def test_spots(rows, chain, distance, threads):
    values, offsets = lists(rows)
    stopped = (values % np.uint64(2) == 0).astype(np.uint8)
    antecedent = stopped & (values % np.uint64(3) > 0).astype(np.uint8)
    got = _kernels.spot_signatures(values, antecedent, stopped, offsets, chain, distance, threads)
    marks = zip(rows, split(antecedent, offsets), split(stopped, offsets), strict=True)
    assert split(*got) == [word_twins.spots(r, a, s, chain, distance) for r, a, s in marks]


@pytest.mark.parametrize("language", WORDS)
def test_stop_words_are_canonical_words(language):
    words = stop_words(language)
    assert len(words) > 90
    for word in words:
        assert text_twins.words(word.encode()) == [word]


@given(TEXTS, st.lists(st.integers(0, 6), min_size=60, max_size=60), THREADS)
@examples(80)
def test_written_words(texts, choice, threads):
    vocabulary = ["a", "кот", "zebra", "é", "你", "long" * 9, "42"]
    encoded = [word.encode() for word in vocabulary]
    ends = np.array([0, *itertools.accumulate(map(len, encoded))])
    tokens = Cleaning("none", 0).tokens(texts, threads, sentences=True)
    numbers = np.array([choice[i % 60] for i in range(len(tokens.hashes))], np.int64)
    data, offsets = _kernels.written_words(
        np.frombuffer(b"".join(encoded), np.uint8),
        ends,
        numbers,
        tokens.offsets,
        tokens.sentence_first,
        tokens.sentence_offsets,
        threads,
    )
    row = iter(numbers.tolist())
    for i, text in enumerate(texts):
        cut = word_twins.cleaned_sentences(text.encode(), 0, set())
        parts = [" ".join(vocabulary[next(row)] for _ in sentence) for sentence in cut]
        assert bytes(data[offsets[i] : offsets[i + 1]]).decode() == ". ".join(parts)


def test_written_words_needs_words_that_are_there():
    nothing = np.zeros(1, np.int64)
    one = np.array([0, 1]), np.array([3]), np.array([0, 1]), np.array([0]), np.array([0, 1])
    with pytest.raises(ValueError, match="no such word"):
        _kernels.written_words(np.zeros(1, np.uint8), *one, 1)
    with pytest.raises(ValueError, match="its sentences"):
        _kernels.written_words(np.zeros(1, np.uint8), *one[:3], nothing, nothing, 1)
