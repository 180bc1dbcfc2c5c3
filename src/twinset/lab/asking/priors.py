"""What is believed of the experts before any answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from twinset.lab.asking.fitting import Prior
from twinset.plan import Plan
from twinset.signals.experts import DIGITS, Expert, Judgement, scaled

STEEP = 4.0  # how sure the preset is, by the logit of the cosine
VARIANCE = 0.05  # answers hardly move it: they only say whether to believe it
WEIGHT = 5.0  # it counts for as many experts as this
SHARP = 50.0  # the preset as a rule: what is below its threshold is none


def stored_priors(names: Sequence[str]) -> list[Prior]:
    """The priors that the package has of the experts whose signals are among these names."""
    rows = json.loads(files("twinset.signals").joinpath("priors.json").read_text("utf-8"))
    return [
        Prior(tuple(row["signals"]), tuple(row["mean"]), tuple(map(tuple, row["covariance"])))
        for row in rows
        if set(row["signals"]) <= set(names)
    ]


def prior_of_preset(preset: Plan) -> Prior:
    """An expert that judges as the preset does: a few answers must not make things worse than it.

    Without it, the first ten answers about some collections did.
    """
    middle = float(scaled("cosine2", np.array([preset.threshold]))[0])
    return Prior(
        ("cosine2",),
        (-STEEP * middle, STEEP),
        ((VARIANCE, 0.0), (0.0, VARIANCE)),
        WEIGHT,
    )


def judgement_of_preset(preset: Plan) -> Judgement:
    """The preset's rule as a judgement: one expert is sure enough, the other may be silent."""
    contained = getattr(preset.method, "contained", 0)
    rules = {"cosine2": preset.threshold} | ({"containment3": contained} if contained else {})
    middles = {name: float(scaled(name, np.array([least]))[0]) for name, least in rules.items()}
    return Judgement(
        tuple(
            Expert((name,), (round(-SHARP * middle, DIGITS), SHARP), 1.0)
            for name, middle in middles.items()
        )
    )
