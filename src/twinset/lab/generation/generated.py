"""A made collection, held in memory or lying in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from twinset.lab.generation.family import Document, Family, TruePair
from twinset.lab.generation.log import Tables, entry
from twinset.lab.generation.options import Making
from twinset.lab.generation.similarity import Similarity
from twinset.lab.generation.write import check_format, open_writer
from twinset.model import Fault
from twinset.model.spreadsheet import read_rows
from twinset.report.staging import MANIFEST, staged
from twinset.system.bounded import MANIFEST_BYTES, read_regular


@dataclass(frozen=True)
class Generated:
    """Documents with their near-duplicates, the true pairs and the log.

    ``counts``: documents read, empty ones, sources, made documents, pairs; ``notes`` tell which
    operations had nothing to change. Where the collection was
    written to a folder at once, ``documents``, ``truth`` and ``log`` are read from there.
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
            return _read_documents(self.folder)
        return [
            document
            for family in self.families
            for document, _ in family.members()
            if is_kept(document, self.making)
        ]

    @cached_property
    def truth(self) -> list[TruePair]:
        """The true pairs."""
        if self.folder is not None:
            return _read_truth(self.folder)
        pairs = [pair for family in self.families for pair in family.pairs]
        return [pair for pair in pairs if pair.similarity.jaccard >= self.making.least_similarity]

    @cached_property
    def log(self) -> list[dict[str, Any]]:
        """What was done to each made document."""
        if self.folder is not None:
            lines = (self.folder / "log.jsonl").read_text(encoding="utf-8").split("\n")
            return [json.loads(line) for line in lines if line]
        return [
            entry(document.id, family.source.id, made, similarity)
            for family in self.families
            for (document, made), similarity in zip(family.variants, family.similarity, strict=True)
        ]

    @property
    def place(self) -> Path | None:
        """What `twinset.find` reads: the documents in the folder, without truth and log."""
        return None if self.folder is None else self.folder / _told(self.folder)["documents"]

    def save(
        self, folder: str | os.PathLike[str], *, format: str = "jsonl", force: bool = False
    ) -> Path:
        """Write the collection with its truth and log into a new folder."""
        if self.folder is not None:
            raise ValueError(f"the collection is in {self.folder} already")
        target, _ = write(folder, self.families, self.making, format, force=force, told=self)
        return target

    def __repr__(self) -> str:
        place = f" in {self.folder}" if self.folder else ""
        return (
            f"<Generated: {self.counts['made']} documents made of {self.counts['sources']}, "
            f"{self.counts['pairs']} true pairs{place}>"
        )


def is_kept(document: Document, making: Making) -> bool:
    """Whether a document stays in the collection."""
    return document.source is not None or making.originals != "none"


def write(
    folder: str | os.PathLike[str],
    families: Iterable[Family],
    making: Making,
    form: str,
    *,
    force: bool = False,
    inputs: Iterable[str] = (),
    told: Any,
) -> tuple[Path, dict[str, int]]:
    """Write families as they come; ``told.counts`` is complete when the last one has come."""
    check_format(form)
    with staged(os.fspath(folder), force, inputs) as staging:
        writer = open_writer(staging, form)
        with Tables(staging, making.least_similarity) as tables:
            for family in families:
                kept = (d for d, _ in family.members() if is_kept(d, making))
                tables.add(family, {document.id: writer.add(document) for document in kept})
        writer.close()
        counts = {**told.counts, **tables.counts}
        manifest = _manifest(making, counts, form)
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8")
    return Path(folder), counts


def _manifest(making: Making, counts: dict[str, int], form: str) -> dict[str, Any]:
    from importlib.metadata import version

    return {
        "kind": "generated",
        "twinset": version("twinset"),
        "documents": "documents" if form == "folder" else f"documents.{form}",
        "operations": making.recipe.specs(),
        "limit": making.limit,
        "variants": making.variants,
        "originals": making.originals,
        "seed": making.seed,
        "least": making.least_similarity,
        "counts": counts,
    }


def _told(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(read_regular(folder / MANIFEST, MANIFEST_BYTES).decode())
    return told


def _read_documents(folder: Path) -> list[Document]:
    from twinset.plan import ReadOptions
    from twinset.reading import open_inputs

    told = _told(folder)
    with open(folder / "statistics.csv", encoding="utf-8", newline="") as file:
        sources = {row["id"]: row["source"] or None for row in read_rows(file)}
    found = []
    place = folder / Path(told["documents"]).name  # beside the manifest, whatever that says
    for batch in open_inputs(place, ReadOptions(html="no")).batches():
        for id, text in zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True):
            found.append(Document(id, text, sources.get(id)))
    return found


def _read_truth(folder: Path) -> list[TruePair]:
    with open(folder / "truth.csv", encoding="utf-8", newline="") as file:
        return [
            TruePair(r["left"], r["right"], Similarity(float(r["jaccard"]), float(r["edit"])))
            for r in read_rows(file)
        ]
