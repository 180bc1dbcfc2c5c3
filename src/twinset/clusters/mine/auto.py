"""Which miner to take for a table, by its shape; ``docs/closed-sets.md`` has the measurements."""

from __future__ import annotations

import numpy as np

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.mine.sets import Transactions

NEAR = 2.0
"""Near-duplicates: on average, an item lies in fewer than this many times the support of lines."""
SCATTERED = 0.01
"""Near-duplicates: on average, an item lies in less than this share of all lines."""
MANY = 20_000
"""Items above which bitmaps of their lines take too long."""


def choose(table: Transactions, support: int, kind: SetKind) -> tuple[str, str]:
    """The name of a miner, and why."""
    lines = np.bincount(table.lines.flat, minlength=table.items)
    frequent = lines[lines >= support]
    if len(frequent) == 0:
        return _otherwise(kind), "no item is frequent"
    mean = float(frequent.mean())
    if mean < NEAR * support and mean < SCATTERED * len(table.lines):
        return "search", (
            f"the {len(frequent):,} frequent items lie in {mean:,.0f} lines on average, near the "
            f"support of {support:,}, and in few of all {len(table.lines):,}: near-duplicates"
        )
    if kind == "maximal" and len(frequent) > MANY:
        return "afopt", f"{len(frequent):,} items are frequent, too many for bitmaps"
    return _otherwise(kind), (
        f"{len(frequent):,} items are frequent, in {mean:,.0f} of {len(table.lines):,} lines on "
        "average"
    )


def _otherwise(kind: SetKind) -> str:
    return "lcm" if kind == "closed" else "mafia"
