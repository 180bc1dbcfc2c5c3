"""An index on the page: what it is, and which of its documents are near a text or a file.

The page only reads. What is asked about comes with every request and is kept nowhere: the rows of
an answer send the text again.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
from twinset.system.temporary import temporary_folder
from twinset.web.folders import safe_name
from twinset.web.render import language_of, render
from twinset.web.report.pair import beside

router = APIRouter(prefix="/index/{name}")
LISTED = 100
"""Documents that an answer lists."""
DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError)
"""Exceptions that a damaged catalogue leads to while an index is read."""
ABOUT_RUNS = ("binary", "format")
"""Kinds of faults whose details describe a search, not a question: they are not shown."""


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """A text or the content of a file to ask about; ``called`` is the name of the file.

    ``row`` is the match to show beside it, from item ``start`` of both texts on.
    """

    text: str = ""
    id: str = ""
    called: str = ""
    content: bytes | None = None
    row: int = 0
    start: int = 0


class UnaskedError(TwinsetError):
    """Raised where there is nothing to ask about; ``reason`` names the sentence that says why."""

    def __init__(self, reason: str, why: str = "", detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.why, self.detail = reason, why, detail


async def _question(request: Request) -> AskedDocument:
    most: int = request.app.state.settings.document_bytes
    async with request.form(max_files=1, max_fields=8, max_part_size=most) as form:
        said = {name: value for name, value in form.items() if isinstance(value, str)}
        row, _, start = said.get("show", "").partition("-")
        question = AskedDocument(
            # Browsers send every line break as two characters.
            said.get("text", "").replace("\r\n", "\n"),
            said.get("id", "").strip(),
            said.get("called", ""),
            row=int(row) if is_count(row) else 0,
            start=int(start) if is_count(start) else 0,
        )
        file = form.get("file")
        if isinstance(file, UploadFile) and file.filename:
            content = await file.read()
            return dataclasses.replace(question, text="", called=file.filename, content=content)
    return question


@router.get("")
def page(request: Request, name: str) -> Response:
    """The index, and a form to ask it."""
    with _opened(request, name) as index:
        return _shown(request, name, index, AskedDocument())


@router.post("")
def ask(
    request: Request, name: str, question: Annotated[AskedDocument, Depends(_question)]
) -> Response:
    """The documents that are near a text or a file, one of them beside it."""
    with _opened(request, name) as index:
        try:
            text = _text_of(request, question, index.plan)
        except UnaskedError as fault:
            return _shown(request, name, index, question, fault=fault, status=400)
        question = dataclasses.replace(question, text=text, content=None)
        [answer] = index.query_texts([question.id or None], [text], top=LISTED)
        row = max(0, min(question.row, len(answer.matches) - 1))
        other = index.text(answer.matches[row].id) if answer.matches else None
        values: dict[str, Any] = {"answer": answer, "chosen": row}
        if other is not None:
            values |= beside(side_by_side(text, other), question.start)
        return _shown(request, name, index, question, **values)


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


def _shown(
    request: Request, name: str, index: Index, question: AskedDocument, **values: Any
) -> Response:
    info, plan = index.info(), index.plan
    uses = getattr(plan.method, "uses", ("threshold",))
    known = {
        "info": info,
        "method": name_of("method", plan.method),
        "has_threshold": plan.verify is not None or "threshold" in uses,
        "command": f"twinset index query {shlex.quote(info['index'])} FILE",
        "name": name,
        "question": question,
        "most": request.app.state.settings.document_bytes,
        **dict.fromkeys(("fault", "answer", "side")),
    }
    return render(request, "already.html", wide=True, **(known | values))


def _text_of(request: Request, question: AskedDocument, plan: Plan) -> str:
    """The text, or that of the only document of the file, read as those of the index were.

    The file lies in the page's own folder while it is read.
    """
    if question.content is None:
        if not question.text.strip():
            raise UnaskedError("nothing")
        return question.text
    texts: list[str | None] = []
    faults: list[Fault] = []
    with temporary_folder(request.app.state.settings.home) as folder:
        path = folder / safe_name(question.called)
        path.write_bytes(question.content)
        resources = Resources.make(threads=1)
        try:
            documents, _ = open_documents(path, plan, resources, must_be_read=False)
            for batch in documents.batches():
                texts += batch.texts.to_pylist()
                faults += batch.faults
                if len(texts) > 1:
                    raise UnaskedError("several")
        except UnaskedError:
            raise
        except TwinsetError as fault:
            why = str(fault).replace(f"{folder}{os.sep}", "")
            raise UnaskedError("unread", why) from None
    if texts and texts[0] and texts[0].strip():
        return texts[0]
    if not faults:
        raise UnaskedError("empty")
    why = fault_words(faults[0].kind, 1, language_of(request))
    raise UnaskedError("unread", why, "" if faults[0].kind in ABOUT_RUNS else faults[0].detail)
