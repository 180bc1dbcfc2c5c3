"""A run to send to somebody: one page that needs nothing but itself, or the folder as a ZIP."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import IO

from twinset.pages.shown import shown
from twinset.report import html, shell
from twinset.report.files import fresh_file, write_file
from twinset.review.browse import Query, page, ranked, row_of
from twinset.review.decisions import Decision
from twinset.review.index import Index
from twinset.review.journal import Journal
from twinset.review.texts import ReportTexts
from twinset.verify.diff import DiffRun, text_diff

CLUSTERS = 10
OTHERS = 2
"""Members of each cluster that are held against its first."""
CHARACTERS = 20_000
"""How much of a text is compared for the page."""
RUNS = 400
CONTEXT = 14
DECISIONS = 500
TITLES = {"duplicate": "copies", "not": "no copies", "unsure": "unsure"}


def write_page(index: Index, file: str | Path) -> Path:
    """The report with its decisions and the differences in the largest clusters, as one file."""
    return write_file(file, page_text(index).encode("utf-8", "replace"))


def page_text(index: Index) -> str:
    """The page itself."""
    return html.page(index.report, [*_differences(index), *_decisions(index)])


def write_zip(index: Index, file: str | Path) -> Path:
    """The report folder as a ZIP file, below its own name; equal folders give equal files."""
    target = Path(file)
    with fresh_file(target) as draft, draft.open("wb") as out:
        zip_folder(index.report.folder, out)
    return target


def zip_folder(folder: Path, out: IO[bytes]) -> None:
    """All plain files of a folder, sorted; links are left out, for they may lead anywhere."""
    name = folder.resolve().name
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and not _hidden(path, folder):
                inside = f"{name}/{path.relative_to(folder).as_posix()}"
                entry = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as to:
                    while piece := file.read(1 << 20):
                        to.write(piece)


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _differences(index: Index) -> Iterator[str]:
    """A section with what the members of the largest clusters differ in."""
    items = []
    for row in page(index, index.clusters, Query(), limit=CLUSTERS).rows:
        place = row_of(index, index.clusters, row.number)
        first, *others = ranked(index.clusters, place, 1 + OTHERS)
        texts = ReportTexts.of(index).texts([first, *others])
        parts = [
            _pair(index.id(first), index.id(other), texts[first], texts[other])
            for other in others
            if first in texts and other in texts
        ]
        if parts:
            items.append(
                f"<details><summary>Cluster {row.number}: <b>{row.size:,} documents</b></summary>"
                f"{''.join(parts)}</details>"
            )
    if items:
        yield shell.section("Differences in the largest clusters", "".join(items))


def _pair(left: str, right: str, one: str, other: str) -> str:
    runs = text_diff(one[:CHARACTERS], other[:CHARACTERS]).runs()
    body = " ".join(_run(run) for run in runs[:RUNS])
    more = " …" if len(runs) > RUNS or max(len(one), len(other)) > CHARACTERS else ""
    return (
        f'<p class="pair"><del>{html.spelt(left)}</del> <ins>{html.spelt(right)}</ins></p>'
        f'<p class="diff" dir="auto">{body}{more}</p>'
    )


def _run(run: DiffRun) -> str:
    words = list(run.words)
    if run.change == "same" and len(words) > 3 * CONTEXT:
        left_out = len(words) - 2 * CONTEXT
        middle = f"[… {left_out:,} equal words …]"
        words = [*words[:CONTEXT], middle, *words[-CONTEXT:]]
    text = escape(shown(" ".join(words)))
    tag = {"same": "", "left": "del", "right": "ins"}[run.change]
    return f"<{tag}>{text}</{tag}>" if tag else text


def _decisions(index: Index) -> Iterator[str]:
    """A section with what was decided."""
    made = Journal(index.report.folder).read()
    if not len(made):
        return
    counts = made.counts()
    told = ", ".join(f"{counts[verdict]:,} {TITLES[verdict]}" for verdict in TITLES)
    rows = [_row(decision) for decision in made.standing[-DECISIONS:][::-1]]
    shown = "" if len(made) <= DECISIONS else f" The last {DECISIONS} are shown."
    body = f"<p>{len(made):,} decisions by hand: {told}.{shown}</p>"
    body += shell.table(("documents", "verdict", "kept", "on"), rows)
    yield shell.section("Decisions", body)


def _row(decision: Decision) -> tuple[str, ...]:
    shown = ", ".join(decision.ids[:4])
    rest = len(decision.ids) - 4
    more = f" and {rest:,} more" if rest > 0 else ""
    return shown + more, TITLES[decision.verdict], decision.keep or "", decision.at[:10]
