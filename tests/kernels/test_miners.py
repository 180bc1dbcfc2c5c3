"""The compiled miners against the definition, each other, and themselves without pruning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.closed_twins import Images, contexts, lattice_sets
from tests.kernels.examples import examples
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.mine import ALGORITHMS
from twinset.finding.clusters.mine.miners import MinedSets, Transactions, compiled
from twinset.model import Ragged

COMPILED = {
    name: miner for name, miner in ALGORITHMS.items() if name != "search" and not miner.needs_pyfim
}
EACH = [(name, kind) for name, miner in COMPILED.items() for kind in miner.kinds]
Lines = list[frozenset[int]]


def mined(name: str, table: Transactions, support: int, kind: str, prune: bool = True) -> MinedSets:
    sets = compiled(name, table, support, kind, prune=prune)
    assert len({items for items, _ in sets.in_order()}) == len(sets)
    return sets


def table_of(lines: Lines, items: int) -> Transactions:
    return Transactions(Ragged.from_rows([sorted(line) for line in lines], np.int32), items)


def brute_force(lines: Lines, items: int, support: int, kind: str) -> dict[tuple[int, ...], int]:
    """By the definition, over all sets of items."""
    frequent = {
        chosen: count
        for chosen in map(frozenset, _subsets(items))
        if chosen and (count := sum(chosen <= line for line in lines)) >= support
    }

    def others(chosen: frozenset[int]) -> list[int]:
        return [item for item in range(items) if item not in chosen]

    wider = {
        chosen: [frequent[more] for i in others(chosen) if (more := chosen | {i}) in frequent]
        for chosen in frequent
    }
    return {
        tuple(sorted(chosen)): count
        for chosen, count in frequent.items()
        if not wider[chosen] or (kind == "closed" and count not in wider[chosen])
    }


def _subsets(items: int) -> Iterator[list[int]]:
    for bits in range(1 << items):
        yield [item for item in range(items) if bits >> item & 1]


sparse_lines = st.lists(st.frozensets(st.integers(0, 7), max_size=4), max_size=14)
dense_lines = st.lists(
    st.frozensets(st.integers(0, 7), max_size=3).map(lambda lost: frozenset(range(8)) - lost),
    max_size=14,
)


@pytest.mark.parametrize(("name", "kind"), EACH)
@pytest.mark.parametrize("prune", [True, False])
@examples(150)
@given(lines=st.one_of(sparse_lines, dense_lines), support=st.integers(1, 6))
def test_the_sets_of_the_definition(
    name: str, kind: str, prune: bool, lines: Lines, support: int
) -> None:
    sets = mined(name, table_of(lines, 8), support, kind, prune)
    assert dict(sets.in_order()) == brute_force(lines, 8, support, kind)


@pytest.mark.parametrize(("name", "kind"), EACH)
@examples(100)
@given(images=contexts(documents=25, features=80), support=st.integers(1, 30))
def test_near_duplicates_give_the_lattice(
    name: str, kind: str, images: Images, support: int
) -> None:
    sets = mined(name, Transactions.of(Context.of(images)), support, kind)
    assert list(sets.in_order()) == lattice_sets(images, support, kind)


def random_table(items: int, lines: int, density: float, seed: int = 5) -> Transactions:
    """Random lines in a few kinds, so that the sets are many and of all sizes."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(density, 1 - density, (4, items))
    held = rng.random((lines, items)) < rates[rng.integers(0, 4, lines)]
    rows = [np.flatnonzero(line).tolist() for line in held]
    return Transactions(Ragged.from_rows(rows, np.int32), items)


TABLES = {
    "dense": (random_table(40, 1500, 0.5), 350),
    "sparse": (random_table(300, 1500, 0.03), 12),
    "wide": (random_table(700, 75, 0.1), 9),
}


@pytest.mark.parametrize("table", TABLES)
def test_all_miners_agree_on_larger_tables(table: str) -> None:
    lines, support = TABLES[table]
    for kind in ("maximal", "closed"):
        results = [mined(n, lines, support, kind).in_order() for n, k in EACH if k == kind]
        assert len(results[0]) > 100
        assert all(sets == results[0] for sets in results)


@pytest.mark.parametrize(("name", "kind"), EACH)
def test_the_pruning_of_an_algorithm_saves_steps_and_no_sets(name: str, kind: str) -> None:
    table = random_table(24, 400, 0.5)
    pruned = mined(name, table, 60, kind)
    whole = mined(name, table, 60, kind, prune=False)
    assert pruned.in_order() == whole.in_order()
    assert pruned.steps < whole.steps
