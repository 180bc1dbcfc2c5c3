"""From what the user names (files, globs, folders, ``-``) to sources, before they are read.

Two kinds of files are passed over when a folder is walked: what twinset has written there (a
report with its copies of documents, a truth, a log), and lists about documents, such as pairs or
clusters. A file that is named as an input is read whatever it is. Addresses of files elsewhere are
walked by `twinset.reading.elsewhere`.
"""

from __future__ import annotations

import dataclasses
import glob
import os
import stat
import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from twinset.errors import MissingFileError, ReadError
from twinset.plan import ReadOptions
from twinset.reading.compression import HEAD
from twinset.reading.faults import Faults
from twinset.reading.formats import detect, named_as_text, suffix_of
from twinset.reading.ledger import FileStates
from twinset.reading.source import LocalFiles, Source
from twinset.reading.walked import (
    PassedOver,
    WalkedFile,
    documents_of,
    is_hidden,
    is_list,
    refuse_report,
)
from twinset.system.bounded import lies_within
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath, is_remote
from twinset.system.schemes import masked
from twinset.system.temporary import TemporaryFile


@dataclass
class InputSources:
    """The sources in reading order, faults met on the way, and files to delete afterwards.

    ``passed_over`` lists what is not read for a reason that is no fault: further names of files
    that are read, sockets, pipes and devices inside folders, hidden files, lists of documents, what
    twinset has written. Where ``within`` names folders, nothing outside them is read, links
    resolved. Pipes and devices are read only where the user has named them (not ``regular``).
    ``text`` is the column of texts, by which a table is known from a list. With ``each_file`` every
    file is a document, whatever its format, also further hard links of one.
    """

    faults: Faults
    within: tuple[Path, ...] = ()
    text: str = "text"
    regular: bool = False
    each_file: bool = False
    threads: int = 1
    sources: list[Source] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)
    spools: list[TemporaryFile] = field(default_factory=list)
    _seen: set[Hashable] = field(default_factory=set)
    _heads: dict[RemotePath, bytes] = field(default_factory=dict)

    def add_input(self, name: str) -> None:
        """One input as the user named it; a path that exists is never read as a pattern."""
        if name == "-" and name in self._seen:
            self.passed_over.append(PassedOver(name, "named_twice"))
        elif name == "-":
            self._seen.add(name)
            self._add_spooled("stdin", sys.stdin.buffer)
        elif is_remote(name):
            self._add_address(name)
        elif self._leads_out(Path(name)):
            pass
        elif os.path.isdir(name):
            refuse_report(Path(name))
            self._add_folder(Path(name))
        elif os.path.lexists(name):
            self._add_file(Path(name), name)
        elif glob.has_magic(name):
            self._add_pattern(name)
        else:
            parent = Path(name).parent
            hint = "" if parent.exists() else f"'{parent}' does not exist either; "
            raise MissingFileError(name, "file or folder", f"{hint}check the path")

    def _add_address(self, name: str) -> None:
        if self.within:
            self.faults.add(None, "outside", "addresses are not read here", masked(name))
            return
        try:
            from twinset.reading.elsewhere import matching, place_at

            place, pattern, name = place_at(name), name, masked(name)
            if place is None:
                self._add_places(matching(pattern), with_folders="**" not in pattern)
            elif place.status().is_folder:
                refuse_report(place)
                self._add_folder(place)
            else:
                self._add_regular(WalkedFile.elsewhere(place), name)
        except OSError as fault:
            self._unreadable(masked(name), fault)

    def _add_places(self, places: list[RemotePath], with_folders: bool) -> None:
        from twinset.reading.elsewhere import heads

        self._heads = heads(place for place in places if not place.status().is_folder)
        for place in places:
            if not place.status().is_folder:
                self._add_regular(WalkedFile.elsewhere(place), str(place))
            elif with_folders:
                self._add_folder(place)

    def _add_pattern(self, pattern: str) -> None:
        paths = sorted(glob.glob(pattern, recursive=True))
        if not paths:
            raise MissingFileError(pattern, "file", "nothing matches this pattern: check it")
        for path in paths:
            if self._leads_out(Path(path)):
                continue
            if os.path.isdir(path):
                if "**" not in pattern:
                    self._add_folder(Path(path))
            elif os.path.exists(path) and not os.path.isfile(path):
                # A pipe is read only where it is named: opening it would wait for a writer.
                self.passed_over.append(PassedOver(path, "special_files"))
            else:
                self._add_file(Path(path), path)

    def _add_file(self, path: Path, name: str) -> None:
        try:
            status = path.stat()
        except OSError as fault:
            self._unreadable(name, fault)
            return
        if stat.S_ISREG(status.st_mode):
            self._add_regular(WalkedFile.here(str(path), status), name)
        elif self.regular or self.within:
            self.faults.add(None, "irregular", "is not a regular file and is not read", name)
        elif stat.S_ISFIFO(status.st_mode):
            with open(path, "rb") as file:
                self._add_spooled(name, file)
        else:  # a device may never end
            detail = "is a device or a socket; name a file, a folder or a pipe"
            self.faults.add(None, "unreadable", detail, name)

    def _add_regular(self, file: WalkedFile, name: str) -> None:
        if file.mark in self._seen:
            self.passed_over.append(PassedOver(name, "named_twice"))
        else:
            self._seen.add(file.mark)
            self.sources.append(self._source(file, name))

    def _add_spooled(self, name: str, file: IO[bytes]) -> None:
        """A pipe can be read once only; a second pass needs its bytes in a file."""
        spool = TemporaryFile()
        self.spools.append(spool)
        path = spool.path
        with open(path, "wb") as out:
            while piece := file.read(1 << 20):
                out.write(piece)
        reader, packing = detect(Path(name), head_of(path))
        self.sources.append(Source(path, name, reader, packing, path.stat().st_size, is_spool=True))

    def _add_folder(self, folder: Place) -> None:
        """Its plain documents as one source, then its files of records, each sorted by path."""
        earlier = len(self.passed_over)
        from twinset.reading.signatures import ONE_DOCUMENT

        plain: list[WalkedFile] = []
        records: list[Source] = []
        for file in self._chosen(self._walked(folder)):
            # No hidden file comes here, so that what follows the last dot is the suffix, or that of
            # a packing: `suffix_of` took a fifth of the time of this walk.
            path = file.path
            tail = path[path.rfind(".") :].lower() if isinstance(path, str) else ""
            if self.each_file or tail in ONE_DOCUMENT or suffix_of(path) in ONE_DOCUMENT:
                plain.append(file)
                continue
            source = self._source(file, str(file.path))
            if source.reader in ("csv", "tsv") and is_list(self._head(file.place), self.text):
                self.passed_over.append(PassedOver(str(file.path), "lists_of_documents"))
            elif source.reader != "files":
                records.append(source)
            else:
                plain.append(file)
        if plain:
            self.sources.append(_source_of_files(folder, plain))
        self.sources += records
        if not plain and not records:
            detail, remedy = "the folder holds no files", "name a folder that holds documents"
            if any(file.reason == "own_files" for file in self.passed_over[earlier:]):
                detail += " but those that twinset has written"
                remedy = "name the report, or the folder in it, of which the documents are wanted"
            self.faults.add(None, "no-files", detail, str(folder), remedy)

    def _chosen(self, files: Sequence[WalkedFile]) -> Iterator[WalkedFile]:
        """The files of a folder that are read: each once, by its own name and not by a link's."""
        own = {file.mark for file in files if not file.is_linked}
        below: set[Hashable] = set()
        for file in files:
            reason = None
            if not file.is_regular:
                reason = "special_files"
            elif file.is_linked and (file.mark in own or file.mark in below):
                reason = "links_not_followed"
            elif file.mark in below:
                reason = None if self.each_file else "hard_links"
            elif file.mark in self._seen:
                reason = "named_twice"
            if reason is None:
                below.add(file.mark)
                yield file
            else:
                self.passed_over.append(PassedOver(str(file.path), reason))
        self._seen |= below

    def _walked(self, folder: Place) -> list[WalkedFile]:
        files: list[WalkedFile] = []
        if not isinstance(folder, RemotePath):
            self._walk(folder, (), files)
            return files
        from twinset.reading.elsewhere import heads, walk

        files += walk(folder, self.passed_over)
        remote = (file.path for file in files if isinstance(file.path, RemotePath))
        if not self.each_file:
            self._heads = heads(path for path in remote if not named_as_text(path))
        return files

    def _walk(
        self,
        folder: Path,
        above: tuple[tuple[int, int], ...],
        files: list[WalkedFile],
        is_linked: bool = False,
    ) -> None:
        """Adds the files below, sorted by path; hidden ones are passed over, loops reported."""
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
        documents = documents_of(folder, {entry.name for entry in entries}, is_input=not above)
        above_name = os.path.join("" if str(folder) == os.curdir else folder, "")
        for entry in entries:
            path = above_name + entry.name
            if is_hidden(entry.name):
                self.passed_over.append(PassedOver(path, "hidden_files"))
                continue
            if documents is not None and entry.name not in documents:
                self.passed_over.append(PassedOver(path, "own_files"))
                continue
            if (is_link := entry.is_symlink()) and self._leads_out(Path(path)):
                continue
            try:
                status = entry.stat()
            except OSError as fault:  # a link that leads nowhere, or to itself
                self._unreadable(path, fault)
                continue
            if stat.S_ISDIR(status.st_mode):
                self._walk(Path(path), (*above, mark), files, is_linked or is_link)
            else:
                files.append(WalkedFile.here(path, status, is_linked or is_link))

    def _source(self, file: WalkedFile, name: str) -> Source:
        place = file.place
        reader, packing = detect(place, self._head(place))
        if self.each_file:
            reader, packing = "files", None
        states = _states_of([file] if reader == "files" else [])
        return Source(place, name, reader, packing, file.bytes, states=states)

    def _head(self, path: Place) -> bytes:
        if isinstance(path, RemotePath) and path in self._heads:
            return self._heads[path]
        try:
            return head_of(path)
        except OSError:
            return b""  # the reader will meet the same fault and report it

    def _leads_out(self, path: Path) -> bool:
        """Whether a path is out of bounds, which is reported as a fault."""
        if not self.within:
            return False
        # Path.resolve raises at a link to itself
        is_out = not lies_within(Path(os.path.realpath(path)), self.within)
        if is_out:
            self.faults.add(None, "outside", "leads out of the folders it must lie in", str(path))
        return is_out

    def _unreadable(self, name: str, fault: OSError) -> None:
        self.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})", name)


