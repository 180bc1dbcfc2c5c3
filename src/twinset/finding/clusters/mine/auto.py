"""Which miner to take for a table, by its shape: ``docs/explanation/closed-sets.md`` says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twinset.finding.clusters.closed_sets import SetKind
    from twinset.finding.clusters.mine.sets import Transactions

NEAR = 2.0
"""Near-duplicates: on average, an item lies in fewer than this many times the support of lines."""
SCATTERED = 0.01
"""Near-duplicates: on average, an item lies in less than this share of all lines."""
MANY = 20_000
"""Items above which bitmaps of their lines take too long."""


def choose(table: Transactions, support: int, kind: SetKind) -> tuple[str, str]:
    """The name of a miner, and why."""
    import numpy as np

    lines = np.bincount(table.lines.flat, minlength=table.items)
    frequent = lines[lines >= support]
    return choose_by(len(frequent), int(frequent.sum()), len(table.lines), support, kind)


def choose_by(
    frequent: int, together: int, lines: int, support: int, kind: SetKind
) -> tuple[str, str]:
    """The same by the number of frequent items, the sum of their lines and all lines."""
    if frequent == 0:
        return _otherwise(kind), "no item is frequent"
    mean = together / frequent
    if mean < NEAR * support and mean < SCATTERED * lines:
        return "search", (
            f"the {frequent:,} frequent items lie in {mean:,.0f} lines on average, near the "
            f"support of {support:,}, and in few of all {lines:,}: near-duplicates"
        )
    if kind == "maximal" and frequent > MANY:
        return "afopt", f"{frequent:,} items are frequent, too many for bitmaps"
    return _otherwise(kind), (
        f"{frequent:,} items are frequent, in {mean:,.0f} of {lines:,} lines on average"
    )


def _otherwise(kind: SetKind) -> str:
    return "lcm" if kind == "closed" else "mafia"
