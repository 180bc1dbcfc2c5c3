"""The library's functions; the command line is a thin coat over them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.pipeline import Findings, Progress
    from twinset.report import Report

Path = str | os.PathLike[str]


def find(
    documents: Any,
    threshold: float | None = None,
    *,
    threads: int = 0,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """Near-duplicates among documents, with the exact similarity of every pair.

    ``documents``: a path or a list of `pathlib.Path`, what ``twinset.read`` returns, a list of
    texts, an iterable of (id, text), or what offers Arrow: a table, a pandas or polars frame, a
    Hugging Face dataset. The options are those of `Plan` and of ``twinset.read``, or a file of
    them (``plan``); the threshold is 0.8 if neither says otherwise.
    """
    return _run(documents, threads, memory, progress, dedup=False, threshold=threshold, **options)


def dedup(
    documents: Any,
    threshold: float | None = None,
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
    from twinset.pipeline.opening import open_documents
    from twinset.plan import Plan, Resources

    plan = Plan.make(**options)
    resources = Resources.make(threads=threads, memory=memory)
    # The report is written even so, and says what is wrong.
    opened, plan = open_documents(documents, plan, resources, options, must_be_read=False)
    return run(opened, plan, dedup=dedup, resources=resources, progress=progress)
