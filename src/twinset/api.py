"""The library's functions: ``read``, ``find``, ``dedup``; the command line is a thin coat over them.

Options may be given in one row: what concerns reading goes to `ReadOptions`, the rest to `Plan`.
"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.model import Documents, Progress
    from twinset.pipeline import Findings
    from twinset.plan import ReadOptions

READ_OPTIONS = ("id", "text", "html", "on_error")


def read(*sources: str | os.PathLike[str], **options: Any) -> Documents:
    """Documents from files, folders and globs, streamed when they are used; "-" is stdin."""
    from twinset.read import open_inputs

    return open_inputs([os.fspath(source) for source in sources], _read_options(options))


def find(
    documents: Any,
    threshold: float = 0.8,
    *,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """Near-duplicates among documents, with the exact similarity of every pair.

    ``documents`` is a path, what `read` returns, a list of texts, an iterable of (id, text), or
    anything that offers Arrow: a table, a pandas or polars frame, a Hugging Face dataset.
    """
    options["threshold"] = threshold
    return _run(documents, options, False, threads, memory, progress)


def dedup(
    documents: Any,
    threshold: float = 0.8,
    *,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Findings:
    """Like `find`, and decides which documents to keep; ``save`` writes kept and removed ones."""
    options["threshold"] = threshold
    return _run(documents, options, True, threads, memory, progress)


def open_report(folder: str | os.PathLike[str]) -> Any:
    """A report folder, with the tables of the run that wrote it."""
    from twinset.report import read as read_report

    return read_report(os.fspath(folder))


def _run(
    documents: Any,
    options: dict[str, Any],
    dedup: bool,
    threads: int | None,
    memory: int | str | None,
    progress: Progress | None,
) -> Findings:
    from twinset.pipeline import run
    from twinset.plan import Plan, Resources

    reading = {name: options.pop(name) for name in READ_OPTIONS if name in options}
    plan = Plan.make(**options)
    resources = Resources.make(threads=threads, memory=memory)
    found = _documents(documents, reading, plan.order)
    return run(found, plan, dedup=dedup, resources=resources, progress=progress)
