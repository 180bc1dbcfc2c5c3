"""How the rows of an experiment are measured: as the caller asks, else as its description says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twinset.errors import PlanError
from twinset.lab.comparison.options import JUDGE, MOST_JUDGED, Yardstick
from twinset.lab.evaluation.findings import By
from twinset.lab.evaluation.list_files import ensure_list
from twinset.lab.evaluation.truth import TruthOptions
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.figures import MEASURED
from twinset.spec import suggestion

BY = ("auto", "pairs", "clusters")
USUAL: dict[str, Any] = {
    "by": "auto",
    "best": "f1",
    "ignore": None,
    "only_judged": False,
    "grade": None,
    "judge": JUDGE,
    "most_judged": MOST_JUDGED,
}


@dataclass(frozen=True)
class MeasureSettings:
    """What counts as found, which column decides what is best, and what is true."""

    by: By
    best: str
    yardstick: Yardstick

    @classmethod
    def make(
        cls, described: Description, truth: Any, columns: tuple[str, ...], asked: Mapping[str, Any]
    ) -> MeasureSettings:
        """Checked before anything runs; what is None was not asked for."""
        given = {name: value for name, value in asked.items() if value is not None}
        chosen = USUAL | dict(described.compare) | given
        labels = TruthOptions(
            truth, chosen["ignore"], chosen["only_judged"], chosen["grade"], "auto", columns
        )
        yardstick = Yardstick(labels, None, chosen["judge"], chosen["most_judged"])
        by, best = chosen["by"], str(chosen["best"])
        faults = yardstick.faults()
        if by not in BY:
            faults.append(f"by must be {', '.join(BY[:-1])} or {BY[-1]}, not '{by}'")
        if best not in MEASURED and not best.startswith("seconds_"):
            faults.append(f"best: there is no column '{best}'; {suggestion(best, MEASURED)}")
        if faults:
            raise PlanError(faults)
        ensure_list(truth)
        ensure_list(chosen["ignore"])
        return cls(by, best, yardstick)
