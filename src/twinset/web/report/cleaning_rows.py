"""Groups of copies as the page shows them: names, folders, days, and reasons in words."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from twinset.pages.language import moment, say
from twinset.review.cleaning.model import PROPOSED, FileRow, Group, Reason
from twinset.review.cleaning.words import worded
from twinset.web.opening import is_program
from twinset.web.reports import View


@dataclass(frozen=True)
class ShownFile:
    """A file of a group in the reader's language.

    ``fixed`` says why there is nothing to choose, empty where there is; ``pair`` is the address of
    the page that compares it with the file that stays. ``changes`` are None until they are
    computed.
    """

    document: int
    name: str
    folder: str
    day: str
    moment: str
    bytes: int
    goes: bool
    part: str
    said: str
    changes: tuple[tuple[str, str], ...] | None
    fixed: str
    fixed_hint: str
    pair: str
    opens: bool
    can_stay: bool


@dataclass(frozen=True)
class ShownGroup:
    """A group with the files that are shown; ``hidden`` counts the others."""

    number: int
    title: str
    kind: str
    gain: int
    rows: list[ShownFile]
    hidden: int
    fault: str
    settled: bool


@dataclass(frozen=True)
class Wording:
    """How files of one report are shown: in which language, and below which folder."""

    view: View
    language: str
    root: Path

    def group(self, group: Group, fault: str = "") -> ShownGroup:
        """A group with its first files, and what was wrong with the last change."""
        return ShownGroup(
            group.number,
            group.title,
            group.kind,
            group.gain,
            [self.file(row, group) for row in group.rows],
            group.size - len(group.rows),
            fault,
            all(row.settled for row in group.rows if not row.protected),
        )

    def below(self, path: Path) -> str:
        """A path below the searched folder; elsewhere the whole one."""
        if path == self.root or not path.is_relative_to(self.root):
            return str(path)
        return str(path.relative_to(self.root))

    def reason(self, reason: Reason) -> str:
        """A reason in words."""
        return worded(reason, self.language)

    def kind(self, name: str) -> str:
        """The name of a kind of copies."""
        return say(self.language, f"kinds.{name}")

    def file(self, row: FileRow, group: Group) -> ShownFile:
        """A file of a group."""
        seconds = row.modified / 1e9
        keeper = group.keeper
        fixed = "inside" if row.part is not None else "protected" if row.protected else ""
        can_stay = not fixed and row.document != keeper.document and group.kind in PROPOSED
        return ShownFile(
            document=row.document,
            name=row.path.name,
            folder=self._folder(row.path.parent),
            day=time.strftime("%Y-%m-%d", time.localtime(seconds)),
            moment=moment(seconds),
            bytes=row.bytes,
            goes=row.action == "remove",
            part=row.part or "",
            said=self._said(row, group),
            changes=row.changes,
            fixed=self._t(fixed) if fixed else "",
            fixed_hint=self._t(f"{fixed}_hint") if fixed else "",
            pair="" if row.document == keeper.document else self._pair(group, row, can_stay),
            opens=not is_program(row.path),
            can_stay=can_stay,
        )

    def _folder(self, path: Path) -> str:
        return "" if path == self.root else self.below(path)

    def _pair(self, group: Group, row: FileRow, can_stay: bool) -> str:
        ids = {"left": group.keeper.id, "right": row.id}
        return self.view.to("pair", **ids, group=str(group.number), keep=int(can_stay))

    def _said(self, row: FileRow, group: Group) -> str:
        """The kind where it is not that of the group, the reason, and what else is to be known."""
        parts = [] if row.kind in (None, group.kind) else [self.kind(row.kind)]
        parts.append(self.reason(row.reason))
        return " · ".join(part for part in parts if part)

    def _t(self, key: str, **values: object) -> str:
        return say(self.language, f"cleaning.{key}", **values)
