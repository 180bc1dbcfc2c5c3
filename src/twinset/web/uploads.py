"""Files that are dropped on the page: saved as they stream in, whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from twinset.errors import PlanError
from twinset.reading.archive import ArchiveBounds, unpack
from twinset.system.temporary import TemporaryFile, temporary_folder

LATEST = float(1 << 33)  # seconds since 1970; the year 2242
ROOM = 256 << 20  # bytes that an upload must leave free on the disk


async def receive(
    chunks: AsyncIterator[bytes], name: str, folder: Path, modified: float | None = None
) -> Path:
    """Write an upload below the folder under a safe name; a ZIP file becomes a folder.

    A file keeps the moment at which it was ``modified``, in seconds since 1970, where it is known.
    """
    safe = safe_name(name)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = TemporaryFile(folder.parent)
    try:
        with open(part.path, "wb") as file:
            async for chunk in chunks:
                file.write(chunk)
        if safe.lower().endswith(".zip"):
            target = folder / _free(folder, safe[:-4] or "unpacked")
            await run_in_threadpool(_unpacked, part.path, target, safe)
        else:
            target = folder / _free(folder, safe)
            if modified is not None and 0 <= modified <= LATEST:
                os.utime(part.path, (modified, modified))
            os.replace(part.path, target)
        return target
    finally:
        part.close()


def safe_name(name: str) -> str:
    """A file's name without folders, leading dots and characters that file systems refuse."""
    base = re.split(r"[/\\]", name)[-1]
    base = re.sub(r"[\x00-\x1f\x7f:*?\"<>|]", "_", base).strip().lstrip(".")
    if not base:
        raise PlanError([f"'{name}' is not the name of a file; give it another one"])
    stem, dot, suffix = base.rpartition(".")
    return f"{_cut(stem, 150)}{dot}{_cut(suffix, 20)}" if dot else _cut(base, 150)


def _cut(text: str, most: int) -> str:
    """The beginning of a text, cut to a number of bytes: file systems count those."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _unpacked(file: Path, target: Path, name: str) -> None:
    """Unpack beside the uploads first, so that a file that is refused leaves nothing behind."""
    status = os.statvfs(file.parent)
    free = max(0, status.f_bavail * status.f_frsize - ROOM)
    with temporary_folder(file.parent) as part:
        unpack(file, part, ArchiveBounds(bytes=min(ArchiveBounds().bytes, free)), name)
        os.replace(part, target)


def _free(folder: Path, name: str) -> str:
    """The name, with a number where another file has it already."""
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, f".{suffix}") if dot else (name, "")
    number = 1
    while (folder / name).exists():
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name
