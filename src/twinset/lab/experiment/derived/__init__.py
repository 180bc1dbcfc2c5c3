"""Tables that are made from the rows of an experiment, by name.

A table is a function of the `ExperimentResult`; ``tables = ["dice"]`` in the description of an
experiment asks for one. They are made in the order of that list, each with those before it.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from twinset.errors import PlanError
from twinset.lab.experiment.derived.miners import miners
from twinset.lab.experiment.derived.together import coverage, dice, found_by
from twinset.lab.experiment.derived.vectors import vectors
from twinset.lab.experiment.printed import printed_beside
from twinset.lab.experiment.result import ExperimentResult

Table = Callable[[ExperimentResult], pa.Table]


def printed(experiment: ExperimentResult) -> pa.Table:
    """The figures that the description quotes from a paper, beside ours."""
    quoted = experiment.description.printed
    if not quoted:
        raise PlanError(["the table printed needs [printed], the figures of the paper"])
    name = quoted.get("table")
    if name is None:
        return printed_beside(quoted, experiment.table)
    ours = experiment.derived.get(name)
    return printed_beside(quoted, DERIVED[name](experiment) if ours is None else ours)


DERIVED: dict[str, Table] = {
    "coverage": coverage,
    "dice": dice,
    "found-by": found_by,
    "miners": miners,
    "printed": printed,
    "vectors": vectors,
}
