"""Which documents go: those with a copy that stays, never one that is merely alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.clusters.keep import KeepReason, deciding, ranks_of
from twinset.model import Floats, Ints
from twinset.model.columns import column, text
from twinset.model.flow import KINDS, LEFT_OUT, Codes
from twinset.pages.language import speaker
from twinset.plan import CopyKind, Plan
from twinset.plan.plan import amount_left
from twinset.reading.arrays import strings
from twinset.result.words import reason_in_words
from twinset.run.clustering import removal
from twinset.run.copies import Classes
from twinset.run.documents import Collected, Preference, traits_of
from twinset.run.pairing import Paired, reaching
from twinset.run.tables import kind_names

if TYPE_CHECKING:
    from twinset.run.kinds import PairKinds


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
    say, kept = speaker("en"), removed.target[rows]
    if kinds is None:
        same_bytes = collected.contents[rows] == collected.contents[kept]
        same_text = collected.alike[rows] == collected.alike[kept]
        names = np.where(
            same_bytes, "kinds.equal-bytes", np.where(same_text, "keeping.same", "keeping.near")
        )
        return [say(name) for name in names.tolist()]
    low, high = np.minimum(rows, kept), np.maximum(rows, kept)
    codes = kinds.of(low, high, removed.score[rows]).tolist()
    return [say(f"kinds.{KINDS[code]}" if code >= 0 else "keeping.near") for code in codes]


@dataclass(frozen=True, slots=True)
class KeptApart:
    """Documents that stay though they are much like the one beside.

    ``changes`` says in a few phrases what differs, nothing where there are too many documents.
    """

    rows: Ints
    beside: Ints
    score: Floats
    kinds: Codes
    changes: list[str]


@dataclass(frozen=True, slots=True)
class Removal:
    """For each document the one it is removed for, itself where it stays, and their similarity."""

    target: Ints
    score: Floats
    apart: KeptApart | None = None

    @property
    def keep(self) -> NDArray[np.bool_]:
        """The documents that stay."""
        stays: NDArray[np.bool_] = self.target == np.arange(len(self.target))
        return stays


def remove(
    paired: Paired,
    classes: Classes,
    preferred: Preference,
    kinds: PairKinds | None,
    kind: CopyKind = "equal-layout",
) -> Removal:
    """Decide by the pairs; where kinds are known, without those less close than ``kind``."""
    target, score = _targets(paired, classes, preferred, kinds, kind)
    if kinds is None:
        return Removal(target, score)
    alike, alike_score = removal(paired.graph, paired.leaders, classes, preferred.kept)
    number = np.arange(len(target))
    rows = np.flatnonzero((alike != number) & (target == number))
    codes = kinds.of(rows, alike[rows], alike_score[rows])
    apart = staying(codes, kind)
    rows = rows[apart]
    changes = kinds.changes(alike[rows], rows)
    kept_apart = KeptApart(rows, alike[rows], alike_score[rows], codes[apart], changes)
    return Removal(target, score, kept_apart)


def _targets(
    paired: Paired,
    classes: Classes,
    preferred: Preference,
    kinds: PairKinds | None,
    kind: CopyKind,
) -> tuple[Ints, Floats]:
    """For each document the one it is removed for, itself where it stays, and their similarity."""
    if kinds is None:
        return removal(paired.graph, paired.leaders, classes, preferred.kept)
    pairs, graph = paired.pairs, paired.graph
    good = ~staying(kinds.of(pairs.left, pairs.right, pairs.score), kind)
    copies = graph.among(good, graph.score[good])
    target, score = removal(copies, paired.leaders, classes, preferred.kept)
    # Documents with equal features go with the one that stands for them: each is looked at itself.
    goes = np.flatnonzero(target != np.arange(len(target)))
    stays = goes[staying(kinds.of(goes, target[goes], score[goes]), kind)]
    target[stays] = stays
    return target, score


def at_target(
    plan: Plan,
    weight: Ints,
    paired: Paired,
    classes: Classes,
    preferred: Preference,
    kinds: PairKinds | None,
) -> tuple[Paired, dict[str, Any]]:
    """The pairs at the highest threshold that leaves no more than the plan's target, and its facts.

    Thresholds are tried from 1 down by hundredths, to that of the plan: what is left need not
    shrink with the threshold, so none is passed over. ``weight`` is what each document counts.
    """
    assert plan.target is not None
    amount, unit = amount_left(plan.target)
    total, lowest = int(weight.sum()), plan.threshold
    most = int(amount * total) if unit == "share" else int(amount)
    tried = paired
    for threshold in [*(n / 100 for n in range(100, 0, -1) if n / 100 > lowest), lowest]:
        tried = paired if threshold == lowest else reaching(paired, threshold)
        target, _ = _targets(tried, classes, preferred, kinds, plan.kind)
        left = int(weight[target == np.arange(len(target))].sum())
        if left <= most:
            break
    of = "bytes" if unit == "bytes" else "documents"
    facts = {"threshold": threshold, "lowest": lowest, "most": most, "left": left}
    return tried, facts | {"total": total, "of": of}


def staying(codes: Codes, kind: CopyKind) -> NDArray[np.bool_]:
    """Marks codes that are less close than ``kind``: these documents are not removed."""
    marks: NDArray[np.bool_] = (codes > KINDS.index(kind)) | (codes == LEFT_OUT)
    return marks


def kept_apart_table(documents: Collected, apart: KeptApart) -> pa.Table:
    """The documents that stay beside one that is alike, since they are no copies of it."""
    return pa.table(
        {
            "kept": documents.ids.take(column(apart.rows)),
            "beside": documents.ids.take(column(apart.beside)),
            "score": column(apart.score),
            "kind": kind_names(apart.kinds),
            "changes": text(apart.changes),
        }
    )


def kind_counts(pairs: Codes, contents: Ints, removal: Removal | None) -> dict[str, Any]:
    """How many listed pairs are of each kind, how many were left out, and how many files are
    identical copies of one before them; for the manifest."""
    counts: dict[str, Any] = {"pairs": _by_kind(pairs), "left_out": int((pairs == LEFT_OUT).sum())}
    counts["identical"] = int((contents != np.arange(len(contents))).sum())
    if removal is None or removal.apart is None:
        return counts
    apart = removal.apart.kinds
    unknown = {"unknown": int(count)} if (count := (apart < 0).sum()) else {}
    return counts | {"kept_apart": _by_kind(apart) | unknown}


def _by_kind(codes: Codes) -> dict[str, int]:
    return {kind: int(count) for code, kind in enumerate(KINDS) if (count := (codes == code).sum())}
