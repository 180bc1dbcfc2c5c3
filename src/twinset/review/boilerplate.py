"""Paragraphs that stand in many documents of a report: left out by its run, or counted now."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.reading.repeated import MOST_IN_MEMORY, Repetition
from twinset.report.texts import reopen
from twinset.review.index import ReportIndex
from twinset.review.texts import SMALL

LEAST = 2
"""A paragraph that stands in more documents than this is shown before anything is left out."""


class CommonParagraphs(NamedTuple):
    """Paragraphs of the most documents first, as a report has them.

    ``more_than`` is the number or share that the run had, None if it has left nothing out.
    ``table`` is None where there is nothing to show; ``too_large`` says that nobody has looked.
    """

    table: pa.Table | None
    more_than: float | None = None
    too_large: bool = False


def common_paragraphs(index: ReportIndex) -> CommonParagraphs:
    """What the run has left out, or could leave out; small collections are read again for it."""
    common: CommonParagraphs | None = index.kept_by_name.get("boilerplate")
    if common is None:
        common = index.kept_by_name.setdefault("boilerplate", _common(index))
    return common


def _common(index: ReportIndex) -> CommonParagraphs:
    more_than = index.manifest["plan"].get("drop_boilerplate")
    if more_than is not None:
        return CommonParagraphs(index.report.boilerplate, more_than)
    try:
        inputs = reopen(index.manifest, index.report)
    except TwinsetError:
        return CommonParagraphs(None, too_large=True)
    if inputs.total_bytes > SMALL:
        return CommonParagraphs(None, too_large=True)
    known = Repetition()
    for _ in known.without_boilerplate(inputs.batches(), LEAST, 1, MOST_IN_MEMORY):
        pass
    return CommonParagraphs(known.paragraphs)
