"""The operations on words: replacing them, and cutting a text short."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from twinset.lab.generation.draw import Draw
from twinset.lab.generation.material import fault_of, load_words
from twinset.lab.generation.operation import Edited, Setting, Share, total
from twinset.lab.generation.sheet import Edit, Place, Places, Sheet, put, touched
from twinset.lab.generation.units import Span, script_of, word_spans
from twinset.spec import option
from twinset.text import words as canonical_words

_TRIES = 1000  # words of the store that are tried, starting at a random one


@dataclass(frozen=True)
class ReplaceWords(Share):
    """Replace words by different ones from a dictionary or other documents, in the same case."""

    counts: ClassVar[str] = "words"
    dictionary: str | None = option(
        None, "A text file of words; without it, words of other documents are used."
    )

    def faults(self) -> list[str]:
        """A dictionary that is missing or empty."""
        return super().faults() + (
            fault_of(self.dictionary, "dictionary") if self.dictionary else []
        )

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw another word for each chosen one."""
        own = Places(sheet, word_spans)
        chosen = [own[number] for number in setting.draw.sample(len(own), self.of(len(own)))]
        old = [_text(sheet, place) for place in chosen]
        stores, notes = self._stores(sheet, own, old, setting)
        words = _other_words(old, stores, setting.draw)
        new = [(p, word) for p, word in zip(chosen, words, strict=True) if word is not None]
        if len(new) < len(chosen):
            notes += (f"{len(chosen) - len(new)} words stayed: there was no other word for them",)
        done = [place for place, _ in new]
        changed = {"of": len(own)} | touched(sheet, done)
        changed["characters_deleted"] = sum(p.stop - p.start for p in done)
        changed["characters_added"] = total([word for _, word in new])
        return Edited(put(sheet, new, apart=True), changed, notes)

    def _stores(
        self, sheet: Sheet, own: Places, old: list[str], setting: Setting
    ) -> tuple[list[Sequence[str]], tuple[str, ...]]:
        """For each old word the words that may replace it, and a note for the log.

        They come from the dictionary; without one, from other documents, if possible in the same
        script; without those, from the document itself.
        """
        if self.dictionary is not None:
            return [load_words(self.dictionary)] * len(old), ()
        known = setting.others.words
        if any(len(words) > 1 for words in known.values()):
            every = list(itertools.chain(*known.values()))
            choices = [known.get(script_of(word[0]), []) for word in old]
            return [words if len(words) > 1 else every for words in choices], ()
        words = list(dict.fromkeys(_text(sheet, own[number]) for number in range(len(own))))
        note = "no dictionary and no other documents: words come from the document itself"
        return [words] * len(old), (note,)


def _text(sheet: Sheet, place: Place) -> str:
    return sheet.texts[place.run][place.start : place.stop]


def _other_words(old: list[str], stores: list[Sequence[str]], draw: Draw) -> list[str | None]:
    """For each word a different one in the same case, or None; the search starts at random."""
    new: list[str | None] = [None] * len(old)
    canonical = canonical_words(old)
    open_ = [number for number, store in enumerate(stores) if store]
    firsts = [draw.below(len(store)) if store else 0 for store in stores]
    for attempt in range(_TRIES):
        open_ = [n for n in open_ if new[n] is None and attempt < len(stores[n])]
        if not open_:
            break
        tried = [stores[n][(firsts[n] + attempt) % len(stores[n])] for n in open_]
        shaped = [_in_case_of(old[n], word) for n, word in zip(open_, tried, strict=True)]
        for n, word, itself in zip(open_, shaped, canonical_words(shaped), strict=True):
            if len(itself) == 1 and itself != canonical[n]:
                new[n] = word
    return new


def _in_case_of(model: str, word: str) -> str:
    """The word in the case of the model, unless that makes a different word of it (straße)."""
    shaped = word
    if len(model) > 1 and model.isupper():
        shaped = word.upper()
    elif model[:1].isupper():
        shaped = word[:1].upper() + word[1:]
    return shaped if shaped.lower() == word.lower() else word


@dataclass(frozen=True)
class Truncate(Share):
    """Cut words off at the end or the start; at least one stays."""

    counts: ClassVar[str] = "words"
    side: Literal["end", "start"] = option("end", "Which side of the text to cut off.")

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Cut between two words."""
        own = Places(sheet, word_spans)
        count = min(self.of(len(own)), max(len(own) - 1, 0))
        notes = ("one word always stays",) if count < self.of(len(own)) else ()
        if not count:
            return Edited(sheet.source, {"of": len(own)}, notes)
        stays = len(own) - count
        numbers = range(stays, len(own)) if self.side == "end" else range(count)
        gone = [own[number] for number in numbers]
        kept = own[stays - 1] if self.side == "end" else own[count]
        changed = {"of": len(own)} | touched(sheet, gone)
        source = self._cut(sheet, kept, gone)
        characters = sum(p.stop - p.start for p in gone)
        changed |= {"words_deleted": count, "characters_deleted": characters}
        return Edited(source, changed, notes)

    def _cut(self, sheet: Sheet, kept: Place, gone: list[Place]) -> str:
        """Remove paragraphs that are cut as a whole and shorten the others."""
        if self.side == "end":
            cut = gone[0]
            shorter = {cut.run: sheet.texts[cut.run][: cut.start].rstrip()}
            emptied = range(cut.run + 1, len(sheet.runs))
            if cut.run != kept.run:
                emptied = range(kept.run + 1, len(sheet.runs))
                shorter = {}
        else:
            shorter = {kept.run: sheet.texts[kept.run][kept.start :]}
            emptied = range(kept.run)
        texts = shorter | dict.fromkeys(emptied, "")
        edits = [Edit(*sheet.runs[run], sheet.encoded(text)) for run, text in texts.items()]
        whole = _whole(sheet, [sheet.runs[run] for run in emptied]) if sheet.is_html else []
        inside = [
            e for e in edits if not any(w.start <= e.start and e.stop <= w.stop for w in whole)
        ]
        return sheet.edited([*inside, *(Edit(*span, "") for span in whole)])


def _whole(sheet: Sheet, emptied: list[Span]) -> list[Span]:
    """The paragraphs all of whose text is cut."""
    gone = set(emptied)
    runs = [run for run in sheet.runs if run not in gone]
    return [
        paragraph.outer
        for paragraph in sheet.paragraphs
        if not any(
            run.start < paragraph.outer.stop and paragraph.outer.start < run.stop for run in runs
        )
    ]
