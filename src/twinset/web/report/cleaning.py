"""What can go: the list of copies with the file that stays, and the marks of what goes.

A click changes a mark and gets its group again, with the totals; what changes many groups gets the
list again. The address in the browser says which part of the list is shown.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qsl, urlsplit

from fastapi import APIRouter, Depends, Form, Request, Response
from pydantic import TypeAdapter
from starlette.background import BackgroundTask

from twinset.errors import PlanError, ReportError, TwinsetError
from twinset.model.flow import KINDS, Kind
from twinset.pages.language import moment, say
from twinset.plan.spec import make
from twinset.result.words import files_not_read
from twinset.review import ReportIndex, ReportTexts
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import (
    Action,
    Change,
    Column,
    CopyGroup,
    FileRow,
    GroupQuery,
    Shown,
    worded,
)
from twinset.review.cleaning.ranking import policies_of
from twinset.review.cleaning.state import MarkRule
from twinset.web.render import address, go, language_of
from twinset.web.report.picture import preview
from twinset.web.reports import View, show, view
from twinset.web.settings import LOOPBACK, Settings, inside

router = APIRouter(prefix="/report/{name}/clean")
Sent = Annotated[int, Form()]
"""The number of a document or group, as a form sends it."""
GROUPS = 50
ROWS = 8
"""Files of a group that are shown before a click shows all."""
ALL_ROWS = 2_000
RULES = ("all", "none")
"""Rules that need nothing but their name; those of folders need one."""
OF_FOLDERS = ("in-folder", "outside-folder")
POLICIES = (
    *("original-name", "newest", "oldest", "format"),
    *("longest", "shortest", "shortest-name"),
)
PLACES = 4
"""The policies that the page offers, and how many can decide, one after the other."""


@dataclass(frozen=True)
class AskedGroups:
    """The reader's request; empty strings are fields left empty."""

    part: Literal["copies", "versions", "alike"] = "copies"
    q: str = ""
    kind: str = ""
    state: Shown = "any"
    sort: Column = "gain"
    reverse: bool = False
    offset: int = 0

    @classmethod
    def current(cls, request: Request) -> AskedGroups:
        """What the page that sent a request shows, by its address or that of the request."""
        try:
            query = urlsplit(request.headers.get("hx-current-url", str(request.url))).query
            return TypeAdapter(cls).validate_python(dict(parse_qsl(query)))
        except ValueError:
            raise PlanError(["the address of the list cannot be read; load it again"]) from None

    def query(self, kinds: tuple[Kind, ...]) -> GroupQuery:
        """The request as a query of the library, for groups of these kinds."""
        chosen = tuple(kind for kind in kinds if kind == self.kind)
        return GroupQuery(
            text=self.q,
            kinds=chosen or kinds,
            state=self.state,
            sort=self.sort,
            reverse=self.reverse,
            offset=max(0, self.offset),
            limit=GROUPS,
            rows=ROWS,
        )

    @property
    def rises(self) -> bool:
        """Whether the sorted column rises: names do by themselves, amounts with ``reverse``."""
        return (self.sort in ("name", "kind", "folder")) != self.reverse

    @property
    def is_narrow(self) -> bool:
        """Whether a filter leaves groups out."""
        return bool(self.q or self.kind or self.state != "any")

    def address(self, base: str, **changes: Any) -> str:
        """The address of the list with some fields changed; a new order begins at its start."""
        usual = asdict(AskedGroups())
        chosen = ({} if "part" in changes else asdict(self) | {"offset": 0}) | changes
        return address(base, **{k: v for k, v in chosen.items() if v != usual[k]})


