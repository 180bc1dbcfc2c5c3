"""What commands on passages have in common: run, save, and print what repeats inside documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from twinset.cli.limits import spare_memory
from twinset.cli.output import STDOUT, ensure_read, print_json, say, say_table
from twinset.cli.progress import shown
from twinset.errors import PlanError
from twinset.plan import OutputForm, Plan
from twinset.plan.spec import counted, name_of
from twinset.system.remote import Place, path_or_address

if TYPE_CHECKING:
    from twinset.cli.options import OutputOptions, ReportTarget
    from twinset.run import Progress


def _print_passages(findings: Any, folder: Place, *, as_json: bool) -> None:
    """What was found and where everything is."""
    from twinset.result.words import fault_sentences

    manifest, saved = findings.manifest, getattr(findings, "saved", {})
    sides = list(manifest.get("sides", {}).values()) or [manifest]
    if as_json:
        print_json({"report": str(folder), **manifest})
    else:
        for sentence in findings.said():
            say(sentence)
        if "cleaned" in saved:
            say(f"Without repeats: {folder / saved['cleaned']}")
        if saved.get("uncut"):
            say(
                f"{counted(saved['uncut'], 'file')} not of plain text, out of which nothing can be "
                "cut, copied whole."
            )
        if len(findings.grid()) > 1:
            say_table(findings.grid())
        for sentence in chain.from_iterable(map(fault_sentences, sides)):
            say(sentence)
        say(f"Report: {folder / 'report.html'}")


def _folder_faults(what: str, out: str) -> list[str]:
    """Why a report of several files cannot go where it is asked for: to standard output."""
    if out != STDOUT:
        return []
    return [f"{what} writes a report of several files: name a folder with -o"]


def ensure_folder(command: str, out: str) -> None:
    """Raise where standard output is named for a report of several files."""
    if faults := _folder_faults(command, out):
        raise PlanError(faults)


def run_and_save(
    run: Callable[[Progress | None], Any],
    target: Any,
    output: OutputOptions,
    **more: Any,
) -> Any:
    """Run, save the report with ``more`` documents if asked for, print and return the findings."""
    with shown(output.quiet) as bar:
        findings = run(bar)
        ensure_read(findings.manifest, as_json=output.json)
        if bar is not None:
            bar.stage("writing", None)
        folder = findings.save(target.out, target.force, target.language, **more)
    _print_passages(findings, folder, as_json=output.json)
    return findings


def run_on_units(
    name: str,
    inputs: list[str],
    target: ReportTarget,
    output: OutputOptions,
    plan: Plan,
    means: dict[str, Any],
    form: OutputForm,
) -> None:
    """``find`` and ``dedup`` with ``--level``, about units of documents."""
    from twinset import api
    from twinset.reading import open_inputs
    from twinset.result import ensure_free
    from twinset.run.passages.report import ensure_removable

    level, faults = f"level {name_of('level', plan.level)}", []
    if form != OutputForm():
        faults.append(
            f"with {level} documents are written in their own form: leave annotate, no-split, to "
            "and shards out"
        )
    faults += _folder_faults(level, target.out)
    if target.resume:
        faults.append(
            f"resume keeps parts of a run over whole documents: leave it out with {level}"
        )
    if faults:
        raise PlanError(faults)
    spare_memory(means.get("memory"))
    if name == "dedup" and "-" not in inputs:
        ensure_removable(open_inputs(inputs, plan.read))
    ensure_free(target.out, target.force, inputs)
    paths = [path_or_address(path) for path in inputs]
    run = partial(api.run_plan, paths, plan, dedup=name == "dedup", **means)
    run_and_save(lambda bar: run(progress=bar), target, output)
