"""One report's list of what can go, as a reader has asked for it: values for its templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import Request

from twinset.errors import ReportError
from twinset.model.kinds import KINDS, Kind
from twinset.report.faults import faults_shown
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import PROPOSED, GroupQuery
from twinset.review.cleaning.rules import of_kinds
from twinset.review.cleaning.selection import Change
from twinset.spec.numerals import is_count
from twinset.web.opening import can_open
from twinset.web.render import language_of
from twinset.web.report.cleaning_rows import ShownGroup, Wording
from twinset.web.report.cleaning_unread import unread_count, unread_sorts
from twinset.web.reports import View

GROUPS = 50
ROWS = 8
"""Files of a group that are shown before a click shows all."""
ALL_ROWS = 2_000
SORTS = ("name", "kind", "date", "size", "folder", "gain")
STATES = ("any", "unsettled", "going", "open")
RULES = ("newest", "oldest", "shortest-name", "all", "none", "invert")
"""Rules that need nothing but their name."""
KINDS_OF: dict[str, tuple[Kind, ...]] = {
    "copies": tuple(kind for kind in KINDS if kind in PROPOSED),
    "alike": tuple(kind for kind in KINDS if kind not in PROPOSED),
}
"""The parts of the list that hold groups, with the kinds of these."""
PARTS = (*KINDS_OF, "unread")


@dataclass(frozen=True)
class AskedGroups:
    """The reader's request; empty strings are fields left empty, unknown values count as such."""

    part: str = "copies"
    q: str = ""
    kind: str = ""
    state: str = "any"
    sort: str = "gain"
    reverse: bool = False
    offset: int = 0

    @classmethod
    def current(cls, request: Request) -> AskedGroups:
        """What the page that sent a request shows, by its address."""
        try:
            query = urlsplit(request.headers.get("hx-current-url", "")).query
        except ValueError:  # not an address
            return cls()
        fields = {name: values[0] for name, values in parse_qs(query).items()}
        texts = {k: fields[k] for k in ("part", "q", "kind", "state", "sort") if k in fields}
        offset = fields.get("offset", "")
        start = int(offset) if is_count(offset) and len(offset) < 9 else 0
        return cls(**texts, reverse=fields.get("reverse") == "1", offset=start)

    def query(self) -> GroupQuery:
        """The request as a query of the library."""
        kinds = KINDS_OF.get(self.part, ())
        chosen = tuple(kind for kind in kinds if kind == self.kind)
        return GroupQuery(
            text=self.q,
            kinds=chosen or kinds,
            state=self.state if self.state in STATES else "any",  # type: ignore[arg-type]
            sort=self.sort if self.sort in SORTS else "gain",  # type: ignore[arg-type]
            reverse=self.reverse,
            offset=max(0, self.offset),
            limit=GROUPS,
            rows=ROWS,
        )

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            object.__setattr__(self, "part", PARTS[0])

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
        names = ("part", "q", "kind", "state", "sort", "reverse")
        usual = AskedGroups()
        values = {name: getattr(self, name) for name in names}
        values = {name: value for name, value in values.items() if value != getattr(usual, name)}
        values |= {"reverse": 1} if self.reverse else {}
        values |= changes
        if "part" in changes:
            values = {"part": changes["part"]} if changes["part"] != usual.part else {}
        text = urlencode({k: v for k, v in values.items() if v != ""})
        return base + (f"?{text}" if text else "")


@dataclass(frozen=True)
class CleaningView:
    """The list over one report, and how it is worded."""

    view: View
    cleaning: FolderCleaning
    asked: AskedGroups
    words: Wording
    opens: bool

    @property
    def address(self) -> str:
        """The address of the list."""
        return f"/report/{self.view.name}/clean"

    def always(self) -> dict[str, Any]:
        """What every template of the list knows."""
        return {
            "address": self.address,
            "asked": self.asked,
            "can_undo": bool(self.cleaning.standing.settled.any()),
            "at": self._at(),
            "kind_name": self.words.kind,
            "lines": GROUPS,
            "live": self.asked.part in KINDS_OF,
            "opens": self.opens,
            "root": str(self.words.root),
            "sorts": SORTS,
            **self.totals(),
        }

    def totals(self) -> dict[str, Any]:
        """What is gained as things stand."""
        standing = self.cleaning.standing
        identical = of_kinds(standing, ("equal-bytes",)) & standing.waits
        return {"totals": self.cleaning.totals, "identical": int(identical.sum())}

    def page(self) -> dict[str, Any]:
        """The whole page."""
        values = {
            "files": int(self.cleaning.files.whole.sum()),
            "kinds": self._kinds(),
            "notes": [self.words.reason(note) for note in self.cleaning.notes],
            "here_is": self.asked.part,
            "parts": self.parts(),
            "rules": RULES,
            "states": STATES,
        }
        if self.asked.part == "unread":
            return values | self._unread()
        return values | self.groups()

    def parts(self) -> dict[str, int]:
        """How many groups or files each part of the list has."""
        counts = {part: self._count(kinds) for part, kinds in KINDS_OF.items()}
        return counts | {"unread": unread_count(self.cleaning)}

    def _unread(self) -> dict[str, Any]:
        faults = faults_shown(self.view.index.manifest, self.words.language)
        return faults | {"unread": unread_sorts(self.cleaning, self.words)}

    def groups(self) -> dict[str, Any]:
        """The groups of the list that are shown."""
        page = self.cleaning.groups(self.asked.query())
        groups = [self.words.group(group) for group in page.groups]
        return {"groups": groups, "total": page.total, "nothing": self._nothing()}

    def _nothing(self) -> str:
        """What an empty list means, as the key of a sentence."""
        if self.asked.is_narrow:
            return "no_match"
        if self.asked.part == "alike":
            return "nothing_alike"
        has_gone = bool((~self.cleaning.disk.present).any())
        is_ignored = len(self.view.index.pairs) > 0 and bool(self.cleaning.ignored())
        return "nothing_left" if has_gone or is_ignored else "nothing"

    def group(self, number: int, rows: int = ROWS) -> ShownGroup:
        """One group."""
        return self.words.group(self.cleaning.group(number, rows=rows))

    def group_or_none(self, number: int, change: Change | None = None) -> ShownGroup | None:
        """One group after a change, with what was refused; None where it has dissolved."""
        try:
            group = self.cleaning.group(number, rows=ROWS)
        except ReportError:
            return None
        refused = () if change is None else change.refused
        reasons = dict.fromkeys(self.words.reason(refusal.reason) for refusal in refused)
        return self.words.group(group, " ".join(reasons))

    def _count(self, kinds: tuple[Kind, ...]) -> int:
        return self.cleaning.groups(GroupQuery(kinds=kinds, limit=0)).total

    def _kinds(self) -> dict[str, int]:
        counts = {kind: self._count((kind,)) for kind in KINDS_OF.get(self.asked.part, ())}
        return {kind: count for kind, count in counts.items() if count or kind == self.asked.kind}

    def _at(self) -> Callable[..., str]:
        return lambda **changes: self.asked.address(self.address, **changes)


def cleaning_view(request: Request, view: View, asked: AskedGroups) -> CleaningView | None:
    """The list over a report; None where its documents are no files of a folder."""
    settings = request.app.state.settings
    if not view.holds_files:
        return None
    cleaning = FolderCleaning.of(view.index, settings.home)
    words = Wording(view, language_of(request), cleaning.root)
    return CleaningView(view, cleaning, asked, words, can_open(settings))
