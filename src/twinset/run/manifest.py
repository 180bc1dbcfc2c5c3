"""The manifest: what was planned, read, found and spent, as plain values."""

from __future__ import annotations

import datetime
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twinset._version import VERSION
from twinset.finding.methods.base import Search
from twinset.model import MASKED, Documents, Floats, Ints, Judge, Pairs
from twinset.model.flow import MARKUP, PASSED_OVER, SORTS
from twinset.plan import Plan
from twinset.plan.spec import name_of
from twinset.run.clustering import Clustered
from twinset.run.copies import Classes
from twinset.run.documents import Collected
from twinset.run.searching import at_threshold, recall, s_curve

if TYPE_CHECKING:
    from twinset.run.pairing import Paired

MOST_PASSED_OVER = 100


def manifest(
    *,
    plan: Plan,
    search: Search,
    judge: Judge | None,
    documents: Documents,
    collected: Collected,
    classes: Classes,
    paired: Paired,
    listed: Pairs,
    implied: int,
    clustered: Clustered,
    image_facts: dict[str, Any] | None,
    keep: NDArray[np.bool_] | None,
    kinds: dict[str, Any] | None,
    target: dict[str, Any] | None = None,
    timings: dict[str, float],
    threads: int,
) -> dict[str, Any]:
    """Everything a reader of the report may ask about the run."""
    clusters = clustered.clusters
    predicted = predictions(plan, search)
    solved: dict[str, Any] = {"candidates": search.describe()}
    if solved["candidates"].get("given"):  # nobody asked for the plan's recall
        solved["recall"] = predicted["recall_at_threshold"]
    return {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "plan": plan.as_dict() | solved,
        **({"forms": versions} if (versions := plan.forms.versions()) else {}),
        **masked_in(plan, collected.read_counts),
        "decision": decision(search, judge),
        "inputs": inputs_of(documents, collected.sources, collected.source),
        "counts": {
            "documents": len(collected),
            **_statuses(collected),
            "repeated_ids": collected.repeated_ids,
            **{name: collected.read_counts.get(name, 0) for name in (*MARKUP, *PASSED_OVER)},
            "without_features": _counted((collected.sizes == 0) & (collected.status == 0)),
            "classes": len(paired.leaders),
            "same_as": _counted(~classes.leads),
            "candidates": paired.compared,
            "pairs": len(listed),
            "clusters": len(clusters),
            "clustered_documents": _distinct(clusters.member, len(collected)),
            "absorbed": paired.absorbed,
            **_decided(keep),
        },
        "pairs": "partial" if paired.not_enumerated != 0 else "compact" if implied else "all",
        "implied_pairs": implied,
        "not_enumerated_pairs": paired.not_enumerated,
        "pairs_left_out": left_out(plan, paired.not_enumerated, implied),
        # clusters out of images need no pair
        "clusters_complete": clustered.complete
        and (paired.not_enumerated == 0 or image_facts is not None),
        **({} if image_facts is None else {name_of("clusters", plan.clusters): image_facts}),
        **({} if kinds is None else {"kinds": kinds}),
        **({} if target is None else {"target": target}),
        "without_reader": {
            sort: count for sort in SORTS if (count := collected.read_counts.get(sort, 0))
        },
        "faults": collected.fault_counts,
        "first_faults": [
            {"source": f.source, "line": f.line, "kind": f.kind, "detail": f.detail}
            for f in collected.faults
        ],
        **unread_of(documents),
        "predicted": predicted,
        "observed": {
            "histogram": _histogram(listed),
            "chained_clusters": int(clusters.chained.sum()),
            "weakest": _lowest(clusters.weakest),
        },
        "timings": timings,
        "cpu_seconds": round(time.process_time(), 3),
        "peak_memory_mb": peak_memory(),
        "threads": threads,
    }


def peak_memory() -> float:
    """The largest resident memory of this process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def _statuses(collected: Collected) -> dict[str, int]:
    names = ("ok", "empty", "bad", "bytes")
    return {name: _counted(collected.status == code) for code, name in enumerate(names)}


def _counted(marks: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(marks))


def _distinct(documents: Ints, count: int) -> int:
    """How many different ones there are among the numbers of ``count`` documents."""
    marks = np.zeros(count, bool)
    marks[documents] = True
    return _counted(marks)


def masked_in(plan: Plan, counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """How much each mask of a plan has left out of the comparison."""
    masked = {mask: counts.get(MASKED + mask, 0) for mask in plan.mask}
    return {"masked": masked} if masked else {}


def left_out(plan: Plan, not_enumerated: int | None, implied: int) -> list[dict[str, Any]]:
    """The rules that kept pairs out of the list, and how many pairs, None where nobody knows."""
    rules: list[dict[str, Any]] = []
    if not_enumerated != 0:
        rules.append({"by": "dense", "bound": plan.dense, "pairs": not_enumerated})
    if implied:
        rules.append({"by": "max-pairs", "bound": plan.max_pairs, "pairs": implied})
    return rules


def _decided(keep: NDArray[np.bool_] | None) -> dict[str, int]:
    return {} if keep is None else {"kept": _counted(keep), "removed": _counted(~keep)}


def inputs_of(
    documents: Documents, sources: Sequence[str] = (), source: Ints | tuple[()] = ()
) -> list[dict[str, Any]]:
    """What was read, with the number of documents of each source; ``source`` is that of each."""
    describe = getattr(documents, "describe", None)
    described = {row["source"]: dict(row) for row in describe()} if describe else {}
    counts = np.bincount(source, minlength=len(sources))
    for name, count in zip(sources, counts, strict=True):
        described.setdefault(name, {"source": name})["documents"] = int(count)
    return list(described.values())


def unread_of(documents: Documents) -> dict[str, Any]:
    """What was not read: what is wrong with the input as a whole, and the first files left out."""
    passed_over = getattr(documents, "passed_over", ())
    unread = getattr(documents, "unread", lambda: None)()
    files = getattr(documents, "unread_files", lambda: None)
    return {
        "unread": unread,
        "unread_files": files() if unread is None else None,
        "first_passed_over": [file._asdict() for file in passed_over[:MOST_PASSED_OVER]],
    }


def decision(search: Search, judge: Judge | None) -> dict[str, Any]:
    """What makes two documents a pair: the plan's measure, a judge, or the method itself."""
    if judge is not None:
        return {"by": "judge", "judge": judge.name, "threshold": judge.threshold}
    if search.decides:
        return {"by": "method", "documents_that": search.decides}
    return {"by": "measure"}


def predictions(plan: Plan, search: Search) -> dict[str, Any]:
    """The chance to be found by similarity; nothing where the method has no such curve."""
    at, curve = recall(plan, search), s_curve(search)
    if at is None or not curve:
        return {}
    return {
        "recall_at_threshold": round(at, 6),
        "jaccard_at_threshold": at_threshold(plan, search),
        "s_curve": [[similarity, round(chance, 6)] for similarity, chance in curve],
    }


def _lowest(weakest: Floats) -> float | None:
    known = weakest[~np.isnan(weakest)]
    return float(known.min()) if len(known) else None


def _histogram(pairs: Pairs) -> dict[str, list[float]]:
    top = max(1.0, float(pairs.score.max())) if len(pairs) else 1.0
    counts, edges = np.histogram(pairs.score, bins=100, range=(0.0, top))
    return {"edges": edges.round(6).tolist(), "counts": counts.tolist()}
