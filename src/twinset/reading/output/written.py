"""What was written of the documents and where, as the manifest has it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from twinset.system.remote import Place


@dataclass(frozen=True, slots=True)
class WrittenRoute:
    """A file or a folder of documents; ``path`` is below the folder of all of them."""

    path: str
    documents: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class WrittenDocuments:
    """What was written, by name: ``kept``, ``removed``, ``annotated``.

    Plain files cannot hold what was decided on them: a table beside lists it, ``annotated`` too or,
    where there are records as well, ``annotated_files``.
    """

    folder: Place
    routes: dict[str, WrittenRoute]

    def place(self, name: str) -> Place:
        """The file or the folder of this name."""
        return self.folder / self.routes[name].path

    @property
    def kept(self) -> Place:
        """Where the kept documents are."""
        return self.place("kept")

    @property
    def removed(self) -> Place:
        """Where the removed documents are."""
        return self.place("removed")

    @property
    def annotated(self) -> Place:
        """Where all documents are, with what was decided on each."""
        return self.place("annotated")

    def described(self) -> dict[str, dict[str, Any]]:
        """For the manifest, by name: path, documents, files and bytes."""
        return {name: asdict(route) for name, route in self.routes.items()}
