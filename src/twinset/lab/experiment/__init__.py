"""Experiments: many plans on one collection, as a table of what each found and cost.

`api` is the door, and follows the data: `description` reads what is swept from a TOML file,
`shipped` has the papers' experiments (``papers/``), `rows` makes a plan of every combination,
`sweep` runs them through the room `runs`, `reference` is what they are measured by, `figures` the
table, `result` the `ExperimentResult`; `derived` makes further tables of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.lab.experiment.api import experiment
    from twinset.lab.experiment.result import ExperimentResult

__all__ = ["ExperimentResult", "experiment"]


def __getattr__(name: str) -> Any:
    """Load the rest when it is used."""
    if name == "experiment":
        from twinset.lab.experiment.api import experiment

        return experiment
    if name == "ExperimentResult":
        from twinset.lab.experiment.result import ExperimentResult

        return ExperimentResult
    raise AttributeError(f"module 'twinset.lab.experiment' has no attribute '{name}'")
