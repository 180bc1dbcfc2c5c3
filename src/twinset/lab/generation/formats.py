"""Writers of documents, one class per format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

from twinset.errors import PlanError
from twinset.lab.generation.family import Document
from twinset.lab.generation.ids import file_name
from twinset.lab.generation.options import FORMATS
from twinset.lab.generation.romip import ROMIP_HEAD, ROMIP_TAIL, declared, romip_record

_ROWS = 4096


class DocumentWriter(Protocol):
    """Where documents go."""

    def add(self, document: Document) -> str:
        """Write a document and return the id under which it will be read again."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


def open_writer(folder: Path, form: str) -> DocumentWriter:
    """A writer of ``documents.FORM`` in the folder, or of the folder ``documents``."""
    check_format(form)
    if form == "folder":
        return FolderWriter(folder / "documents")
    return _WRITERS[form.removesuffix(".gz")](folder / f"documents.{form}")


def check_format(form: str) -> None:
    """Raise a `PlanError` for an unknown format."""
    if form not in FORMATS:
        raise PlanError([f"there is no format '{form}'; give one of {', '.join(FORMATS)}"])


class JsonLinesWriter:
    """A JSON object on each line."""

    def __init__(self, path: Path) -> None:
        self._file = _text_file(path)

    def add(self, document: Document) -> str:
        """Write a line."""
        row = {"id": document.id, "text": document.text}
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return document.id

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class CsvWriter:
    """Comma-separated rows below a header."""

    def __init__(self, path: Path) -> None:
        self._file = _text_file(path)
        self._rows = csv.writer(self._file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        self._rows.writerow(["id", "text"])

    def add(self, document: Document) -> str:
        """Write a row."""
        self._rows.writerow([document.id, document.text])
        return document.id

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ParquetWriter:
    """A Parquet file with row groups of some thousand documents."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._schema = pa.schema([("id", pa.string()), ("text", pa.large_string())])
        self._file = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[dict[str, str]] = []

    def add(self, document: Document) -> str:
        """Collect a row; full row groups are written."""
        self._rows.append({"id": document.id, "text": document.text})
        if len(self._rows) >= _ROWS:
            self._flush()
        return document.id

    def close(self) -> None:
        """Write the last rows."""
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        import pyarrow as pa

        self._file.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows = []


class RomipWriter:
    """A ROMIP collection; the reader takes blanks around an id for mark-up."""

    def __init__(self, path: Path) -> None:
        self._file = _text_file(path)
        self._file.write(ROMIP_HEAD)

    def add(self, document: Document) -> str:
        """Write a page."""
        self._file.write(romip_record(document))
        return document.id.strip()

    def close(self) -> None:
        """Write the end of the frame."""
        self._file.write(ROMIP_TAIL)
        self._file.close()


class FolderWriter:
    """A text or HTML file for each document; the id becomes the path below the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: set[str] = set()
        self._folders: set[str] = set()
        folder.mkdir()

    def add(self, document: Document) -> str:
        """Write a file in UTF-8; a page that declares another encoding says so from now on."""
        name = self._free(file_name(document.id, document.is_html))
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = declared(document.text, "utf-8") if document.is_html else document.text
        path.write_bytes(text.encode("utf-8"))
        return name

    def close(self) -> None:
        """Do nothing: every file is already closed."""

    def _free(self, name: str) -> str:
        """A name that no other file or folder has, even where case makes no difference."""
        candidate, number = name, 1
        while not self._is_free(candidate):
            number += 1
            stem, suffix = os.path.splitext(name.replace("/", "_"))
            candidate = f"{stem}-{number}{suffix}"
        self._used.add(candidate.casefold())
        self._folders.update(_parents(candidate))
        return candidate

    def _is_free(self, name: str) -> bool:
        own = name.casefold()
        is_used = own in self._used or own in self._folders
        return not is_used and self._used.isdisjoint(_parents(name))


def _parents(name: str) -> set[str]:
    parts = name.casefold().split("/")
    return {"/".join(parts[:count]) for count in range(1, len(parts))}


def _text_file(path: Path) -> IO[str]:
    if path.suffix != ".gz":
        return open(path, "w", encoding="utf-8", newline="")
    # No name and no time inside: the same bytes every time.
    packed: Any = gzip.GzipFile("", "wb", fileobj=open(path, "wb"), mtime=0)  # noqa: SIM115
    return _Closing(packed)


class _Closing(io.TextIOWrapper):
    """A text file over a compressed one that also closes the file below."""

    def __init__(self, packed: Any) -> None:
        self._below = packed.fileobj
        super().__init__(packed, encoding="utf-8", newline="")

    def close(self) -> None:
        super().close()
        self._below.close()


_WRITERS: dict[str, Callable[[Path], DocumentWriter]] = {
    "jsonl": JsonLinesWriter,
    "csv": CsvWriter,
    "parquet": ParquetWriter,
    "romip": RomipWriter,
}
