"""The names of output files: like those of the input, or those of its suffixes alone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath

from twinset.reading.compression import SUFFIXES
from twinset.reading.formats import suffix_of
from twinset.reading.source import Source
from twinset.system.remote import Place, RemotePath


@dataclass(frozen=True)
class OutputNames:
    """Where the outputs of each source lie below a folder, and how they are packed.

    One source of records gives ``kept.jsonl.gz``; several give a folder ``kept`` with their names.
    ``known`` are the suffixes of the readers. Outputs of one format ``to`` (``jsonl.gz``) have its
    suffixes; files that would get the same name keep their own before these.
    """

    sources: Sequence[Source]
    known: Mapping[str, tuple[str, ...]]
    to: str | None = None

    @property
    def _is_single(self) -> bool:
        only = len(self.sources) == 1
        return only and (self.to is not None or self.sources[0].reader != "files")

    def suffixes(self, source: Source) -> str:
        """``.jsonl.gz`` for JSON lines that are packed: those of the name, or of the content."""
        if self.to is not None:
            return f".{self.to}"
        # a web address may end with a query
        place = source.path
        name = Path(place.name if isinstance(place, RemotePath) else source.name)
        known = self.known[source.reader]
        if name.suffix.lower() in SUFFIXES:
            return Path(name.stem).suffix + name.suffix
        packing = f".{source.compression}" if source.compression else ""
        return (name.suffix if suffix_of(name) in known else known[0]) + packing

    def compression(self, source: Source) -> str | None:
        """That of the input, or of the format."""
        return source.compression if self.to is None else self.to.partition(".")[2] or None

    def place(self, folder: Place, route: str, source: Source) -> Place:
        """The file, or the folder of plain files, of a route and a source."""
        if self._is_single:
            return folder / (route + self.suffixes(source))
        below = self._below(source)
        # the only folder of plain files is the folder of the route; "kept/." is another place on S3
        return folder / route / below.as_posix() if below.parts else folder / route

    def path(self, route: str) -> str:
        """The file or folder of a route below the folder of all of them."""
        return route + self.suffixes(self.sources[0]) if self._is_single else route

    def _below(self, source: Source) -> PurePath:
        """The path below the folder that all sources have in common, with its suffixes."""
        if source.is_spool:
            path = PurePath(Path(source.name).name)
        else:
            # "/" and "s3:" begin paths of different systems, which have nothing in common
            parts = [part.strip(":/\\") for part in _parts(source.path)[self._shared :]]
            path = PurePath(*(part for part in parts if part))
        if self.to is None:
            return path.with_name(path.name + self.suffixes(source)) if source.is_spool else path
        name = path.name or "files"  # the folder that all inputs lie in
        if not source.files and self._counts[_without_suffixes(source.path)] < 2:
            name = _stem(name)
        return path.parent / (name + self.suffixes(source))

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(_without_suffixes(source.path) for source in self.sources)

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


def _without_suffixes(path: Place) -> str:
    return str(path.with_name(_stem(path.name))) if path.name else str(path)


def _stem(name: str) -> str:
    path = PurePath(name)
    inner = PurePath(path.stem) if path.suffix.lower() in SUFFIXES else path
    return inner.stem or name
