"""Files elsewhere: ``s3://``, ``gs://``, ``hf://``, ``https://``, ``memory://``, by fsspec.

A `RemotePath` offers the few things that a `pathlib.Path` is asked for, so that readers and writers
need not know where a file lies. It is no ``os.PathLike``: what hands it to the system fails at once
instead of looking for a local file of that name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from twinset.errors import EXTRAS, TwinsetError, did_you_mean, remedy
from twinset.system.remote_faults import explained

# A letter and more: "c:" is a drive.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z0-9+.-]+)*://")
_PACKAGES = {"s3": "s3", "s3a": "s3", "hf": "hf", "http": "remote", "https": "remote"}
# What fsspec's table of classes does not say: the package where the class is fsspec's own.
_NEEDED = {"sftp": "paramiko", "ssh": "paramiko", "smb": "smbprotocol", "git": "pygit2"}
_USUAL = "s3://, gs://, az://, hf://, https://, sftp://"
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
        """The last part of the path; of a web address without its query."""
        path = self.path
        if self.scheme in ("http", "https"):
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

    What `explained` has told once stays as it is.
    """
    try:
        yield
    except TwinsetError:
        raise
    except Exception as fault:
        if isinstance(fault, OSError) and is_remote(fault.filename):
            raise
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


def _system(scheme: str, address: str) -> tuple[Any, str]:
    """The file system of an address and the path there."""
    try:
        import fsspec
    except ImportError:
        raise TwinsetError(f"{address}: fsspec is not installed: {remedy('remote')}") from None
    if "::" in address:
        raise TwinsetError(f"{address}: addresses inside addresses (::) are not taken; name one")
    _ensure_known(scheme, address, fsspec.available_protocols())
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as fault:
        raise TwinsetError(f"{address}: {_missing(scheme, str(fault))}") from None
    except ValueError as fault:
        raise TwinsetError(f"{address}: is no address of a file: {fault}") from None
    # Systems are kept by fsspec with their listings, which an earlier run may have filled.
    system.invalidate_cache()
    return system, path


def _ensure_known(scheme: str, address: str, known: list[str]) -> None:
    if scheme in known:
        return
    meant = did_you_mean(scheme, known, form="{}://")
    raise TwinsetError(
        f"{address}: there is no kind of address '{scheme}'; {meant}Common ones are {_USUAL}; a "
        "path of this machine has no ://"
    )


def _missing(scheme: str, reason: str) -> str:
    """Which package is missing and the command that installs it."""
    if extra := _PACKAGES.get(scheme):
        wanting = [package.partition(">=")[0] for package in EXTRAS[extra]]
        return f"{wanting[-1]} is not installed: {remedy(extra)}"
    from fsspec.registry import known_implementations

    package = known_implementations[scheme]["class"].partition(".")[0]
    package = _NEEDED.get(scheme, package)
    if package == "fsspec":
        return f"a package is missing: {reason}"
    return f"{package} is not installed: pip install '{package}'"
