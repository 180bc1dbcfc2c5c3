"""The names of output files: like those of the input, or those of its suffixes alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

from twinset.reading.compression import SUFFIXES
from twinset.reading.formats import suffix_of
from twinset.reading.source import Source
from twinset.system.remote import Place, RemotePath


class Named(Protocol):
    """How the output files of a source are named and compressed."""

    def suffixes(self, source: Source) -> str:
        """``.jsonl.gz`` for JSON lines that are packed."""
        ...

    def compression(self, source: Source) -> str | None:
        """How they are compressed."""
        ...

    def below(self, source: Source, path: PurePath) -> PurePath:
        """The path of its output in a folder, where the source has this one among the inputs."""
        ...


@dataclass(frozen=True, slots=True)
class NamedLikeInput:
    """Outputs in the format of the input; ``known`` are the suffixes of the reader of each."""

    known: dict[str, tuple[str, ...]]

    def suffixes(self, source: Source) -> str:
        """Those of the name, or else of the content."""
        # a web address may end with a query
        place = source.path
        name = Path(place.name if isinstance(place, RemotePath) else source.name)
        known = self.known[source.reader]
        if name.suffix.lower() in SUFFIXES:
            return Path(name.stem).suffix + name.suffix
        packing = f".{source.compression}" if source.compression else ""
        return (name.suffix if suffix_of(name) in known else known[0]) + packing

    def compression(self, source: Source) -> str | None:
        """That of the input."""
        return source.compression

    def below(self, source: Source, path: PurePath) -> PurePath:
        """The same path; what came from a pipe gets a suffix."""
        return path.with_name(path.name + self.suffixes(source)) if source.is_spool else path


@dataclass(frozen=True)
class OutputNames:
    """Where the outputs of each source lie below a folder.

    One source of records gives ``kept.jsonl.gz``; several give a folder ``kept`` with their names.
    """

    sources: Sequence[Source]
    named: Named
    is_single: bool

    @classmethod
    def of(cls, sources: Sequence[Source], named: Named) -> OutputNames:
        """The names of the outputs of these sources in their own formats."""
        single = len(sources) == 1 and sources[0].reader != "files"
        return cls(sources, named, single)

    def place(self, folder: Place, route: str, source: Source) -> Place:
        """The file, or the folder of plain files, of a route and a source."""
        if self.is_single:
            return folder / (route + self.named.suffixes(source))
        below = self.named.below(source, self._path(source))
        # the only folder of plain files is the folder of the route; "kept/." is another place on S3
        return folder / route / below.as_posix() if below.parts else folder / route

    def path(self, route: str) -> str:
        """The file or folder of a route below the folder of all of them."""
        single = self.is_single and self.sources
        return route + self.named.suffixes(self.sources[0]) if single else route

    def _path(self, source: Source) -> PurePath:
        if source.is_spool:
            return PurePath(Path(source.name).name)
        # "/" and "s3:" begin paths of different systems, which have nothing in common
        parts = [part.strip(":/\\") for part in _parts(source.path)[self._shared :]]
        return PurePath(*(part for part in parts if part))

    @cached_property
    def _shared(self) -> int:
        """How many parts of their paths all sources have in common."""
        folders = [_folder(source) for source in self.sources if not source.is_spool]
        levels = takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False))
        return sum(1 for _ in levels)


def _folder(source: Source) -> tuple[str, ...]:
    """The folder that the paths of a source are seen from."""
    parts = _parts(source.path)
    return parts if source.files else parts[:-1]


def _parts(path: Place) -> tuple[str, ...]:
    if isinstance(path, RemotePath):
        return f"{path.scheme}:", *PurePosixPath(path.path.lstrip("/")).parts[:-1], path.name
    return Path(os.path.abspath(path)).parts
