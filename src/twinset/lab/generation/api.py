"""``twinset.generate``: a test collection with known truth from any documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twinset.engine import Progress
from twinset.engine.opening import open_documents
from twinset.engine.progress import Silent
from twinset.lab.generation.folder import write
from twinset.lab.generation.formats import check_format
from twinset.lab.generation.options import Originals
from twinset.lab.generation.recipe import Making, Recipe
from twinset.lab.generation.result import Generated
from twinset.lab.generation.stream import Stream
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.report import ensure_free, ensure_local
from twinset.spec import checked_values

if TYPE_CHECKING:
    from typing_extensions import Unpack


@reads_documents
def generate(
    documents: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    ops: Sequence[str] | None = None,
    recipe: Recipe | str | None = None,
    limit: int | None = None,
    variants: int = 1,
    originals: Originals = "sources",
    seed: int = 1,
    least_similarity: float = 0.0,
    format: str = "jsonl",
    force: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Generated:
    """Make near-duplicates of documents, with the true pairs and a log of the edits.

    >>> collection = generate({"note": "one two three four five six"}, ops=["truncate:50%"])
    >>> [document.text for document in collection.documents]
    ['one two three four five six', 'one two three']
    >>> [(pair.left, pair.right) for pair in collection.truth]
    [('note', 'note~1')]

    ``documents`` is anything that `twinset.find` accepts. ``ops`` are specs such as
    ``delete-paragraphs:5%``; ``recipe`` is a TOML file or a `Recipe`. ``limit`` documents get
    ``variants`` each. With ``out`` the collection is written to that folder as it is made;
    otherwise it stays in memory. The other parameters are fields of `Making` and options of
    ``twinset.read``.
    """
    given = reading_arguments(reading, "generate")
    making = checked_values(
        Making(
            limit, variants, originals, seed, least_similarity, recipe=Recipe.chosen(ops, recipe)
        )
    )
    check_format(format)
    inputs = [str(path) for path in _paths(documents)]
    if out is not None:
        ensure_local(out, "a collection is made in", "name one")
        ensure_free(os.fspath(out), force, inputs)
    stream = _open(documents, making, Resources.make(threads, memory), progress, given)
    if out is not None:
        target, counts = write(
            out, stream.families(), making, format, force=force, inputs=inputs, summary=stream
        )
        return Generated(making, counts, stream.faults, target, notes=stream.notes())
    families = tuple(stream.families())
    counts = stream.counts | {
        "made": sum(len(family.variants) for family in families),
        "pairs": sum(p.similarity.jaccard >= least_similarity for f in families for p in f.pairs),
    }
    return Generated(making, counts, stream.faults, None, families, stream.notes())


def _open(
    documents: Any,
    making: Making,
    resources: Resources,
    progress: Progress | None,
    reading: dict[str, Any],
) -> Stream:
    """Open the documents with their mark-up, whether or not they are read as HTML."""
    html = Plan.make(**reading).read.html
    raw = {**reading, "html": "no"}
    opened, _ = open_documents(documents, Plan.make(**raw), resources, raw)
    return Stream(opened, making, html, resources.threads, progress or Silent())


def _paths(documents: Any) -> list[Any]:
    if isinstance(documents, str | os.PathLike):
        return [documents]
    is_list = isinstance(documents, list | tuple)
    return (
        [document for document in documents if isinstance(document, os.PathLike)] if is_list else []
    )
