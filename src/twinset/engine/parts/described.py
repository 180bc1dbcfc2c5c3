"""What a run works on, described so that parts are used for the same work alone."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from twinset._version import VERSION
from twinset.errors import PlanError
from twinset.model import Documents
from twinset.plan import Plan
from twinset.reading import Inputs
from twinset.reading.source import Source


def described_run(documents: Documents, plan: Plan, dedup: bool) -> dict[str, Any]:
    """Version, plan, named files and inputs; raises where nothing could go on."""
    inputs = resumable(documents)
    plain = json.loads(json.dumps(plan.as_dict(), default=str))
    return {
        "twinset": VERSION,
        "command": "dedup" if dedup else "find",
        "plan": plain,
        "forms": json.loads(json.dumps(plan.forms.versions(), default=str)),
        "files": dict(_named_files(plan)),
        "batch_bytes": inputs.batch_bytes,
        "inputs": [_described(source) for source in inputs.sources],
    }


def resumable(documents: Documents) -> Inputs:
    """The documents, if another run can read them again."""
    if not isinstance(documents, Inputs):
        raise PlanError(
            ["resume is for documents of files: what is in memory is gone with the run"]
        )
    if any(source.is_spool for source in documents.sources):
        raise PlanError(
            ["resume cannot read standard input again: write it to a file and name that"]
        )
    return documents


def _described(source: Source) -> dict[str, Any]:
    listed = blake2b(digest_size=16)
    for path in source.files:
        listed.update(os.fsencode(str(path)) + b"\0")
    for state in source.states:
        listed.update(b"%d %d\n" % (state.bytes, state.modified))
    return {
        **source.described(None),
        "modified": _modified(source.path) if isinstance(source.path, Path) else None,
        "files": listed.hexdigest(),
    }


def _modified(path: Path) -> int | None:
    """The time of change of a file; that of a folder says nothing of the files in it."""
    try:
        return path.stat().st_mtime_ns if path.is_file() else None
    except OSError:
        return None


def _named_files(part: Any) -> Iterator[tuple[str, list[int]]]:
    """Files that an option of the plan names, as word counts, with size and time of change."""
    if isinstance(part, str):
        for name in part.split("+"):
            if name and os.path.isfile(name):
                status = os.stat(name)
                yield os.path.abspath(name), [status.st_size, status.st_mtime_ns]
    elif isinstance(part, list | tuple):
        for item in part:
            yield from _named_files(item)
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        for field in dataclasses.fields(part):
            yield from _named_files(getattr(part, field.name))
