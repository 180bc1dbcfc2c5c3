"""The compiled miners, each the algorithm of its paper (``_kernels/mine_*.hpp`` describe them).

Without ``prune`` an algorithm does without the pruning that is its own: the same sets after more
steps. That is for tests and for those who study the algorithms; no option leads there.
"""

from __future__ import annotations

from typing import Any, Protocol

from twinset import _kernels
from twinset.finding.clusters.closed_sets import SetKind
from twinset.finding.clusters.mine.sets import MinedSets, Transactions
from twinset.model import Ragged


def fpmax(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """FPmax* (Grahne and Zhu 2003): prefix trees, and a tree of the sets found."""
    return _mined(_kernels.mine_fpmax, table, support, kind, prune)


def afopt(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """AFOPT (Liu et al. 2003): prefix trees in ascending order of frequency, from the top."""
    return _mined(_kernels.mine_afopt, table, support, kind, prune)


def mafia(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """MAFIA (Burdick, Calimlim and Gehrke 2001): vertical bitmaps, depth first."""
    return _mined(_kernels.mine_mafia, table, support, kind, prune)


def addintent(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """AddIntent* (van der Merwe, Obiedkov and Kourie 2004): the lattice, item by item."""
    return _mined(_kernels.mine_addintent, table, support, kind, prune)


def lcm(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """LCM (Uno, Kiyomi and Arimura 2004): prefix-preserving closure extension."""
    return _mined(_kernels.mine_lcm, table, support, kind, prune)


class MiningKernel(Protocol):
    """Lines of items in; offsets, items and supports of the sets and the number of steps out."""

    def __call__(
        self, offsets: Any, items: Any, n_items: int, support: int, maximal: bool, prune: bool
    ) -> tuple[Any, Any, Any, int]:
        """Items of a line ascend; sets come in any order."""
        ...


def _mined(
    kernel: MiningKernel, table: Transactions, support: int, kind: SetKind, prune: bool
) -> MinedSets:
    arrays = table.lines.offsets, table.lines.values, table.items
    offsets, items, supports, steps = kernel(*arrays, support, kind == "maximal", prune)
    return MinedSets(Ragged(items, offsets), supports, steps)
