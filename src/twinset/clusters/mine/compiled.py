"""The papers' miners, compiled: each header of the kernels opens with its paper and its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinset import _kernels
from twinset.clusters.closed_sets import SetKind
from twinset.clusters.mine.sets import MinedSets, Transactions
from twinset.model import Ragged


def lcm(table: Transactions, support: int, kind: SetKind, prune: bool = True) -> MinedSets:
    """LCM (Uno et al. 2004): prefix-preserving closure extension."""
    return _mine(_kernels.mine_lcm, table, support, kind, prune)


def _mine(
    kernel: Callable[..., Any], table: Transactions, support: int, kind: SetKind, prune: bool
) -> MinedSets:
    lines = table.lines
    arrays = kernel(lines.offsets, lines.values, table.items, support, kind == "maximal", prune)
    offsets, items, supports, steps = arrays
    return MinedSets(Ragged(items, offsets), supports, steps)
