"""Saves small files: each is written whole or not at all.

The text goes into a draft beside the file, reaches the disk, and takes the file's name in one step.
So a full disk, a kill or a power cut leaves the file as it was before.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from twinset.system.bounded import MANIFEST_BYTES, read_regular
from twinset.system.temporary import claim, leftovers, remove


def own_folder() -> Path:
    """Where this system keeps the state of programs; nothing is made here."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "twinset"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "twinset"


FilePath = str | os.PathLike[str]


@contextmanager
def fresh_file(path: FilePath, durable: bool = True) -> Iterator[Path]:
    """A name to write to, which becomes ``path`` when the block ends without a fault.

    Drafts of runs that were killed are removed. ``durable`` waits for the disk. A pipe or a device
    is written to as it is: a file in its place would be its end.
    """
    target = Path(path)
    if is_special(target):
        yield target
        return
    prefix = f".{target.name}.partial-"
    for leftover in leftovers(target.parent, lambda name: name.startswith(prefix)):
        if not leftover.is_dir():
            remove(leftover)
    draft, lock = claim(lambda: _new_draft(target.with_name(f"{prefix}{os.getpid()}")))
    try:
        yield draft
        if durable:
            os.fsync(lock)
        os.replace(draft, target)
        if durable:
            sync_folder(target.parent)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        os.close(lock)


def is_special(path: FilePath) -> bool:
    """Whether there is a pipe or a device, which holds nothing that could be lost."""
    place = Path(path)
    return place.exists() and not place.is_file() and not place.is_dir()


def write_file(path: FilePath, data: bytes | str, durable: bool = True) -> Path:
    """A file with these bytes, or this text in UTF-8."""
    with fresh_file(path, durable) as draft:
        draft.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return Path(path)


def write_json(path: FilePath, value: Any, indent: int | None = None, durable: bool = True) -> Path:
    """A file with one JSON value."""
    return write_file(path, json.dumps(value, ensure_ascii=False, indent=indent), durable)


def read_object(
    path: FilePath, most: int = MANIFEST_BYTES, within: Sequence[FilePath] = ()
) -> dict[str, Any] | None:
    """The JSON object in a regular file of at most ``most`` bytes; None where there is none.

    Where ``within`` names folders, a link out of them is not followed.
    """
    try:
        value = json.loads(read_regular(path, most, within).decode())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    with suppress(OSError):  # some file systems do not sync folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _new_draft(path: Path) -> Path:
    # Two threads of one process may save the same file.
    draft = path.with_name(f"{path.name}-{os.urandom(4).hex()}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return draft