def _source_of_files(folder: Place, files: Sequence[WalkedFile]) -> Source:
    """The plain documents of a folder as one source."""
    names = tuple(file.path for file in files if isinstance(file.path, str))
    paths = LocalFiles(names) if names else tuple(file.place for file in files)
    states = _states_of(files)
    return Source(folder, str(folder), "files", None, int(states.bytes.sum()), paths, states=states)


def _states_of(files: Sequence[WalkedFile]) -> FileStates:
    sizes = np.array([file.bytes or 0 for file in files], np.int64)
    return FileStates(sizes, np.array([file.modified for file in files], np.int64))


def head_of(path: Place) -> bytes:
    """The first bytes of a file."""
    with open_place(path) as file:
        return file.read(HEAD)


def expand(
    inputs: Sequence[str | os.PathLike[str]],
    options: ReadOptions,
    regular: bool = False,
    threads: int = 1,
) -> InputSources:
    """The sources that the inputs name; a path that is not there is an error at once."""
    if not inputs:
        raise ReadError("input", None, "no input is given; name files, folders or - for stdin")
    bounds = tuple(Path(folder).resolve() for folder in options.within)
    faults = Faults("input", options.on_error)
    expansion = InputSources(faults, bounds, options.text, regular, options.each_file, threads)
    # First, so that a reference inside an input is one.
    for folder in options.reference:
        expansion.add_input(folder)
    sources = expansion.sources
    sources[:] = [dataclasses.replace(source, is_reference=True) for source in sources]
    for name in inputs:
        expansion.add_input(os.fspath(name))
    return expansion
