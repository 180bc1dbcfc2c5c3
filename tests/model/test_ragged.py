"""`Ragged` beside its plain twin: lists of lists."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from twinset.model import Ragged, offsets_of, spread
from twinset.model.ragged import AT_ONCE

ROWS = st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=5), max_size=8)
WEIGHTS = st.floats(-1e6, 1e6)


def ragged(rows: list[list[int]]) -> Ragged[np.uint64]:
    return Ragged.from_rows(rows, np.uint64)


def inside(rows: list[list[int]]) -> Ragged[np.uint64]:
    """The same rows within a larger array, as a slice of an Arrow array has them."""
    whole = Ragged.from_rows([[7, 7], *rows, [7]], np.uint64)
    return Ragged(whole.values, whole.offsets[1:-1])


def plain(found: Ragged) -> list[list[int]]:
    return [row.tolist() for row in found]


@given(ROWS)
def test_rows_come_back_one_by_one(rows: list[list[int]]) -> None:
    for made in (ragged(rows), inside(rows)):
        assert len(made) == len(rows)
        assert plain(made) == rows
        assert [made[i].tolist() for i in range(len(rows))] == rows
        assert made.lengths.tolist() == [len(row) for row in rows]
        assert made.flat.tolist() == list(chain(*rows))
        assert made.owners().tolist() == [i for i, row in enumerate(rows) for _ in row]


@given(ROWS)
def test_lengths_and_values_make_the_rows(rows: list[list[int]]) -> None:
    flat, lengths = np.array(list(chain(*rows)), np.uint64), [len(row) for row in rows]
    for given_lengths in (lengths, np.array(lengths, np.int32), iter(lengths)):
        assert plain(Ragged.from_lengths(flat, given_lengths)) == rows
    assert offsets_of(lengths).tolist() == [sum(lengths[:i]) for i in range(len(rows) + 1)]
    numbered = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    assert list(zip(*map(np.ndarray.tolist, spread(np.array(lengths, int))), strict=True)) == (
        numbered
    )


@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(range(len(rows))))))
def test_rows_are_taken_in_any_order(case: tuple[list[list[int]], list[int]]) -> None:
    rows, order = case
    order = order[: len(order) // 2 + 1] * 2
    for made in (ragged(rows), inside(rows)):
        for kind in (np.int64, np.uint32):
            assert plain(made.take(np.array(order, kind))) == [rows[i] for i in order]
        places = made.places(np.array(order, np.int64))
        assert plain(places.like(made.values[places.values])) == [rows[i] for i in order]


def test_very_many_rows_are_taken_in_parts() -> None:
    draw = np.random.default_rng(1)
    rows = [draw.integers(0, 100, size).tolist() for size in draw.integers(0, 4, 300)]
    order = draw.integers(0, len(rows), 2 * AT_ONCE + 1)
    assert plain(ragged(rows).take(order)) == [rows[i] for i in order]


@given(ROWS, st.data())
def test_a_mask_chooses_rows_or_values(rows: list[list[int]], data: st.DataObject) -> None:
    keep = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    for made in (ragged(rows), inside(rows)):
        chosen = made.take(np.array(keep, bool))
        assert plain(chosen) == [row for row, kept in zip(rows, keep, strict=True) if kept]
        even = made.where(made.values % 2 == 0)
        assert plain(even) == [[value for value in row if value % 2 == 0] for row in rows]


@given(st.lists(ROWS, max_size=4))
def test_parts_are_joined_in_order(parts: list[list[list[int]]]) -> None:
    for make in (ragged, inside):
        joined = Ragged.concatenate([make(rows) for rows in parts], np.uint64)
        assert plain(joined) == list(chain(*parts))
        assert joined.values.dtype == np.uint64


@given(st.lists(st.lists(WEIGHTS, max_size=6), max_size=6))
def test_sums_add_from_the_first_value_to_the_last(rows: list[list[float]]) -> None:
    expected = []
    for row in rows:
        total = 0.0
        for value in row:
            total += value
        expected.append(total)
    assert Ragged.from_rows(rows, np.float64).sums().tolist() == expected
