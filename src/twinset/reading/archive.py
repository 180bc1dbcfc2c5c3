"""Unpacks ZIP files from others: nothing is written outside the folder, nothing without bound."""

from __future__ import annotations

import errno
import lzma
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from twinset.errors import ReadError


@dataclass(frozen=True, slots=True)
class ArchiveBounds:
    """How much a ZIP file may unpack to; ``ratio`` is that of unpacked to packed bytes."""

    bytes: int = 4 << 30
    files: int = 100_000
    ratio: int = 200


# What `zipfile` raises for names and offsets that make no sense, besides errors of its own.
_DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    ValueError,
    IndexError,
    OverflowError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
)
# Faults of the ZIP file and not of the machine: a place before its beginning, a name that no file
# can have, a file and a folder of one name; None is what bz2 raises.
_OF_THE_FILE = {None, errno.EINVAL, errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR}
# Small files of blanks pack well and do no harm.
_HARMLESS = 16 << 20
_DEEPEST = 100
"""Folders inside one another: a name of two thousand would be so many folders on the disk."""


def unpack(
    file: Path, folder: Path, bounds: ArchiveBounds | None = None, name: str | None = None
) -> list[Path]:
    """Unpack a ZIP file below a folder; faults call it by ``name`` if that is not None.

    The declared sizes are checked first and the actual ones while unpacking, so that a file that
    declares wrong sizes is caught as well.
    """
    bounds, name = bounds or ArchiveBounds(), name or str(file)
    try:
        with zipfile.ZipFile(file) as packed:
            entries = [entry for entry in packed.infolist() if not entry.is_dir()]
            _check(name, file, entries, bounds)
            return _extract(name, file, packed, entries, folder, bounds)
    except NotImplementedError:
        fault = "cannot be unpacked: its kind of compression is not supported; pack it again as ZIP"
        raise ReadError(name, None, fault) from None
    except RuntimeError:
        fault = "cannot be unpacked: it is protected by a password; pack it again without one"
        raise ReadError(name, None, fault) from None
    except _DAMAGE:
        raise _damaged(name) from None
    except OSError as error:
        if error.errno not in _OF_THE_FILE:
            raise
        raise _damaged(name) from None


def _damaged(name: str) -> ReadError:
    return ReadError(name, None, "cannot be unpacked: the ZIP file is damaged; pack it again")


def _check(name: str, file: Path, entries: list[zipfile.ZipInfo], bounds: ArchiveBounds) -> None:
    if len(entries) > bounds.files:
        raise ReadError(name, None, f"holds more than {bounds.files:,} files; unpack it yourself")
    paths = set[PurePosixPath]()
    for entry in entries:
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise NotImplementedError
        if not _is_safe(entry):
            raise ReadError(
                name,
                None,
                f"holds '{entry.filename}', which would be written outside its folder or is a "
                "link; pack it again",
            )
        path = PurePosixPath(entry.filename)
        if path in paths:
            raise ReadError(name, None, f"holds '{path}' twice; unpack it yourself")
        if len(path.parts) > _DEEPEST:
            fault = f"holds folders more than {_DEEPEST:,} deep; unpack it yourself"
            raise ReadError(name, None, fault)
        paths.add(path)
    _check_size(name, file, sum(entry.file_size for entry in entries), bounds)


def _is_safe(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename
    path = PurePosixPath(name)
    is_link = stat.S_ISLNK(entry.external_attr >> 16)
    # Windows names (C:x, a\\b) mean other things elsewhere; documents do not need them.
    is_odd = "\\" in name or ":" in name or "\0" in name
    return not (path.is_absolute() or ".." in path.parts or is_link or is_odd or not path.parts)


def _check_size(name: str, file: Path, unpacked: int, bounds: ArchiveBounds) -> None:
    most = min(bounds.bytes, max(_HARMLESS, bounds.ratio * file.stat().st_size))
    if unpacked > most:
        raise ReadError(
            name,
            None,
            f"unpacks to more than {most / 1e6:,.0f} MB, which looks like a trap; unpack it "
            "yourself",
        )


def _extract(
    name: str,
    file: Path,
    packed: zipfile.ZipFile,
    entries: list[zipfile.ZipInfo],
    folder: Path,
    bounds: ArchiveBounds,
) -> list[Path]:
    written, total = [], 0
    for entry in entries:
        target = folder.joinpath(*PurePosixPath(entry.filename).parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(entry) as source, open(target, "wb") as out:
            while piece := source.read(1 << 20):
                total += len(piece)
                _check_size(name, file, total, bounds)
                out.write(piece)
        written.append(target)
    return written
