"""The sources of a report, opened again as the run opened them."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from twinset.errors import ReadError, ReportError
from twinset.plan import ReadOptions
from twinset.reading import Inputs, open_inputs
from twinset.report.manifest import plan_of

MOST_BYTES = 4 << 30


def reopen(manifest: dict[str, Any], *, original: bool = False) -> Inputs:
    """The inputs of the run, with its names for them; ``original`` leaves mark-up as it is.

    Raises where they are gone; whether their content is the same is not checked. A report may be
    somebody else's and name any path: only regular files are opened.
    """
    entries = [entry for entry in manifest.get("inputs", []) if entry.get("path")]
    if not entries:
        raise ReportError(
            "the documents of this report came from memory or a pipe and cannot be read again; "
            "run on files to have their texts at hand"
        )
    options = read_options(manifest)
    if original:
        options = dataclasses.replace(options, html="no")
    options = dataclasses.replace(options, on_error="skip")
    paths = [_place(entry) for entry in entries]
    try:
        inputs = open_inputs(paths, options, batch_bytes=4 << 20, regular=True)
    except ReadError as fault:
        raise ReportError(
            f"the source of this report cannot be read again: {fault}; put it back, or run again"
        ) from None
    names = {os.path.abspath(path): entry for path, entry in zip(paths, entries, strict=True)}
    known = [
        dataclasses.replace(source, name=names[os.path.abspath(source.path)]["source"])
        for source in inputs.sources
        if os.path.abspath(source.path) in names
    ]
    inputs.sources = known
    return inputs


def _place(entry: dict[str, Any]) -> str:
    """Where a source lies: by its full path, or by its name where the folder moved with it."""
    path = str(entry["path"])
    return path if os.path.exists(path) or not os.path.exists(entry["source"]) else entry["source"]


def read_options(manifest: dict[str, Any]) -> ReadOptions:
    """The options the sources were read with."""
    return plan_of(manifest).read
