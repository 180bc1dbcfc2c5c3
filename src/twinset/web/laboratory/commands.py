"""Make test collections, compare methods, tune."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from twinset.errors import PlanError
from twinset.spec.catalogue import described
from twinset.web.forms import labels_of, parts_of
from twinset.web.laboratory.form import (
    LabCommand,
    LabRun,
    Texts,
    bounds,
    count,
    documents_of,
    number,
    operation_options,
    truth_options,
)
from twinset.web.render import language_of

USUAL = ("minhash", "longsent", "tf", "threefive", "simhash")  # a quick and varied selection


def operations(request: Request, filled: Texts) -> dict[str, Any]:
    """The operations to choose from."""
    return {"operations": parts_of(language_of(request), "operation")}


def _methods(request: Request, filled: Texts) -> dict[str, Any]:
    language = language_of(request)
    labels = labels_of(language, "method")
    return {"methods": parts_of(language, "method"), "labels": labels, "usual": USUAL}


def _generate(request: Request, form: Texts) -> LabRun:
    """Every operation with a share, in the order of the form."""
    options = operation_options(form)
    if not options:
        raise PlanError(["no operation is chosen; choose at least one"])
    options += ["--variants", count(form, "variants", "variants")]
    if form.get("limit"):
        options += ["--documents", count(form, "limit", "documents")]
    return _over(request, form, [*options, "--seed", f"{number(form, 'seed', 'seed'):g}"])


def _compare(request: Request, form: Texts) -> LabRun:
    methods = [name for name in described()["method"] if form.get(f"use.{name}")]
    if len(methods) < 2:
        raise PlanError(["fewer than two methods are chosen; choose those to compare"])
    return _over(request, form, ["--methods", ",".join(methods), *truth_options(request, form)])


def _tune(request: Request, form: Texts) -> LabRun:
    return _over(request, form, truth_options(request, form), "plan.toml")


def _over(request: Request, form: Texts, options: list[str], file: str = "") -> LabRun:
    documents = documents_of(request, form)
    return LabRun([str(documents)], [*options, *bounds(request)], documents.name, file)


GENERATE = LabCommand(_generate, operations)
COMPARE = LabCommand(_compare, _methods, "truth")
TUNE = LabCommand(_tune, upload="truth")
