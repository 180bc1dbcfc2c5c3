"""The findings in sentences: the same ones for the page, the terminal and ``repr``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from twinset.report.manifest import explained
from twinset.spec import name_in

Manifest = dict[str, Any]


def headline(manifest: Manifest) -> str:
    """What was found, in one line."""
    counts = manifest["counts"]
    return (
        f"{number(counts['documents'], 'document')}, {number(counts['pairs'], 'pair')}, "
        f"{number(counts['clusters'], 'cluster')}"
    )


def summary(manifest: Manifest) -> list[str]:
    """What was found and how far it can be trusted, a sentence each."""
    sentences = (
        _found,
        _removed,
        _recall,
        _chained,
        _compact,
        _dense,
        _skipped,
        _first_fault,
        _passed_over,
        _markup,
    )
    told = [text for sentence in sentences if (text := sentence(manifest))]
    failed = [_sentence(manifest["unread"])] if manifest.get("unread") else []
    return [*failed, told[0], *_explained(manifest), *told[1:]]


def measure(manifest: Manifest) -> str:
    """The name of the similarity, as it stands in a sentence."""
    decision = decided(manifest)
    if decision["by"] == "method":
        return "score of the method"
    name = str(decision.get("judge") or manifest["plan"].get("measure", "jaccard"))
    return f"{name.capitalize() if name in ('jaccard', 'dice') else name} similarity"


def decided(manifest: Manifest) -> dict[str, Any]:
    """What made two documents a pair: ``by`` measure, judge or method."""
    return manifest.get("decision") or {"by": "measure"}


def is_jaccard(manifest: Manifest) -> bool:
    """Whether scores are Jaccard similarities of the sets that the search compares."""
    plan_measure = manifest["plan"].get("measure", "jaccard")
    return decided(manifest)["by"] == "measure" and name_in(plan_measure) == "jaccard"


def threshold(manifest: Manifest) -> float:
    """What a similarity had to reach."""
    return float(decided(manifest).get("threshold", manifest["plan"]["threshold"]))


def _criterion(manifest: Manifest) -> str:
    decision = decided(manifest)
    if decision["by"] == "method":
        name = name_in(manifest["plan"]["method"])
        return f"by the method {name} (documents that {decision['documents_that']})"
    return f"at {with_article(measure(manifest))} of {threshold(manifest):g} or more"


def with_article(noun: str) -> str:
    """A noun with a or an before it."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def number(count: int, noun: str = "") -> str:
    """A count with thousands separated and its noun in the right number."""
    plural = noun if count == 1 or not noun else f"{noun}s"
    return f"{count:,} {plural}".strip()


def chance(probability: float) -> str:
    """A probability to three places, or to as many as it takes not to call it certain."""
    digits = 3
    while digits < 6 and probability < 1 == round(probability, digits):
        digits += 1
    return f"{probability:.{digits}f}"


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
    threshold = manifest["plan"]["threshold"]
    for low, high, count in zip(edges, edges[1:], histogram["counts"], strict=False):
        found = interpolate(curve, (max(low, threshold) + max(high, threshold)) / 2)
        if found > 0:
            missed += count * (1 - found) / found
    return missed


