"""A generated collection, held in memory or written to a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from twinset.lab.generation.family import Document, Family, TruePair
from twinset.lab.generation.folder import (
    documents_path,
    entry,
    read_documents,
    read_log,
    read_truth,
    write,
)
from twinset.lab.generation.recipe import Making
from twinset.model import Fault


@dataclass(frozen=True)
class Generated:
    """Documents with their near-duplicates, the true pairs and the log.

    ``counts`` has the numbers of documents read, empty documents, sources, variants and pairs;
    ``notes`` says which operations changed nothing. Where the collection was written to a folder
    at once, ``documents``, ``truth`` and ``log`` are read from there.
    """

    making: Making
    counts: dict[str, int]
    faults: list[Fault] = field(default_factory=list)
    folder: Path | None = None
    families: tuple[Family, ...] = ()
    notes: list[str] = field(default_factory=list)

    @cached_property
    def documents(self) -> list[Document]:
        """Originals and variants, in the order of the collection."""
        if self.folder is not None:
            return read_documents(self.folder)
        return [document for family in self.families for document in family.kept(self.making)]

    @cached_property
    def truth(self) -> list[TruePair]:
        """The true pairs."""
        if self.folder is not None:
            return read_truth(self.folder)
        pairs = [pair for family in self.families for pair in family.pairs]
        return [pair for pair in pairs if pair.similarity.jaccard >= self.making.least_similarity]

    @cached_property
    def log(self) -> list[dict[str, Any]]:
        """What was done to each variant."""
        if self.folder is not None:
            return read_log(self.folder)
        return [
            entry(document.id, family.source.id, variant, similarity)
            for family in self.families
            for (document, variant), similarity in zip(
                family.variants, family.similarity, strict=True
            )
        ]

    @property
    def place(self) -> Path | None:
        """What `twinset.find` reads: the documents in the folder, without truth and log."""
        return None if self.folder is None else documents_path(self.folder)

    def save(
        self, folder: str | os.PathLike[str], *, format: str = "jsonl", force: bool = False
    ) -> Path:
        """Write the collection with its truth and log into a new folder."""
        if self.folder is not None:
            raise ValueError(f"the collection is in {self.folder} already")
        target, _ = write(folder, self.families, self.making, format, force=force, summary=self)
        return target

    def __repr__(self) -> str:
        place = f" in {self.folder}" if self.folder else ""
        return (
            f"<Generated: {self.counts['made']} documents made of {self.counts['sources']}, "
            f"{self.counts['pairs']} true pairs{place}>"
        )
