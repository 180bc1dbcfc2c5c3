"""The pages of the manual, and the fenced blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    [
        *(page for name in (".", "benchmarks", "examples") for page in (ROOT / name).glob("*.md")),
        *(ROOT / "docs").rglob("*.md"),
    ]
)
BLOCK = re.compile(
    r"(?:^<!-- needs (?P<needs>[^>]*) -->\n)?^ *```(?P<language>[^\n]*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """What stands between fences, and where; no test has what it ``needs``, so none runs it."""

    page: Path
    line: int
    language: str
    text: str
    needs: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in its order."""
    whole = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            whole.count("\n", 0, found.start("language")) + 1,
            found["language"],
            found["text"],
            found["needs"] or "",
        )
        for found in BLOCK.finditer(whole)
    ]


def name_of(page: Path) -> str:
    """The path of a page, as the name of a test."""
    return page.relative_to(ROOT).as_posix()
