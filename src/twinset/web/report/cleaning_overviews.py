"""The list by folders, and the questions whose answers would change it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.review.cleaning.folders import FolderOverview
from twinset.review.cleaning.rules import MarkRule
from twinset.web.render import go
from twinset.web.report.cleaning import answer, changed_list, cleaning_of, known_file
from twinset.web.report.cleaning_rows import Wording
from twinset.web.report.cleaning_view import CleaningView

router = APIRouter(prefix="/report/{name}/clean")
LATER = "cleaning later"
"""Where the documents are kept that a person does not want to be asked about now."""


@dataclass(frozen=True)
class SameRow:
    """Folders that hold the same files, by name and path."""

    folders: list[tuple[str, str]]
    files: int
    bytes: int


@dataclass(frozen=True)
class ElsewhereRow:
    """A folder with files that have copies elsewhere; ``path`` is below the searched one."""

    name: str
    path: str
    files: int
    elsewhere: int
    bytes: int


@router.get("/folders")
def folders(request: Request, name: str) -> Response:
    """Whole folders: those that hold the same, and those whose files have copies elsewhere."""
    clean = cleaning_of(request, name)
    overview = clean.cleaning.folders()
    return answer(
        request,
        clean,
        "clean_folders.html",
        parts=clean.parts(),
        here_is="folders",
        **_shown_folders(overview, clean.words),
    )


@router.post("/folders")
def mark_folder(
    request: Request,
    name: str,
    folder: Annotated[str, Form()],
    do: Annotated[str, Form()] = "in-folder",
) -> Response:
    """Mark what has a copy elsewhere, in a folder or everywhere but in it."""
    clean = cleaning_of(request, name)
    if do not in ("in-folder", "outside-folder"):
        raise PlanError([f"there is no rule '{do}' for folders; load the list again"])
    clean.cleaning.apply_rule(MarkRule(do, clean.cleaning.root / folder))  # type: ignore[arg-type]
    return go(f"{clean.address}/folders")


@router.get("/question")
def question(request: Request, name: str) -> Response:
    """The question whose answer changes most."""
    clean = cleaning_of(request, name)
    return answer(request, clean, "clean_question.html", **_next(clean))


@router.post("/question")
def answer_question(
    request: Request,
    name: str,
    document: Annotated[int, Form()],
    said: Annotated[str, Form()],
    alike: Annotated[str, Form()] = "",
) -> Response:
    """Decide on a file, or leave it for later."""
    clean = cleaning_of(request, name)
    asked = known_file(clean, document)
    if said == "later":
        _later(clean).add(asked)
    elif said in ("yes", "no"):
        clean.cleaning.answer(asked, said == "yes", alike=bool(alike))
    else:
        raise PlanError([f"an answer is yes, no or later, not '{said}'"])
    return changed_list(request, clean, **_next(clean))


def _next(clean: CleaningView) -> dict[str, Any]:
    """The next question, in words, and how many there are."""
    questions, count = clean.cleaning.questions(1, _later(clean))
    if not questions:
        return {"question": None, "questions": 0}
    asked = questions[0]
    group = clean.cleaning.group(asked.number, rows=1)
    phrases = clean.cleaning.changes(asked.number, [asked.row.document])
    return {
        "question": asked,
        "questions": count,
        "stays": clean.words.file(asked.keeper, group),
        "goes": clean.words.file(asked.row, group),
        "changes": phrases[asked.row.document],
    }


def _later(clean: CleaningView) -> set[int]:
    later: set[int] = clean.view.index.kept_by_name.setdefault(LATER, set())
    return later


def _shown_folders(overview: FolderOverview, words: Wording) -> dict[str, Any]:
    def named(path: Path) -> tuple[str, str]:
        below = words.below(path)
        return (path.name, ".") if path == words.root else (below, below)

    same = [
        SameRow([named(path) for path in each.folders], each.files, each.bytes)
        for each in overview.same
    ]
    rows = [
        ElsewhereRow(*named(row.folder), row.files, row.elsewhere, row.elsewhere_bytes)
        for row in overview.rows
        if row.folder != words.root
    ]
    return {"same_folders": same, "folders": rows}
