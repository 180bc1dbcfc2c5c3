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
from tests.kernels.examples import examples
from tests.kernels.text_strategies import documents, pack
from tests.passages.twins import spans_by_definition
from twinset import _kernels

WORD, CHARACTER, BYTE = 0, 1, 2
PLENTY = 1 << 30


def search(texts: list[bytes], unit: int, least: int, sample: int, most: int = PLENTY) -> Any:
    """Runs of the texts; with little memory by facts that several tables know."""
    grams = (*pack(texts, b"ab", b"ab"), unit, least, sample)
    samples = _kernels.GramSamples(most, "/tmp")
    samples.add(*grams)
    samples.finish(2)
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


@examples(60)
@given(st.one_of(small, documents), st.integers(1, 5), st.sampled_from([WORD, CHARACTER, BYTE]))
def test_little_memory_makes_the_same_runs(texts: list[bytes], least: int, unit: int) -> None:
    sample = (least + 1) // 2
    plenty, little = (search(texts, unit, least, sample, most) for most in (PLENTY, 100))
    for one, other in zip(plenty[2:], little[2:], strict=True):
        assert one.tolist() == other.tolist()
    groups = (_kernels.group_runs(*runs[:2]) for runs in (plenty, little))
    for one, other in zip(*groups, strict=True):
        assert one.tolist() == other.tolist()


def test_bounds_are_checked() -> None:
    samples = _kernels.GramSamples(PLENTY, "/tmp")
    data, offsets = pack([b"some text"])
    for unit, least, sample in ((3, 1, 1), (0, 0, 0), (0, 2, 3)):
        with pytest.raises(ValueError, match=r"unit|stretch"):
            samples.add(data, offsets, unit, least, sample)
    with pytest.raises(ValueError, match="outside"):
        samples.add(data, offsets + 1, WORD, 2, 1)
    counts = _kernels.GramCounts(samples, 0, PLENTY, "/tmp")
    with pytest.raises(ValueError, match="not all blocks"):
        counts.runs(data, offsets, WORD, 2, 1, np.zeros(1, np.int64), np.zeros(0, np.uint64))
    counts.finish(1)
    for marks_of, marks in (([0] * 5, []), ([1], []), ([1], [(2 + 64 * 7) << 16 | 1])):
        wrong = (np.array(marks_of, np.int64), np.array(marks, np.uint64))
        with pytest.raises(ValueError, match="mark"):
            counts.runs(data, offsets, WORD, 2, 1, *wrong)


@pytest.mark.parametrize("pass_", ["samples", "counts", "runs"])
def test_a_flag_ends_every_pass(pass_: str) -> None:
    samples = _kernels.GramSamples(PLENTY, "/tmp")
    grams = (*pack([b"some words again " * 100_000]), WORD, 50, 25)
    samples.add(*grams)
    samples.finish(1)
    counts, flag = _kernels.GramCounts(samples, 0, PLENTY, "/tmp"), _kernels.StopFlag()
    marks_of, _, marks = counts.count(*grams)
    counts.finish(1)
    calls = {
        "samples": lambda: samples.add(*grams),
        "counts": lambda: _kernels.GramCounts(samples, 0, PLENTY, "/tmp").count(*grams),
        "runs": lambda: counts.runs(*grams, marks_of, marks),
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
