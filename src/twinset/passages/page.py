"""The ``report.html`` of what repeats inside documents: spans, or units."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.model import Documents, Ints
from twinset.pages.engine import page
from twinset.pages.language import number, percent, speaker
from twinset.passages.numbering import Occurrences
from twinset.spec import name_in

SHOWN = 50
PLACES = 6
LONG = 600
"""Characters of a span that are shown."""


def headline(manifest: dict[str, Any], language: str = "en") -> str:
    """What was found, as one sentence."""
    say, totals, options = speaker(language, "spans"), manifest["totals"], manifest["options"]
    if not totals["spans"]:
        return say("none", least=say(f"least_{options['unit']}", n=options["least"]))
    return say(
        "found",
        n=totals["spans"],
        spans=say("spans", n=totals["spans"]),
        least=say(f"least_{options['unit']}", n=options["least"]),
        places=say("places", n=totals["places"]),
    )


def covered(manifest: dict[str, Any], language: str = "en") -> str:
    """How much of the text the spans take, as one sentence."""
    say, totals = speaker(language, "spans"), manifest["totals"]
    share = totals["repeated_characters"] / max(totals["characters"], 1)
    return say(
        "covered",
        share=percent(language, share),
        n=totals["documents_with_spans"],
        documents=number(language, totals["documents"]),
    )


def units_headline(manifest: dict[str, Any], language: str = "en") -> str:
    """Which units stand in several places, as one sentence."""
    say, totals = speaker(language, "spans"), manifest["totals"]
    level = name_in(manifest["plan"]["level"])
    if not totals["repeated_units"]:
        return say(f"none_{level}")
    return say(
        "found_units",
        units=say(f"units_{level}", n=totals["repeated_units"]),
        places=say("places", n=totals["places"]),
    )


def units_covered(manifest: dict[str, Any], language: str = "en") -> str:
    """How much of the text goes where the repeats are dropped, as one sentence."""
    say, totals = speaker(language, "spans"), manifest["totals"]
    share = totals["dropped_characters"] / max(totals["characters"], 1)
    return say(
        "dropped" if manifest["command"] == "dedup" else "may_go",
        units=number(language, totals["same_as_others"]),
        share=percent(language, share),
    )


def spans_page(
    manifest: dict[str, Any],
    rows: Occurrences,
    ids: pa.Array,
    documents: Documents,
    language: str = "en",
) -> str:
    """The whole page; ``ids`` are those of all documents, which are read again for their texts."""
    sentences = [covered(manifest, language)] if manifest["totals"]["spans"] else []
    said = headline(manifest, language), sentences
    unit = manifest["options"]["unit"]
    return _page(manifest, rows, ids, documents, language, said, unit, rows.units)


def units_page(
    manifest: dict[str, Any],
    rows: Occurrences,
    ids: pa.Array,
    documents: Documents,
    language: str = "en",
) -> str:
    """The same of units that stand in several places."""
    sentences = [units_covered(manifest, language)] if rows.spans else []
    said = units_headline(manifest, language), sentences
    characters = rows.end - rows.start
    return _page(manifest, rows, ids, documents, language, said, "word", characters)


def _page(
    manifest: dict[str, Any],
    rows: Occurrences,
    ids: pa.Array,
    documents: Documents,
    language: str,
    said: tuple[str, list[str]],
    unit: str,
    weights: Ints,
) -> str:
    return page(
        "paper/spans.html",
        language,
        headline=said[0],
        sentences=said[1],
        spans=_largest(rows, ids, documents, weights),
        more=rows.spans > SHOWN,
        unit=unit,
        input_names=[str(entry["source"]) for entry in manifest["inputs"]],
        made_by=manifest["twinset"],
        created=manifest["created"],
    )


def _largest(
    rows: Occurrences, ids: pa.Array, documents: Documents, weights: Ints
) -> list[dict[str, Any]]:
    """The spans whose repeats take most text, each with its first places."""
    begins = np.flatnonzero(rows.is_first)
    sizes = np.diff(np.append(begins, len(rows.span)))
    weight = (sizes - 1) * weights[begins]
    chosen = np.argsort(-weight, kind="stable")[:SHOWN]
    texts = texts_of(documents, np.unique(rows.document[begins[chosen]]))
    shown = []
    for span in chosen.tolist():
        first, size = int(begins[span]), int(sizes[span])
        text = texts.get(int(rows.document[first]), "")[rows.start[first] : rows.end[first]]
        places = range(first, first + min(size, PLACES))
        shown.append(
            {
                "number": span,
                "size": size,
                "units": int(rows.units[first]),
                "text": text[:LONG] + ("…" if len(text) > LONG else ""),
                "places": [
                    (
                        ids[int(rows.document[row])].as_py(),
                        int(rows.start[row]),
                        int(rows.end[row]),
                    )
                    for row in places
                ],
                "rest": max(size - PLACES, 0),
            }
        )
    return shown


def texts_of(source: Documents, documents: Ints) -> dict[int, str]:
    """The texts of some documents by number, read again as far as the last of them."""
    texts: dict[int, str] = {}
    before = 0
    for batch in copy.copy(source).batches() if len(documents) else ():
        begin, end = np.searchsorted(documents, [before, before + len(batch)])
        for document in documents[begin:end].tolist():
            texts[document] = batch.texts[document - before].as_py() or ""
        before += len(batch)
        if end == len(documents):
            break
    return texts
