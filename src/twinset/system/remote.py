"""Files elsewhere: ``s3://``, ``gs://``, ``hf://``, ``https://``, ``memory://``, by fsspec.

A `RemotePath` offers the few things that a `pathlib.Path` is asked for, so that readers and writers
need not know where a file lies. It is no ``os.PathLike``: what hands it to the system fails at once
instead of looking for a local file of that name.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from twinset.errors import MissingExtraError

# A letter and more: "c:" is a drive.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z0-9+.-]+)*://")
BLOCK = 8 << 20
"""Bytes that are fetched, or sent, at a time."""


def is_remote(name: object) -> bool:
    """Whether a name is an address, such as ``s3://bucket/corpus.jsonl``."""
    return isinstance(name, RemotePath) or (
        isinstance(name, str) and _ADDRESS.match(name) is not None
    )


@dataclass(frozen=True)
class RemotePath:
    """A file or folder of a file system elsewhere; ``path`` is its name there."""

    scheme: str
    path: str
    system: Any = field(repr=False, compare=False)

    @classmethod
    def of(cls, address: str) -> RemotePath:
        """The place that an address names; raises where the package for its kind is missing."""
        scheme = address.partition("://")[0]
        system, path = _system(scheme, address)
        return cls(scheme, path.rstrip("/") or path, system)

    def __str__(self) -> str:
        return str(self.system.unstrip_protocol(self.path))

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def suffix(self) -> str:
        """The ending of the name, with its dot."""
        return PurePosixPath(self.path).suffix

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
"""A file or folder, here or elsewhere."""


@contextmanager
def reported(path: RemotePath) -> Iterator[None]:
    """Turn what the packages of file systems raise into `OSError` with the address and a sentence.

    They raise what they like: errors of HTTP clients, of clouds, of sockets.
    """
    try:
        yield
    except OSError as fault:
        if fault.filename is None:
            fault.filename = str(path)
        raise
    except Exception as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise OSError(errno.EIO, f"{type(fault).__name__}: {reason}", str(path)) from fault


def _system(scheme: str, address: str) -> tuple[Any, str]:
    """The file system of an address and the path there."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(f"fsspec, which reaches {scheme}:// addresses,", "remote") from None
    system, path = fsspec.core.url_to_fs(address)
    return system, path
