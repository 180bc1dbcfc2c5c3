"""Images of documents to a file and back: ``shingles.fps``, its inverted table, and its names."""

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

from twinset.errors import PlanError, ReadError
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.images import image_sets
from twinset.finding.methods.joins import Given
from twinset.finding.methods.minhash import MinHash
from twinset.model import Documents, FeatureLists, Features, Ints
from twinset.model import compute as pc
from twinset.model.columns import column
from twinset.model.ids import quoted_id
from twinset.plan import Plan, ReadOptions, Resources
from twinset.plan.spec import spell
from twinset.reading.formats import is_image_file
from twinset.reading.fps import ImageFiles
from twinset.result.places import fresh_file
from twinset.run.documents import distinct_ids, ids_of
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
        raise PlanError(
            [f"{documents.paths[0]} holds images already: give documents, or --inverted"]
        )
    counts = np.zeros(4, np.int64)
    with fresh_file(path) as draft, _text_file(draft, os.fspath(path)) as stream:
        stream.write(f"# twinset lab images: {spell('method', plan.method, full=True)}\n")
        for ids, images, unread in _images(documents, plan, resources, progress):
            _write_lines(stream, ids.to_pylist(), images)
            counts += _counts(images, unread)
    return ImagesWritten(*counts.tolist())


def write_inverted(
    documents: Documents,
    plan: Plan,
    path: str | os.PathLike[str],
    resources: Resources,
    progress: Progress | None = None,
) -> ImagesWritten:
    """One line per value that two or more documents have, with their ids.

    It is the table ``shingles.txt.out`` of a report under names: values ascend and are not named.
    A repeated id gets a number, as in a report.
    """
    counts = np.zeros(4, np.int64)
    ids = [pa.array([], pa.large_string())]
    values: list[Features] = [np.empty(0, np.uint64)]
    lengths: list[Ints] = [np.zeros(1, np.int64)]
    for some, images, unread in _images(documents, plan, resources, progress):
        ids.append(some)
        values.append(images.flat)
        lengths.append(images.lengths)
        counts += _counts(images, unread)
    context = Context(np.concatenate(values), np.concatenate(lengths).cumsum())
    distinct, _ = distinct_ids(pa.concat_arrays(ids))
    names = pa.array(map(quoted_id, distinct.to_pylist()), pa.large_string())
    _, owners = context.inverted()
    owners = owners.take(np.flatnonzero(owners.lengths >= 2))
    with fresh_file(path) as draft, _text_file(draft, os.fspath(path)) as stream:
        stream.write(f"# twinset lab images: {spell('method', plan.method, full=True)}\n")
        for first in range(0, len(owners), LINES):
            part = owners.take(np.arange(first, min(first + LINES, len(owners))))
            lines = _joined(names.take(column(part.flat)), part.offsets)
            stream.writelines(f"{line}\n" for line in lines)
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
    if plan.drop_boilerplate is not None:
        raise PlanError([f"{chosen[0]} holds images, not texts: leave out drop-boilerplate"])
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


def document_names(path: str | os.PathLike[str]) -> list[str]:
    """The ids behind the numbers of an inverted table.

    They stand in a report (its folder), in a file of images, or in a text file with an id on each
    line; the first one has the number 0.
    """
    place = Path(path)
    if is_image_file(place):
        return list(ImageFiles([place], ReadOptions()).ids())
    if place.is_dir():
        from twinset.result import read

        return [str(id) for id in read(place).documents["id"].to_pylist()]
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except OSError as fault:
        raise ReadError(str(path), None, f"cannot be read ({fault.strerror})") from None
    except UnicodeDecodeError:
        raise ReadError(str(path), None, "is not UTF-8; give a report or a list of ids") from None
    return [line.strip() for line in lines]
