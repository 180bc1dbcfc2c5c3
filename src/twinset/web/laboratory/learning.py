"""Train a model on labelled pairs, or on near-duplicates that are made."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from twinset.errors import PlanError
from twinset.lab.learning.options import PairOptions, Training, ViewOptions
from twinset.spec import Option, options_of
from twinset.web.forms import Drawing
from twinset.web.laboratory.commands import operations
from twinset.web.laboratory.form import (
    LabCommand,
    LabRun,
    Texts,
    bounds,
    documents_of,
    given,
    number,
    operation_options,
)
from twinset.web.render import language_of
from twinset.web.settings import inside
from twinset.web.tasks import MODEL

FEATURES = ("usual", "paper", "sentences")
FIRST = ("kernel",)
OF_THE_LIBRARY = ("improve", "degree", "coef0")  # without a flag of that form


def options() -> dict[str, Option]:
    """The options that the form draws."""
    known = options_of(ViewOptions) | options_of(Training) | options_of(PairOptions)
    return {name: option for name, option in known.items() if name not in OF_THE_LIBRARY}


def _learn(request: Request, form: Texts) -> LabRun:
    documents = documents_of(request, form)
    if form.get("labels", "").strip():
        labels = inside(request.app.state.settings, form["labels"].strip())
        source = ["--labels", str(labels)]
        if form.get("grade", "").strip():
            source += ["--grade", f"{number(form, 'grade', 'grade'):g}"]
    else:
        source = operation_options(form)
    if not source:
        raise PlanError(["there is nothing to learn from; name a list or choose an edit"])
    if form.get("features", FEATURES[0]) not in FEATURES:
        raise PlanError([f"features: choose one of {', '.join(FEATURES)}"])
    chosen = given(options(), form)
    chosen += ["--features", form["features"]] if form.get("features") else []
    chosen += ["--improve"] if form.get("improve") else []
    return LabRun([str(documents)], [*source, *chosen, *bounds(request)], documents.name, MODEL)


def _offered(request: Request, filled: Texts) -> dict[str, Any]:
    drawing = Drawing(language_of(request), filled)
    drawn = {"form": drawing.form(options(), FIRST), "feature_sets": FEATURES}
    return operations(request, filled) | drawn


LEARN = LabCommand(_learn, _offered, "labels")