def interpolate(curve: list[list[float]], at: float) -> float:
    """The value of a piecewise linear curve of (x, y) points sorted by x."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= at <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return curve[0][1] if at < curve[0][0] else curve[-1][1]


def _found(manifest: Manifest) -> str:
    counts = manifest["counts"]
    if not counts["documents"]:
        return "There were no documents to compare."
    criterion = _criterion(manifest)
    if explanation := explained(manifest):
        return (
            f"Of {number(counts['documents'], 'document')}, "
            f"{number(counts['clustered_documents'])} are in {explanation.clusters}; "
            f"{number(counts['pairs'], 'pair')} were found {criterion}."
        )
    if not counts["clusters"]:
        return (
            f"None of {number(counts['documents'], 'document')} is a near-duplicate of another "
            f"{criterion}."
        )
    return (
        f"Of {number(counts['documents'], 'document')}, "
        f"{number(counts['clustered_documents'])} are near-duplicates of another {criterion}: "
        f"{number(counts['pairs'], 'pair')} in {number(counts['clusters'], 'cluster')}."
    )


def _explained(manifest: Manifest) -> list[str]:
    """What the kind of cluster adds, as where the search for sets was cut."""
    explanation = explained(manifest)
    if explanation is None or not manifest["counts"]["documents"]:
        return []
    return [_sentence(text) for text in explanation.sentences]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _removed(manifest: Manifest) -> str:
    counts = manifest["counts"]
    if counts.get("removed") is None:
        return ""
    was = "was" if counts["kept"] == 1 else "were"
    kept = f"{number(counts['kept'], 'document')} {was} kept"
    told = f"{kept} and {number(counts['removed'])} removed"
    if "decisions" in manifest:
        by_hand = number(counts.get("removed_by_decision", 0))
        return f"{told}: {by_hand} by hand, any other {_near(manifest)} the one kept in its place."
    return f"{told}, each {_near(manifest)} the document kept in its place."


def _near(manifest: Manifest) -> str:
    return "a pair with" if decided(manifest)["by"] == "method" else "within the threshold of"


def _recall(manifest: Manifest) -> str:
    if manifest.get("unread"):
        return ""  # a promise about pairs says nothing where the documents are missing
    if decided(manifest)["by"] == "method":
        return "The pairs are the method's own decision; --verify edit:0.8 would check them."
    if decided(manifest)["by"] == "judge":
        return (
            "Every pair that the method has found was checked; what it has not found is not known."
        )
    plan, predicted = manifest["plan"], manifest.get("predicted", {})
    if plan.get("candidates", {}).get("kind") == "join":
        if not is_listed_whole(manifest):
            return (
                "The search was exact: no pair that reaches the threshold was missed outside "
                "dense groups."
            )
        return "The search was exact: no pair that reaches the threshold was missed."
    recall = predicted.get("recall_at_threshold")
    if recall is None:
        return ""
    text = (
        f"A pair exactly at the threshold is found with a probability of {chance(recall)}, "
        "more similar pairs with a greater one"
    )
    missed = expected_misses(manifest)
    if missed is None:
        return text + "."
    about = "fewer than one pair" if missed < 1 else f"about {number(round(missed), 'pair')}"
    where = "" if is_listed_whole(manifest) else " outside dense groups"
    return f"{text}; by the similarities seen, {about} will have been missed{where}."


def _chained(manifest: Manifest) -> str:
    chained = manifest.get("observed", {}).get("chained_clusters") or 0
    if not chained:
        return ""
    clusters = number(chained, "cluster")
    if name_in(manifest["plan"].get("clusters", "")) == "anchored":
        return (
            f"In {clusters} some members are less alike than the threshold, "
            "though each is within it of the anchor."
        )
    verb = "contains" if chained == 1 else "contain"
    return f"{clusters} {verb} a pair below the threshold: members are linked through others."


def is_listed_whole(manifest: Manifest) -> bool:
    """Whether every pair that was found is listed, or implied by one that is."""
    return bool(manifest.get("not_enumerated_pairs", 0) == 0)


def _compact(manifest: Manifest) -> str:
    if not manifest.get("implied_pairs"):
        return ""
    return (
        "The pairs are listed for one document of each class of equal ones; "
        f"{number(manifest.get('implied_pairs', 0))} more follow from these."
    )


def _dense(manifest: Manifest) -> str:
    if is_listed_whole(manifest):
        return ""
    # Anchors are the same as if every pair had been compared, unless there was a crowd.
    if manifest.get("not_enumerated_pairs") is None or decided(manifest)["by"] == "judge":
        return f"{not_listed(manifest)}; clusters may lack members for it."
    return (
        f"{not_listed(manifest)}; which documents dedup keeps does not depend on them, "
        "but clusters may."
    )


def not_listed(manifest: Manifest) -> str:
    """How many pairs inside dense groups are not listed, and by which rule, without a full stop."""
    dense = number(manifest["plan"].get("dense", 1000))
    count = manifest.get("not_enumerated_pairs")
    if count is None:
        return (
            f"Not all pairs are listed: in groups of more than {dense} documents with a key in "
            "common only leaders were compared, and how many pairs that leaves out is not known"
        )
    return (
        f"Not all pairs are listed: about {number(count)} between documents that are near one "
        f"with {dense} neighbours were not compared"
    )


def _skipped(manifest: Manifest) -> str:
    counts = manifest["counts"]
    parts = []
    if counts.get("bad"):
        parts.append(f"{number(counts['bad'])} could not be read")
    if counts.get("empty"):
        parts.append(f"{number(counts['empty'])} had no words to compare")
    if counts.get("repeated_ids"):
        parts.append(f"{number(counts['repeated_ids'])} had an id seen before and got a new one")
    return f"Of the documents, {', '.join(parts)}." if parts else ""


def _first_fault(manifest: Manifest) -> str:
    """Where the input was faulty first: a count alone does not say what to do."""
    faults = manifest.get("first_faults") or []
    if not faults or manifest.get("unread"):
        return ""
    first, count = faults[0], sum((manifest.get("faults") or {}).values())
    place = first["source"] if first.get("line") is None else f"{first['source']}:{first['line']}"
    which = "The fault" if count == 1 else f"The first of {number(count, 'fault')}"
    return f"{which}: {place}: {first['detail']}."


_PASSED_OVER = {
    "links_not_followed": ("link to a file", "links to files", "read under another name"),
    "hard_links": ("further name", "further names", "of files that are read (hard links)"),
    "named_twice": ("file", "files", "named a second time"),
    "special_files": ("socket, pipe or device", "sockets, pipes or devices", ""),
    "lists_of_documents": ("list of documents", "lists of documents", ""),
    "own_files": ("file", "files", "that twinset has written"),
    "hidden_files": ("hidden file or folder", "hidden files or folders", ""),
    "other_records": ("record", "records", "of archives that hold no document"),
}


def _passed_over(manifest: Manifest) -> str:
    counts = manifest["counts"]
    parts = [
        f"{counts[name]:,} {one if counts[name] == 1 else several} {more}".strip()
        for name, (one, several, more) in _PASSED_OVER.items()
        if counts.get(name)
    ]
    return f"Not read, and no part of these counts: {', '.join(parts)}." if parts else ""


def _markup(manifest: Manifest) -> str:
    counts = manifest["counts"]
    parts = []
    if counts.get("html_cleaned"):
        parts.append(f"{number(counts['html_cleaned'])} were HTML pages and were cleaned")
    if counts.get("markup_left"):
        parts.append(
            f"{number(counts['markup_left'])} begin with mark-up, are no pages and were left as "
            "they are (--html yes cleans all)"
        )
    return f"Of the texts, {'; '.join(parts)}." if parts else ""
