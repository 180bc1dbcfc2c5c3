"""Opens whatever documents a caller has: paths, what ``twinset.read`` returns, data in memory."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Sequence
from typing import Any, TypeGuard

from twinset.model import Documents
from twinset.plan import Plan, ReadOptions, Resources
from twinset.plan.spec import options_of
from twinset.reading import Inputs, open_inputs
from twinset.reading.formats import is_image_file
from twinset.reading.repeated import Repetition
from twinset.system.remote import RemotePath, is_address
from twinset.system.temporary import sweep

Path = str | os.PathLike[str] | RemotePath


def open_documents(
    documents: Any,
    plan: Plan,
    resources: Resources,
    *,
    must_be_read: bool = True,
    may_be_empty: bool = False,
    raw: bool = False,
) -> tuple[Documents, Plan]:
    """The documents as a stream, and the plan with the options that they are read with.

    Unless ``must_be_read`` is false, files without text end the first pass over them with an error,
    but for files without documents where they ``may_be_empty``: nothing new may have come today.
    With ``raw`` batches have the bytes of the documents, whatever the plan's own method asks for.
    Temporary files that killed runs have left are removed: every run passes here.
    """
    sweep(resources.folder)
    raw = raw or plan.read.raw
    read = dataclasses.replace(plan.read, raw=raw)
    if isinstance(documents, Inputs):
        changed = {
            name: getattr(plan.read, name) for name in options_of(ReadOptions) if name in plan.given
        }
        by_plan = ("order", "raw", "vectors", "boilerplate")
        changed |= {name: getattr(read, name) for name in by_plan}
        options = dataclasses.replace(documents.options, **changed)
        opened = copy.copy(documents)
        opened.options = _within_memory(options, resources)
        opened.repetition = Repetition()  # that of a pass with other options would not do
        opened.must_be_read, opened.may_be_empty = must_be_read, may_be_empty
        return opened, dataclasses.replace(plan, read=options)
    if _are_paths(documents):
        listed = [documents] if isinstance(documents, str | os.PathLike | RemotePath) else documents
        paths = [str(item) if isinstance(item, RemotePath) else item for item in listed]
        if any(map(is_image_file, paths)):
            from twinset.run.image_files import open_images

            return open_images(paths, plan, resources)
        size, threads = resources.batch_bytes, resources.threads
        inputs = open_inputs(
            paths,
            _within_memory(read, resources),
            batch_bytes=size,
            threads=threads,
            processes=resources.processes,
            ahead_bytes=resources.ahead_bytes,
        )
        inputs.must_be_read, inputs.may_be_empty = must_be_read, may_be_empty
        if isinstance(documents, list | tuple) and _are_plain_files(documents, inputs):
            inputs.named_files = copy.copy(documents)
        return inputs, plan
    if hasattr(documents, "batches") and hasattr(documents, "total_bytes"):
        return documents, plan
    from twinset.reading.memory import from_memory  # many small files, one for each library

    return from_memory(documents, read, strict=True), plan


def _within_memory(options: ReadOptions, resources: Resources) -> ReadOptions:
    most = min(options.max_document_bytes, resources.document_bytes)
    return dataclasses.replace(options, max_document_bytes=most)


def _are_paths(documents: Any) -> TypeGuard[Path | Sequence[Path]]:
    """A string alone is a path; in a list it is a text, unless all are `Path` or addresses."""
    if isinstance(documents, str | os.PathLike | RemotePath):
        return True
    if not isinstance(documents, list | tuple) or not documents:
        return False
    return all(isinstance(item, os.PathLike) or is_address(item) for item in documents)


def _are_plain_files(paths: Sequence[Any], inputs: Inputs) -> bool:
    """Whether every path is a file that is one document, and not a file of records or a folder."""
    return all(source.reader == "files" for source in inputs.sources) and all(
        isinstance(path, os.PathLike) and os.path.isfile(path) for path in paths
    )
