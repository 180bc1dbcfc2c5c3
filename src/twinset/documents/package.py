"""The files inside a document that is a ZIP archive, and XML as a tree.

A tree takes some ten times the memory of its XML; the process of the reader bounds it.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from twinset.documents.base import OfficeError

Element = ElementTree.Element
_ROOT, _MAIN = "_rels/.rels", "/officeDocument"


class Package:
    """A document that is a ZIP archive."""

    def __init__(self, raw: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(raw))
        self._names = set(self._archive.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def inside(self, names: Iterable[str]) -> Iterator[str]:
        """Those of these files that there are, in their order, each once."""
        return (name for name in dict.fromkeys(names) if name in self)

    def read(self, name: str) -> bytes:
        """A file inside; a fault where it is not there."""
        try:
            return self._archive.read(name)
        except RuntimeError:
            raise OfficeError("damaged", "the document is protected by a password") from None

    def tree(self, name: str) -> Element:
        """A file inside that is XML."""
        return ElementTree.fromstring(self.read(name))

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """What a file inside refers to, by id: type and name (formats of Microsoft)."""
        folder, leaf = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{leaf}.rels") if name else _ROOT
        if listed not in self:
            return {}
        return {
            related.get("Id", ""): (
                related.get("Type", ""),
                inner_path(folder, related.get("Target", "")),
            )
            for related in self.tree(listed)
            if related.get("TargetMode") != "External"
        }

    def main_part(self, usual: str) -> str:
        """The file inside that the document begins with; ``usual`` is its usual name."""
        if usual in self:
            return usual
        relations = self.relations("").values()
        return next((target for type, target in relations if type.endswith(_MAIN)), usual)


def inner_path(folder: str, target: str) -> str:
    """The name of a file inside that is given relative to a folder inside, or from the root."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")


def local(name: str) -> str:
    """The name of an element or an attribute without its namespace, of which editions differ."""
    return name.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """The value of the attribute of this name in any namespace."""
    return next((value for key, value in element.items() if key.endswith(f"}}{name}")), "")
