"""Images of documents to a file and back: ``shingles.fps``."""

from __future__ import annotations

import dataclasses
import gzip
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError
from twinset.finding.images import image_sets
from twinset.finding.methods.joins import Given
from twinset.finding.methods.minhash import MinHash
from twinset.model import Documents, FeatureLists, Ints
from twinset.model import compute as pc
from twinset.model.columns import column
from twinset.model.ids import quoted_id
from twinset.plan import Plan, Resources
from twinset.plan.spec import spell
from twinset.reading.formats import is_image_file
from twinset.reading.fps import ImageFiles
from twinset.result.places import fresh_file
from twinset.run.documents import ids_of
from twinset.run.progress import Progress, Silent
from twinset.run.streaming import watched

LINES = 20_000
"""Lines that are Python strings at once."""


@dataclasses.dataclass(frozen=True, slots=True)
class ImagesWritten:
    """What was written: documents, those without a value, values, and documents not read."""

    documents: int
    empty: int
    values: int
    unread: int


def write_images(
    documents: Documents,
    plan: Plan,
    path: str | os.PathLike[str],
    resources: Resources,
    progress: Progress | None = None,
) -> ImagesWritten:
    """One line per document with the values of its image; the file appears when it is complete."""
    if isinstance(documents, ImageFiles):
        raise PlanError([f"{documents.paths[0]} holds images already: give documents"])
    counts = np.zeros(4, np.int64)
    with fresh_file(path) as draft, _text_file(draft, os.fspath(path)) as stream:
        stream.write(f"# twinset lab images: {spell('method', plan.method, full=True)}\n")
        for ids, images, unread in _images(documents, plan, resources, progress):
            _write_lines(stream, ids.to_pylist(), images)
            counts += _counts(images, unread)
    return ImagesWritten(*counts.tolist())


def _images(
    documents: Documents, plan: Plan, resources: Resources, progress: Progress | None
) -> Iterator[tuple[pa.Array, FeatureLists, int]]:
    """Batch by batch the ids and images of documents, and how many could not be read."""
    method: Any = plan.method
    for batch in watched(documents, "reading", progress or Silent()):
        if len(batch):
            there = np.flatnonzero(~np.asarray(batch.texts.is_null()))
            features, _ = method.features().extract(batch.texts, resources.threads)
            images = image_sets(method.image, features, resources.threads).take(there)
            yield ids_of(batch).take(column(there)), images, len(batch) - len(there)


def _counts(images: FeatureLists, unread: int) -> list[int]:
    """The figures of `ImagesWritten`."""
    return [len(images), int((images.lengths == 0).sum()), len(images.flat), unread]


@contextmanager
def _text_file(draft: Path, name: str) -> Iterator[TextIO]:
    """The file to write to; packed ones hold the same bytes whenever they are written."""
    with open(draft, "wb") as plain:
        packed = name.lower().endswith(".gz")
        raw: Any = gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if packed else plain
        with io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as stream:
            yield stream


def _write_lines(stream: TextIO, ids: list[str], images: FeatureLists) -> None:
    for first in range(0, len(ids), LINES):
        part = images.take(np.arange(first, min(first + LINES, len(ids))))
        lines = _joined(column(part.flat).cast(pa.large_string()), part.offsets)
        names = map(quoted_id, ids[first : first + LINES])
        stream.writelines(
            f"{name} {line}\n" if line else f"{name}\n"
            for name, line in zip(names, lines, strict=True)
        )


def _joined(words: pa.Array, offsets: Ints) -> list[str]:
    """Lines of words, with blanks between them."""
    lists = pa.LargeListArray.from_arrays(column(offsets - offsets[0]), words)
    lines: list[str] = pc.binary_join(lists, pa.scalar(" ", pa.large_string())).to_pylist()
    return lines


def open_images(
    paths: Sequence[str | os.PathLike[str]],
    plan: Plan,
    resources: Resources,
) -> tuple[Documents, Plan]:
    """Files of images, and the plan whose method compares their values."""
    chosen = [path for path in paths if is_image_file(path)]
    if len(chosen) < len(paths):
        raise PlanError(
            [f"{chosen[0]} holds images, not texts: images and documents have no values in common"]
        )
    if plan.by_units:
        raise PlanError([f"{chosen[0]} holds images, not texts: leave out level"])
    if beside := [name for name in ("drop_boilerplate", "mask") if getattr(plan, name)]:
        named = beside[0].replace("_", "-")
        raise PlanError([f"{chosen[0]} holds images, not texts: leave out {named}"])
    if isinstance(plan.method, MinHash) and "method" not in plan.given:
        cut = [name for name in ("shingle", "offset", "unit") if name in plan.given]
        if cut:
            raise PlanError([f"{chosen[0]} holds images, not texts: leave out {', '.join(cut)}"])
        image = {"image": plan.method.image} if "image" in plan.given else {}
        plan = dataclasses.replace(plan, method=dataclasses.replace(_given(), **image))
    return ImageFiles(paths, plan.read, resources.batch_bytes), plan


def _given() -> Given:
    from twinset.plan.spec import make

    method: Given = make("method", "given")
    return method
