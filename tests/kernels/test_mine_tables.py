"""The tables around the miners against their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels
from twinset.finding.clusters.mine.miners import MinedSets, Transactions
from twinset.model import Ragged

lines_of_items = st.lists(st.sets(st.integers(0, 8)), max_size=12)


def table_of(lines: list[set[int]], items: int) -> Transactions:
    return Transactions(Ragged.from_rows([sorted(line) for line in lines], np.int32), items)


@examples(200)
@given(lines_of_items)
def test_the_other_way_of_a_table_and_back(lines: list[set[int]]) -> None:
    table = table_of(lines, 9)
    expected = [[n for n, line in enumerate(lines) if item in line] for item in range(9)]
    assert [row.tolist() for row in table.context] == expected
    back = Transactions.of(table.context)
    assert [row.tolist() for row in back.lines] == [sorted(line) for line in lines if line]


@examples(200)
@given(lines_of_items)
def test_an_item_is_closed_if_no_other_lies_in_all_its_lines(lines: list[set[int]]) -> None:
    table = table_of(lines, 9)
    closed = _kernels.closed_items(table.lines.offsets, table.lines.values, 9)
    for item in range(9):
        holding = [line for line in lines if item in line]
        assert closed[item] == (bool(holding) and set.intersection(*holding) == {item})


@examples(200)
@given(st.lists(st.tuples(st.sets(st.integers(0, 6)), st.integers(1, 9))), st.integers(0, 3))
def test_sets_in_order(sets: list[tuple[set[int], int]], least: int) -> None:
    ordered = list(MinedSets.of(sets).in_order(least))
    expected = [(tuple(sorted(items)), n) for items, n in sets if len(items) >= least]
    assert [items for items, _ in ordered] == sorted(items for items, _ in expected)
    assert sorted(ordered) == sorted(expected)
