"""What a run on Spark has found: tables of the size of the collection stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, partial
from typing import Any

from twinset.engine.spark.tables import SparkTables
from twinset.engine.spark.texts import Place
from twinset.errors import TwinsetError
from twinset.lazy_dataclass import dataclass
from twinset.plan.output import OutputForm


@dataclass(frozen=True)
class SparkFindings:
    """The result of `find` or `dedup` on Spark: tables as DataFrames, with the columns of a report.

    ``documents``, ``pairs`` and ``clusters`` are those of the local engine, in any order.
    ``kept`` and ``removed`` are there after `dedup`. They stand on tables in the work folder of the
    run, and last as long as these.
    """

    tables: SparkTables = field(repr=False)
    describe: Callable[[], dict[str, Any]] = field(repr=False)
    read_texts: Callable[[Mapping[Place, int]], dict[int, str]] = field(repr=False)
    write_documents: Callable[..., dict[str, Any]] | None = field(repr=False, default=None)
    saved: dict[str, Any] = field(repr=False, default_factory=dict)

    @property
    def documents(self) -> Any:
        """One row per document."""
        return self.tables.documents

    @property
    def pairs(self) -> Any:
        """Verified pairs with their exact scores."""
        return self.tables.pairs

    @property
    def clusters(self) -> Any:
        """One row per member of a cluster."""
        return self.tables.clusters

    @property
    def kept(self) -> Any:
        """The rows of the documents that stay."""
        return self._decided("kept_as is null")

    @property
    def removed(self) -> Any:
        """The rows of the documents that go, with the one kept in the place of each."""
        return self._decided("kept_as is not null")

    def _decided(self, condition: str) -> Any:
        if not self.tables.dedup:
            raise TwinsetError("find decides on no document: run dedup instead")
        return self.tables.documents.where(condition)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The plan, the counts and what else is needed to judge or repeat the run."""
        return self.describe()

    def save(self, folder: str, force: bool = False, language: str = "en", **form: Any) -> str:
        """Write the report folder; ``force`` replaces an older report.

        Tables are folders of parts, kept and removed documents too, in the format of the input;
        ``no_split`` leaves these away. ``folder`` is one that all machines of the cluster see.
        """
        from twinset.engine.spark.saving import save

        write = None
        if self.write_documents is not None and self.tables.dedup:
            write = partial(self.write_documents, form=OutputForm.make(**form))
        place = save(
            self.tables,
            self.manifest,
            str(folder),
            force=force,
            language=language,
            write_documents=write,
            texts=self.read_texts,
        )
        self.saved["folder"] = place
        return place

    def close(self) -> None:
        """Remove the tables in between, in the work folder: the DataFrames end with them."""
        self.tables.work.remove()

    @property
    def place(self) -> str | None:
        """Where the report was saved last; None before."""
        return self.saved.get("folder")

    def __repr__(self) -> str:
        from twinset.report.words import headline

        return f"<twinset on Spark: {headline(self.manifest)}>"
