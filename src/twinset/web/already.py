"""An index on the page: what it is, and which of its documents are near a text or a file.

The page only reads. What is asked about comes with every request and is kept nowhere: the rows of
an answer send the text again.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.datastructures import UploadFile

from twinset.engine.opening import open_documents
from twinset.errors import ReportError, TwinsetError
from twinset.index import Index
from twinset.index.folder import FolderStore
from twinset.index.local import LocalWork
from twinset.model import Fault
from twinset.plan import Plan, Resources
from twinset.report.faults import fault_words
from twinset.report.pair_rows import Fold, Line, unfolded, window
from twinset.spec import name_of
from twinset.spec.numerals import is_count
from twinset.system.temporary import temporary_folder
from twinset.verify.side_by_side import SideBySide, side_by_side
from twinset.web.render import language_of, render
from twinset.web.settings import Settings
from twinset.web.uploads import safe_name

router = APIRouter(prefix="/index/{name}")
LISTED = 100
"""Documents that an answer lists."""
ITEMS = 120
"""Rows and folds of two texts that are shown at once."""
UNFOLDED = 400
"""Rows of a fold that can be opened."""
DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError)
"""What reading an index ends with where its catalogue says what cannot be."""
ABOUT_RUNS = ("binary", "format")
"""Kinds of faults whose details say what a search does with such a file."""


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """What is asked about: a text, or a file; ``called`` is the name of the file it is from.

    ``row`` is the match to show beside it, from item ``start`` of both texts on.
    """

    text: str = ""
    id: str = ""
    called: str = ""
    content: bytes | None = None
    row: int = 0
    start: int = 0


class UnaskedError(TwinsetError):
    """There is nothing to ask about; ``reason`` names the sentence that says why."""

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
        facts = _facts(index)
    return _shown(request, name, facts, AskedDocument())


@router.post("")
def ask(
    request: Request, name: str, question: Annotated[AskedDocument, Depends(_question)]
) -> Response:
    """The documents that are near a text or a file, one of them beside it."""
    with _opened(request, name) as index:
        facts = _facts(index)
        try:
            question = _with_text(request, question, index.plan)
        except UnaskedError as fault:
            return _shown(request, name, facts, question, fault=fault, status=400)
        [answer] = index.query_texts([question.id or None], [question.text], top=LISTED)
        row = max(0, min(question.row, len(answer.matches) - 1))
        text = index.text(answer.matches[row].id) if answer.matches else None
    beside = {} if text is None else _beside(question, text)
    return _shown(request, name, facts, question, answer=answer, chosen=row, **beside)


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


def _facts(index: Index) -> dict[str, Any]:
    """What the page says of an index."""
    info, plan = index.info(), index.plan
    uses = getattr(plan.method, "uses", ("threshold",))
    return {
        "info": info,
        "method": name_of("method", plan.method),
        "has_threshold": plan.verify is not None or "threshold" in uses,
        "command": f"twinset index query {shlex.quote(info['index'])} FILE",
    }


def _shown(
    request: Request, name: str, facts: dict[str, Any], question: AskedDocument, **values: Any
) -> Response:
    none = {"fault": None, "answer": None, "side": None}
    most = request.app.state.settings.document_bytes
    values = none | facts | {"name": name, "question": question, "most": most} | values
    return render(request, "already.html", wide=True, **values)


def _beside(question: AskedDocument, text: str) -> dict[str, Any]:
    """The text of a document beside that asked about."""
    side = side_by_side(question.text, text)
    return {
        "side": side,
        "window": window(side, question.start, ITEMS),
        "opened": lambda fold: _opened_fold(side, fold),
        "unfolded": UNFOLDED,
    }


def _opened_fold(side: SideBySide, fold: Fold) -> Sequence[Line]:
    return unfolded(side, fold.first, min(fold.last, fold.first + UNFOLDED))


def _with_text(request: Request, question: AskedDocument, plan: Plan) -> AskedDocument:
    """The question with the text of its file, read as the documents of the index were."""
    if question.content is not None:
        settings: Settings = request.app.state.settings
        language = language_of(request)
        text = _text_of(question.called, question.content, plan, settings, language)
        return dataclasses.replace(question, text=text, content=None)
    if not question.text.strip():
        raise UnaskedError("nothing")
    return question


def _text_of(name: str, content: bytes, plan: Plan, settings: Settings, language: str) -> str:
    """The only document of a file, which lies in the page's own folder while it is read."""
    texts: list[str | None] = []
    faults: list[Fault] = []
    with temporary_folder(settings.home) as folder:
        path = folder / safe_name(name)
        path.write_bytes(content)
        resources = Resources.make(threads=1)
        try:
            documents, _ = open_documents(path, plan, resources, {}, must_be_read=False)
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
    why = fault_words(faults[0].kind, 1, language)
    raise UnaskedError("unread", why, "" if faults[0].kind in ABOUT_RUNS else faults[0].detail)
