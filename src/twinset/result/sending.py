"""A report elsewhere, as ``s3://bucket/report``, where no folder can be renamed into its place.

The first file that a run puts there is `UNFINISHED`, the last one the manifest; then `UNFINISHED`
goes. So a folder with a manifest holds a whole report, and what a killed run has left is known for
what it is: ``--force`` removes that, or an older report, and never the files of others. Small files
are made here and sent at the end; documents are sent by those who write them, before that.

A report that replaces another is sent to a folder inside it, ``run-NUMBER``. A manifest that names
this folder takes the place of the older one, whose files go; then the new files are copied to where
they belong, and a manifest without the folder follows.

To read such a report, its tables are fetched, and its documents are not.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Any

from twinset.errors import MissingReportError, ReportError, Stopped
from twinset.result.places import DECISIONS, FOLDER, MANIFEST, ReportPlaces
from twinset.system.bounded import MANIFEST_BYTES
from twinset.system.files import read_object
from twinset.system.remote import RemotePath, is_remote, place_of, reported
from twinset.system.schemes import WEB
from twinset.system.temporary import TemporaryFolder
from twinset.system.upload import copy_file, settle, upload

UNFINISHED = "unfinished.json"
"""What a run leaves in a folder that it has not finished: its number and when it began."""
# Files that tell a report that has lost its manifest from a folder of something else.
_TABLES = ("documents.parquet", "pairs.parquet", "clusters.parquet")
REST = "what is left of the older one goes with the next --force"


@contextmanager
def sent(target: RemotePath, force: bool, inputs: Iterable[str]) -> Iterator[ReportPlaces]:
    """Where to write; leaving the block in peace sends the local files, the manifest last.

    An exception, Ctrl-C included, removes what was sent, where the store lets us.
    """
    with explained_to_user(), TemporaryFolder() as files:
        ensure_free_elsewhere(target, force, inputs, try_rights=False)
        with _marked(target) as run:
            is_new = MANIFEST not in names_in(target)
            place = target if is_new else target / run_folder(run)
            try:
                if is_new:
                    _remove(target)
                yield ReportPlaces(files, place)
                _send(files, target, place, run)
                if not is_new:
                    _take_over(files, target, place)
                _delete(target, UNFINISHED)
            except BaseException as fault:
                settle(target.system)
                with suppress(Exception):
                    if is_new and _mark(target).get("run", run) == run:
                        _remove(target)
                    elif not is_new and _object(target / MANIFEST).get(FOLDER) != place.name:
                        _delete(target, place.name)
                    elif not is_new and isinstance(fault, KeyboardInterrupt | Stopped):
                        fault.args = (f"stopped; {target} is the new report, and {REST}",)
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
        ensure_replaceable(target, names, force, lambda: unfinished(target))
        if names:
            _ensure_outside(target, inputs)
        if try_rights and UNFINISHED not in names:
            _try_rights(target)


def ensure_replaceable(
    target: object, names: set[str], force: bool, unfinished: Callable[[], str]
) -> None:
    """Raise where these names in a folder are those of a report, or of something else."""
    if MANIFEST in names:
        if not force:
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
                f"{unfinished()}; if it is not running any more, replace what it has left with "
                "--force; or choose another folder"
            )


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


def _ensure_outside(target: RemotePath, inputs: Iterable[str]) -> None:
    for source in inputs:
        if not is_remote(source) or source.partition("://")[0] in WEB:
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
    run = secrets.token_hex(8)
    try:
        with upload(target / UNFINISHED) as file:
            file.write(mark_of(run))
        yield run
    except BaseException:
        settle(target.system)
        with suppress(Exception):
            names = names_in(target)
            is_known = MANIFEST in names or not names - {UNFINISHED, DECISIONS}
            if is_known and _mark(target).get("run") == run:
                _delete(target, UNFINISHED)
        raise


def mark_of(run: str) -> bytes:
    """What `UNFINISHED` holds."""
    begun = f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"
    return json.dumps({"run": run, "begun": begun}).encode()


def _mark(target: RemotePath) -> dict[str, Any]:
    return _object(target / UNFINISHED)


def _object(file: RemotePath) -> dict[str, Any]:
    """The JSON object in a small file; empty where there is none."""
    with suppress(FileNotFoundError, ValueError, RecursionError), file.open() as opened:
        with reported(file):
            value = json.loads(opened.read(MANIFEST_BYTES))
        return value if isinstance(value, dict) else {}
    return {}


def _remove(target: RemotePath, keep: Collection[str] = ()) -> None:
    """Remove all but the mark and decisions, the manifest first: then it is no report any more."""
    _drop_uploads(target)
    names = names_in(target).difference((UNFINISHED, DECISIONS), keep)
    for name in sorted(names, key=lambda name: (name != MANIFEST, name)):
        _delete(target, name)
    # Stores that delete many files at once say nothing of those that they keep.
    if left := sorted(names_in(target) & names):
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


def _send(files: Path, target: RemotePath, place: RemotePath, run: str) -> None:
    names = [path.relative_to(files) for path in sorted(files.rglob("*")) if path.is_file()]
    for name in names:
        if name.as_posix() != MANIFEST:
            copy_file(files / name, place / name)
    if _mark(target).get("run") != run:
        raise ReportError(
            f"another run has begun to write to {target}; wait for it, or choose another folder"
        )
    manifest = (files / MANIFEST).read_bytes()
    if place != target:
        manifest = json.dumps({FOLDER: place.name, **json.loads(manifest)}).encode()
    with upload(target / MANIFEST) as file:
        file.write(manifest)


def run_folder(run: str) -> str:
    """The folder inside a report that a run sends its files to, to replace that."""
    return f"run-{run}"


def _take_over(files: Path, target: RemotePath, place: RemotePath) -> None:
    """Remove the older report and put the files of the new one, which counts, in their places."""
    _remove(target, {MANIFEST, place.name})
    sent = place.files_below()
    places = [target / file.relative_to(place).as_posix() for file in sent]
    try:
        with reported(target):
            target.system.copy([file.path for file in sent], [file.path for file in places])
    except OSError:  # a system with folders, or without a way to copy
        for old, new in zip(sent, places, strict=True):
            copy_file(old, new)
    copy_file(files / MANIFEST, target / MANIFEST)
    _delete(target, place.name)


# What begins with one of these holds documents, which may be larger than the disk.
_DOCUMENTS = ("kept", "removed", "annotated", "unread")


def fetch(place: RemotePath) -> TemporaryFolder:
    """A local folder with the files of a report, all but its documents."""
    with explained_to_user():
        names = names_in(place)
        if not names:
            raise MissingReportError(
                f"there is no report folder {place}; 'twinset find IN... -o {place}' makes one"
            )
        if MANIFEST not in names:
            raise ReportError(_why_no_report(place, names))
        folder = TemporaryFolder()
        copy_file(place / MANIFEST, folder.path / MANIFEST)
        manifest = read_object(folder.path / MANIFEST) or {}
        below = PurePosixPath(str(manifest.get(FOLDER, ""))).name
        files = [place / name for name in names - {MANIFEST, UNFINISHED}]
        if below:
            files = [place / DECISIONS] if DECISIONS in names else []
            files += [place / below / name for name in names_in(place / below)]
        for file in files:
            if file.name.split(".")[0] not in _DOCUMENTS and file.is_file():
                copy_file(file, folder.path / below / file.name)
    return folder


def _why_no_report(place: RemotePath, names: set[str]) -> str:
    if UNFINISHED in names:
        return f"{unfinished(place)}, so there is no report; run it again with --force"
    return (
        f"{place} is no report: it has no {MANIFEST}, so a run into it has not finished, "
        "or it is another folder"
    )
