"""The experts' priors, as they are stored with the package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from twinset.lab.asking.fitting import Prior


def stored_priors(names: Sequence[str]) -> list[Prior]:
    """The priors of the experts whose signals are among these names."""
    rows = json.loads(files("twinset.signals").joinpath("priors.json").read_text("utf-8"))
    return [
        Prior(tuple(row["signals"]), tuple(row["mean"]), tuple(map(tuple, row["covariance"])))
        for row in rows
        if set(row["signals"]) <= set(names)
    ]
