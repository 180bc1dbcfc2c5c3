"""``twinset.read(...)``: this package is also the function that opens files."""

from __future__ import annotations

import os
import types
from collections.abc import Sequence

from twinset.plan import Html, OnError, Plan
from twinset.read.inputs import Inputs, open_inputs


def read(
    *sources: str | os.PathLike[str],
    id: str | None = None,
    text: str | None = None,
    html: Html | None = None,
    on_error: OnError | None = None,
    max_document_bytes: int | str | None = None,
    within: Sequence[str] = (),
    max_unread: float | None = None,
) -> Inputs:
    """Documents of files, folders and globs, streamed when they are used; ``-`` is stdin.

    >>> from pathlib import Path
    >>> written = Path("notes.csv").write_text("key,body\\n1,one two\\n2,three\\n", "utf-8")
    >>> documents = read("notes.csv", id="key", text="body")
    >>> [batch.texts.to_pylist() for batch in documents.batches()]
    [['one two', 'three']]

    ``id`` and ``text`` name the fields, ``html`` says whether texts are pages (auto, yes or no) and
    ``on_error`` whether bad documents are skipped or stop the run (skip or stop). Records of more
    than ``max_document_bytes`` are refused, nothing outside the folders ``within`` is read, and
    ``max_unread`` is the share of rows that may be unreadable. None means the default.
    """
    plan = Plan.make(
        id=id,
        text=text,
        html=html,
        on_error=on_error,
        max_document_bytes=max_document_bytes,
        within=within,
        max_unread=max_unread,
    )
    return open_inputs(sources, plan.read)


class Callable(types.ModuleType):
    """A module that can be called, since a package and a function cannot share a name otherwise."""

    __call__ = staticmethod(read)
