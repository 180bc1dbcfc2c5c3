"""``find`` and ``dedup`` with ``--level``: what is run, saved and said about units of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinset.cli.limits import spare_memory
from twinset.cli.passages import folder_faults, print_passages
from twinset.cli.progress import progress
from twinset.errors import PlanError
from twinset.plan import OutputForm, Plan
from twinset.spec import name_of
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.cli.options import ReportTarget
    from twinset.cli.request import RunRequest


def run_on_units(request: RunRequest, plan: Plan) -> None:
    """Run the command, save the report and print the summary."""
    from twinset import api
    from twinset.passages.page import units_covered, units_headline
    from twinset.passages.removing import ensure_removable
    from twinset.reading import open_inputs
    from twinset.report import ensure_free

    inputs, target, options = request.inputs, request.target, request.options
    if faults := _refusals(plan, target, OutputForm.make(**request.form)):
        raise PlanError(faults)
    spare_memory(options.get("memory"))
    if request.name == "dedup" and "-" not in inputs:
        ensure_removable(open_inputs(inputs, plan.read))
    ensure_free(target.out, target.force, inputs)
    bar = progress(request.output.quiet)
    try:
        paths = [path_or_address(path) for path in inputs]
        findings: Any = getattr(api, request.name)(paths, progress=bar, **options)
        if bar is not None:
            bar.stage("writing", None)
        folder = findings.save(target.out, target.force, target.language)
    finally:
        if bar is not None:
            bar.close()
    sentences = [units_headline(findings.manifest)]
    if findings.rows.spans:
        sentences.append(units_covered(findings.manifest))
    print_passages(findings, folder, sentences, as_json=request.output.json)


def _refusals(plan: Plan, target: ReportTarget, form: OutputForm) -> list[str]:
    """What has no meaning where units are dropped out of documents."""
    level = f"level {name_of('level', plan.level)}"
    faults = []
    if form != OutputForm():
        faults.append(
            f"with {level} documents are written in their own form: leave annotate, no-split, to "
            "and shards out"
        )
    faults += folder_faults(level, target.out)
    if target.resume:
        faults.append(
            f"resume keeps parts of a run over whole documents: leave it out with {level}"
        )
    return faults
