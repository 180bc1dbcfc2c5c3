"""The library's functions; the command line is a thin coat over them."""

from __future__ import annotations

import copy
import dataclasses
import os
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twinset.model import Documents
    from twinset.pipeline import Findings, Progress
    from twinset.plan import Plan, Resources
    from twinset.report import Report

Path = str | os.PathLike[str]


def find(
    documents: Any,
    threshold: float = 0.8,
    *,
    threads: int = 0,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """Near-duplicates among documents, with the exact similarity of every pair.

    ``documents``: a path or a list of `pathlib.Path`, what ``twinset.read`` returns, a list of
    texts, an iterable of (id, text), or what offers Arrow: a table, a pandas or polars frame, a
    Hugging Face dataset. The options are those of `Plan` and of ``twinset.read``.
    """
    return _run(documents, threads, memory, progress, dedup=False, threshold=threshold, **options)


def dedup(
    documents: Any,
    threshold: float = 0.8,
    *,
    threads: int = 0,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """Like `find`, and decides which documents stay; saving writes the kept and removed ones."""
    return _run(documents, threads, memory, progress, dedup=True, threshold=threshold, **options)


def open_report(folder: Path) -> Report:
    """A report folder, with the tables of the run that wrote it."""
    from twinset.report import read as read_report

    return read_report(os.fspath(folder))


def _run(
    documents: Any,
    threads: int,
    memory: int | str,
    progress: Progress | None,
    *,
    dedup: bool,
    **options: Any,
) -> Findings:
    from twinset.pipeline import run
    from twinset.plan import Plan, Resources

    plan = Plan.make(**options)
    resources = Resources.make(threads=threads, memory=memory)
    opened, plan = _open(documents, plan, resources, options)
    return run(opened, plan, dedup=dedup, resources=resources, progress=progress)


def _open(
    documents: Any, plan: Plan, resources: Resources, given: dict[str, Any]
) -> tuple[Documents, Plan]:
    """The documents as a stream, and the plan with the options that they are read with."""
    from twinset.read import Inputs, open_inputs

    if isinstance(documents, Inputs):
        names = {field.name for field in dataclasses.fields(plan.read)}
        changed = {name: value for name, value in given.items() if name in names}
        options = dataclasses.replace(documents.options, order=plan.read.order, **changed)
        opened = copy.copy(documents)
        opened.options = options
        return opened, dataclasses.replace(plan, read=options)
    if _are_paths(documents):
        paths = [documents] if isinstance(documents, str | os.PathLike) else list(documents)
        size, threads = resources.batch_bytes, resources.threads
        return open_inputs(paths, plan.read, batch_bytes=size, threads=threads), plan
    if hasattr(documents, "batches") and hasattr(documents, "total_bytes"):
        return documents, plan
    from twinset.read import from_memory

    return from_memory(documents, plan.read), plan


def _are_paths(documents: Any) -> TypeGuard[Path | Sequence[Path]]:
    """A string alone is a path; in a list it would be a text, so paths there are `Path` objects."""
    if isinstance(documents, str | os.PathLike):
        return True
    if not isinstance(documents, list | tuple) or not documents:
        return False
    return all(isinstance(one, os.PathLike) for one in documents)
