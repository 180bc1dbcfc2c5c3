"""What a run offers to those who write, show or review its findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report.lattices import LatticeDrawing
    from twinset.system.remote import Place


class Results(Protocol):
    """What a run found: three Arrow tables and the manifest; a run and a report both offer it."""

    @property
    def documents(self) -> pa.Table:
        """One row per document, in reading order."""

    @property
    def pairs(self) -> pa.Table:
        """Verified pairs with their exact scores."""

    @property
    def clusters(self) -> pa.Table:
        """One row per member of a cluster."""

    @property
    def manifest(self) -> dict[str, Any]:
        """The plan, the counts and what else is needed to judge or repeat the run."""

    @property
    def more(self) -> dict[str, pa.Table]:
        """Tables that only some methods make: groups by key, word statistics."""

    @property
    def repeated(self) -> pa.Table | None:
        """The lines that were dropped from pages; None where none were."""

    @property
    def boilerplate(self) -> pa.Table | None:
        """The paragraphs that were left out of documents; None where none were."""

    @property
    def lattices(self) -> list[LatticeDrawing]:
        """With closed sets: the lattices of the components most worth a look."""

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents, as far as they can be read."""

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, as far as they can be read again."""


class DisplayedResults(Results, Protocol):
    """Results that a notebook displays."""

    @property
    def place(self) -> Place | None:
        """Where the report is; None where it was not saved."""

    def quick_heads(self, ids: Sequence[str]) -> dict[str, str] | None:
        """The beginnings of these documents; None where it would take long to read them again."""
