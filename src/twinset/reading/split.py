"""Kept and removed documents in the input's own format: every record untouched and in order.

A second pass over the input hands each record's bytes to one of two outputs. What is no document
(blank lines) and what could not be read goes with the kept ones, so both together are the input.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from twinset import spec
from twinset.errors import ReadError, ReportError
from twinset.reading.detect import suffix_of
from twinset.reading.fork import Decisions, Fork, Mask
from twinset.reading.inputs import Inputs
from twinset.reading.source import Source
from twinset.reading.unpack import SUFFIXES


class Split(NamedTuple):
    """Where the kept and the removed documents are: two files, or two folders."""

    kept: Path
    removed: Path


def split(inputs: Inputs, keep: Mask, kept: Path, removed: Path) -> Split:
    """Write the documents whose ``keep`` is true below ``kept`` and the others below ``removed``.

    One file gives two files, their names completed by its suffixes (``kept.jsonl.gz``); a folder or
    several files give two folders with the names of the input. ``keep`` has an entry for every row
    of the batches, in reading order.
    """
    decisions = Decisions(np.asarray(keep, dtype=bool))
    single = len(inputs.sources) == 1 and inputs.sources[0].reader != "files"
    base = None if single else _common_folder(inputs.sources)
    try:
        for source in inputs.sources:
            outputs = [_output(folder, source, base) for folder in (kept, removed)]
            fork = Fork(decisions, outputs[0], outputs[1], source.compression)
            _split_source(inputs, source, fork)
    except OSError as fault:
        remedy = "check the free space and the permissions"
        raise ReportError(
            f"{fault.filename or kept}: cannot be written ({fault}); {remedy}"
        ) from None
    if decisions.used != len(decisions.keep):
        raise ReadError("input", None, "the input has changed since it was read; run again")
    return Split(*(outputs if single else (kept, removed)))


def _split_source(inputs: Inputs, source: Source, fork: Fork) -> None:
    if not source.files and not os.access(source.path, os.R_OK):
        return  # told as a fault when it was read; it had no documents
    job = inputs.job(source)
    spec.make("reader", source.reader).split(job, fork)
    before = inputs.known_digest(source)
    if job.digest is not None and before is not None and job.digest != before:
        raise ReadError(source.name, None, "the file has changed since it was read; run again")


def _output(folder: Path, source: Source, base: Path | None) -> Path:
    if base is None:
        return folder.with_name(folder.name + _suffixes(source))
    if source.files:
        return folder / _absolute(source.path).relative_to(base)
    if source.is_spool:
        return folder / (Path(source.name).name + _suffixes(source))
    return folder / _absolute(source.path).relative_to(base)


def _suffixes(source: Source) -> str:
    """``.jsonl.gz`` for what is such a file, by its name or else by its content."""
    name = Path(source.name)
    if name.suffix.lower() in SUFFIXES:
        return Path(name.stem).suffix + name.suffix
    packing = f".{source.compression}" if source.compression else ""
    known = spec.load("reader", source.reader).suffixes
    return (name.suffix if suffix_of(name) in known else known[0]) + packing


def _common_folder(sources: list[Source]) -> Path:
    """The folder below which the inputs lie, so that their names can be kept apart."""
    folders = [
        _absolute(source.path if source.files else source.path.parent)
        for source in sources
        if not source.is_spool
    ]
    return Path(os.path.commonpath(folders)) if folders else Path()


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))
