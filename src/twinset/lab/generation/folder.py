"""The folder of a generated collection: documents, truth, log, statistics and manifest."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from twinset._version import VERSION
from twinset.lab.generation.family import Document, Family, Similarity, TruePair
from twinset.lab.generation.formats import check_format, open_writer
from twinset.lab.generation.recipe import Making, Variant
from twinset.lab.generation.romip import plain_text
from twinset.lab.generation.units import DocumentSize
from twinset.model.spreadsheet import Writer, read_rows
from twinset.report import ensure_local, staged
from twinset.report.places import MANIFEST
from twinset.system.bounded import MANIFEST_BYTES, read_regular

COUNTED = [field.name for field in dataclasses.fields(DocumentSize)]
MEASURES = [field.name for field in dataclasses.fields(Similarity)]
TRUTH = ["left", "right", *MEASURES]
STATISTICS = ["id", "source", *COUNTED]
LOG = [
    "id", "source", "operation", "name", "parameters", "strength", "changed", "notes",
    *MEASURES, *(f"source_{name}" for name in COUNTED), *(f"made_{name}" for name in COUNTED),
]  # fmt: skip


def entry(id: str, source: str, variant: Variant, similarity: Similarity) -> dict[str, Any]:
    """The log entry of a variant."""
    return {"id": id, "source": source, **variant.log, "similarity": dataclasses.asdict(similarity)}


def pair_row(pair: TruePair) -> list[Any]:
    """A pair as a row of the truth, its numbers in full."""
    return [pair.left, pair.right, *dataclasses.astuple(pair.similarity)]


class Tables:
    """Writes the tables of a collection while it is made, with the ids the writer has used."""

    def __init__(self, folder: Path, least: float) -> None:
        self._folder, self._least = folder, least
        self._files = ExitStack()
        self.counts = {"made": 0, "pairs": 0, "ignored": 0}

    def __enter__(self) -> Tables:
        self._log = self._open("log.jsonl")
        self._log_rows = self._csv("log.csv", LOG)
        self._truth = self._csv("truth.csv", TRUTH)
        self._statistics = self._csv("statistics.csv", STATISTICS)
        self._ignored = self._csv("ignore.csv", TRUTH) if self._least else None
        return self

    def __exit__(self, *details: object) -> None:
        self._files.close()

    def add(self, family: Family, names: Mapping[str, str]) -> None:
        """Write the rows of a family; ``names`` maps ids to those its documents were written with.

        Documents that are not in ``names`` are left out.
        """
        source = names.get(family.source.id, family.source.id)
        for document, statistics in family.members():
            if document.id in names:
                made_of = source if document.source else ""
                row = [names[document.id], made_of, *dataclasses.astuple(statistics)]
                self._statistics.writerow(row)
        for (document, variant), similarity in zip(family.variants, family.similarity, strict=True):
            record = entry(names[document.id], source, variant, similarity)
            self._log.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._log_rows.writerows(_rows(record))
            self.counts["made"] += 1
        for pair in family.pairs:
            self._add_pair(TruePair(names[pair.left], names[pair.right], pair.similarity))

    def _add_pair(self, pair: TruePair) -> None:
        if self._ignored is not None and pair.similarity.jaccard < self._least:
            self._ignored.writerow(pair_row(pair))
            self.counts["ignored"] += 1
        else:
            self._truth.writerow(pair_row(pair))
            self.counts["pairs"] += 1

    def _open(self, name: str) -> IO[str]:
        file = open(self._folder / name, "w", encoding="utf-8", newline="")  # noqa: SIM115
        return self._files.enter_context(file)

    def _csv(self, name: str, header: list[str]) -> Any:
        writer = Writer(self._open(name))
        writer.writerow(header)
        return writer


def _rows(record: dict[str, Any]) -> list[list[Any]]:
    """An entry of the log as rows, one row per operation."""
    counts = [record["statistics"][of][name] for of in ("source", "made") for name in COUNTED]
    ends = [*record["similarity"].values(), *counts]
    return [
        [
            record["id"],
            record["source"],
            number,
            step["name"],
            _spelt(step["parameters"]),
            "" if step["strength"] is None else step["strength"],
            _spelt(step["changed"]),
            "; ".join(step.get("notes", [])),
            *ends,
        ]
        for number, step in enumerate(record["operations"], 1)
    ]


def _spelt(values: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items() if value is not None)


def write(
    folder: str | os.PathLike[str],
    families: Iterable[Family],
    making: Making,
    form: str,
    *,
    force: bool = False,
    inputs: Iterable[str] = (),
    summary: Any,
) -> tuple[Path, dict[str, int]]:
    """Write families as they come; ``summary.counts`` is complete after the last one."""
    check_format(form)
    ensure_local(folder, "a collection is made in", "name one")
    with staged(os.fspath(folder), force, inputs) as staging:
        writer = open_writer(staging, form)
        with Tables(staging, making.least_similarity) as tables:
            for family in families:
                names = {document.id: writer.add(document) for document in family.kept(making)}
                tables.add(family, names)
        writer.close()
        counts = {**summary.counts, **tables.counts}
        manifest = _manifest(making, counts, form)
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8")
    return Path(folder), counts


def _manifest(making: Making, counts: dict[str, int], form: str) -> dict[str, Any]:
    return {
        "kind": "generated",
        "twinset": VERSION,
        "documents": "documents" if form == "folder" else f"documents.{form}",
        "operations": making.recipe.specs(),
        "limit": making.limit,
        "variants": making.variants,
        "originals": making.originals,
        "seed": making.seed,
        "least": making.least_similarity,
        "counts": counts,
    }


def documents_path(folder: Path) -> Path:
    """Where the documents of a collection are: in the folder, whatever its manifest says."""
    manifest: dict[str, Any] = json.loads(read_regular(folder / MANIFEST, MANIFEST_BYTES).decode())
    return folder / Path(manifest["documents"]).name


def read_documents(folder: Path) -> list[Document]:
    """The documents of a collection, each with the id of its source."""
    from twinset.plan import ReadOptions
    from twinset.reading import open_inputs

    with open(folder / "statistics.csv", encoding="utf-8", newline="") as file:
        sources = {row["id"]: row["source"] or None for row in read_rows(file)}
    documents = []
    path = documents_path(folder)
    unwrap = plain_text if path.suffix == ".romip" else str
    for batch in open_inputs(path, ReadOptions(html="no")).batches():
        for id, text in zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True):
            documents.append(Document(id, unwrap(text), sources.get(id)))
    return documents


def read_truth(folder: Path) -> list[TruePair]:
    """The true pairs of a collection with their similarity."""
    with open(folder / "truth.csv", encoding="utf-8", newline="") as file:
        return [
            TruePair(r["left"], r["right"], Similarity(float(r["jaccard"]), float(r["edit"])))
            for r in read_rows(file)
        ]


def read_log(folder: Path) -> list[dict[str, Any]]:
    """What was done to each variant."""
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]
