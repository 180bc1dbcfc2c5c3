"""Columns of Arrow made and taken apart without its functions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import twinset
from twinset.model import columns
from twinset.model.columns import (
    FEW,
    PIECE,
    equal,
    narrow,
    same,
    taken,
    valid,
    wide,
    words,
)

VOCABULARY = ["one", "", "drei €"]


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [(0, 5)],
        [(0, PIECE), (2, 1), (1, 7)],
        [(2, 2 * PIECE + 1)],
        [(0, PIECE + 3), (1, PIECE), (2, 1), (0, 9)],
    ],
)
def test_words_are_those_of_the_codes(runs):
    codes = np.repeat([code for code, _ in runs], [count for _, count in runs]).astype(np.uint8)
    column = words(codes, VOCABULARY)
    assert column.type == pa.string()
    assert column.to_pylist() == [VOCABULARY[code] for code in codes]


def test_long_runs_take_no_memory():
    column = words(np.broadcast_to(np.int64(1), 100 * PIECE), ["short", "a long name" * 100])
    assert len(column) == 100 * PIECE
    assert len({chunk.buffers()[2].address for chunk in column.chunks}) == 1


def test_evidence_of_many_pairs_may_be_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long runs of one rule are one piece again and again, in the table of pairs too."""
    monkeypatch.setattr(columns, "PIECE", 8)
    texts = ["one two three four five six seven eight nine ten"] * 2 + [
        f"one two three four five six seven eight nine ten eleven{number}" for number in range(12)
    ]
    found = twinset.find(texts, 0.3, method="tfidfcosine:contained=.9,least_terms=1")
    assert len(found.pairs) > 50
    assert set(found.pairs["rule"].to_pylist()) <= {"cosine", "contained"}


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1])
def test_few_words_are_those_of_many(count: int) -> None:
    codes = np.arange(count) % 3
    expected = pa.array([["a", "ы", ""][code] for code in codes], pa.string())
    assert words(codes, ["a", "ы", ""]).equals(expected)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("values", [[], ["a"], ["a", "", "ыы", "d"], ["a", None, "c"]])
def test_ids_get_wide_offsets(values: list[str | None], kind: pa.DataType) -> None:
    for given in (pa.array(values, kind), pa.array(["x", *values, "y"], kind).slice(1)):
        wanted = pa.array(given.to_pylist(), pa.large_string())
        assert wide(given).equals(wanted)
        wide(given).validate(full=True)


def test_no_rows_are_taken_without_a_function_of_arrow() -> None:
    values = pa.array(["a", "b", "c"], pa.large_string())
    assert taken(values, np.array([2, 0])).to_pylist() == ["c", "a"]
    assert taken(values, np.empty(0, np.int64)).equals(pa.array([], pa.large_string()))


@pytest.mark.parametrize(
    "values", [pa.array([], pa.string()), pa.nulls(3), pa.array([1, None, 3]), pa.array([True])]
)
def test_values_are_there_or_null(values: pa.Array) -> None:
    around = pa.concat_arrays([values, values, values]).slice(1)
    for array in (values, around, pa.chunked_array([values, around])):
        assert valid(array).tolist() == [value is not None for value in array.to_pylist()]


@pytest.mark.parametrize("strings", [[], ["a", "", "é"], ["a", None, "b"], ["x"] * 9])
def test_narrow_and_wide_strings_are_the_same(strings: list[str | None]) -> None:
    large = pa.array(strings, pa.large_string())
    assert narrow(large).equals(pa.array(strings, pa.string()))
    assert narrow(large[1:]).to_pylist() == strings[1:]
    assert wide(narrow(large)).equals(large)


@pytest.mark.parametrize("few", [0, FEW])
def test_a_null_is_the_same_as_nothing(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "FEW", few)
    left, right = pa.array(["a", "b", None, None]), pa.array(["a", "c", None, "d"])
    assert same(left, right).tolist() == [True, False, False, False]
    pieces = pa.chunked_array([left.slice(0, 3), left.slice(3)])
    assert same(pieces, pa.chunked_array([right])).tolist() == [True, False, False, False]
    assert equal(pieces.slice(0, 2), "b").tolist() == [False, True]