@dataclass(frozen=True)
class CleaningView:
    """The list over one report as a reader has asked for it: values for its templates."""

    view: View
    cleaning: FolderCleaning
    asked: AskedGroups
    language: str
    opens: bool

    @property
    def address(self) -> str:
        """The address of the list."""
        return f"/report/{self.view.name}/clean"

    @property
    def kinds_of(self) -> dict[str, tuple[Kind, ...]]:
        """The kinds of the groups in each part of the list."""
        first, last = KINDS.index(self.cleaning.least) + 1, KINDS.index("revision") + 1
        return {"copies": KINDS[:first], "versions": KINDS[first:last], "alike": KINDS[last:]}

    @property
    def query(self) -> GroupQuery:
        """The reader's request as a query of the library."""
        return self.asked.query(self.kinds_of[self.asked.part])

    @property
    def acted_on(self) -> GroupQuery | None:
        """The groups whose files are removed: those that a filter shows, or None for all."""
        return self.query if self.asked.is_narrow else None

    def always(self) -> dict[str, Any]:
        """What every template of the list knows."""
        return {
            "address": self.address,
            "asked": self.asked,
            "can_undo": bool(self.cleaning.state.settled.any()),
            "at": lambda **changes: self.asked.address(self.address, **changes),
            "kind_name": lambda kind: self.t(f"kinds.{kind}"),
            "lines": GROUPS,
            "narrow": self.asked.address("") if self.asked.is_narrow else "",
            "opens": self.opens,
            "root": str(self.cleaning.root),
            "sorts": get_args(Column),
            "totals": self.cleaning.totals(self.acted_on),
            "all": self.cleaning.totals().files,
        }

    def page(self) -> dict[str, Any]:
        """The whole page."""
        counts = {part: self._count(*kinds) for part, kinds in self.kinds_of.items()}
        kinds = {kind: self._count(kind) for kind in self.kinds_of[self.asked.part]}
        return self.groups() | {
            "files": int(self.cleaning.files.whole.sum()),
            "kinds": [kind for kind, count in kinds.items() if count or kind == self.asked.kind],
            "unread": files_not_read(self.cleaning.index.manifest),
            "notes": [worded(note, self.language) for note in self.cleaning.notes],
            "parts": counts,
            "rules": RULES,
            "of_folders": OF_FOLDERS,
            "policies": POLICIES,
            "now": self._decides(),
            "states": get_args(Shown),
        }

    def _decides(self) -> list[str]:
        """The policies that decide now which copy stays, empty where the page has no name."""
        by_policy = {make("keep", policy): policy for policy in POLICIES}
        now = [by_policy.get(policy, "") for policy in policies_of(self.cleaning.policies)]
        return (now + [""] * PLACES)[:PLACES]

    def _count(self, *kinds: Kind) -> int:
        return self.cleaning.groups(GroupQuery(kinds=kinds, limit=0)).total

    def groups(self) -> dict[str, Any]:
        """The groups of the list that are shown."""
        page = self.cleaning.groups(self.query)
        groups = [self.shown(group) for group in page.groups]
        return {"groups": groups, "total": page.total, "nothing": self._nothing()}

    def _nothing(self) -> str:
        """What an empty list means, as the key of a sentence."""
        if self.asked.is_narrow:
            return "no_match"
        if self.asked.part != "copies":
            return f"nothing_{self.asked.part}"
        has_gone = bool((~self.cleaning.disk.present).any())
        return "nothing_left" if has_gone else "nothing"

    def group(self, number: int, rows: int = ROWS, change: Change | None = None) -> dict[str, Any]:
        """One group, after a change with what was refused."""
        refused = () if change is None else change.refused
        reasons = dict.fromkeys(worded(each.reason, self.language) for each in refused)
        return self.shown(self.cleaning.group(number, rows=rows), " ".join(reasons))

    def shown(self, group: CopyGroup, fault: str = "") -> dict[str, Any]:
        """A group with its first files, and what was wrong with the last change."""
        return {
            "number": group.number,
            "title": group.title,
            "kind": group.kind,
            "gain": group.gain,
            "rows": [self.file(row, group) for row in group.rows],
            "hidden": group.size - len(group.rows),
            "fault": fault,
        }

    def file(self, row: FileRow, group: CopyGroup) -> dict[str, Any]:
        """A file of a group; of a ``protected`` one there is nothing to choose.

        ``pair`` is the address of the page that compares it with the file that stays. ``changes``
        are None until they are computed.
        """
        seconds, folder = row.modified / 1e9, row.path.parent
        is_keeper = row.document == group.keeper.document
        can_stay = group.kind not in ("part", "same-form") and not (row.protected or is_keeper)
        ids = {"left": group.keeper.id, "right": row.id, "group": str(group.number)}
        other = "" if row.kind in (None, group.kind) else self.t(f"kinds.{row.kind}")
        said = (other, worded(row.reason, self.language))
        return {
            "document": row.document,
            "name": row.path.name,
            "folder": "" if folder == self.cleaning.root else self.below(folder),
            "day": time.strftime("%Y-%m-%d", time.localtime(seconds)),
            "moment": moment(seconds),
            "bytes": row.bytes,
            "goes": row.action == "remove",
            "said": " · ".join(dict.fromkeys(filter(None, said))),
            "changes": row.changes,
            "preview": preview(row.path, row.bytes, self.view.within),
            "place": row.place and row.place.in_words(self.language),
            "protected": row.protected,
            "pair": "" if is_keeper else self.view.to("pair", **ids, keep=int(can_stay)),
            "can_stay": can_stay,
        }

    def below(self, path: Path) -> str:
        """A path below the searched folder; elsewhere the whole one."""
        root = self.cleaning.root
        return str(path.relative_to(root) if root in path.parents else path)

    def t(self, key: str) -> str:
        """A sentence in the reader's language."""
        return say(self.language, key)


