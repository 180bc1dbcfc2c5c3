"""Methods side by side on one collection.

``kept`` reads the documents once; ``asking`` says which methods, ``running`` runs each in a process
of its own (``worker``) and keeps what it found; ``pool`` unites or samples the pairs, ``judge``
judges them; ``scoring`` gives recall, precision and F, ``agreement`` the Dice matrix and coverage;
``measuring`` puts these together, ``tabling`` and ``page`` show them as a ``result``; the door is
``comparing``.
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
