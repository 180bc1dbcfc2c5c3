"""A report elsewhere, as ``s3://bucket/report``, where no folder can be renamed into its place.

The first file that a run puts there is `UNFINISHED`, the last one the manifest; then `UNFINISHED`
goes. So a folder with a manifest holds a whole report, and what a killed run has left is known for
what it is: ``--force`` removes that, or an older report, and never the files of others. Small files
are made here and sent at the end; documents are sent by those who write them, before that.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Any

from twinset.errors import ReportError
from twinset.report.places import DECISIONS, MANIFEST
from twinset.system.bounded import MANIFEST_BYTES
from twinset.system.remote import RemotePath, is_remote, place_of, reported
from twinset.system.schemes import WEB
from twinset.system.temporary import temporary_folder
from twinset.system.upload import copy_file, settle, upload

UNFINISHED = "unfinished.json"
"""What a run leaves in a folder that it has not finished: its number and when it began."""
# Files that tell a report that has lost its manifest from a folder of something else.
_TABLES = ("documents.parquet", "pairs.parquet", "clusters.parquet")


@contextmanager
def sent(target: RemotePath, force: bool, inputs: Iterable[str]) -> Iterator[Path]:
    """A local folder to write into; leaving the block in peace sends its files, the manifest last.

    An exception, Ctrl-C included, removes what is at the target, where the store lets us.
    """
    with explained_to_user(), temporary_folder() as files:
        ensure_free_elsewhere(target, force, inputs, try_rights=False)
        with _marked(target) as run:
            is_free = False
            try:
                _remove(target)
                is_free = True
                yield files
                _send(files, target, run)
                _delete(target, UNFINISHED)
            except BaseException:
                settle(target.system)
                with suppress(Exception):
                    is_ours = _mark(target).get("run", run) == run
                    if is_ours and (is_free or MANIFEST not in names_in(target)):
                        _remove(target)
                raise


@contextmanager
def explained_to_user(place: RemotePath | None = None) -> Iterator[None]:
    """Let faults of the store end the command with their sentence, on this place or their own."""
    try:
        yield
    except OSError as fault:
        if not is_remote(fault.filename):
            raise
        raise ReportError(f"{place or fault.filename}: {fault.strerror}") from None


def ensure_free_elsewhere(
    target: RemotePath, force: bool, inputs: Iterable[str], try_rights: bool = True
) -> None:
    """Raise for every reason not to write a report there; ``try_rights`` writes a small file."""
    if target.scheme in WEB:
        raise ReportError(f"{target}: web addresses can only be read; choose another folder")
    if not target.path.strip("/"):
        raise ReportError(f"{target} names no folder; write one, as s3://bucket/report")
    with explained_to_user(target):
        if target.is_file():
            raise ReportError(f"{target} is a file; name a new folder for the report")
        names = names_in(target)
        if MANIFEST in names:
            if not force and not _is_failed(target, names):
                raise ReportError(
                    f"{target} exists already; choose another folder or replace it with --force"
                )
        elif names - {DECISIONS}:
            if UNFINISHED not in names and not names.issuperset(_TABLES):
                raise ReportError(
                    f"{target} holds files and no report ({min(names)}); choose another folder"
                )
            if not force:
                raise ReportError(
                    f"{unfinished(target)}; if it is not running any more, replace what it has "
                    "left with --force; or choose another folder"
                )
        if names:
            _ensure_outside(target, inputs)
        if try_rights and UNFINISHED not in names:
            _try_rights(target)


def names_in(folder: RemotePath) -> set[str]:
    """The names of the files and folders in a folder; none where there is no such folder."""
    folder.system.invalidate_cache(folder.path)  # of an earlier look
    try:
        with reported(folder):
            entries = folder.system.ls(folder.path, detail=False)
    except FileNotFoundError:
        return set()
    # A store may hold an empty file with the name of the folder.
    paths = (str(entry).rstrip("/") for entry in entries)
    return {PurePosixPath(path).name for path in paths if path != folder.path.rstrip("/")}


def unfinished(target: RemotePath) -> str:
    """That a run into a folder has not finished, and when it began."""
    begun = _mark(target).get("begun")
    when = f" that began {begun}" if isinstance(begun, str) else ""
    return f"a run{when} into {target} has not finished"


def _try_rights(target: RemotePath) -> None:
    """Write a file and remove it, so that what is missing is reported before the work."""
    with _marked(target):
        _delete(target, UNFINISHED)
    if UNFINISHED in names_in(target):
        raise ReportError(
            f"{target / UNFINISHED} cannot be removed; a report needs the right to delete files"
        )


def _is_failed(target: RemotePath, names: set[str]) -> bool:
    """Whether it is the report of a run that could not read its input, undecided on."""
    return DECISIONS not in names and bool(_object(target / MANIFEST).get("unread"))


def _ensure_outside(target: RemotePath, inputs: Iterable[str]) -> None:
    for source in inputs:
        if not is_remote(source):
            continue
        place = place_of(source)
        if isinstance(place, RemotePath) and f"{place.path}/".startswith(f"{target.path}/"):
            raise ReportError(
                f"the input {source} lies in {target}, which would be removed; "
                "choose another folder"
            )


@contextmanager
def _marked(target: RemotePath) -> Iterator[str]:
    """Mark the folder as unfinished by the number of this run; an exception takes the mark away.

    But not from files that nobody would know for remains without it.
    """
    run, now = secrets.token_hex(8), datetime.now(timezone.utc)
    mark = {"run": run, "begun": f"{now:%Y-%m-%d %H:%M} UTC"}
    try:
        with upload(target / UNFINISHED) as file:
            file.write(json.dumps(mark).encode())
        yield run
    except BaseException:
        settle(target.system)
        with suppress(Exception):
            names = names_in(target)
            is_known = MANIFEST in names or not names - {UNFINISHED, DECISIONS}
            if is_known and _mark(target).get("run") == run:
                _delete(target, UNFINISHED)
        raise


def _mark(target: RemotePath) -> dict[str, Any]:
    return _object(target / UNFINISHED)


def _object(file: RemotePath) -> dict[str, Any]:
    """The JSON object in a small file; empty where there is none."""
    with suppress(FileNotFoundError, ValueError, RecursionError), file.open() as opened:
        with reported(file):
            value = json.loads(opened.read(MANIFEST_BYTES))
        return value if isinstance(value, dict) else {}
    return {}


def _remove(target: RemotePath) -> None:
    """Remove all but the mark and decisions, the manifest first: then it is no report any more."""
    names = names_in(target)
    if MANIFEST in names:
        _delete(target, MANIFEST)
    _drop_uploads(target)
    others = names - {MANIFEST, UNFINISHED, DECISIONS}
    for name in sorted(others):
        _delete(target, name)
    # Stores that delete many files at once say nothing of those that they keep.
    if left := sorted(names_in(target) & (others | {MANIFEST})):
        raise ReportError(f"{target / left[0]} cannot be removed; check the rights to delete")


def _delete(target: RemotePath, name: str) -> None:
    with reported(target / name):
        target.system.rm((target / name).path, recursive=True)


def _drop_uploads(target: RemotePath) -> None:
    """Drop what a killed run has sent of files that are not there: S3 keeps it, and bills it."""
    bucket, _, folder = target.path.partition("/")
    uploads = getattr(target.system, "list_multipart_uploads", None)
    if uploads is None or not folder:
        return
    with suppress(Exception):  # a right that few have, and need
        for entry in uploads(bucket):
            if str(entry["Key"]).startswith(f"{folder}/"):
                target.system.abort_mpu(bucket, entry["Key"], entry["UploadId"])


def _send(files: Path, target: RemotePath, run: str) -> None:
    names = [path.relative_to(files) for path in sorted(files.rglob("*")) if path.is_file()]
    for name in names:
        if name.as_posix() != MANIFEST:
            copy_file(files / name, target / name)
    if _mark(target).get("run") != run:
        raise ReportError(
            f"another run has begun to write to {target}; wait for it, or choose another folder"
        )
    copy_file(files / MANIFEST, target / MANIFEST)
