"""A folder with copies, a trash of its own, and plans for both."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from twinset.model.flow import Kind
from twinset.review.cleaning.actions import ActionPlan, plan_rows
from twinset.review.cleaning.actions.checks import hold, is_plain
from twinset.review.cleaning.model import FileRow, Reason
from twinset.system.lines import AppendedLines

WHY = Reason("older")


def row(path: Path, action: str, kind: Kind | None = "equal-bytes", **more: Any) -> FileRow:
    """A file as the search has seen it: as it is now."""
    status = os.lstat(path)
    return FileRow(
        abs(hash(path)),
        path.name,
        path,
        status.st_size,
        status.st_mtime_ns,
        action,  # type: ignore[arg-type]
        WHY,
        kind,
        **more,
    )


Pairs = list[tuple[FileRow, FileRow | None]]


@dataclass
class Desk:
    """A folder of a user, and what the tests do in it."""

    root: Path
    home: Path
    target: Path
    trash: Path

    def write(self, files: Mapping[str, bytes]) -> None:
        for name, data in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def pairs(self, *names: tuple[str | None, list[str]], kind: Kind = "equal-bytes") -> Pairs:
        """Files that go, by the names of those that stay in their places."""
        return [
            (row(self.root / name, "remove", kind), keeper and row(self.root / keeper, "keep"))
            for keeper, going in names
            for name in going
        ]  # type: ignore[misc]

    def plan(self, pairs: Pairs, how: str, **more: Any) -> ActionPlan:
        rows = [row for pair in pairs for row in pair if row is not None]
        digests = {}
        for row in filter(lambda row: is_plain(row.path), rows):
            with hold(row.path) as file:
                digests[row.path] = file.digest()
        return plan_rows(
            pairs,
            how,  # type: ignore[arg-type]
            home=self.home,
            root=self.root,
            target=more.pop("target", self.target if how == "move" else None),
            digest=lambda row: digests.get(row.path),
            **more,
        )

    def content(self) -> dict[str, bytes]:
        return contents(self.root)

    def trashed(self) -> list[bytes]:
        return sorted(contents(self.trash / "files").values())


def contents(folder: Path) -> dict[str, bytes]:
    """All regular files of a folder and their bytes; links are what they lead to."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def write_sealed(journal: Path, lines: list[dict[str, Any]]) -> None:
    """Lines instead of those of a journal, each with the digest that belongs to it."""
    journal.unlink()
    sealed = AppendedLines(journal, lambda entry: True, sealed=True)
    for line in lines:
        del line["seal"]
        with sealed.writing() as append:
            append(line)


@pytest.fixture
def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trash in the temporary folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "person" / "data"))
    (tmp_path / "person").mkdir()
    return tmp_path / "person" / "data" / "Trash"


@pytest.fixture
def desk(tmp_path: Path, own_trash: Path) -> Desk:
    """A folder with two pairs of copies, one triple, and one file alone."""
    made = Desk(tmp_path / "papers", tmp_path / "home", tmp_path / "papers removed", own_trash)
    made.write(
        {
            "lease.docx": b"lease",
            "old/lease.docx": b"lease",
            "cv.pdf": b"curriculum",
            "copy of cv.pdf": b"curriculum",
            "a": b"three",
            "b": b"three",
            "deep/er/c": b"three",
            "alone": b"nothing like it",
        }
    )
    return made


@pytest.fixture(params=["trash", "move"])
def how(request: pytest.FixtureRequest) -> str:
    """Every way in which a file can go."""
    return str(request.param)
