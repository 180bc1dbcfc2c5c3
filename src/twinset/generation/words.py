"""The operations on words: replace, truncate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from twinset.generation.dictionary import fault_of, load_words
from twinset.generation.operation import Edited, Setting, Share, total
from twinset.generation.places import Place, places, put, touched
from twinset.generation.sheet import Edit, Sheet
from twinset.generation.units import Span, word_spans
from twinset.text import words as canonical_words

_TRIES = 20
NextWord = Callable[[int], str | None]


@dataclass(frozen=True)
class ReplaceWords(Share):
    """Words give way to words of a dictionary, which are never the same and keep the case."""

    counts: ClassVar[str] = "words"
    dictionary: str | None = field(
        default=None,
        metadata={"help": "A text file of words; without it words of other documents serve."},
    )

    def faults(self) -> list[str]:
        """A percentage that is none, a dictionary that is missing or empty."""
        return super().faults() + (
            fault_of(self.dictionary, "dictionary") if self.dictionary else []
        )

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw another word for each chosen one."""
        own = places(sheet, word_spans)
        chosen = [own[number] for number in setting.draw.sample(len(own), self.of(len(own)))]
        old = [sheet.texts[p.run][p.start : p.stop] for p in chosen]
        next_word, notes = self._store(sheet, own, setting)
        new = []
        for place, word, canonical in zip(chosen, old, canonical_words(old), strict=True):
            if (other := _other_word(word, canonical, next_word)) is not None:
                new.append((place, other))
        if len(new) < len(chosen):
            notes += (f"{len(chosen) - len(new)} words stayed: there was no other word for them",)
        done = [place for place, _ in new]
        changed = {"of": len(own)} | touched(sheet, done)
        changed["characters_deleted"] = sum(p.stop - p.start for p in done)
        changed["characters_added"] = total([word for _, word in new])
        return Edited(put(sheet, new, apart=True), changed, notes)

    def _store(
        self, sheet: Sheet, own: list[Place], setting: Setting
    ) -> tuple[NextWord, tuple[str, ...]]:
        """Where words come from: the dictionary, other documents, or the document itself."""
        draw = setting.draw
        if self.dictionary is not None:
            known = load_words(self.dictionary)
            start = draw.below(len(known))
            # After some draws in vain one after the other, so that none is overlooked.
            return (
                lambda attempt: (
                    draw.choice(known)
                    if attempt < _TRIES
                    else known[(start + attempt) % len(known)]
                    if attempt < _TRIES + len(known)
                    else None
                )
            ), ()
        if setting.others.word(draw, setting.original) is not None:
            return (
                lambda attempt: (
                    setting.others.word(draw, setting.original) if attempt < 2 * _TRIES else None
                ),
                (),
            )
        note = "no dictionary and no other documents: words come from the document itself"
        return (
            lambda attempt: (
                _text(sheet, draw.choice(own)) if attempt < 2 * _TRIES and own else None
            ),
            (note,),
        )


def _text(sheet: Sheet, place: Place) -> str:
    return sheet.texts[place.run][place.start : place.stop]


def _other_word(word: str, canonical: list[str], next_word: NextWord) -> str | None:
    """The next word that is another one, in the case of the one it replaces."""
    attempt = 0
    while (found := next_word(attempt)) is not None:
        for shaped in dict.fromkeys((_in_case_of(word, found), found)):
            told = canonical_words([shaped])[0]
            if len(told) == 1 and told != canonical:
                return shaped
        attempt += 1
    return None


def _in_case_of(model: str, word: str) -> str:
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


@dataclass(frozen=True)
class Truncate(Share):
    """Words are cut off at the end (or the beginning); at least one stays."""

    counts: ClassVar[str] = "words"
    side: Literal["end", "start"] = field(default="end", metadata={"help": "Where is cut."})

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Cut between two words."""
        own = places(sheet, word_spans)
        wanted = min(self.of(len(own)), max(len(own) - 1, 0))
        notes = ("one word always stays",) if wanted < self.of(len(own)) else ()
        if not wanted:
            return Edited(sheet.source, {"of": len(own)}, notes)
        gone = own[-wanted:] if self.side == "end" else own[:wanted]
        kept = own[-wanted - 1] if self.side == "end" else own[wanted]
        changed = {"of": len(own)} | touched(sheet, gone)
        source = self._cut(sheet, kept, gone)
        characters = sum(p.stop - p.start for p in gone)
        changed |= {"words_deleted": wanted, "characters_deleted": characters}
        return Edited(source, changed, notes)

    def _cut(self, sheet: Sheet, kept: Place, gone: list[Place]) -> str:
        """Paragraphs that are cut as a whole go, the texts of the others are shortened."""
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
        one.outer
        for one in sheet.paragraphs
        if not any(one.outer.start <= run.start < one.outer.stop for run in runs)
    ]
