"""Images of documents to a file and back: ``shingles.fps``, and the names behind its numbers."""

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
import pyarrow.compute as pc

from twinset.engine.documents import ids_of
from twinset.engine.progress import Progress, Silent
from twinset.engine.streaming import watched
from twinset.errors import PlanError, ReadError
from twinset.images.sets import image_sets
from twinset.methods.given import Given
from twinset.methods.minhash import MinHash
from twinset.model import Documents, FeatureLists
from twinset.model.columns import column
from twinset.plan import Plan, ReadOptions, Resources
from twinset.reading.fps import ImageFiles, is_image_file, quoted_id
from twinset.report.files import fresh_file
from twinset.spec import spell

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
    method: Any = plan.method
    counts = np.zeros(4, np.int64)
    with fresh_file(path) as draft, _text_file(draft, os.fspath(path)) as stream:
        stream.write(f"# twinset images: {spell('method', method, full=True)}\n")
        for batch in watched(documents, "reading", progress or Silent()):
            if not len(batch):
                continue
            there = np.flatnonzero(~np.asarray(batch.texts.is_null()))
            features, _ = method.features().extract(batch.texts, resources.threads)
            images = image_sets(method.image, features, resources.threads).take(there)
            _write_lines(stream, ids_of(batch).take(column(there)).to_pylist(), images)
            empty = int((images.lengths == 0).sum())
            counts += [len(there), empty, len(images.flat), len(batch) - len(there)]
    return ImagesWritten(*counts.tolist())


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
        words = column(part.flat).cast(pa.large_string())
        lists = pa.LargeListArray.from_arrays(column(part.offsets - part.offsets[0]), words)
        lines = pc.binary_join(lists, pa.scalar(" ", pa.large_string())).to_pylist()
        names = map(quoted_id, ids[first : first + LINES])
        stream.writelines(
            f"{name} {line}\n" if line else f"{name}\n"
            for name, line in zip(names, lines, strict=True)
        )


def open_images(
    paths: Sequence[str | os.PathLike[str]],
    plan: Plan,
    resources: Resources,
    explicit: dict[str, Any],
) -> tuple[Documents, Plan] | None:
    """Files of images, and the plan whose method compares their values; None for other paths."""
    chosen = [path for path in paths if is_image_file(path)]
    if not chosen:
        return None
    if len(chosen) < len(paths):
        raise PlanError(
            [f"{chosen[0]} holds images, not texts: images and documents have no values in common"]
        )
    if isinstance(plan.method, MinHash) and not explicit.get("method"):
        cut = [name for name in ("shingle", "offset", "unit") if explicit.get(name) is not None]
        if cut:
            raise PlanError([f"{chosen[0]} holds images, not texts: leave out {', '.join(cut)}"])
        image = {"image": plan.method.image} if explicit.get("image") is not None else {}
        plan = dataclasses.replace(plan, method=dataclasses.replace(_given(), **image))
    return ImageFiles(paths, plan.read, resources.batch_bytes), plan


def _given() -> Given:
    from twinset.spec import make

    method: Given = make("method", "given")
    return method


def document_names(path: str | os.PathLike[str]) -> list[str]:
    """The ids behind the numbers of an inverted table, written as in a file of images.

    They stand in a report (its folder), in a file of images, or in a text file with an id on each
    line; the first one has the number 0.
    """
    place = Path(path)
    if is_image_file(place):
        return [quoted_id(id) for id in ImageFiles([place], ReadOptions()).ids()]
    if place.is_dir():
        from twinset.report import read

        return [quoted_id(id) for id in read(place).documents["id"].to_pylist()]
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except OSError as fault:
        raise ReadError(str(path), None, f"cannot be read ({fault.strerror})") from None
    except UnicodeDecodeError:
        raise ReadError(str(path), None, "is not UTF-8; give a report or a list of ids") from None
    return [quoted_id(line.strip()) for line in lines]
