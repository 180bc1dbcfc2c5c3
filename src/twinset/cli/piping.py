"""``twinset dedup IN -o -``: the kept documents on stdout, everything that is said on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from twinset.cli.output import print_json, say
from twinset.cli.progress import progress
from twinset.errors import PlanError, ReadError
from twinset.plan import OutputForm
from twinset.spec.numerals import counted
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.engine import Findings

STDOUT = "-"


def ensure_pipeable(name: str, form: OutputForm) -> None:
    """Raise where these options ask for something that no stream can be."""
    if name != "dedup":
        raise PlanError(
            [f"out - is for documents, and {name} writes a report: name a folder, or call dedup"]
        )
    if form.shards is not None:
        raise PlanError(
            [f"shards {form.shards} makes several files, and out - is one: name a folder with -o"]
        )
    if form.no_split and not form.annotate:
        raise PlanError(["no-split leaves nothing for out -: add --annotate, or leave it out"])


def run_to_stdout(
    inputs: Sequence[str],
    options: dict[str, Any],
    form: OutputForm,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Decide, then write; a run that fails writes nothing."""
    from twinset import api

    bar = progress(quiet)
    try:
        paths = [path_or_address(path) for path in inputs]
        findings = api.dedup(paths, progress=bar, **options)
        if fault := findings.manifest["unread"]:
            raise ReadError("input", None, fault)
        if bar is not None:
            bar.stage("writing", None)
        _ensure_no_terminal(findings, form)
        written = findings.write_to(sys.stdout.buffer, annotate=form.annotate, to=form.to)
        sys.stdout.buffer.flush()
    finally:
        if bar is not None:
            bar.close()
    with redirect_stdout(sys.stderr):
        if as_json:
            print_json({**findings.manifest, "written": written})
        else:
            _say_summary(findings, written)


def _ensure_no_terminal(findings: Findings, form: OutputForm) -> None:
    """Bytes that are no text would leave a terminal in disorder."""
    readers = {entry.get("reader") for entry in findings.manifest["inputs"]}
    is_binary = (
        (form.to == "parquet" or "." in form.to) if form.to is not None else readers == {"parquet"}
    )
    if is_binary and sys.stdout.isatty():
        raise PlanError(["out - would write binary data to the terminal: redirect it to a file"])


def _say_summary(findings: Findings, written: dict[str, Any]) -> None:
    from twinset.report.words import finding, input_faults

    manifest = findings.manifest
    say(finding(manifest))
    counts = manifest["counts"]
    name = "annotated" if "annotated" in written else "kept"
    documents = counted(written[name]["documents"], "document")
    say(f"{name.capitalize()} {documents} → standard output; {counts['removed']:,} can go")
    for sentence in input_faults(manifest):
        say(sentence)
    if unread := written.get("unread"):
        records = counted(unread["documents"], "record")
        say(f"{records} cannot be read and cannot be written in another format: left out")
