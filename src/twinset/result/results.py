"""What a run found, for those who write, show or review it: a run and a report both offer it."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.system.remote import Place


class Results:
    """Three Arrow tables and the manifest, and what can be said and shown of them.

    ``documents`` has a row per document in reading order, ``pairs`` the verified pairs with their
    exact scores, ``clusters`` a row per member; ``more`` are tables that only some methods make.
    The manifest has the plan, the counts and what else is needed to judge or repeat the run.
    """

    documents: pa.Table
    pairs: pa.Table
    clusters: pa.Table
    manifest: dict[str, Any]
    more: Any = MappingProxyType({})
    lattices: Any = ()
    """With closed sets: the lattices of the components most worth a look."""
    older: Any = None
    """The documents that these were held against, where they are at hand."""
    shown: Any = None
    """What a page shows (`PageChoice`), where the tables are too large to be looked through."""
    writing: Any = None
    """A meter of how much is written, for others to watch while the report is saved."""
    writers: int | None = None
    """How many threads may write the tables; None: as many as the run had."""

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents, as far as they can be read."""
        raise NotImplementedError

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, as far as they can be read again."""
        raise NotImplementedError

    def quick_heads(self, ids: Sequence[str]) -> dict[str, str] | None:
        """The beginnings of these documents; None where it would take long to read them again."""
        return self.heads(ids)

    @property
    def place(self) -> Place | None:
        """Where the report is; None where it was not saved."""
        return None

    @property
    def repeated(self) -> pa.Table | None:
        """The lines that were dropped from pages; None where none were."""
        return self.more.get("repeated")

    @property
    def boilerplate(self) -> pa.Table | None:
        """The paragraphs that were left out of documents; None where none were."""
        return self.more.get("boilerplate")
