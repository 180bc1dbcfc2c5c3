"""The formats that any documents can be written in: their names, suffixes and sinks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, Any

from twinset.model.outcomes import ADDED
from twinset.reading.compression import SUFFIXES
from twinset.reading.output.rows import annotated_schema
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.lines import CsvSink, JsonLinesSink
from twinset.reading.rows.tables import ParquetSink
from twinset.reading.source import Source
from twinset.system.remote import Place


@dataclass(frozen=True)
class RowFormat:
    """What ``--to`` asks for: ``jsonl``, ``csv`` or ``parquet``, and how it is compressed."""

    name: str
    compression: str | None

    @classmethod
    def of(cls, to: str) -> RowFormat:
        """The format of this name, as ``jsonl.gz``."""
        name, _, compression = to.lower().partition(".")
        return cls(name, compression or None)

    @property
    def suffixes(self) -> str:
        """``.jsonl.gz``."""
        return f".{self.name}.{self.compression}" if self.compression else f".{self.name}"

    @property
    def has_columns(self) -> bool:
        """Whether all fields have to be known before the first row is written."""
        return self.name != "jsonl"

    def sink(self, file: IO[bytes], kinds: FieldKinds, is_annotated: bool, threads: int = 1) -> Any:
        """What rows are handed to."""
        if not self.has_columns:
            return JsonLinesSink(file)
        names, schema = list(kinds.kinds), kinds.schema()
        if is_annotated:
            names = [*(name for name in names if name not in ADDED), *ADDED]
            schema = annotated_schema(schema)
        if self.name == "csv":
            return CsvSink(file, names)
        return ParquetSink(file, names, schema, threads)


@dataclass(frozen=True)
class NamedByFormat:
    """Outputs of one format: like the input, but for the suffixes.

    Files that would get the same name keep their own suffixes before the new ones.
    """

    format: RowFormat
    clashing: frozenset[str]

    @classmethod
    def of(cls, format: RowFormat, sources: Sequence[Source]) -> NamedByFormat:
        """The names of the outputs of these sources."""
        counts = Counter(_without_suffixes(source.path) for source in sources)
        return cls(format, frozenset(name for name, count in counts.items() if count > 1))

    def suffixes(self, source: Source) -> str:
        """Those of the format."""
        return self.format.suffixes

    def compression(self, source: Source) -> str | None:
        """That of the format."""
        return self.format.compression

    def below(self, source: Source, path: PurePath) -> PurePath:
        """The path with the suffixes of the format."""
        name = path.name or "files"  # the folder that all inputs lie in
        if not source.files and _without_suffixes(source.path) not in self.clashing:
            name = _stem(name)
        return path.parent / (name + self.format.suffixes)


def _without_suffixes(path: Place) -> str:
    return str(path.with_name(_stem(path.name))) if path.name else str(path)


def _stem(name: str) -> str:
    path = PurePath(name)
    inner = PurePath(path.stem) if path.suffix.lower() in SUFFIXES else path
    return inner.stem or name
