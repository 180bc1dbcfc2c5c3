"""What made collections are made of: documentation packages of three releases of Debian.

`packages.csv` names every package file with its digest, so that a collection is the same wherever
it is made. `fetch` gets them once into the folder of the collections; `files` opens one.

    python -m judging.material          (in benchmarks/) fetches what is missing
"""

from __future__ import annotations

import csv
import functools
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path.home() / ".cache" / "twinset-judging"
LIST = Path(__file__).with_name("packages.csv")
# The second keeps what the first has dropped when a release was updated.
SERVERS = (
    "http://deb.debian.org/debian",
    "http://snapshot.debian.org/archive/debian/20261101T000000Z",
)


class MissingError(Exception):
    """Material that is not at hand; the message says what to get."""


@functools.cache
def listed() -> dict[tuple[str, str], tuple[str, str]]:
    """Where the file of a package of a release is on a server, and its SHA-256."""
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {(release, package): (path, digest) for release, package, path, digest in rows}


def fetch() -> int:
    """Download the packages that are missing; the number of those that cannot be had."""
    failed = 0
    for number, ((release, package), (path, digest)) in enumerate(listed().items(), 1):
        target = _stored(release, package)
        if target.is_file():
            continue
        print(f"{number} of {len(listed())}: {release} {package}", file=sys.stderr)
        content = _download(path)
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            print(f"  no server has {path} with the digest of {LIST.name}", file=sys.stderr)
            failed += 1
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.rename(target)
    return failed


def files(release: str, package: str, pattern: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the plain files of a package whose path matches, in order of names."""
    stored = _stored(release, package)
    if not stored.is_file():
        raise MissingError(
            f"there is no {stored}; run `python -m judging.material` in benchmarks/, which "
            "downloads the packages of Debian that the made collections are made of"
        )
    wanted = re.compile(pattern)
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(_data_of(stored.read_bytes()))) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if member.isfile() and wanted.search(name):
                file = archive.extractfile(member)
                texts[name] = _text(name, file.read() if file else b"")
    yield from sorted(texts.items())


def packages(release: str, pattern: str) -> list[str]:
    return sorted(
        package for known, package in listed() if known == release and re.search(pattern, package)
    )


def _stored(release: str, package: str) -> Path:
    return FOLDER / "packages" / release / f"{package}.deb"


def _download(path: str) -> bytes | None:
    for server in SERVERS:
        try:
            with urllib.request.urlopen(f"{server}/{path}", timeout=60) as answer:
                content: bytes = answer.read()
                return content
        except (urllib.error.URLError, OSError):
            continue
    return None


def _data_of(package: bytes) -> bytes:
    """The archive of a package's files: a .deb is an ar archive with a header of 60 bytes each."""
    place = len(b"!<arch>\n")
    while place < len(package):
        name, size = package[place : place + 16], int(package[place + 48 : place + 58])
        if name.startswith(b"data.tar"):
            return package[place + 60 : place + 60 + size]
        place += 60 + size + size % 2
    raise MissingError("a package without files; remove it and fetch it again")


def _text(name: str, content: bytes) -> str:
    if name.endswith((".gz", ".dz")):
        content = gzip.decompress(content)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


if __name__ == "__main__":
    sys.exit(1 if fetch() else 0)
