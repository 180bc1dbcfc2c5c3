"""The kernels of repeated stretches against their definition, on whatever bytes."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels import text_twins
from tests.kernels.examples import examples
from tests.kernels.text_strategies import SAME_UNICODE, documents, pack
from tests.passages.twins import spans_by_definition
from twinset import _kernels

WORD, CHARACTER, BYTE = 0, 1, 2
PLENTY = 1 << 30


def search(texts: list[bytes], unit: int, least: int, sample: int, most: int = PLENTY) -> Any:
    """Runs of the texts: by the first pass if that has room, else by facts of several tables."""
    grams = (*pack(texts, b"ab", b"ab"), unit, least, sample)
    samples = _kernels.GramSamples(most, "/tmp")
    counts = _kernels.GramCounts(samples, 0, most, "/tmp")
    marks_of, _, marks = counts.count(*grams)
    counts.finish(2)
    if counts.end == _kernels.GRAM_PARTS:
        return counts.runs(*grams, marks_of, marks)
    samples.finish(2)
    return search_again(samples, grams, most)


def search_again(samples: _kernels.GramSamples, grams: Any, most: int) -> Any:
    """Runs by blocks whose samples are repeated."""
    first, facts = 0, np.zeros(0, np.uint32)
    while first < _kernels.GRAM_PARTS:
        counts = _kernels.GramCounts(samples, first, most, "/tmp")
        marks_of, candidates, marks = counts.count(*grams)
        counts.finish(2)
        if first == 0 and counts.end == _kernels.GRAM_PARTS:
            return counts.runs(*grams, marks_of, marks)
        known = counts.facts(marks)
        facts = known if first == 0 else np.where(known != 0, known, facts)
        first = counts.end
    return samples.runs(*grams, candidates, facts)


def first_pass(grams: Any) -> _kernels.GramSamples:
    """The samples of some texts, whose blocks found no room."""
    samples = _kernels.GramSamples(PLENTY, "/tmp")
    counts = _kernels.GramCounts(samples, 0, 0, "/tmp")
    counts.count(*grams)
    samples.finish(1)
    return samples


small = st.lists(st.binary(max_size=3).map(lambda raw: bytes(b"abc "[b % 4] for b in raw * 9)))


@examples(150)
@given(st.one_of(small, documents), st.integers(1, 6), st.integers(1, 6))
def test_runs_of_bytes_are_those_of_the_definition(
    texts: list[bytes], least: int, sample: int
) -> None:
    key, check, document, *_ = search(texts, BYTE, least, min(sample, least))
    spans = spans_by_definition([list(text) for text in texts], least)
    found = Counter(zip(key.tolist(), check.tolist(), strict=True))
    assert sorted(found.values()) == sorted(map(len, spans))
    expected = sorted(number for span in spans for number, _, _ in span)
    assert document.tolist() == expected


def are_same(one: Any, other: Any) -> bool:
    """Whether two searches found the same runs, whatever they call them."""
    groups = [_kernels.group_runs(*runs[:2]) for runs in (one, other)]
    pairs = [*zip(one[2:], other[2:], strict=True), *zip(*groups, strict=True)]
    return all(a.tolist() == b.tolist() for a, b in pairs)


@examples(60)
@given(st.one_of(small, documents), st.integers(1, 5), st.sampled_from([WORD, CHARACTER, BYTE]))
def test_little_memory_makes_the_same_runs(texts: list[bytes], least: int, unit: int) -> None:
    sample = (least + 1) // 2
    plenty = search(texts, unit, least, sample)
    assert are_same(plenty, search(texts, unit, least, sample, most=100))
    grams = (*pack(texts, b"ab", b"ab"), unit, least, sample)
    assert are_same(plenty, search_again(first_pass(grams), grams, PLENTY))


@examples(60)
@given(st.one_of(small, documents), st.integers(1, 5))
def test_runs_of_words_need_no_texts(texts: list[bytes], least: int) -> None:
    data = pack(texts, b"ab", b"ab")
    grams = (*data, WORD, least, (least + 1) // 2)
    counts = _kernels.GramCounts(_kernels.GramSamples(PLENTY, "/tmp"), 0, PLENTY, "/tmp")
    marks_of, _, marks = counts.count(*grams)
    counts.finish(1)
    by_texts = counts.runs(*grams, marks_of, marks)
    without = counts.word_runs(least, marks_of, marks, *_kernels.word_masks(*data))
    for one, other in zip(by_texts, without, strict=True):
        assert one.tolist() == other.tolist()


# runs of ASCII around the 64 bytes that are looked at together, and what is not ASCII between them
stretches = st.one_of(
    st.text("ab ", min_size=60, max_size=70), st.text("aé\u0301 \u00ad漢👩\u200d,", max_size=9)
)


@pytest.mark.skipif(not SAME_UNICODE, reason="another version of Unicode")
@examples(100)
@given(st.lists(st.lists(stretches, max_size=5).map("".join), max_size=3))
def test_masks_tell_where_words_begin_and_end(texts: list[str]) -> None:
    characters, masks = _kernels.word_masks(*pack([text.encode() for text in texts], b"ab", b"ab"))
    assert characters.tolist() == list(map(len, texts))
    bits = np.unpackbits(masks.view(np.uint8), bitorder="little").reshape(-1, 2, 64)
    at = 0
    for text in texts:
        own = bits[at : at + len(text) // 64 + 1]
        at += len(own)
        begins, ends = (np.flatnonzero(own[:, side].reshape(-1)).tolist() for side in (0, 1))
        assert list(zip(begins, ends, strict=True)) == text_twins.spans(text)
    assert at == len(bits)


@pytest.mark.parametrize("kinds", [2, 3, 17, 40])
def test_kinds_that_share_a_sample_are_told_apart(kinds: int) -> None:
    # every text has the same middle, and its neighbours agree on some words around it
    middle = "the middle that all of them have in common"
    texts = [
        " ".join(
            [*(f"a{i // 2**k}" for k in range(6)), middle, *(f"z{i // 3**k}" for k in range(4))]
        )
        for i in range(kinds)
    ]
    raw = [text.encode() for text in texts]
    for least, sample in ((9, 5), (11, 9), (12, 6)):
        _, _, document, *_ = search(raw, WORD, least, sample)
        spans = spans_by_definition([text.split() for text in texts], least)
        expected = sorted(number for span in spans for number, _, _ in span)
        assert document.tolist() == expected


def test_bounds_are_checked() -> None:
    counts = _kernels.GramCounts(_kernels.GramSamples(PLENTY, "/tmp"), 0, PLENTY, "/tmp")
    data, offsets = pack([b"some text"])
    for unit, least, sample in ((3, 1, 1), (0, 0, 0), (0, 2, 3)):
        with pytest.raises(ValueError, match=r"unit|stretch"):
            counts.count(data, offsets, unit, least, sample)
    with pytest.raises(ValueError, match="outside"):
        counts.count(data, offsets + 1, WORD, 2, 1)
    with pytest.raises(ValueError, match="not all blocks"):
        counts.runs(data, offsets, WORD, 2, 1, np.zeros(1, np.int64), np.zeros(0, np.uint64))
    counts.finish(1)
    for marks_of, marks in (([0] * 5, []), ([1], []), ([1], [(2 + 64 * 7) << 16 | 1])):
        wrong = (np.array(marks_of, np.int64), np.array(marks, np.uint64))
        with pytest.raises(ValueError, match="mark"):
            counts.runs(data, offsets, WORD, 2, 1, *wrong)
    none = (np.zeros(1, np.int64), np.zeros(0, np.uint64))
    for characters in (np.zeros(2, np.int64), np.full(1, 64), np.full(1, 1 << 40), np.full(1, -1)):
        with pytest.raises(ValueError, match=r"marks|places"):
            counts.word_runs(2, *none, characters, np.zeros(2, np.uint64))


def test_samples_are_taken_once() -> None:
    grams = (*pack([b"some words"]), WORD, 2, 1)
    samples = _kernels.GramSamples(PLENTY, "/tmp")
    counts = _kernels.GramCounts(samples, 0, PLENTY, "/tmp")
    samples.finish(1)
    with pytest.raises(ValueError, match="taken already"):
        counts.count(*grams)


@pytest.mark.parametrize("pass_", ["first", "counts", "runs", "masks"])
def test_a_flag_ends_every_pass(pass_: str) -> None:
    data = pack([b"some words again " * 100_000])
    grams = (*data, WORD, 50, 25)
    samples, flag = first_pass(grams), _kernels.StopFlag()
    counts = _kernels.GramCounts(samples, 0, PLENTY, "/tmp")
    marks_of, _, marks = counts.count(*grams)
    counts.finish(1)
    calls = {
        "first": lambda: search([b"some words again " * 100_000], WORD, 50, 25),
        "counts": lambda: _kernels.GramCounts(samples, 0, PLENTY, "/tmp").count(*grams),
        "runs": lambda: counts.runs(*grams, marks_of, marks),
        "masks": lambda: _kernels.word_masks(*data),
    }

    def forever() -> None:
        while True:
            calls[pass_]()

    threading.Timer(0.05, flag.set).start()
    with flag, pytest.raises(twinset.Stopped):
        forever()


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2))))
def test_equal_runs_are_grouped_in_the_order_of_the_first(runs: list[tuple[int, int]]) -> None:
    key, check = (np.array([run[i] for run in runs]) for i in (0, 1))
    order, begins = _kernels.group_runs(key.astype(np.uint64), check.astype(np.uint32))
    groups: dict[tuple[int, int], list[int]] = {}
    for number, run in enumerate(runs):
        groups.setdefault(run, []).append(number)
    assert [order[a:b].tolist() for a, b in pairwise(begins)] == list(groups.values())
