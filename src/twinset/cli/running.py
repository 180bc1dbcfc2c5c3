"""What ``find`` and ``dedup`` have in common: run, save, tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twinset.cli.options import Inputs, Output, Target, given
from twinset.cli.output import print_json, say
from twinset.cli.progress import progress
from twinset.errors import ReadError


def run_to_folder(kind: str, inputs: Inputs, target: Target, output: Output, *groups: Any) -> None:
    """Run ``find`` or ``dedup`` of the library, save the report, print what was found."""
    from twinset import api
    from twinset.report import ensure_free

    # Told before the work and not after it.
    ensure_free(target.out, target.force, inputs.inputs)
    bar = progress(output.quiet)
    try:
        run = getattr(api, kind)
        paths = [Path(name) for name in inputs.inputs]
        findings = run(paths, progress=bar, **given(*groups))
        if bar is not None:
            bar.stage("writing", None)
        folder = findings.save(target.out, force=target.force)
    finally:
        if bar is not None:
            bar.close()
    tell(findings.manifest, folder, output.json)
    if fault := findings.manifest["unread"]:
        # The report is there to look at; a script must not take it for a result.
        raise ReadError("input", None, fault)


def tell(manifest: dict[str, Any], folder: Path, as_json: bool) -> None:
    """The findings in sentences, or the manifest and the folder as JSON."""
    from twinset.report.words import summary

    if as_json:
        print_json({"report": str(folder), **manifest})
        return
    for sentence in summary(manifest):
        say(sentence)
    say(f"Report: {folder / 'report.html'}")
