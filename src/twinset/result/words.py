"""The findings in sentences: the same ones for the page, the terminal and ``repr``.

In this order: why a copy goes and by which policy; facts of a manifest; the faults of a run by
kind; the sentences of `summary` and `brief`; clusters that were searched in images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from twinset.errors import PlanError
from twinset.model.flow import KINDS, MARKUP, PASSED_OVER, SORTS
from twinset.pages.language import exact, has_sentence, number, speaker
from twinset.plan.spec import load, name_in, name_of, parse

if TYPE_CHECKING:
    from twinset.finding.clusters.base import ClustersOfImages, Explanation
    from twinset.finding.clusters.keep import KeepReason


_UNITS = (("years", 365.25), ("months", 365.25 / 12), ("days", 1), ("hours", 1 / 24))
_LEAST = {"years": 2, "months": 2}
"""The least number of a unit: 61 days are two months, but 45 days are not one."""


def reason_in_words(reason: KeepReason, language: str = "en") -> str:
    """Why a copy goes, without a full stop: "older by 11 months"."""
    values = dict(reason.values)
    if "seconds" in values:
        values["time"] = time_in_words(int(values.pop("seconds")), language)
    return speaker(language, "keeping")(reason.name, **values)


def time_in_words(seconds: int, language: str = "en") -> str:
    """A length of time in the largest unit of which it has as many as `_LEAST` says."""
    say = speaker(language, "keeping")
    for unit, days in _UNITS:
        count = round(seconds / 86_400 / days)
        if count >= _LEAST.get(unit, 1) and seconds >= 86_400 * days:
            return say(unit, n=count)
    return say("minutes", n=round(seconds / 60)) if seconds >= 60 else say("seconds", n=seconds)


def policies_in_words(plan: Mapping[str, Any], language: str = "en") -> str:
    """A sentence on how a copy was chosen; nothing where it is the first one that was read."""
    written = plan.get("keep") or "first"
    texts = [written] if isinstance(written, str) else written
    if texts == ["first"]:
        return ""
    say = speaker(language, "keeping")
    return say("used", policies=say("then").join(_policy(text, language) for text in texts))


def _policy(text: str, language: str) -> str:
    try:
        policy = parse("keep", text)[0]
        name = name_of("keep", policy)
    except PlanError:  # of a package that is not installed here
        return text
    if not has_sentence(language, f"keeping.policy_{name}"):
        return text
    values = {key: getattr(policy, key) for key in ("order", "field") if getattr(policy, key, None)}
    return speaker(language, "keeping")(f"policy_{name}", **values)


Manifest = dict[str, Any]


def decided(manifest: Manifest) -> dict[str, Any]:
    """What made two documents a pair: ``by`` measure, judge or method."""
    return manifest.get("decision") or {"by": "measure"}


def older(manifest: Manifest) -> dict[str, Any] | None:
    """The older documents they were compared with; None if they were compared with each other."""
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


NOT_ASKED = {"given", "vectors", "code"}
"""Methods and forms that compare documents otherwise than by the words that `ask` shows."""


def can_be_asked(manifest: Manifest) -> bool:
    """Whether there are questions to ask about the pairs of these documents."""
    parts = {name_in(str(manifest["plan"].get(name))) for name in ("method", "forms")}
    several = manifest["counts"].get("classes", 0) > 1
    return several and older(manifest) is None and not parts & NOT_ASKED


MANY = 100
"""Documents: fewer are looked through sooner than twenty questions are answered."""


def is_doubtful(manifest: Manifest) -> bool:
    """Whether a tenth of the pairs are only just alike, or nothing is: many copies may be missed.

    Just alike is within .1 of the threshold, at most half the way to 1. Of 44 labelled collections,
    27 of them with planted copies, this is so in none of the 14 where the F1 of `find` is at least
    .95 and in 27 of the others; 20 answers raise the mean of the 17 from .46 to .90.
    """
    least, (edges, counts) = threshold(manifest), observed(manifest)
    near = least + min(0.1, (1 - least) / 2) - 1e-9
    count = sum(n for edge, n in zip(edges, counts, strict=False) if edge < near)
    return manifest["counts"]["documents"] >= MANY and count >= 0.1 * sum(counts)


def expected_misses(manifest: Manifest) -> float | None:
    """How many pairs at or above the threshold were probably missed; None when it cannot be said.

    Each found pair of similarity s stands for 1 / p(s) existing ones.
    """
    curve = manifest.get("predicted", {}).get("s_curve")
    histogram = manifest.get("observed", {}).get("histogram")
    # The curve is one of Jaccard similarities and says nothing about other scores.
    if not curve or not histogram or not is_jaccard(manifest):
        return None
    edges, missed, (ats, chances) = histogram["edges"], 0.0, np.transpose(curve)
    least = manifest["plan"]["threshold"]
    for low, high, count in zip(edges, edges[1:], histogram["counts"], strict=False):
        probability = float(np.interp((max(low, least) + max(high, least)) / 2, ats, chances))
        if probability > 0:
            missed += count * (1 - probability) / probability
    return missed


UNREAD_FILES = "unread-files"
"""The group of the files of which nothing was read."""
NOT_OPENED = ("unreadable", "outside", "irregular", "no-files")
NOT_READ = (
    *(UNREAD_FILES, "damaged", "truncated", "failed"),
    *("package", "no-text", "too-long", "unreadable"),
)
"""The kinds of files that are there, whose text could not be read, or not to its end."""
SUMMARY_KINDS, SUMMARY_FILES = 5, 3
"""Kinds of faults, and unread files, that get a sentence each in a summary."""


@dataclass(frozen=True, slots=True)
class FaultyPlace:
    """A file, with the line of the record in it where there is one, and what the reader said."""

    source: str
    line: int | None
    detail: str

    @property
    def where(self) -> str:
        """The file and the line, as editors take them."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """The faults of one kind; ``places`` are the first ones, which a report keeps."""

    kind: str
    count: int
    words: str
    remedy: str
    places: tuple[FaultyPlace, ...]


def fault_groups(manifest: Mapping[str, Any], language: str = "en") -> list[FaultGroup]:
    """The faults of a run, the most frequent kind first.

    Before them are the files of which nothing was read; their faults are not counted again.
    """
    say, unread = speaker(language, "faults"), manifest.get("unread_files") or {}
    counts = Counter(manifest.get("faults") or {})
    counts.subtract(unread.get("faults", {}))
    files = tuple(
        FaultyPlace(str(file["source"]), None, str(file["fault"]))
        for file in unread.get("first", ())
    )
    count = unread.get("files", 0)
    words, remedy = say("kind_unread_files", n=count), say("remedy_unread_files")
    kinds = sorted((kind for kind in counts if counts[kind] > 0), key=lambda k: (-counts[k], k))
    named = {place.source for place in files}
    return [
        *([FaultGroup(UNREAD_FILES, count, words, remedy, files)] if count else []),
        *(
            FaultGroup(
                kind,
                counts[kind],
                fault_words(kind, counts[kind], language),
                say(f"remedy_{_key(kind)}"),
                _places(manifest, kind, named),
            )
            for kind in kinds
        ),
    ]


def faults_shown(manifest: Mapping[str, Any], language: str = "en") -> dict[str, Any]:
    """The faults as the template ``faults_grouped.html`` takes them.

    Files are compared byte for byte where their text cannot be read; records, and what could not be
    opened, are not.
    """
    groups = fault_groups(manifest, language)
    of_files = all(entry.get("reader") == "files" for entry in manifest.get("inputs") or [{}])
    opened = not any(group.kind in NOT_OPENED for group in groups)
    return {"fault_groups": groups, "copies_are_found": of_files and opened}


def files_not_read(manifest: Mapping[str, Any]) -> int:
    """How many files were looked at whose text could not be read, or not to its end."""
    return sum(group.count for group in fault_groups(manifest) if group.kind in NOT_READ)


def fault_sentences(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """What was faulty, by its cause, and where first: a count alone does not say what to do."""
    if manifest.get("unread"):
        return []  # the cause of all faults is named already
    groups = fault_groups(manifest, language)
    kinds = [group for group in groups if group.kind != UNREAD_FILES and group.places]
    files = [group for group in groups if group.kind == UNREAD_FILES]
    return [
        *(sentence for group in files for sentence in _of_files(group, manifest, language)),
        *(_of_kind(group, len(kinds) == 1, language) for group in kinds[:SUMMARY_KINDS]),
    ]


def _of_files(group: FaultGroup, manifest: Mapping[str, Any], language: str) -> Iterator[str]:
    say = speaker(language, "findings")
    for file in manifest["unread_files"]["first"][:SUMMARY_FILES]:
        # What the reader says of the file is in English.
        why = file["fault"] if language == "en" else say("unread_rows", n=file["documents"])
        why = why if why.endswith("?") else f"{why}."
        yield say("unread_file", place=file["source"], why=why)
    if group.count > SUMMARY_FILES:
        yield say("more_unread_files", n=group.count - SUMMARY_FILES)


def _of_kind(group: FaultGroup, is_only_one: bool, language: str) -> str:
    say, first = speaker(language, "findings"), group.places[0]
    # Readers say the detail in English; of a fault in another language the kind is said.
    detail = first.detail if language == "en" else fault_words(group.kind, 1, language)
    if not is_only_one:
        where = f"{first.where}: {first.detail}" if language == "en" else first.where
        return say("faults_of_kind", n=group.count, what=group.words, where=where)
    key = "the_fault" if group.count == 1 else "first_fault"
    return say(key, n=group.count, place=first.where, detail=detail)


def fault_words(kind: str, count: int, language: str = "en") -> str:
    """What is wrong with so many files or records, in one line."""
    return speaker(language, "faults")(f"kind_{_key(kind)}", n=count)


def _key(kind: str) -> str:
    key = kind.replace("-", "_")
    return key if has_sentence("en", f"faults.kind_{key}") else "other"


def _places(manifest: Mapping[str, Any], kind: str, but: Container[str]) -> tuple[FaultyPlace, ...]:
    return tuple(
        FaultyPlace(str(fault["source"]), fault.get("line"), str(fault["detail"]))
        for fault in manifest.get("first_faults") or ()
        if fault.get("kind") == kind and fault["source"] not in but
    )


Say = Callable[..., str]
APART = (*KINDS[1:], "unknown")
"""Kinds for which a document stays although it is near another."""
SKIPPED = ("bad", "empty", "repeated_ids")


def headline(manifest: Manifest, language: str = "en") -> str:
    """What was found, in one line."""
    counts, say = manifest["counts"], speaker(language, "findings")
    if (against := older(manifest)) is not None:
        held = say("held_against", n=against["documents"], name=against["name"])
        return ", ".join(
            [say("documents", n=counts["documents"]), held, say("pairs", n=counts["pairs"])]
        )
    return ", ".join(say(name, n=counts[name]) for name in ("documents", "pairs", "clusters"))


def summary(manifest: Manifest, language: str = "en") -> list[str]:
    """What was found and how far it can be trusted, a sentence each."""
    say = speaker(language, "findings")
    unread = manifest.get("unread")
    sentences = [
        _unread(unread, language) if unread else "",
        finding(manifest, language),
        *_closed(manifest, language),
        _removed(manifest, say),
        *target_met(manifest, language),
        policies_in_words(manifest["plan"], language),
        *_kinds(manifest, language),
        _recall(manifest, language),
        _chained(manifest, say),
        _counted(
            say,
            "compact" if older(manifest) is None else "best_only",
            manifest.get("implied_pairs"),
        ),
        _dense(manifest, language),
        *input_faults(manifest, language),
        _listed(manifest, say, "passed_over", PASSED_OVER, "", ", "),
        _listed(manifest, say, "markup", MARKUP, "", "; "),
    ]
    return [sentence for sentence in sentences if sentence]


def brief(manifest: Manifest, language: str = "en") -> list[str]:
    """What was found and removed and what is wrong with the input, a sentence each."""
    unread = manifest.get("unread")
    sentences = [
        _unread(unread, language) if unread else "",
        finding(manifest, language),
        _removed(manifest, speaker(language, "findings")),
        *target_met(manifest, language),
        *input_faults(manifest, language),
    ]
    return [sentence for sentence in sentences if sentence]


def measure(manifest: Manifest, language: str = "en") -> str:
    """The name of the similarity, as it stands in a sentence."""
    decision, say = decided(manifest), speaker(language, "findings")
    if decision["by"] == "method":
        return say("score_of_method")
    name = str(decision.get("judge") or manifest["plan"].get("measure", "jaccard"))
    known = has_sentence(language, f"findings.similarity_{name}")
    return say(f"similarity_{name}") if known else say("similarity_other", name=name)


def not_listed(manifest: Manifest, language: str = "en") -> str:
    """How many pairs inside dense groups are not listed, and by which rule, without a full stop."""
    say = speaker(language, "findings")
    dense = manifest["plan"].get("dense", 1000)
    count = manifest.get("not_enumerated_pairs")
    if older(manifest) is not None:
        return say("not_listed_older", n=count or 0, dense=dense)
    if count is None:
        return say("not_listed_unknown", dense=dense)
    return say("not_listed", n=count, dense=dense)


def with_article(noun: str) -> str:
    """A noun with a or an before it."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def chance(probability: float, language: str = "en") -> str:
    """A probability to three places, or to as many as it takes not to call it certain."""
    digits = 3
    while digits < 6 and probability < 1 == round(probability, digits):
        digits += 1
    return number(language, probability, digits)


