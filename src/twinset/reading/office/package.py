"""The files inside a document that is a ZIP archive, unpacked within the bounds of a document."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO
from urllib.parse import unquote

from twinset.reading.office import base
from twinset.reading.office.base import OfficeError
from twinset.reading.office.markup import MarkupReader

MOST_MEMBERS = 20_000
"""Files inside one document."""
_ENTRY = b"PK\x01\x02"
BOUNDED_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways of packing; `zipfile` unpacks all others without a bound: 40 bytes may hold 46 MB."""
_ROOT = "_rels/.rels"
_MAIN = "/officeDocument"


class Package:
    """A document that is a ZIP archive; all that is unpacked counts against one bound.

    ``format`` names the format in messages: "DOCX".
    """

    def __init__(self, raw: bytes, limit: int, format: str) -> None:
        self._format = format
        self._most = min(limit, max(base.HARMLESS, base.MOST_RATIO * len(raw)))
        self._unpacked = 0
        if raw.count(_ENTRY) > MOST_MEMBERS:
            raise OfficeError("too-long", f"the document holds over {MOST_MEMBERS:,} files")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(raw))
        except Exception:  # whatever zipfile meets in a list of files that is none
            raise self._unlike() from None
        self._names = set(self._archive.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def inside(self, names: Iterable[str]) -> Iterator[str]:
        """Those of these files that there are, in their order, each once."""
        return (name for name in dict.fromkeys(names) if name in self)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of a file inside, a piece at a time; a fault where it is not there."""
        with self._member(name) as member:
            while piece := self._piece(member):
                self._unpacked += len(piece)
                if self._unpacked > self._most:
                    raise OfficeError("too-long", f"the text is longer than {self._most:,} bytes")
                yield piece

    def read(self, name: str) -> bytes:
        """A file inside as a whole."""
        return b"".join(self.pieces(name))

    def feed(self, name: str, reader: MarkupReader) -> None:
        """Stream a file inside through a reader of mark-up."""
        for piece in self.pieces(name):
            reader.feed(piece)
        reader.close()

    def relations(self, name: str) -> dict[str, Relation]:
        """What a file inside refers to, by id (formats of Microsoft); empty where nothing."""
        folder, leaf = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{leaf}.rels") if name else _ROOT
        if listed not in self:
            return {}
        reader = _Relations(folder)
        self.feed(listed, reader)
        return reader.relations

    def main_part(self, usual: str) -> str:
        """The file inside that the document begins with; ``usual`` is its usual name."""
        if usual in self:
            return usual
        relations = self.relations("").values()
        return next((target for type, target in relations if type.endswith(_MAIN)), usual)

    def _member(self, name: str) -> IO[bytes]:
        if name in self and self._archive.getinfo(name).compress_type not in BOUNDED_KINDS:
            detail = f"the {self._format} document is packed in a way that is not read"
            raise OfficeError("damaged", f"{detail}; save it again")
        try:
            return self._archive.open(name)
        except RuntimeError:
            detail = f"the {self._format} document is protected by a password"
            raise OfficeError("damaged", detail) from None
        except Exception:
            raise self._unlike() from None

    def _piece(self, member: IO[bytes]) -> bytes:
        try:
            return member.read(base.PIECE)
        except Exception:  # zlib.error, lzma errors, checksums
            raise OfficeError("damaged", f"the {self._format} document is damaged") from None

    def _unlike(self) -> OfficeError:
        article = "an" if self._format[0] in "EOX" else "a"
        return OfficeError("damaged", f"the file is not {article} {self._format} document")


Relation = tuple[str, str]
"""The type of a relation and the name of the file inside that it points to."""


class _Relations(MarkupReader):
    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder
        self.relations: dict[str, Relation] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name.endswith("Relationship") and attributes.get("TargetMode") != "External":
            target = inner_path(self._folder, attributes.get("Target", ""))
            self.relations[attributes.get("Id", "")] = (attributes.get("Type", ""), target)


def inner_path(folder: str, target: str) -> str:
    """The name of a file inside that is given relative to a folder inside, or from the root."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")
