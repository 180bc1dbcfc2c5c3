"""Files elsewhere: ``s3://``, ``gs://``, ``hf://``, ``https://``, ``memory://``, by fsspec.

A `RemotePath` offers the few things that a `pathlib.Path` is asked for, so that readers and writers
need not know where a file lies. It is no ``os.PathLike``: what hands it to the system fails at once
instead of looking for a local file of that name.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from twinset.errors import TwinsetError
from twinset.system.schemes import WEB, connect, masked

# A letter and more: "c:" is a drive.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z0-9+.-]+)*://")
_VERSIONS = ("ETag", "etag", "VersionId", "generation", "md5Hash", "blob_id", "Content-MD5")
_TIMES = (
    "LastModified",
    "last_modified",
    "mtime",
    "modified",
    "updated",
    "Last-Modified",
    "created",
)
BLOCK = 8 << 20
"""Bytes that are fetched, or sent, at a time."""


def is_remote(name: object) -> bool:
    """Whether a name is an address, such as ``s3://bucket/corpus.jsonl``."""
    return isinstance(name, RemotePath) or (
        isinstance(name, str) and _ADDRESS.match(name) is not None
    )


class RemoteStatus(NamedTuple):
    """What is known of a file elsewhere before it is read.

    ``bytes`` is None where a web server does not say, ``modified`` (nanoseconds since 1970) zero
    and ``version`` empty where it is not known.
    """

    is_folder: bool
    bytes: int | None
    modified: int
    version: str

    @classmethod
    def of(cls, info: dict[str, Any]) -> RemoteStatus:
        """The same of every system, which call it by different names."""
        size = info.get("size")
        version = next((str(info[name]) for name in _VERSIONS if info.get(name)), "")
        modified = next((info[name] for name in _TIMES if info.get(name)), 0)
        is_folder = info.get("type") == "directory"
        return cls(is_folder, None if size is None else int(size), _nanoseconds(modified), version)

    def is_same(self, other: RemoteStatus) -> bool:
        """Whether the file has not changed, as far as its system can tell."""
        by_version = self.version == other.version if self.version else self[2] == other[2]
        return self.bytes == other.bytes and by_version


def _nanoseconds(time: Any) -> int:
    """A time in whatever form a system gives it: seconds, ISO 8601, that of HTTP, an object."""
    try:
        if isinstance(time, str):
            from email.utils import parsedate_to_datetime

            is_iso = time[:1].isdigit()
            time = (
                datetime.fromisoformat(time.replace("Z", "+00:00"))
                if is_iso
                else parsedate_to_datetime(time)
            )
        seconds = time.timestamp() if isinstance(time, datetime) else float(time)
    except (TypeError, ValueError):
        return 0
    return round(seconds * 1e9)