@router.get("")
def page(request: Request, name: str, asked: Annotated[AskedGroups, Depends()]) -> Response:
    """The list."""
    seen = view(request, name)
    if not seen.holds_files:
        return show(request, "clean_none.html", seen, here_is="clean")
    clean = _cleaning_view(request, seen, asked)
    response = answer(request, clean, "clean.html", **clean.page())
    # The next click may ask what differs: the folder is looked through before it.
    response.background = BackgroundTask(_prepare_texts, seen.index)
    return response


def _prepare_texts(index: ReportIndex) -> None:
    with suppress(TwinsetError):
        ReportTexts.of(index).inputs()


@router.get("/group/{number}")
def group(request: Request, name: str, number: int) -> Response:
    """All files of one group."""
    clean = cleaning_of(request, name)
    return answer(request, clean, "clean_group.html", group=clean.group(number, ALL_ROWS))


@router.get("/changes")
def changes(request: Request, name: str, group: int, document: int) -> Response:
    """What differs between a file of a group and the one that stays; long texts take time."""
    clean = cleaning_of(request, name)
    phrases = clean.cleaning.changes(group, [_known_file(clean, document)])
    place = clean.cleaning.place(group, document)
    said = place and place.in_words(clean.language)
    return answer(request, clean, "clean_changes.html", changes=phrases[document], place=said)


@router.get("/folders")
def folders(request: Request, name: str) -> Response:
    """Folders that hold the same files, to mark all of one."""
    clean = cleaning_of(request, name)
    same = [[clean.below(path) for path in paths] for paths in clean.cleaning.same_folders()]
    return answer(request, clean, "clean_folders.html", same_folders=same)


@router.post("/mark")
def mark(
    request: Request, name: str, document: Sent, group: Sent, goes: Annotated[str, Form()] = ""
) -> Response:
    """Mark one file as going or staying; the last copy of something is refused."""
    clean = cleaning_of(request, name)
    action: Action = "remove" if goes else "keep"
    change = clean.cleaning.set_action([_known_file(clean, document)], action)
    return _changed_group(request, clean, group, change)


@router.post("/keeper")
def keeper(request: Request, name: str, document: Sent, group: Sent) -> Response:
    """Let this file of a group stay and its copies go."""
    clean = cleaning_of(request, name)
    change = clean.cleaning.set_keeper(group, _known_file(clean, document))
    return _changed_group(request, clean, group, change)


