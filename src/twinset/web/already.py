"""An index on the page: what it is, and which of its documents are near a text or a file.

The page only reads. What is asked about comes with every request and is kept nowhere: the rows of
an answer send the text again.
"""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.datastructures import UploadFile

from twinset.errors import ReportError, TwinsetError
from twinset.finding.verify.side_by_side import side_by_side
from twinset.index import Index
from twinset.index.folder import FolderStore
from twinset.index.local import LocalWork
from twinset.model import Fault
from twinset.plan import Plan, Resources
from twinset.plan.spec import is_count, name_of
from twinset.result.words import fault_words
from twinset.run.opening import open_documents
from twinset.system.temporary import TemporaryFolder
from twinset.text.wording import masks_of
from twinset.web.render import render
from twinset.web.report.pair import beside

router = APIRouter(prefix="/index/{name}")
LISTED = 100
"""Documents that an answer lists."""
DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError)
"""Exceptions that a damaged catalogue leads to while an index is read."""


async def _filled(request: Request) -> dict[str, Any]:
    """The form, with the content of the file where one is chosen."""
    most: int = request.app.state.settings.document_bytes
    async with request.form(max_files=1, max_fields=8, max_part_size=most) as form:
        said = {name: value for name, value in form.items() if isinstance(value, str)}
        file = form.get("file")
        if isinstance(file, UploadFile) and file.filename:
            return {**said, "called": file.filename, "content": await file.read()}
        return {**said, "content": None}


@router.get("")
def page(request: Request, name: str) -> Response:
    """The index, and a form to ask it."""
    with _opened(request, name) as index:
        return _shown(request, name, index)


@router.post("")
def ask(request: Request, name: str, form: Annotated[dict[str, Any], Depends(_filled)]) -> Response:
    """The documents that are near a text or a file, one of them beside it.

    ``show`` names the match and the item from which on both texts are shown, as in "3-120".
    """
    numbers = form.get("show", "").partition("-")[::2]
    row, start = (int(number) if is_count(number) else 0 for number in numbers)
    with _opened(request, name) as index:
        if form["content"] is None:
            # Browsers send every line break as two characters.
            text = form.get("text", "").replace("\r\n", "\n")
        else:
            text = _text_in(request, form["called"], form["content"], index.plan)
        if not text.strip():
            raise ReportError("there is nothing to ask about: paste a text, or choose a file")
        id = form.get("id", "").strip()
        [answer] = index.query_texts([id or None], [text], top=LISTED)
        row = max(0, min(row, len(answer.matches) - 1))
        other = index.text(answer.matches[row].id) if answer.matches else None
        values = {"answer": answer, "chosen": row, "id": id, "called": form.get("called", "")}
        if other is not None:
            values |= beside(side_by_side(text, other, masks_of(index.plan)), start)
        return _shown(request, name, index, text=text, **values)


@contextmanager
def _opened(request: Request, name: str) -> Iterator[Index]:
    """The index; files that its plan names are read in the page's folders alone."""
    folder = request.app.state.shelf.index(name)
    try:
        with Index(LocalWork(FolderStore(folder, request.app.state.settings.bounds))) as index:
            yield index
    except DAMAGE as fault:
        raise ReportError(
            f"the index {folder} is damaged ({fault}): 'twinset index check {folder}' says what "
            "can be saved"
        ) from fault


def _shown(request: Request, name: str, index: Index, **values: Any) -> Response:
    info, plan = index.info(), index.plan
    uses = getattr(plan.method, "uses", ("threshold",))
    known = {
        "info": info,
        "method": name_of("method", plan.method),
        "has_threshold": plan.verify is not None or "threshold" in uses,
        "command": f"twinset index query {shlex.quote(info['index'])} FILE",
        "name": name,
        "most": request.app.state.settings.document_bytes,
        **dict.fromkeys(("text", "id", "called"), ""),
        **dict.fromkeys(("answer", "side")),
    }
    return render(request, "already.html", wide=True, **(known | values))


def _text_in(request: Request, called: str, content: bytes, plan: Plan) -> str:
    """The only document of a file, read as those of the index were.

    The file lies in the page's own folder while it is read.
    """
    texts: list[str | None] = []
    faults: list[Fault] = []
    with TemporaryFolder(request.app.state.settings.home) as folder:
        name = re.sub(r"[^\w.-]", "_", called, flags=re.ASCII)[-100:].lstrip(".")
        path = folder / (name or "document")
        path.write_bytes(content)
        try:
            documents, _ = open_documents(path, plan, Resources.make(threads=1), must_be_read=False)
            for batch in documents.batches():
                texts += batch.texts.to_pylist()
                faults += batch.faults
                if len(texts) > 1:
                    break
        except TwinsetError as fault:
            why = str(fault).replace(f"{folder}{os.sep}", "")
            raise ReportError(f"{called} cannot be read: {why}") from None
    if len(texts) > 1:
        raise ReportError(
            f"{called} holds several documents, and this page asks about one; use 'twinset index "
            "query' for many"
        )
    if texts and texts[0] and texts[0].strip():
        return texts[0]
    if not faults:
        raise ReportError(f"{called} holds no text; choose another file")
    raise ReportError(f"{called} cannot be read: {fault_words(faults[0].kind, 1)}")
