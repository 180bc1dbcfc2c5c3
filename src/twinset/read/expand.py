"""From what the user names (files, globs, folders, ``-``) to sources, before they are read."""

from __future__ import annotations

import glob
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from twinset.bounded import lies_within, open_regular
from twinset.errors import ReadError
from twinset.plan import OnError
from twinset.read.detect import HEAD, detect, named_as_text
from twinset.read.faults import Faults
from twinset.read.source import Source


@dataclass
class Expansion:
    """The sources in reading order, faults met on the way, and files to delete afterwards.

    Where ``within`` names folders, nothing is taken that lies outside them, links resolved. Pipes
    and devices are taken where the user has named them (not ``regular``), never on another's word.
    """

    faults: Faults
    within: tuple[Path, ...] = ()
    regular: bool = False
    sources: list[Source] = field(default_factory=list)
    spools: list[IO[bytes]] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def add_input(self, given: str) -> None:
        """One input as the user named it; a path that exists is never taken for a pattern."""
        if given == "-":
            self._add_spooled("stdin", sys.stdin.buffer)
        elif self._leads_out(Path(given)):
            pass
        elif os.path.isdir(given):
            self._add_folder(Path(given))
        elif os.path.lexists(given):
            self._add_file(Path(given), given)
        elif glob.has_magic(given):
            self._add_pattern(given)
        else:
            near = Path(given).parent
            hint = f"; '{near}' does not exist either" if not near.exists() else ""
            raise ReadError(given, None, f"there is no such file or folder{hint}; check the path")

    def _add_pattern(self, pattern: str) -> None:
        found = sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise ReadError(
                pattern, None, "no file matches this pattern; check it, or quote it less"
            )
        for path in found:
            if self._leads_out(Path(path)):
                continue
            if os.path.isdir(path):
                if "**" not in pattern:
                    self._add_folder(Path(path))
            else:
                self._add_file(Path(path), path)

    def _add_file(self, path: Path, name: str) -> None:
        try:
            status = path.stat()
        except OSError as fault:
            self._unreadable(name, fault)
            return
        if not stat.S_ISREG(status.st_mode) and (self.regular or self.within):
            self.faults.add(None, "irregular", "is not a regular file and is not read", name)
        elif not stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                self._add_spooled(name, file)
        elif self._is_new(status):
            self.sources.append(self._source(path, name, status.st_size))

    def _add_spooled(self, name: str, file: IO[bytes]) -> None:
        """A pipe can be read once only; a second pass needs its bytes in a file."""
        spool = tempfile.NamedTemporaryFile(prefix="twinset-", suffix=".spool")  # noqa: SIM115
        while piece := file.read(1 << 20):
            spool.write(piece)
        spool.flush()
        self.spools.append(spool)
        path = Path(spool.name)
        reader, packing = detect(Path(name), head_of(path))
        self.sources.append(Source(path, name, reader, packing, path.stat().st_size, is_spool=True))

    def _add_folder(self, folder: Path) -> None:
        """Its plain documents as one source, then its files of records, each sorted by path."""
        plain: list[Path] = []
        plain_bytes = 0
        records: list[Source] = []
        for path in self._walk(folder, ()):
            try:
                status = path.stat()
            except OSError as fault:
                self._unreadable(str(path), fault)
                continue
            if not stat.S_ISREG(status.st_mode) or not self._is_new(status):
                continue
            source = None if named_as_text(path) else self._source(path, str(path), status.st_size)
            if source and source.reader != "files":
                records.append(source)
            else:
                plain.append(path)
                plain_bytes += status.st_size
        if plain:
            self.sources.append(
                Source(folder, str(folder), "files", None, plain_bytes, tuple(plain))
            )
        self.sources += records
        if not plain and not records:
            self.faults.add(None, "missing", "the folder holds no files", str(folder))

    def _walk(self, folder: Path, above: tuple[tuple[int, int], ...]) -> Iterator[Path]:
        """The files below a folder, sorted by path; hidden ones are passed over, loops reported."""
        try:
            status = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as fault:
            self._unreadable(str(folder), fault)
            return
        mark = (status.st_dev, status.st_ino)
        if mark in above:
            self.faults.add(None, "loop", "the folder contains itself through a link", str(folder))
            return
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_symlink() and self._leads_out(Path(entry.path)):
                continue
            if entry.is_dir():
                yield from self._walk(Path(entry.path), (*above, mark))
            else:
                yield Path(entry.path)

    def _source(self, path: Path, name: str, size: int) -> Source:
        try:
            head = head_of(path)
        except OSError:
            head = b""  # the reader will meet the same fault and tell it
        reader, packing = detect(path, head)
        return Source(path, name, reader, packing, size)

    def _is_new(self, status: os.stat_result) -> bool:
        """False for a file that an earlier input has named already."""
        mark = (status.st_dev, status.st_ino)
        if mark in self._seen:
            return False
        self._seen.add(mark)
        return True

    def _leads_out(self, path: Path) -> bool:
        """Whether a path is out of bounds, which is told as a fault."""
        if not self.within:
            return False
        is_out = not lies_within(path.resolve(), self.within)
        if is_out:
            self.faults.add(None, "outside", "leads out of the folders it must lie in", str(path))
        return is_out

    def _unreadable(self, name: str, fault: OSError) -> None:
        self.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})", name)


def head_of(path: Path) -> bytes:
    """The first bytes of a file."""
    with open_regular(path) as file:
        return file.read(HEAD)


def expand(
    inputs: Sequence[str | os.PathLike[str]],
    on_error: OnError,
    within: Sequence[str] = (),
    regular: bool = False,
) -> Expansion:
    """The sources that the inputs name; a path that is not there is an error at once."""
    if not inputs:
        raise ReadError("input", None, "no input is given; name files, folders or - for stdin")
    bounds = tuple(Path(folder).resolve() for folder in within)
    expansion = Expansion(Faults("input", on_error), bounds, regular)
    for given in inputs:
        expansion.add_input(os.fspath(given))
    return expansion
