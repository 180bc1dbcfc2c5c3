"""What follows from a manifest: what decided on pairs, what was probably missed, what to draw."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from twinset.spec import name_in

Manifest = dict[str, Any]


def decided(manifest: Manifest) -> dict[str, Any]:
    """What made two documents a pair: ``by`` measure, judge or method."""
    return manifest.get("decision") or {"by": "measure"}


def older(manifest: Manifest) -> dict[str, Any] | None:
    """What the documents were held against; None where they were compared with each other."""
    against: dict[str, Any] | None = manifest.get("against")
    return against


def is_jaccard(manifest: Manifest) -> bool:
    """Whether scores are Jaccard similarities of the sets that the search compares."""
    plan_measure = manifest["plan"].get("measure", "jaccard")
    return decided(manifest)["by"] == "measure" and name_in(plan_measure) == "jaccard"


def threshold(manifest: Manifest) -> float:
    """What a similarity had to reach."""
    return float(decided(manifest).get("threshold", manifest["plan"]["threshold"]))


def is_listed_whole(manifest: Manifest) -> bool:
    """Whether every pair that was found is listed, or implied by one that is."""
    return bool(manifest.get("not_enumerated_pairs", 0) == 0)


def observed(manifest: Manifest) -> tuple[list[float], list[int]]:
    """The histogram of similarities (edges, counts), from what decided on the pairs upwards."""
    histogram = manifest.get("observed", {}).get("histogram") or {"edges": [0, 1], "counts": [0]}
    edges, counts = histogram["edges"], histogram["counts"]
    # What a method has decided by itself begins with its lowest score: it knows no threshold.
    own = decided(manifest)["by"] == "method"
    lowest = next((low for low, count in zip(edges, counts, strict=False) if count), 0.0)
    least = (lowest if own else threshold(manifest)) + 1e-9
    first = max((row for row in range(len(counts)) if edges[row] <= least), default=0)
    return edges[first:], counts[first:]


def expected_misses(manifest: Manifest) -> float | None:
    """How many pairs at or above the threshold were probably missed; None when it cannot be said.

    Each found pair of similarity s stands for 1 / p(s) existing ones.
    """
    curve = manifest.get("predicted", {}).get("s_curve")
    histogram = manifest.get("observed", {}).get("histogram")
    # The curve is one of Jaccard similarities and says nothing about other scores.
    if not curve or not histogram or not is_jaccard(manifest):
        return None
    edges, missed = histogram["edges"], 0.0
    least = manifest["plan"]["threshold"]
    for low, high, count in zip(edges, edges[1:], histogram["counts"], strict=False):
        probability = interpolate(curve, (max(low, least) + max(high, least)) / 2)
        if probability > 0:
            missed += count * (1 - probability) / probability
    return missed


def interpolate(curve: list[list[float]], at: float) -> float:
    """The value of a piecewise linear curve of (x, y) points sorted by x."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= at <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return curve[0][1] if at < curve[0][0] else curve[-1][1]
