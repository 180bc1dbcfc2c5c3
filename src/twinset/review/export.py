"""A run to send to somebody: one page that needs nothing but itself, or the folder as a ZIP."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, Any

from twinset.finding.verify.diff import DiffRun, text_diff
from twinset.pages.language import ensure_known
from twinset.result import ensure_local
from twinset.result.page import report_page
from twinset.result.places import fresh_file, write_file
from twinset.review.browse import Query, page, ranked, row_of
from twinset.review.compare import against_first
from twinset.review.decisions import Decision, Journal
from twinset.review.index import ReportIndex
from twinset.review.texts import ReportTexts

CLUSTERS = 10
OTHERS = 2
"""Members of each cluster that are held against its first."""
CHARACTERS = 20_000
"""How much of a text is compared for the page."""
RUNS = 400
CONTEXT = 14
DECISIONS = 500
VERDICTS = ("duplicate", "not", "unsure")
IDS = 4
"""Documents of a decision that the page names."""


def write_page(index: ReportIndex, file: str | Path, language: str = "en") -> Path:
    """The report with its decisions and the differences in the largest clusters, as one file."""
    return write_file(file, page_text(index, language).encode("utf-8", "replace"))


def page_text(index: ReportIndex, language: str = "en") -> str:
    """The page itself."""
    return report_page(
        index.report,
        ensure_known(language),
        differences=_differences(index, language),
        decisions=_decisions(index),
    )


def write_zip(index: ReportIndex, file: str | Path) -> Path:
    """The report folder as a ZIP file, below its own name; equal folders give equal files."""
    ensure_local(index.report.place, "a ZIP file with the documents is made of")
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


def _differences(index: ReportIndex, language: str) -> list[dict[str, Any]]:
    """What the members of the largest clusters differ in."""
    clusters = []
    for row in page(index, index.clusters, Query(), limit=CLUSTERS).rows:
        place = row_of(index, index.clusters, row.number)
        first, *others = ranked(index.clusters, place, 1 + OTHERS)
        texts = ReportTexts.of(index).texts([first, *others])
        said = against_first(index, [first, *others], language)
        pairs = [
            _pair(index.id(first), index.id(other), texts[first], texts[other])
            | {"said": said.get(other, [])}
            for other in others
            if first in texts and other in texts
        ]
        if pairs:
            clusters.append({"number": row.number, "size": row.size, "pairs": pairs})
    return clusters


def _pair(left: str, right: str, text: str, other_text: str) -> dict[str, Any]:
    runs = text_diff(text[:CHARACTERS], other_text[:CHARACTERS]).runs()
    return {
        "left": left,
        "right": right,
        "runs": [_run(run) for run in runs[:RUNS]],
        "is_cut": len(runs) > RUNS or max(len(text), len(other_text)) > CHARACTERS,
    }


def _run(run: DiffRun) -> dict[str, Any]:
    """Words of one side or, where they are the same, their beginning and end."""
    words = run.words
    if run.change != "same":
        return {"change": run.change, "text": " ".join(words)}
    if len(words) <= 3 * CONTEXT:
        return {"change": "same", "before": " ".join(words), "left_out": 0, "after": ""}
    return {
        "change": "same",
        "before": " ".join(words[:CONTEXT]),
        "left_out": len(words) - 2 * CONTEXT,
        "after": " ".join(words[-CONTEXT:]),
    }


def _decisions(index: ReportIndex) -> dict[str, Any] | None:
    """What was decided, the latest first."""
    decisions = Journal(index.report.folder).read()
    if not len(decisions):
        return None
    counts = decisions.counts()
    return {
        "total": len(decisions),
        "counts": [(verdict, counts[verdict]) for verdict in VERDICTS],
        "rows": [_row(decision) for decision in decisions.standing[-DECISIONS:][::-1]],
        "is_cut": len(decisions) > DECISIONS,
    }


def _row(decision: Decision) -> dict[str, Any]:
    return {
        "ids": decision.ids[:IDS],
        "rest": max(0, len(decision.ids) - IDS),
        "verdict": decision.verdict,
        "keep": decision.keep or "",
        "day": decision.at[:10],
    }
