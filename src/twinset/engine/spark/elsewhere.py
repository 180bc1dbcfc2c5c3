"""Files at addresses that Spark knows (``hdfs://``, ``s3a://``, ...), listed by Hadoop.

Their formats are known by their names alone, so that nothing is fetched before Spark reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from pathlib import PurePosixPath
from typing import Any

from twinset.engine.spark.faults import explained
from twinset.engine.spark.hadoop import file_system
from twinset.errors import MissingFileError
from twinset.lazy_dataclass import dataclass
from twinset.reading.compression import SUFFIXES
from twinset.reading.formats import detect
from twinset.reading.ledger import FileState
from twinset.reading.paths import InputSources
from twinset.reading.source import Source
from twinset.reading.walked import PassedOver
from twinset.system.remote import RemotePath

LOCAL = "file://"


class Addresses:
    """In the place of a file system: paths that are addresses already."""

    async_impl = False

    def unstrip_protocol(self, path: str) -> str:
        """The address itself."""
        return path


@dataclass
class SparkInputs(InputSources):
    """Sources of which those elsewhere are listed by Hadoop in a session of Spark."""

    session: Any = field(default=None)

    def _add_address(self, name: str) -> None:
        if name.startswith(LOCAL):
            self.add_input(name.removeprefix(LOCAL))
            return
        with explained(f"{name} cannot be listed"):
            system, path = file_system(self.session, name)
            found = [(str(each.getPath()), each) for each in system.globStatus(path) or ()]
            if not found:
                raise MissingFileError(name, "file or folder", "check the address")
            for address, status in sorted(found, key=lambda entry: entry[0]):
                if status.isDirectory():
                    self._add_listed(address, list(self._below(system, status.getPath())))
                else:
                    self.sources.append(_source(address, status.getLen()))

    def _below(self, system: Any, folder: Any) -> Iterator[tuple[str, int]]:
        """The files below a folder with their sizes; hidden ones are passed over."""
        above, files = len(str(folder).rstrip("/")) + 1, system.listFiles(folder, True)
        while files.hasNext():
            status = files.next()
            address = str(status.getPath())
            if any(part[0] in "._" for part in address[above:].split("/")):
                self.passed_over.append(PassedOver(address, "hidden_files"))
            else:
                yield address, status.getLen()

    def _add_listed(self, folder: str, files: list[tuple[str, int]]) -> None:
        """The plain files of a folder as one source, then its files of records."""
        files.sort(key=lambda file: PurePosixPath(file[0]).parts)
        sources = [_source(*file) for file in files]
        plain = [source for source in sources if source.reader == "files"]
        if plain:
            size = sum(source.size or 0 for source in plain)
            paths = tuple(source.path for source in plain)
            states = tuple(state for source in plain for state in source.states)
            place = _place(folder)
            self.sources.append(Source(place, folder, "files", None, size, paths, states=states))
        self.sources += (source for source in sources if source.reader != "files")
        if not sources:
            remedy = "name a folder that holds documents"
            self.faults.add(None, "no-files", "the folder holds no files", folder, remedy)


def _place(address: str) -> RemotePath:
    return RemotePath(address.partition(":")[0], address, Addresses())


def _source(address: str, size: int) -> Source:
    place = _place(address)
    reader, _ = detect(place, b"")
    packing = None if reader == "files" else SUFFIXES.get(place.suffix.lower())
    states = (FileState(size, 0),) if reader == "files" else ()
    return Source(place, address, reader, packing, size, states=states)
