"""The ``report.html`` of a search for reused passages: the largest ones, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from twinset.model import Documents
from twinset.pages.engine import page
from twinset.pages.language import number, percent, speaker
from twinset.passages.aligned import Aligned, largest_first
from twinset.passages.page import texts_of
from twinset.report.pair_rows import line
from twinset.verify.side_by_side import side_by_side

SHOWN = 50
LONG = 3000
"""Characters of a passage that are shown."""


def headline(manifest: dict[str, Any], language: str = "en") -> str:
    """What was found, as one sentence."""
    say, totals = speaker(language, "reuse"), manifest["totals"]
    if not totals["passages"]:
        return say("none", least=say("least", n=manifest["options"]["least"]))
    return say(
        "found",
        passages=say("passages", n=totals["passages"]),
        pairs=say("pairs", n=totals["pairs"]),
    )


def facts(manifest: dict[str, Any], language: str = "en") -> list[str]:
    """How much of each side is reused, and what was left out, as sentences."""
    say, totals = speaker(language, "reuse"), manifest["totals"]
    sentences = []
    for side, name in enumerate(("left", "right")) if totals["passages"] else ():
        share = totals["reused_words"][side] / max(totals["words"][side], 1)
        sentences.append(
            say(
                f"covered_{name}",
                share=percent(language, share),
                n=totals["documents_with_passages"][side],
                documents=number(language, totals["documents"][side]),
            )
        )
    if short := sum(totals["short_documents"]):
        shingle = number(language, manifest["options"]["shingle"])
        sentences.append(say("short", n=short, shingle=shingle))
    if dropped := totals["frequent_seeds"]:
        frequent = number(language, manifest["options"]["frequent"])
        sentences.append(say("dropped", n=dropped, frequent=frequent))
    return sentences


def reuse_page(
    manifest: dict[str, Any],
    rows: Aligned,
    ids: tuple[pa.Array, pa.Array],
    documents: tuple[Documents, Documents],
    language: str = "en",
) -> str:
    """The whole page; documents are read again for the texts of the passages that are shown."""
    sides = manifest["sides"]
    return page(
        "paper/reuse.html",
        language,
        headline=headline(manifest, language),
        sentences=facts(manifest, language),
        passages=_largest(rows, ids, documents),
        more=manifest["totals"]["passages"] > SHOWN,
        sides=[[str(entry["source"]) for entry in sides[side]["inputs"]] for side in sides],
        made_by=manifest["twinset"],
        created=manifest["created"],
    )


def _largest(
    rows: Aligned, ids: tuple[pa.Array, pa.Array], documents: tuple[Documents, Documents]
) -> list[dict[str, Any]]:
    """The passages that take most text, both places of each."""
    characters = rows.left_end - rows.left_start + rows.right_end - rows.right_start
    chosen = largest_first(characters, rows.score)[:SHOWN]
    left = texts_of(documents[0], np.unique(rows.left[chosen]))
    right = texts_of(documents[1], np.unique(rows.right[chosen]))
    shown = []
    for row in chosen.tolist():
        here, there = int(rows.left[row]), int(rows.right[row])
        places = (
            (int(rows.left_start[row]), int(rows.left_end[row])),
            (int(rows.right_start[row]), int(rows.right_end[row])),
        )
        side = side_by_side(
            left.get(here, "")[slice(*places[0])][:LONG],
            right.get(there, "")[slice(*places[1])][:LONG],
        )
        shown.append(
            {
                "left": ids[0][here].as_py(),
                "right": ids[1][there].as_py(),
                "places": places,
                "words": int(rows.left_past[row] - rows.left_word[row]),
                "score": float(rows.score[row]),
                "exact": bool(rows.exact[row]),
                "side": side,
                "lines": [line(side, at) for at in range(len(side.rows))],
                "is_cut": max(end - start for start, end in places) > LONG,
            }
        )
    return shown