@router.post("/rule")
def rule(
    request: Request,
    name: str,
    rule: Annotated[str, Form()] = "",
    folder: Annotated[str, Form()] = "",
) -> Response:
    """Mark by a rule in the groups that the list shows."""
    clean = cleaning_of(request, name)
    below = clean.cleaning.root / folder if folder else None
    chosen = MarkRule(rule, below)  # type: ignore[arg-type]
    return _changed_list(request, clean, clean.cleaning.apply_rule(chosen, clean.query))


@router.post("/back")
def take_back(request: Request, name: str) -> Response:
    """Take the last mark back."""
    clean = cleaning_of(request, name)
    clean.cleaning.undo()
    return _changed_list(request, clean)


@router.post("/open")
def open_folder(request: Request, name: str, document: Sent) -> Response:
    """Show the folder of a file of the report on this machine."""
    clean = cleaning_of(request, name)
    path = clean.cleaning.files.path_of(_known_file(clean, document))
    show_in_folder(request.app.state.settings, path)
    return Response(status_code=204)


@router.post("/priorities")
def prefer(
    request: Request, name: str, policy: Annotated[list[str] | None, Form()] = None
) -> Response:
    """Go by other policies."""
    clean = cleaning_of(request, name)
    policies = [each for each in policy or () if each in POLICIES]
    if not policies:
        raise PlanError(["no policy is chosen; choose what decides first"])
    return _changed_list(request, clean, clean.cleaning.prefer(policies))


def _cleaning_view(request: Request, seen: View, asked: AskedGroups) -> CleaningView:
    settings = request.app.state.settings
    cleaning = FolderCleaning.of(seen.index, settings.home)
    return CleaningView(seen, cleaning, asked, language_of(request), bool(opener_of(settings)))


def cleaning_of(request: Request, name: str) -> CleaningView:
    """The list over a report, as the page that sent a request shows it."""
    seen = view(request, name)
    if not seen.holds_files:
        raise PlanError(["this report holds no files of a folder, so there is nothing to remove"])
    return _cleaning_view(request, seen, AskedGroups.current(request))


def answer(request: Request, clean: CleaningView, template: str, **values: Any) -> Response:
    """A page or a fragment of the list."""
    return show(request, template, clean.view, **clean.always(), **values)


def _known_file(clean: CleaningView, document: int) -> int:
    """The number of a document, if the report has it."""
    files = clean.cleaning.files
    if not 0 <= document < len(files) or not files.whole[document]:
        raise PlanError([f"there is no file {document} in this report; load the list again"])
    return document


def _changed_group(request: Request, clean: CleaningView, number: int, change: Change) -> Response:
    """A group as it is now; empty where it is none any more."""
    if "hx-request" not in request.headers:
        return go(clean.address)
    group = None
    with suppress(ReportError):
        group = clean.group(number, change=change)
    return answer(request, clean, "clean_changed.html", group=group)


def _changed_list(request: Request, clean: CleaningView, change: Change | None = None) -> Response:
    """The list as it is now."""
    if request.headers.get("hx-target") != "groups":
        return go(clean.address)
    return answer(request, clean, "clean_changed.html", change=change, **clean.groups())


def opener_of(settings: Settings) -> str | None:
    """The program that shows a folder, where the reader sits at this machine and sees a desktop."""
    if settings.host not in LOOPBACK:
        return None
    if sys.platform == "darwin":
        return shutil.which("open")
    has_desktop = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return shutil.which("xdg-open") if has_desktop else None


def show_in_folder(settings: Settings, path: Path) -> None:
    """Show the folder of a file inside the allowed folders.

    The file itself is not opened: a report may come from somebody else, and name a program.
    """
    file, opener = inside(settings, path), opener_of(settings)
    if opener is None:
        raise TwinsetError("folders can be shown only on the machine that twinset runs on")
    if not file.is_file():
        raise TwinsetError(f"{path} is gone or is not a file any more; search again")
    shown = ["-R", str(file)] if sys.platform == "darwin" else [str(inside(settings, file.parent))]
    quiet = {"stdin": DEVNULL, "stdout": DEVNULL, "stderr": DEVNULL}
    subprocess.Popen([opener, *shown], **quiet, start_new_session=True)  # type: ignore[call-overload]
