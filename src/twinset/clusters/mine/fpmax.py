"""FPmax*: maximal sets by prefix trees.

G. Grahne, J. Zhu, "Efficiently using prefix-trees in mining frequent itemsets", FIMI 2003; the
algorithm the papers on closed-set clusters chose. Names are theirs: items are documents, a
transaction is a feature. The recursion is a list of open trees, because a set of a thousand
documents would be a thousand calls deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.mine.prefix_trees import FPTree, MFITree
from twinset.clusters.mine.sets import MinedSets, Transactions


def fpmax(table: Transactions, support: int, kind: SetKind) -> MinedSets:
    """The maximal sets; FPmax* does not know the closed ones."""
    transactions = [(items.tolist(), 1) for items in table.lines]
    itemsets = _fpmax_star(FPTree.of(transactions, support), support)
    return MinedSets.of(itemsets)


@dataclass(slots=True)
class _Open:
    """A call FPmax*(T, M) that is not finished: the tree, its MFI-tree, the items still to do."""

    tree: FPTree
    mfi: MFITree
    todo: Iterator[int]
    fresh: list[list[int]] = field(default_factory=list)  # without the base, for the caller's M


def _fpmax_star(tree: FPTree, minimum: int) -> Iterator[tuple[list[int], int]]:
    if (path := tree.single_path()) is not None:
        if path:
            yield path, tree.path_support()
        return
    calls = [_Open(tree, MFITree(tree.order), tree.bottom_up())]
    while calls:
        call = calls[-1]
        i = next(call.todo, None)
        if i is None:
            _merge(calls)
            continue
        tail = call.tree.tail(i, minimum)
        if call.mfi.holds([i, *tail]):
            continue
        conditional = call.tree.conditional(i, tail)
        path = conditional.single_path()
        if path is not None:
            yield conditional.base + path, conditional.path_support()
            _insert(call, [i, *path])
        else:
            local = call.mfi.projection(i, conditional.order)
            calls.append(_Open(conditional, local, conditional.bottom_up()))


def _insert(call: _Open, items: list[int]) -> None:
    call.mfi.insert(items)
    call.fresh.append(items)


def _merge(calls: list[_Open]) -> None:
    """What a finished call found, with its own item, belongs to the caller's MFI-tree as well."""
    done = calls.pop()
    if calls:
        _insert_all(calls[-1], done.tree.base[-1], done.fresh)


def _insert_all(call: _Open, item: int, itemsets: Iterable[list[int]]) -> None:
    for items in itemsets:
        _insert(call, [item, *items])
