"""What the rows of an experiment found together: Dice correlation, coverage, and who found a pair.

Zelenkov and Segalovich (2007) ask for all three. The counting is that of `twinset.lab.comparison`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError
from twinset.lab.comparison.options import MOST_JUDGED, MOST_METHODS
from twinset.lab.comparison.pool import WHOLE, Bits, make_pool, methods_of_pairs, sample_pairs
from twinset.lab.comparison.scores import best_combinations, dice_matrix
from twinset.lab.comparison.tables import coverage_table, dice_table
from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.experiment.result import ExperimentResult
from twinset.model.columns import column

SEED = 1


def dice(experiment: ExperimentResult) -> pa.Table:
    """2|A∩B|/(|A|+|B|) of the pairs of every two rows."""
    names, pairs = _rows(experiment)
    return dice_table(names, dice_matrix(pairs))


def coverage(experiment: ExperimentResult) -> pa.Table:
    """The best combinations of one, two and three rows, with the share of true pairs they find.

    Of very many true pairs a sample is counted.
    """
    names, pairs = _rows(experiment, most=MOST_METHODS)
    true = experiment.truth.side.pairs
    left, right = sample_pairs(true, MOST_JUDGED, np.random.default_rng(SEED))
    found_by = methods_of_pairs(pairs, left, right)
    return coverage_table(names, best_combinations(found_by, np.ones(len(left)), len(pairs)))


def found_by(experiment: ExperimentResult) -> pa.Table:
    """Every pair that a row found, whether it is true, and which rows found it.

    Where there are more than ten million pairs, it has a sample of them.
    """
    names, pairs = _rows(experiment, most=MOST_METHODS)
    pool = make_pool(pairs, WHOLE, SEED)
    rows = _names_by_bits(pool.found_by, names)
    return pa.table(
        {
            "left": experiment.ids.take(column(pool.left)),
            "right": experiment.ids.take(column(pool.right)),
            "true": column(experiment.truth.side.pairs.contains(pool.left, pool.right)),
            "rows": pa.array([len(found) for found in rows], pa.int64()),
            "found_by": pa.array(rows, pa.list_(pa.string())),
        }
    )


def _rows(experiment: ExperimentResult, most: int | None = None) -> tuple[list[str], list[PairSet]]:
    """The names and pairs of the finished rows."""
    finished = experiment.finished
    if most is not None and len(finished) > most:
        raise PlanError(
            [
                f"the tables coverage and found-by take at most {most} rows, not {len(finished)}: "
                "sweep over fewer values, or leave these tables out"
            ]
        )
    return [row.name for row in finished], [experiment.pairs(row) for row in finished]


def _names_by_bits(found_by: Bits, names: list[str]) -> list[list[str]]:
    kinds, kind = np.unique(found_by, return_inverse=True)
    lists = [
        [name for bit, name in enumerate(names) if int(bits) >> bit & 1] for bits in kinds.tolist()
    ]
    return [lists[at] for at in kind.reshape(-1).tolist()]