@dataclass(frozen=True)
class RemotePath:
    """A file or folder of a file system elsewhere; ``path`` is its name there.

    ``info`` is what its system has said of it, empty while it was not asked.
    """

    scheme: str
    path: str
    system: Any = field(repr=False, compare=False)
    info: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, address: str) -> RemotePath:
        """The place that an address names; raises where the package for its kind is missing."""
        scheme = address.partition("://")[0]
        system, path = connect(address)
        return cls(scheme, path.rstrip("/") or path, system)

    def __str__(self) -> str:
        address = str(self.system.unstrip_protocol(self.path))
        return masked(address.replace("memory:///", "memory://", 1))

    @property
    def name(self) -> str:
        """The last part of the path; of a web address without its query."""
        path = self.path
        if self.scheme in WEB:
            path = re.split(r"[?#]", path, maxsplit=1)[0]
        return PurePosixPath(path).name

    @property
    def suffix(self) -> str:
        """The ending of the name, with its dot."""
        return PurePosixPath(self.name).suffix

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return PurePosixPath(self.name).stem

    def absolute(self) -> RemotePath:
        """Itself: an address depends on no folder."""
        return self

    @property
    def parent(self) -> RemotePath:
        """The folder that it lies in."""
        return self._at(self.path.rpartition("/")[0])

    def __truediv__(self, below: str | Path | PurePosixPath) -> RemotePath:
        below = below if isinstance(below, str) else below.as_posix()
        return self._at(f"{self.path.rstrip('/')}/{below}")

    def with_name(self, name: str) -> RemotePath:
        """Another file of the same folder."""
        return self.parent / name

    def relative_to(self, folder: RemotePath) -> PurePosixPath:
        """The path below a folder."""
        return PurePosixPath(self.path).relative_to(PurePosixPath(folder.path))

    def _at(self, path: str) -> RemotePath:
        return RemotePath(self.scheme, path, self.system)

    def status(self, fresh: bool = False) -> RemoteStatus:
        """What its system says of the file; asked once unless a ``fresh`` answer is needed."""
        if fresh or not self.info:
            info = self._asked(fresh)
            self.info.clear()
            self.info.update(info)
        return RemoteStatus.of(self.info)

    def _asked(self, fresh: bool) -> dict[str, Any]:
        from twinset.system.remote_faults import patiently

        def answered() -> dict[str, Any]:
            with reported(self):
                if fresh:
                    self.system.invalidate_cache(self.path)
                return dict(self.system.info(self.path))

        return patiently(answered, unless=errno.EHOSTUNREACH)

    def files_below(self) -> list[RemotePath]:
        """The files of a folder and of those in it, with what is known of them."""
        with reported(self):
            entries = self.system.find(self.path, detail=True)
        return self._listed(entries)

    def matches(self) -> list[RemotePath]:
        """Files and folders whose paths match this one as a pattern."""
        with reported(self):
            entries = self.system.glob(self.path, detail=True)
        return self._listed(entries)

    def _listed(self, entries: dict[str, dict[str, Any]]) -> list[RemotePath]:
        return [
            RemotePath(self.scheme, path.rstrip("/"), self.system, dict(info))
            for path, info in entries.items()
        ]

    def exists(self) -> bool:
        """Whether there is a file or a folder of this name."""
        with reported(self):
            return bool(self.system.exists(self.path))

    def is_file(self) -> bool:
        """Whether it is a file."""
        with reported(self):
            return bool(self.system.isfile(self.path))

    def is_dir(self) -> bool:
        """Whether files lie below it."""
        with reported(self):
            return bool(self.system.isdir(self.path))

    def mkdir(self, parents: bool = True, exist_ok: bool = True) -> None:
        """Make the folder where the system has folders; object stores have none."""
        with reported(self):
            self.system.makedirs(self.path, exist_ok=exist_ok)

    def open(self, mode: str = "rb") -> IO[bytes]:
        """The file, fetched or sent block by block; what is sent appears when it is closed."""
        with reported(self):
            file: IO[bytes] = self.system.open(self.path, mode, block_size=BLOCK)
            return file

    def read_bytes(self) -> bytes:
        """All bytes of the file."""
        with reported(self):
            return bytes(self.system.cat_file(self.path))

    def write_bytes(self, data: bytes) -> None:
        """A file with these bytes, whole or not at all."""
        with reported(self):
            self.system.pipe_file(self.path, data)


Place = Path | RemotePath
"""Where a file or folder lies: on this machine or elsewhere."""


@contextmanager
def reported(path: RemotePath) -> Iterator[None]:
    """Turn what the packages of file systems raise into `OSError` with the address and a sentence.

    What `explained` has made of it before stays as it is.
    """
    try:
        yield
    except TwinsetError:
        raise
    except Exception as fault:
        if isinstance(fault, OSError) and is_remote(fault.filename):
            raise
        from twinset.system.remote_faults import explained

        raise explained(fault, str(path)) from fault


def place_of(name: str | os.PathLike[str] | RemotePath) -> Place:
    """The place that a name stands for: an address, or a path of this machine."""
    if isinstance(name, RemotePath):
        return name
    return RemotePath.of(name) if isinstance(name, str) and is_remote(name) else Path(name)


class Address(str):
    """The name of a place elsewhere that nobody has looked at; also in a list it is no text."""


def path_or_address(name: str) -> Path | Address:
    """A name of the command line, which is not opened yet: whether it may be is asked first."""
    return Address(name) if is_remote(name) else Path(name)


def is_address(item: object) -> bool:
    """Whether an item of a list is a place elsewhere and no text: it is one word."""
    return is_remote(item) and (type(item) is not str or len(item.split()) == 1)
