"""Comparison: methods side by side on one collection.

`api` is the door, and follows the data: `options` has the methods with their plans
and the yardstick; the room `runs` reads the documents once, runs each method and stores its
result; `measure` puts the numbers together: `pool` unites or samples the pairs, `judge` judges
them, `scores` has recall, precision, Dice and coverage, `tables` the tables; `result` is the
`Comparison`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.lab.comparison.api import compare
    from twinset.lab.comparison.result import Comparison

__all__ = ["Comparison", "compare"]


def __getattr__(name: str) -> Any:
    """Load the rest when it is used: the worker needs little, and starts for every method."""
    if name == "compare":
        from twinset.lab.comparison.api import compare

        return compare
    if name == "Comparison":
        from twinset.lab.comparison.result import Comparison

        return Comparison
    raise AttributeError(f"module 'twinset.lab.comparison' has no attribute '{name}'")
