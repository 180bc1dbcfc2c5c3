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
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from twinset.errors import MissingFileError, ReadError
from twinset.plan import ReadOptions
from twinset.reading.compression import HEAD
from twinset.reading.faults import Faults
from twinset.reading.formats import are_named_as_text, detect, named_as_text
from twinset.reading.ledger import FileStates
from twinset.reading.source import LocalFiles, Source
from twinset.reading.walked import (
    FOLDER,
    FolderEntries,
    PassedOver,
    WalkedFile,
    WalkedFiles,
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
    _seen_before: list[WalkedFiles] = field(default_factory=list)
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
        elif stat.S_ISFIFO(status.st_mode) or _is_terminal(path, status):
            with open(path, "rb") as file:
                self._add_spooled(name, file)
        else:  # a device may never end
            detail = "is a device or a socket; name a file, a folder or a pipe"
            self.faults.add(None, "unreadable", detail, name)

    def _add_regular(self, file: WalkedFile, name: str) -> None:
        self._recall()
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
        files = self._chosen(self._walked(folder))
        is_plain = [True] * len(files) if self.each_file else _are_named_as_text(files)
        plain: list[int] = []
        records: list[Source] = []
        for row in range(len(files)):
            if is_plain[row]:
                plain.append(row)
                continue
            file = files[row]
            source = self._source(file, str(file.path))
            if source.reader in ("csv", "tsv") and self._is_list(file.place):
                self.passed_over.append(PassedOver(str(file.path), "lists_of_documents"))
            elif source.reader != "files":
                records.append(source)
            else:
                plain.append(row)
        if plain:
            self.sources.append(_source_of_files(folder, _taken(files, plain)))
        self.sources += records
        if not plain and not records:
            detail, remedy = "the folder holds no files", "name a folder that holds documents"
            if any(file.reason == "own_files" for file in self.passed_over[earlier:]):
                detail += " but those that twinset has written"
                remedy = "name the report, or the folder in it, of which the documents are wanted"
            self.faults.add(None, "no-files", detail, str(folder), remedy)

    def _chosen(self, files: Sequence[WalkedFile]) -> Sequence[WalkedFile]:
        """The files of a folder that are read: each once, by its own name and not by a link's."""
        if isinstance(files, WalkedFiles) and files.are_plainly_distinct:
            if not self._seen and not self._seen_before:
                self._seen_before.append(files)
                return files
            self._recall()
            marks = set(files.marks())
            if marks.isdisjoint(self._seen):
                self._seen |= marks
                return files
        self._recall()
        own = {file.mark for file in files if not file.is_linked}
        below: set[Hashable] = set()
        rows: list[int] = []
        for row, file in enumerate(files):
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
                self._seen.add(file.mark)
                rows.append(row)
            else:
                self.passed_over.append(PassedOver(str(file.path), reason))
        return _taken(files, rows)

    def _recall(self) -> None:
        """Know the marks of the files of earlier inputs, which are kept as columns till then."""
        while self._seen_before:
            self._seen.update(self._seen_before.pop().marks())

    def _walked(self, folder: Place) -> Sequence[WalkedFile]:
        if not isinstance(folder, RemotePath):
            return WalkedFiles.joined(list(self._walk(folder, ())))
        from twinset.reading.elsewhere import heads, walk

        files = list(walk(folder, self.passed_over))
        remote = (file.path for file in files if isinstance(file.path, RemotePath))
        if not self.each_file:
            self._heads = heads(path for path in remote if not named_as_text(path))
        return files

    def _walk(
        self, folder: Path, above: tuple[tuple[int, int], ...], is_linked: bool = False
    ) -> Iterator[WalkedFiles]:
        """The files below a folder, sorted by path; hidden ones are passed over, loops reported."""
        try:
            status = folder.stat()
            names = sorted(os.listdir(folder))
        except OSError as fault:
            self._unreadable(str(folder), fault)
            return
        mark = (status.st_dev, status.st_ino)
        if mark in above:
            self.faults.add(None, "loop", "the folder contains itself through a link", str(folder))
            return
        documents = documents_of(folder, names, is_input=not above)
        above_name = os.path.join("" if str(folder) == os.curdir else str(folder), "")
        reasons = {name: "hidden_files" for name in names if is_hidden(name)}
        if documents is not None:
            own = (name for name in names if name not in documents and name not in reasons)
            reasons |= dict.fromkeys(own, "own_files")
        shown = [name for name in names if name not in reasons] if reasons else names
        entries = FolderEntries.asked(above_name, shown, self.threads)
        paths = [above_name + name for name in shown]
        apart = (entries.faults != 0) | (entries.kinds == FOLDER)
        if self.within:
            apart |= entries.are_links
        # what is no file, in its order between the files
        others = dict.fromkeys(reasons, -1)
        others |= {shown[at]: at for at in np.flatnonzero(apart).tolist()}
        done = 0
        for name in sorted(others):
            if (at := others[name]) < 0:
                path = os.path.join(folder, name)
                self.passed_over.append(PassedOver(path, reasons[name]))
                continue
            yield entries.files(paths[done:at], done, at, is_linked)
            done = at + 1
            is_link = bool(entries.are_links[at])
            if is_link and self._leads_out(folder / name):
                continue
            if fault_number := int(entries.faults[at]):  # a link that leads nowhere, or to itself
                error = OSError(fault_number, os.strerror(fault_number))
                self._unreadable(os.path.join(folder, name), error)
            elif entries.kinds[at] == FOLDER:
                yield from self._walk(folder / name, (*above, mark), is_linked or is_link)
            else:
                yield entries.files(paths[at:done], at, done, is_linked)
        yield entries.files(paths[done:], done, len(paths), is_linked)

    def _source(self, file: WalkedFile, name: str) -> Source:
        place = file.place
        reader, packing = detect(place, self._head(place))
        if self.each_file:
            reader, packing = "files", None
        states = (file.state,) if reader == "files" else ()
        return Source(place, name, reader, packing, file.size, states=states)

    def _is_list(self, path: Place) -> bool:
        return is_list(self._head(path), self.text)

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


def _are_named_as_text(files: Sequence[WalkedFile]) -> list[bool]:
    if isinstance(files, WalkedFiles):
        return are_named_as_text(files.paths)
    return [named_as_text(file.path) for file in files]


def _taken(files: Sequence[WalkedFile], rows: Sequence[int]) -> Sequence[WalkedFile]:
    return files.take(rows) if isinstance(files, WalkedFiles) else [files[row] for row in rows]


def _source_of_files(folder: Place, files: Sequence[WalkedFile]) -> Source:
    """The plain documents of a folder as one source."""
    paths: Sequence[Place]
    if isinstance(files, WalkedFiles):
        states, paths = files.states, LocalFiles(tuple(files.paths))
    else:
        states = FileStates.of([file.state for file in files])
        paths = tuple(file.place for file in files)
    size = int(states.bytes.sum())
    return Source(folder, str(folder), "files", None, size, paths, states=states)


def _is_terminal(path: Path, status: os.stat_result) -> bool:
    """Whether it is the keyboard, as /dev/stdin may be."""
    if not stat.S_ISCHR(status.st_mode):
        return False
    with suppress(OSError), open(path, "rb", buffering=0) as file:
        return file.isatty()
    return False


def head_of(path: Place) -> bytes:
    """The first bytes of a file."""
    with open_place(path) as file:
        return file.read(HEAD)


def expand(
    inputs: Sequence[str | os.PathLike[str]],
    options: ReadOptions,
    regular: bool = False,
    threads: int = 1,
    into: Callable[..., InputSources] = InputSources,
) -> InputSources:
    """The sources that the inputs name; a path that is not there is an error at once."""
    if not inputs:
        raise ReadError("input", None, "no input is given; name files, folders or - for stdin")
    bounds = tuple(Path(folder).resolve() for folder in options.within)
    faults = Faults("input", options.on_error)
    expansion = into(faults, bounds, options.text, regular, options.each_file, threads)
    # First, so that a reference inside an input is one.
    for folder in options.reference:
        expansion.add_input(folder)
    sources = expansion.sources
    sources[:] = [dataclasses.replace(source, is_reference=True) for source in sources]
    for name in inputs:
        expansion.add_input(os.fspath(name))
    return expansion