def input_faults(manifest: Manifest, language: str = "en") -> list[str]:
    """What of the documents was not compared, and why; nothing where all their text was."""
    say = speaker(language, "findings")
    sentences = [
        _listed(manifest, say, "skipped", SKIPPED, "skipped_", ", "),
        _by_bytes(manifest, say),
        *masked(manifest, language),
        *fault_sentences(manifest, language),
    ]
    return [sentence for sentence in sentences if sentence]


def masked(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """How much each mask has left out of the comparison; nothing where there was none."""
    say, counts = speaker(language, "findings"), manifest.get("masked") or {}
    parts = [
        say(f"masked_{mask}", n=count)
        if has_sentence(language, f"findings.masked_{mask}")
        else say("masked", n=count, mask=mask)
        for mask, count in counts.items()
    ]
    return [say("not_compared_text", parts=", ".join(parts))] if parts else []


def finding(manifest: Manifest, language: str = "en") -> str:
    """What was found, in one sentence."""
    counts, say = manifest["counts"], speaker(language, "findings")
    if not counts["documents"]:
        return say("no_documents")
    criterion = _criterion(manifest, language)
    documents = say("of_documents", n=counts["documents"])
    if (against := older(manifest)) is not None:
        return _found_older(against, manifest, language)
    clustered = counts["clustered_documents"]
    if image_facts(manifest) is not None:
        pairs = say("pairs_found", n=counts["pairs"])
        sets = _sets(manifest, language)
        return say(
            "found_sets",
            documents=documents,
            n=clustered,
            sets=sets,
            pairs=pairs,
            criterion=criterion,
        )
    if not counts["clusters"] and counts["documents"] == 1:
        return say("found_only")
    if not counts["pairs"]:
        return say("found_none", documents=documents, criterion=criterion)
    if not counts["clusters"]:
        pairs = say("pairs_found", n=counts["pairs"])
        return say("found_staying", pairs=pairs, documents=documents, criterion=criterion)
    return say(
        "found",
        documents=documents,
        n=clustered,
        criterion=criterion,
        pairs=say("pairs", n=counts["pairs"]),
        clusters=say("in_clusters", n=counts["clusters"]),
    )


def _found_older(against: Manifest, manifest: Manifest, language: str) -> str:
    """What was found among older documents."""
    say, counts = speaker(language, "findings"), manifest["counts"]
    held = {"name": against["name"], "criterion": _criterion(manifest, language)}
    held["older"] = say("of_documents", n=against["documents"])
    held["documents"] = say("of_documents", n=counts["documents"])
    if against["matched"]:
        pairs = say("pairs", n=counts["pairs"])
        sentence = say("found_older", n=against["matched"], pairs=pairs, **held)
    else:
        sentence = say("found_no_older", **held)
    there = _counted(say, "already_there", against["already_there"], name=against["name"])
    unread = _counted(say, "older_unread", against.get("unread"), name=against["name"])
    rules = (rule for rule in manifest.get("pairs_left_out", ()) if rule["by"] == "match")
    left_out = _counted(say, "one_to_one", sum(rule["pairs"] for rule in rules))
    greedy = _counted(say, "greedy", against.get("greedy"))
    return " ".join(filter(None, (sentence, left_out, greedy, there, unread)))


def _criterion(manifest: Manifest, language: str) -> str:
    decision, say = decided(manifest), speaker(language, "findings")
    if decision["by"] == "method":
        name, preset = name_in(manifest["plan"]["method"]), manifest["plan"].get("preset")
        if preset and has_sentence(language, f"findings.in_short_{name}"):
            return say(f"in_short_{name}", preset=preset)
        # The manifest explains the method in English.
        that = say("documents_that", that=decision["documents_that"]) if language == "en" else ""
        return say("by_method", name=name, that=that)
    name = measure(manifest, language)
    named = with_article(name) if language == "en" else name
    return say("at", measure=named, threshold=exact(language, threshold(manifest)))


def _sets(manifest: Manifest, language: str) -> str:
    closed, say = image_facts(manifest) or {}, speaker(language, "findings")
    explanation = explained(manifest)
    if explanation is not None and not {"kind", "k", "share"} <= closed.keys():
        return explanation.clusters  # a kind that has no sentences of its own in all languages
    key = f"sets_{closed['kind']}"
    known = has_sentence(language, f"findings.{key}")
    sets = say(key if known else "sets_other", n=closed["sets"], kind=closed["kind"])
    if closed["k"] is not None:
        return say("sets_by_number", features=say("features", n=closed["k"]), sets=sets)
    return say("sets_by_share", share=exact(language, closed["share"]), sets=sets)


def _closed(manifest: Manifest, language: str) -> list[str]:
    """The false clusters that components would be, and where the search for sets was cut."""
    say = speaker(language, "findings")
    closed, documents = image_facts(manifest), manifest["counts"]["documents"]
    explanation = explained(manifest)
    if closed is None or explanation is None or not documents:
        return []
    if not {"chained_components", "split_components"} <= closed.keys():
        return [_as_sentence(text) for text in explanation.sentences]
    chained, split = closed["chained_components"], closed["split_components"]
    truncated = closed.get("truncated_documents", 0)
    sentences = [
        say("false_clusters", n=closed.get("components", 0), chained=chained, split=split),
        _counted(
            say,
            "too_short",
            closed.get("too_short"),
            documents=say("of_documents", n=documents),
        ),
        _counted(
            say,
            "truncated",
            closed.get("truncated_components"),
            documents=say("documents", n=truncated),
        ),
        _counted(say, "cut", closed.get("cut")),
    ]
    return [sentence for sentence in sentences if sentence]


def _removed(manifest: Manifest, say: Say) -> str:
    counts = manifest["counts"]
    if counts.get("removed") is None:
        return ""
    by_method = decided(manifest)["by"] == "method"
    kept, removed = say("kept", n=counts["kept"]), counts["removed"]
    if "decisions" not in manifest:
        return say("removed_by_method" if by_method else "removed", kept=kept, removed=removed)
    key = "removed_by_hand_and_method" if by_method else "removed_by_hand"
    return say(key, kept=kept, removed=removed, by_hand=counts.get("removed_by_decision") or 0)


def target_met(manifest: Manifest, language: str = "en") -> list[str]:
    """Which threshold was taken to leave so much as was asked for, and whether it does."""
    facts, say = manifest.get("target"), speaker(language, "findings")
    if facts is None:
        return []
    is_text = facts["of"] == "bytes"
    shown = {n: number(language, facts[n]) for n in ("left", "total", "most")}
    key = "reached" if facts["left"] <= facts["most"] else "missed"
    key = "idle" if facts["total"] <= facts["most"] else key
    words = {name: exact(language, facts[name]) for name in ("threshold", "lowest")}
    lower = f"{max(facts['lowest'] - 0.1, facts['lowest'] / 2):.3g}"  # part of a command
    words |= {"target": str(manifest["plan"].get("target")), "lower": lower}
    of = "_of_text" if is_text else ""
    return [say(f"target_left{of}", **shown, **words), say(f"target_{key}", **shown, **words)]


def _kinds(manifest: Manifest, language: str) -> list[str]:
    """The kinds of the pairs, and which documents stay for theirs."""
    kinds, say = manifest.get("kinds") or {}, speaker(language, "kinds")
    pairs, apart = kinds.get("pairs", {}), kinds.get("kept_apart", {})

    def counted(kinds: Iterable[str], counts: Mapping[str, int]) -> str:
        named = [(say(kind), counts[kind]) for kind in kinds if counts.get(kind)]
        return "; ".join(say("count", kind=kind, n=count) for kind, count in named)

    parts, why = counted(KINDS[1:], pairs), counted(APART, apart)
    return [
        _counted(say, "identical", kinds.get("identical")),
        say("pairs", parts=parts) if parts else "",
        _counted(say, "left_out", kinds.get("left_out")),
        _counted(say, "kept_apart", sum(apart.get(kind, 0) for kind in APART), parts=why),
    ]


def _recall(manifest: Manifest, language: str) -> str:
    say = speaker(language, "findings")
    if manifest.get("unread"):
        return ""  # a promise about pairs says nothing where the documents are missing
    decision = decided(manifest)["by"]
    kind = manifest["plan"].get("candidates", {}).get("kind")
    if decision == "judge" or (decision == "method" and kind != "vectors"):
        return say(f"recall_{decision}")
    dense = "" if is_listed_whole(manifest) else "_dense"
    if kind in ("join", "vectors"):
        return say(f"recall_exact{dense}")
    recall = manifest.get("predicted", {}).get("recall_at_threshold")
    if recall is None:
        return ""
    missed = expected_misses(manifest)
    if missed is None:
        return say("recall", chance=chance(recall, language))
    about = say("missed_none") if missed < 1 else say("missed", n=round(missed))
    return say(f"recall_missed{dense}", chance=chance(recall, language), missed=about)


def _chained(manifest: Manifest, say: Say) -> str:
    anchored = name_in(manifest["plan"].get("clusters", "")) == "anchored"
    key = "chained_anchored" if anchored else "chained"
    if decided(manifest)["by"] == "method":
        key += "_by_method"  # which may know no threshold
    return _counted(say, key, manifest.get("observed", {}).get("chained_clusters"))


def _dense(manifest: Manifest, language: str) -> str:
    if is_listed_whole(manifest):
        return ""
    # Anchors are the same as if every pair had been compared, unless there was a crowd. Where pairs
    # are decided on estimates, the search does not know which documents are preferred.
    unknown = manifest.get("not_enumerated_pairs") is None
    estimated = manifest["plan"].get("candidates", {}).get("estimate", False)
    lacking = unknown or estimated or decided(manifest)["by"] == "judge"
    key = "dense_lacking" if lacking else "dense"
    key = key if older(manifest) is None else "dense_older"
    return speaker(language, "findings")(key, not_listed=not_listed(manifest, language))


def _unread(fault: str, language: str) -> str:
    """What was wrong with the input as a whole; readers say it in English."""
    return _as_sentence(fault) if language == "en" else speaker(language, "findings")("unread")


def _listed(
    manifest: Manifest, say: Say, key: str, names: tuple[str, ...], prefix: str, between: str
) -> str:
    """A sentence that lists those of the counts that are not zero."""
    counts = manifest["counts"]
    parts = [say(prefix + name, n=counts[name]) for name in names if counts.get(name)]
    return say(key, parts=between.join(parts)) if parts else ""


def _by_bytes(manifest: Manifest, say: Say) -> str:
    """The files that were compared byte for byte alone, by their sort."""
    counts = manifest.get("without_reader") or {}
    parts = [say(f"sort_{sort}", n=counts[sort]) for sort in SORTS if counts.get(sort)]
    key = "by_bytes" if older(manifest) is None else "not_compared"
    return say(key, parts=", ".join(parts)) if parts else ""


def _counted(say: Say, key: str, count: int | None, **values: str) -> str:
    return say(key, n=count, **values) if count else ""


def _as_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def image_facts(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a run says of clusters that it searched in images; None for clusters out of pairs.

    The entry has the name of the kind of cluster, as ``closed``.
    """
    facts = manifest.get(name_in(manifest["plan"].get("clusters", "")))
    return facts if isinstance(facts, dict) and "image" in facts else None


def explained(manifest: Mapping[str, Any]) -> Explanation | None:
    """In words what a run says of clusters that it searched in images; None for others."""
    facts = image_facts(manifest)
    if facts is None:
        return None
    kind: type[ClustersOfImages] = load("clusters", name_in(manifest["plan"]["clusters"]))
    return kind.explain(facts)
