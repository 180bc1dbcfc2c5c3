"""Why each removed file goes: by which keep policy, and what it is to the one that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from twinset.clusters.keep import KeepReason, deciding, ranks_of
from twinset.engine.documents import Collected, traits_of
from twinset.model import Ints
from twinset.model.kinds import KINDS
from twinset.pages.language import speaker
from twinset.plan import Plan
from twinset.reading.arrays import strings
from twinset.report.keeping import reason_in_words

if TYPE_CHECKING:
    from twinset.engine.kinds import PairKinds
    from twinset.engine.removing import Removal


def with_kept_because(
    documents: pa.Table,
    removed: Removal,
    collected: Collected,
    plan: Plan,
    kinds: PairKinds | None,
) -> pa.Table:
    """The documents with the reason of each removed one, in words for a list: ``kept_because``.

    Records have none: nothing but their text is known of them.
    """
    if collected.files is None:
        return documents
    traits = traits_of(collected)
    ranks, _ = ranks_of(plan.keep, traits)
    reasons: list[str | None] = [None] * len(collected)
    rows = np.flatnonzero(~removed.keep)
    relations = _relations(removed, rows, collected, kinds)
    for row, relation in zip(rows.tolist(), relations, strict=True):
        kept = int(removed.target[row])
        if collected.reference[kept]:
            why = KeepReason("in_reference", {})
        else:
            why = deciding(plan.keep, ranks, traits, kept, row)
        reasons[row] = f"{reason_in_words(why)}, {relation}"
    return documents.append_column("kept_because", strings(reasons, pa.string()))


def _relations(
    removed: Removal, rows: Ints, collected: Collected, kinds: PairKinds | None
) -> list[str]:
    """What each of these documents is to the one that stays in its place."""
    say, kept = speaker("en", "keeping"), removed.target[rows]
    if kinds is None:
        same_bytes = collected.contents[rows] == collected.contents[kept]
        same_text = collected.alike[rows] == collected.alike[kept]
        names = np.where(same_bytes, "equal-bytes", np.where(same_text, "equal-features", "near"))
        return [say(f"kind_{name}") for name in names.tolist()]
    low, high = np.minimum(rows, kept), np.maximum(rows, kept)
    codes = kinds.of(low, high, removed.score[rows]).tolist()
    return [say(f"kind_{KINDS[code]}" if code >= 0 else "kind_near") for code in codes]
