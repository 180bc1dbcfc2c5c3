"""The faults of a run by kind, in words: what is wrong, what to do, and with which files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

from twinset.lazy_dataclass import dataclass
from twinset.pages.language import has_sentence, speaker

UNREAD_FILES = "unread-files"
"""The group of the files of which nothing was read."""
NOT_OPENED = ("unreadable", "outside", "irregular", "no-files")
SAID, SAID_FILES = 5, 3
"""Kinds of faults, and files without text, that a summary has sentences for."""


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


def fault_sentences(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """What was faulty, by its cause, and where first: a count alone does not say what to do."""
    if manifest.get("unread"):
        return []  # the cause of all faults is named already
    groups = fault_groups(manifest, language)
    kinds = [group for group in groups if group.kind != UNREAD_FILES and group.places]
    files = [group for group in groups if group.kind == UNREAD_FILES]
    return [
        *(sentence for group in files for sentence in _of_files(group, manifest, language)),
        *(_of_kind(group, len(kinds) == 1, language) for group in kinds[:SAID]),
    ]


def _of_files(group: FaultGroup, manifest: Mapping[str, Any], language: str) -> Iterator[str]:
    say = speaker(language, "findings")
    for file in manifest["unread_files"]["first"][:SAID_FILES]:
        # What the reader says of the file is in English.
        why = file["fault"] if language == "en" else say("unread_rows", n=file["documents"])
        why = why if why.endswith("?") else f"{why}."
        yield say("unread_file", place=file["source"], why=why)
    if group.count > SAID_FILES:
        yield say("more_unread_files", n=group.count - SAID_FILES)


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
