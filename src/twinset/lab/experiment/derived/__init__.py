"""Tables that are made from the rows of an experiment, by name.

One file per table, with a function ``table(experiment)`` that returns it; ``tables = ["dice"]`` in
the description of an experiment asks for one.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from twinset.lab.experiment.result import ExperimentResult

Table = Callable[[ExperimentResult], pa.Table]
DERIVED: dict[str, Table] = {}
