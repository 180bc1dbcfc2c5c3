"""The findings in sentences: the same ones for the page, the terminal and ``repr``."""

from __future__ import annotations

from collections.abc import Callable

from twinset.model.kinds import KINDS
from twinset.pages.language import exact, has_sentence, number, speaker
from twinset.report.facts import (
    Manifest,
    decided,
    expected_misses,
    is_listed_whole,
    older,
    threshold,
)
from twinset.report.faults import fault_sentences
from twinset.report.keeping import policies_in_words
from twinset.report.manifest import MARKUP, PASSED_OVER, SORTS, explained, image_facts
from twinset.spec import name_in

Say = Callable[..., str]
APART = ("same-form", "part", "unknown")
"""Why documents stay that are much like others."""
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
    """Which documents were not compared by their text, and why; nothing where all were."""
    say = speaker(language, "findings")
    sentences = [
        _listed(manifest, say, "skipped", SKIPPED, "skipped_", ", "),
        _by_bytes(manifest, say),
        *fault_sentences(manifest, language),
    ]
    return [sentence for sentence in sentences if sentence]


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
    estimated = "" if against.get("verified", True) else say("estimated", name=against["name"])
    return " ".join(part for part in (sentence, there, unread, estimated) if part)


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
    # Around cores: what the documents of these share, and how much of it every member has.
    prefix, values = "sets", {"sets": sets}
    if "alpha" in closed:
        prefix, values["alpha"] = "tolerant", exact(language, closed["alpha"])
    if closed["k"] is not None:
        return say(f"{prefix}_by_number", features=say("features", n=closed["k"]), **values)
    return say(f"{prefix}_by_share", share=exact(language, closed["share"]), **values)


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
    quality, around_cores = closed.get("mean_quality"), "alpha" in closed
    components = "false_clusters_of_cores" if around_cores else "false_clusters"
    sentences = [
        ""
        if quality is None
        else say("quality", n=closed.get("tolerated", 0), mean=number(language, quality, 3)),
        say(components, n=closed.get("components", 0), chained=chained, split=split),
        _counted(
            say,
            "too_short_for_core" if around_cores else "too_short",
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
        _counted(say, "cut_clusters", closed.get("cut_clusters")),
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


def _kinds(manifest: Manifest, language: str) -> list[str]:
    """The kinds of the pairs, and which documents stay for theirs."""
    kinds, say = manifest.get("kinds") or {}, speaker(language, "kinds")
    pairs, apart = kinds.get("pairs", {}), kinds.get("kept_apart", {})
    parts = ", ".join(say(f"count_{kind}", n=pairs[kind]) for kind in KINDS if pairs.get(kind))
    why = ", ".join(say(f"apart_{kind}", n=apart[kind]) for kind in APART if apart.get(kind))
    return [
        say("pairs", parts=parts) if parts else "",
        _counted(say, "left_out", kinds.get("left_out")),
        _counted(say, "kept_apart", sum(apart.get(kind, 0) for kind in APART), parts=why),
    ]


def _recall(manifest: Manifest, language: str) -> str:
    say = speaker(language, "findings")
    if manifest.get("unread"):
        return ""  # a promise about pairs says nothing where the documents are missing
    decision = decided(manifest)["by"]
    if decision in ("method", "judge"):
        return say(f"recall_{decision}")
    dense = "" if is_listed_whole(manifest) else "_dense"
    if manifest["plan"].get("candidates", {}).get("kind") == "join":
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
