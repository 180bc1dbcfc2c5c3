"""An index on the page: what it is, and which of its documents are near a text or a file.

The page only reads. What is asked about comes with every request and is kept nowhere: the rows of
an answer send the text again.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.datastructures import UploadFile

from twinset.engine.opening import open_documents
from twinset.errors import TwinsetError
from twinset.index import Index, QueryAnswer
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
ABOUT_RUNS = ("binary", "format")
"""Kinds of faults whose details say what a search does with such a file."""


@dataclass(frozen=True, slots=True)
class Question:
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


async def _question(request: Request) -> Question:
    most: int = request.app.state.settings.document_bytes
    async with request.form(max_files=1, max_fields=8, max_part_size=most) as form:
        said = {name: value for name, value in form.items() if isinstance(value, str)}
        row, _, start = said.get("show", "").partition("-")
        question = Question(
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
        return _shown(request, name, index, Question())


@router.post("")
def ask(request: Request, name: str, question: Annotated[Question, Depends(_question)]) -> Response:
    """The documents that are near a text or a file, one of them beside it."""
    with _opened(request, name) as index:
        try:
            question = _with_text(request, question, index.plan)
        except UnaskedError as fault:
            return _shown(request, name, index, question, fault=fault, status=400)
        [answer] = index.query_texts([question.id or None], [question.text], top=LISTED)
        beside = _beside(index, question, answer)
        return _shown(request, name, index, question, answer=answer, **beside)


def _opened(request: Request, name: str) -> Index:
    """The index; files that its plan names are read in the page's folders alone."""
    folder = request.app.state.shelf.index(name)
    return Index(LocalWork(FolderStore(folder, request.app.state.settings.bounds)))


def _shown(
    request: Request, name: str, index: Index, question: Question, **values: Any
) -> Response:
    info, plan = index.info(), index.plan
    none = {"fault": None, "answer": None, "side": None, "chosen": 0}
    return render(
        request,
        "already.html",
        **none | values,
        name=name,
        info=info,
        method=name_of("method", plan.method),
        has_threshold=plan.verify is not None
        or "threshold" in getattr(plan.method, "uses", ("threshold",)),
        question=question,
        most=request.app.state.settings.document_bytes,
        command=f"twinset index query {shlex.quote(info['index'])} FILE",
        wide=True,
    )


def _beside(index: Index, question: Question, answer: QueryAnswer) -> dict[str, Any]:
    """A document of the answer beside the text; without it, where the index keeps none."""
    if not answer.matches:
        return {}
    row = min(question.row, len(answer.matches) - 1)
    text = index.text(answer.matches[row].id)
    if text is None:
        return {"chosen": row}
    side = side_by_side(question.text, text)
    return {
        "chosen": row,
        "side": side,
        "window": window(side, question.start, ITEMS),
        "opened": lambda fold: _opened_fold(side, fold),
        "unfolded": UNFOLDED,
    }


def _opened_fold(side: SideBySide, fold: Fold) -> Sequence[Line]:
    return unfolded(side, fold.first, min(fold.last, fold.first + UNFOLDED))


def _with_text(request: Request, question: Question, plan: Plan) -> Question:
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
